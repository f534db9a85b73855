"""The elements and texts of a page as one sequence, for methods that compare trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.features import Features


@dataclass(frozen=True, slots=True)
class Outline:
    """The elements with text in them and the texts, numbered together in document order: the body of the page is 0.

    What is in an element is then a run of nodes, from the element to its last text.
    """

    tags: list[str]
    """Of the elements, in their order."""
    elements: Ints
    """The nodes that are elements."""
    texts: Ints
    """The nodes that are texts: one for each block."""
    parents: Ints
    """For each node the one above it; the body of the page is its own parent."""
    first: Ints
    end: Ints
    """The blocks first[n] .. end[n] - 1 are in node n."""

    @classmethod
    def of(cls, page: Features) -> Outline:
        """An outline in time linear in the size of the page."""
        every = page.page.elements
        filled = every.end > every.first
        filled[0] = True
        first, end = every.first[filled], every.end[filled]
        blocks = np.arange(len(page.blocks))
        elements = np.arange(first.size) + first
        texts = blocks + np.searchsorted(first, blocks, "right")
        node = elements[np.cumsum(filled) - 1]  # for each element; only those with text are asked for below
        return cls(
            [tag for tag, has_text in zip(every.tags, filled.tolist(), strict=True) if has_text],
            elements,
            texts,
            _spread(elements, node[every.parents[filled]], texts, node[page.page.holders]),
            _spread(elements, first, texts, blocks),
            _spread(elements, end, texts, blocks + 1),
        )


def _spread(elements: Ints, of_elements: Ints, texts: Ints, of_texts: Ints) -> Ints:
    """A column for all nodes from one for elements and one for texts."""
    column = np.zeros(elements.size + texts.size, np.intp)
    column[elements], column[texts] = of_elements, of_texts
    return column
