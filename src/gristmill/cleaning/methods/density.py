"""Density descent: Baisa, Web Content Cleaning (2009), 2.3, Algorithm 1 (WC Cleaner for single files).

From the root of the page down, go to the child with the highest density, characters of text for each structural
element, as long as it holds more than half of the text of the element above it. Where this ends is the text of the
page. Structural elements are the block elements that hold text, the element itself among them. Characters count, not
words: needs no knowledge of the language.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.segmentation import Elements

_MOST = 0.5  # of the text of the element above
_SPARSE = 10.0  # characters for an element: with less, a page is all tables and lists (Baisa's appendix)


class _Elements(NamedTuple):
    """The elements that hold blocks, in the order of the page: parent, first block, and first block behind it."""

    parents: Ints
    first: Ints
    end: Ints


@page_method("density")
def density(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Blocks in the target element are text; the others score by how much text it would have to grow by to hold them.

    That is from just over 0.5 to 1, the whole page.
    """
    return _score(page, sparse=0)


@page_method("density-sparse")
def density_sparse(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """The same, but if even the target is sparse, all of the page is boilerplate: Baisa's option `--sparse`."""
    return _score(page, _SPARSE)


def _score(page: Features, sparse: float) -> Scores:
    if not page.blocks:
        return Scores(np.zeros(0), [])
    elements = _with_text(page.page.elements)
    text = starts_of(page.characters)
    characters = text[elements.end] - text[elements.first]
    densities = characters / _subtree_sizes(elements)
    way = _descend(elements.parents, characters, densities)
    if densities[way[-1]] < sparse:
        return Scores(np.ones(len(page.blocks)), ["sparse"] * len(page.blocks))
    growth = characters[way] - characters[way[-1]]
    scores = 0.5 + growth / max(growth[0], 1) / 2
    scores[-1] = 0
    levels = _levels(elements, way)
    return Scores(scores[levels], np.where(levels == len(way) - 1, "text", "boilerplate").tolist())


def _with_text(elements: Elements) -> _Elements:
    """Leave out the elements that hold no block."""
    held = elements.end > elements.first
    return _Elements((np.cumsum(held) - 1)[elements.parents[held]], elements.first[held], elements.end[held])


def _subtree_sizes(elements: _Elements) -> Ints:
    """How many elements stand in each element, itself among them: those from it on that begin before it ends."""
    return np.searchsorted(elements.first, elements.end) - np.arange(len(elements.first))


def _descend(parents: Ints, characters: Ints, densities: Floats) -> list[int]:
    """Algorithm 1: the elements on the way from the root to the target."""
    children = np.argsort(parents[1:], kind="stable") + 1
    first_child = np.searchsorted(parents[children], np.arange(len(parents) + 1))
    way = [0]
    while True:
        here = way[-1]
        below = children[first_child[here] : first_child[here + 1]]
        if not len(below):
            return way
        densest = int(below[np.argmax(densities[below])])
        if characters[densest] <= _MOST * characters[here]:
            return way
        way.append(densest)


def _levels(elements: _Elements, way: list[int]) -> Ints:
    """For each block, how far on the way it is still inside; each element lies in the one before, so both its ends are in order."""
    blocks = np.arange(elements.end[0])
    begun = np.searchsorted(elements.first[way], blocks, side="right")
    not_ended = np.searchsorted(-elements.end[way], -blocks)
    return np.minimum(begun, not_ended) - 1
