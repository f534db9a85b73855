"""The decision tree of `hofmann:by=tree`, and the features of blocks that it asks for.

Baisa (2009), 1.2, names the number of words, the parent tag, and the ratios of words to capitalised words and to
punctuation, and ends with "...". Added here: the tag of the element itself, the share of words in links, the length of
words, and whether a punctuation mark comes last. `evaluation` trains the tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats, Matrix
from gristmill.cleaning.features import Features
from gristmill.kernel.elements import CODES, HEADINGS
from gristmill.kernel.elements import NAMES as TAG_NAMES
from gristmill.text.characters import Characters

CLASSES = ("n", "h", "l", "p")
_TAGS = ("p", "div", "li", "heading", "td", "th", "body", "center", "dd", "dt", "blockquote", "form", "pre")
_LEAF = -1

NAMES = (
    *("words", "words per capitalised word", "words per punctuation mark", "characters per word"),
    *("words in links", "ends with a punctuation mark"),
    *(f"{place}.{tag}" for place in ("tag", "parent") for tag in _TAGS),
)
"""The features of a block, in their order."""

_CODES_OF = np.array(
    [[name == tag or (tag == "heading" and name in HEADINGS) for tag in _TAGS] for name in TAG_NAMES], np.float32
)


def features(page: Features) -> Matrix:
    """Describe the blocks of a page, a row a block."""
    table = np.zeros((len(page), len(NAMES)), np.float32)
    if not len(page):
        return table
    characters = Characters(page.texts)
    marks, capitals = characters.are("P"), characters.are("Lu", "Lt")
    before = np.append(True, characters.are("Z")[:-1])
    before[characters.starts] = True
    words = page.words.astype(np.float64)
    ends = characters.starts + np.maximum(0, characters.lengths - 1)
    own = (
        words,
        words / np.maximum(1, characters.count(capitals & before)),
        words / np.maximum(1, characters.count(marks)),
        page.characters / np.maximum(1, words),
        page.link_density,
        marks[ends],
    )
    table[:, : len(own)] = np.stack(own, 1)
    elements, holders = page.page.elements, page.page.holders
    codes = elements.codes.copy()
    codes[0] = CODES["body"]
    table[:, len(own) :] = np.concatenate((_CODES_OF[codes[holders]], _CODES_OF[codes[elements.parents[holders]]]), 1)
    return table


def chances(table: Matrix, arrays: Mapping[str, npt.NDArray[Any]]) -> Floats:
    """Return the probability of each class for each block: its share among the training blocks of the same leaf.

    Node k of the tree asks whether feature `columns[k]` is above `borders[k]`. If not, the next node is `below[k]`, if
    so, `above[k]`. A leaf has the column -1. All blocks take a step at the same time.
    """
    columns, borders, shares = arrays["tree_columns"].astype(np.int64), arrays["tree_borders"], arrays["tree_shares"]
    next_nodes = np.stack((arrays["tree_below"], arrays["tree_above"]), 1).astype(np.int64)
    at = np.zeros(len(table), np.int64)
    rows = np.arange(len(table))
    for _ in range(len(columns)):
        going: Flags = columns[at[rows]] != _LEAF
        rows = rows[going]
        if not len(rows):
            break
        node = at[rows]
        yes = table[rows, columns[node]] > borders[node]
        at[rows] = next_nodes[node, yes.astype(np.int64)]
    found: Floats = shares.astype(np.float64)[at]
    return found
