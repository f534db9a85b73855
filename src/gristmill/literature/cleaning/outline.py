"""Outlines: the elements and texts of a page as one sequence, for the site methods, which compare trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.features import Features


@dataclass(frozen=True, slots=True)
class Outline:
    """The nodes of a page: texts, and the elements with text in them, numbered together in document order.

    A subtree is then a run of nodes, from an element to its last text. `<p>a</p><div>b<p>c</p></div>` has the nodes
    body, p, a, div, b, p, c: `elements` is [0, 1, 3, 5], `texts` is [2, 4, 6], `parents` is [0, 0, 1, 0, 3, 3, 5], and
    the nodes hold the blocks from `first` [0, 0, 0, 1, 1, 2, 2] to `end` [3, 1, 1, 3, 2, 3, 3], exclusive.
    """

    tags: list[str]
    """The names of the elements, in their order."""
    elements: Ints
    """The nodes that are elements."""
    texts: Ints
    """The nodes that are texts: one for each block."""
    parents: Ints
    """The node above each node; the body of the page is its own parent."""
    first: Ints
    """The first block in each node."""
    end: Ints
    """The first block behind each node."""

    @classmethod
    def of(cls, page: Features) -> Outline:
        """Make the outline of a page, in linear time.

        An element comes behind the elements and the texts before it, so its node is its own number among elements plus
        its first block; and a text comes behind all elements that begin with it or before it.
        """
        every = page.page.elements
        filled = every.end > every.first
        filled[0] = True
        first, end = every.first[filled], every.end[filled]
        blocks = np.arange(len(page))
        elements = np.arange(first.size) + first
        texts = blocks + np.searchsorted(first, blocks, "right")
        node = elements[np.cumsum(filled) - 1]  # of each element; only those with text are used below
        return cls(
            [tag for tag, has_text in zip(every.tags, filled.tolist(), strict=True) if has_text],
            elements,
            texts,
            _interleave(elements, node[every.parents[filled]], texts, node[page.page.holders]),
            _interleave(elements, first, texts, blocks),
            _interleave(elements, end, texts, blocks + 1),
        )


def _interleave(elements: Ints, of_elements: Ints, texts: Ints, of_texts: Ints) -> Ints:
    """Make a column for all nodes from one for the elements and one for the texts."""
    column = np.zeros(elements.size + texts.size, np.intp)
    column[elements], column[texts] = of_elements, of_texts
    return column
