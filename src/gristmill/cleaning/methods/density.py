"""The methods `density` and `density-sparse`, independent of language.

Baisa, Web Content Cleaning (2009), 2.3, Algorithm 1 (WC Cleaner for single files). Density is characters of text per
structural element: the block elements that hold text, an element itself among them. Starting at the root of the page,
go down to the child with the highest density, as long as it holds more than half of the text of its parent. The element
where this ends, the target, is the text of the page.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.segmented import Elements

_MIN_SHARE_OF_PARENT = 0.5
_MIN_CHARACTERS_PER_ELEMENT = 10.0  # with less, a page is all tables and lists (Baisa's appendix)


class _Elements(NamedTuple):
    """The elements that hold blocks, as columns in the order of the page: parent, first block, first block behind."""

    parents: Ints
    first: Ints
    end: Ints


@page_method("density")
def density(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks in the target element as text, the others by how much text it would have to grow by to hold them.

    Those score from just over 0.5 to 1, which is for growing to the whole page.
    """
    return _score(page, min_density=0)


@page_method("density-sparse")
def density_sparse(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score as `density` does, but all as boilerplate if even the target is sparse: Baisa's option `--sparse`."""
    return _score(page, _MIN_CHARACTERS_PER_ELEMENT)


def _score(page: Features, min_density: float) -> Scores:
    """Find the target, and score blocks by the last element on the way to it that holds them."""
    if not len(page):
        return Scores(np.zeros(0), [])
    elements = _with_text(page.page.elements)
    text = starts_of(page.characters)
    characters = text[elements.end] - text[elements.first]
    densities = characters / _subtree_sizes(elements)
    way = _descend(elements.parents, characters, densities)
    if densities[way[-1]] < min_density:
        return Scores(np.ones(len(page)), ["sparse"] * len(page))
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
    """Count the elements in each element, itself among them: those from it on that begin before it ends."""
    return np.searchsorted(elements.first, elements.end) - np.arange(len(elements.first))


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
