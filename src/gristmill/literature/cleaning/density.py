"""The methods `density` and `density-sparse`, independent of language.

Baisa, Web Content Cleaning (2009), 2.3, Algorithm 1 (WC Cleaner for single files). Density is characters of text per
structural element: block elements with and without text, an element itself among them, and `<br>` (2.5). Starting at
the root of the page, go down to the child with the highest density, as long as it holds more than half of the text of
its parent. The element where this ends, the target, is the text of the page. Elements inside a line are not entered, as
whole blocks are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.cleaning.segmented import Segmented
from gristmill.columns import KINDS
from gristmill.kernel.elements import BLOCKS, CODES, NAMES
from gristmill.registry import part

SPARSE = "sparse"
"""The label of blocks on pages that have no running text."""
_MIN_SHARE_OF_PARENT = 0.5
_MIN_CHARACTERS_PER_ELEMENT = 10.0  # with less, a page is all tables and lists (Baisa's appendix)
_IS_STRUCTURAL = np.isin(np.arange(len(NAMES)), [CODES[name] for name in {*BLOCKS, "br"} - {"html", "body"}])
_HEADING = KINDS.index("h")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Options of `wc.py` (Baisa's appendix)."""

    sparse: bool = False
    """Whether pages whose target is sparse are all boilerplate: they consist of tables and lists (`--sparse`)."""
    addtitle: bool = False
    """Whether the first heading of the page is kept, wherever it stands (`--addtitle`).

    WC Cleaner takes `<title>` if there is no heading; here that is no block, but the title of the document.
    """


@dataclass(frozen=True, slots=True)
class _Elements:
    """The elements that hold blocks, as columns in the order of the page."""

    parents: Ints
    first: Ints
    """The first block in each element."""
    end: Ints
    """The first block behind it."""
    sizes: Ints
    """Structural elements in it, itself among them."""


DEFAULTS = Parameters()


@part("cleaning method", "density-sparse", parameters=Parameters(sparse=True))
@part("cleaning method", "density", parameters=DEFAULTS)
def density(page: Features, lang: str, parameters: Parameters = DEFAULTS) -> Scores:  # noqa: ARG001
    """Score blocks in the target element as text, the others by how much text it would have to grow by to hold them.

    Those score from just over 0.5 to 1, which is for growing to the whole page.
    """
    if not len(page):
        return Scores(np.zeros(0), [])
    elements = _elements(page.page)
    text = starts_of(page.characters)
    characters = text[elements.end] - text[elements.first]
    densities = characters / elements.sizes
    way = _descend(elements.parents, characters, densities)
    if parameters.sparse and densities[way[-1]] < _MIN_CHARACTERS_PER_ELEMENT:
        return Scores(np.ones(len(page)), [SPARSE] * len(page))
    growth = characters[way] - characters[way[-1]]
    scores = 0.5 + growth / max(growth[0], 1) / 2
    scores[-1] = 0
    levels = _levels(elements, way)
    values, labels = scores[levels], np.where(levels == len(way) - 1, "text", "boilerplate")
    if parameters.addtitle:
        title = np.flatnonzero(_are_headings(page))[:1]
        values[title], labels[title] = 0, "text"
    return Scores(values, labels.tolist())


def _are_headings(page: Features) -> Flags:
    headings: Flags = page.columns.kind.codes == _HEADING
    return headings


def _elements(page: Segmented) -> _Elements:
    """Leave out the elements that hold no block, and count the structural elements in the others.

    The page `<div>a<br>b<p></p></div>` has the tags [div, br, p, ~p, ~div]. Its structural start tags are those with
    the numbers 0, 1 and 2. The element `div` is opened by tag 0 and closed by tag 4, so it has 3 of them.
    """
    every = page.elements
    held = every.end > every.first
    tags = page.tags
    structural = np.flatnonzero(_IS_STRUCTURAL[np.maximum(tags, 0)] & (tags > 0))
    opened, closed = every.opened[held], every.closed[held]
    sizes = np.searchsorted(structural, closed) - np.searchsorted(structural, opened)
    sizes[0] += 1  # the body has no tag of its own in this count
    parents = (np.cumsum(held) - 1)[every.parents[held]]
    return _Elements(parents, every.first[held], every.end[held], np.maximum(sizes, 1))


def _descend(parents: Ints, characters: Ints, densities: Floats) -> list[int]:
    """Return the elements on the way from the root to the target (Algorithm 1)."""
    children = np.argsort(parents[1:], kind="stable") + 1
    first_child = np.searchsorted(parents[children], np.arange(len(parents) + 1))
    way = [0]
    while True:
        here = way[-1]
        below = children[first_child[here] : first_child[here + 1]]
        if not len(below):
            return way
        densest = int(below[np.argmax(densities[below])])
        if characters[densest] <= _MIN_SHARE_OF_PARENT * characters[here]:
            return way
        way.append(densest)


def _levels(elements: _Elements, way: list[int]) -> Ints:
    """Return for each block the number of the last element on the way that holds it.

    Each element on the way lies in the one before, so their first blocks ascend and their ends descend. With the first
    blocks [0, 2, 3] and the ends [9, 7, 5], block 6 is behind three beginnings but before two ends only: it is on
    level 1.
    """
    blocks = np.arange(elements.end[0])
    begun = np.searchsorted(elements.first[way], blocks, side="right")
    not_ended = np.searchsorted(-elements.end[way], -blocks)
    return np.minimum(begun, not_ended) - 1
