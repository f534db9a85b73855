"""The features of `mill`: some two hundred numbers for each block, about it, its elements, its neighbours and its page.

They are independent of language: characters are distinguished by their Unicode category, and the only words that count
are those in class and id names, whose weights are learned with the model. `kernel.mill_columns` has their names, and
training uses them too.

The loops of the kernel make them, where it is compiled, and operations on arrays elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.features import Features
from gristmill.cleaning.uncompiled import mill as arrays
from gristmill.columns import Int32
from gristmill.kernel.mill_columns import (
    BLOCK_ROWS,
    CODE,
    ELEMENT_ROWS,
    END,
    FEATURES,
    FIRST,
    HOLDER,
    KIND,
    LINK_WORDS,
    LINKS,
    MAX_TITLE_CHARACTERS,
    NAMES,
    PARENT,
    PATH,
    TAGS,
    TAGS_BEFORE,
    WORDS,
)  # fmt: skip
from gristmill.kernel.rows import LENGTH

_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


def _words_by_pattern(names: str) -> Iterable[str]:
    return dict.fromkeys(map(str.lower, _NAME_PART.findall(names)))


name_words: Callable[[str], Iterable[str]] = kernel.words_of_name if kernel.COMPILED else _words_by_pattern
"""Splits class and id names into words, each once: `post-navLinks` has post, nav and links."""


class Described(Protocol):
    """A page whose features are known, but for those of names, which need weights."""

    def with_names(self, values: Floats) -> Matrix:
        """Fill the rows of names, and return the table: a row a feature, a column a block.

        `values` has a number for each of the texts of names: below 0, it is typical of boilerplate, above 0 of text. It
        is the same table each time.
        """


def describe(page: Features) -> Described:
    """Make all features of a page but those of names; the page must have at least one block."""
    return ByLoops(page) if kernel.COMPILED else ByArrays(page)


class ByLoops:
    """A page whose features are made by the loops of the kernel."""

    def __init__(self, page: Features) -> None:
        self._blocks, self._elements = _numbers(page)
        self._table = np.empty((len(FEATURES), len(page)), np.float32)
        folded = page.columns.folded
        measures = folded.measures()
        title = page.page.metadata.title[:MAX_TITLE_CHARACTERS].encode("utf-8", "replace")
        kernel.compare(self._blocks, measures[LENGTH], folded.data, folded.offsets, title)
        kernel.describe(self._table, self._blocks, measures, self._elements, page.page.length)

    def with_names(self, values: Floats) -> Matrix:
        """Fill the rows of names, and return the table."""
        kernel.describe_names(self._table, self._blocks, self._elements, values)
        return self._table


def _numbers(page: Features) -> tuple[Int32, Int32]:
    """Put the numbers of blocks and of elements into one array each, with the rows that `mill_columns` names."""
    columns, elements = page.columns, page.page.elements
    blocks = np.empty((BLOCK_ROWS, len(page)), np.int32)
    blocks[WORDS] = columns.words
    blocks[LINK_WORDS] = columns.link_words
    blocks[LINKS] = columns.links
    blocks[TAGS] = columns.tags
    blocks[KIND] = columns.kind.codes
    blocks[PATH] = columns.path.codes
    blocks[HOLDER] = page.page.holders
    blocks[TAGS_BEFORE] = page.page.tags_before
    numbers = np.empty((ELEMENT_ROWS, len(elements.codes)), np.int32)
    numbers[CODE] = elements.codes
    numbers[PARENT] = elements.parents
    numbers[FIRST] = elements.first
    numbers[END] = elements.end
    numbers[NAMES] = elements.names.codes
    return blocks, numbers


class ByArrays:
    """A page whose features are made by operations on arrays."""

    def __init__(self, page: Features) -> None:
        self._outline = arrays.Outline.of(page)
        self._table = arrays.describe(page, self._outline)

    def with_names(self, values: Floats) -> Matrix:
        """Fill the rows of names, and return the table."""
        arrays.describe_names(self._table, self._outline, values)
        return self._table
