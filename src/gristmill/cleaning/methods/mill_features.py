"""The features of `mill`: some two hundred numbers for each block, about it, its elements, its neighbours and its page.

They are independent of language: characters are distinguished by their Unicode category, and the only words that count
are those in class and id names, and the first words of blocks, whose weights are learned with the model.
`kernel.mill_columns` has their names, and training uses them too.

The loops of the kernel make them, where it is compiled, and operations on arrays elsewhere.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.features import Features
from gristmill.cleaning.roles import roles_of
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
    PHRASES,
    TAGS,
    TAGS_BEFORE,
    WORDS,
)  # fmt: skip
from gristmill.kernel.rows import LENGTH
from gristmill.roles import ROLES

_ROLES = list(ROLES)
_NO_SLOTS, _NO_WEIGHTS = np.zeros(1, np.uint32), np.zeros(1, np.float32)
_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


def _words_by_pattern(names: str) -> Iterable[str]:
    return dict.fromkeys(map(str.lower, _NAME_PART.findall(names)))


name_words: Callable[[str], Iterable[str]] = kernel.words_of_name if kernel.COMPILED else _words_by_pattern
"""Splits class and id names into words, each once: `post-navLinks` has post, nav and links."""


class Described(ABC):
    """A page whose features are known, but for those of names and phrases, which need weights."""

    def __init__(self, page: Features, table: Matrix) -> None:
        self._table = table
        folded = page.columns.folded
        self._phrases, self._starts = kernel.find_phrases(folded.data, folded.offsets)
        kernel.describe_roles(table, _roles(page), page.columns.words)

    def with_words(
        self, values: Floats, slots: npt.NDArray[np.uint32] = _NO_SLOTS, weights: npt.NDArray[np.float32] = _NO_WEIGHTS
    ) -> Matrix:
        """Fill the rows of names and phrases, and return the table: a row a feature, a column a block.

        `values` has a number for each of the texts of names: below 0, it is typical of boilerplate, above 0 of text.
        Slots and weights are those of phrases, as `kernel.phrases.make_table` makes them. It is the same table each
        time.
        """
        self._describe_names(values)
        kernel.weigh(self._phrases, self._starts, slots, weights, self._table, PHRASES)
        kernel.describe_phrases_around(self._table)
        return self._table

    @property
    def phrases(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int32]]:
        """The numbers of the phrases of all blocks, and where those of each block begin."""
        return self._phrases, self._starts

    @abstractmethod
    def _describe_names(self, values: Floats) -> None:
        """Fill the rows of names."""


def describe(page: Features) -> Described:
    """Make all features of a page but those of names and phrases; the page must have at least one block."""
    return ByLoops(page) if kernel.COMPILED else ByArrays(page)


def _roles(page: Features) -> Int32:
    """Return the numbers of the roles of blocks, which are found now if that was not done before."""
    found = page.columns.role
    return found.codes if found.values == _ROLES else roles_of(page).codes


class ByLoops(Described):
    """A page whose features are made by the loops of the kernel."""

    def __init__(self, page: Features) -> None:
        self._blocks, self._elements = _numbers(page)
        table = np.empty((len(FEATURES), len(page)), np.float32)
        folded = page.columns.folded
        measures = folded.measures()
        title = page.page.metadata.title[:MAX_TITLE_CHARACTERS].encode("utf-8", "replace")
        kernel.compare(self._blocks, measures[LENGTH], folded.data, folded.offsets, title)
        kernel.describe(table, self._blocks, measures, self._elements, page.page.length)
        super().__init__(page, table)

    def _describe_names(self, values: Floats) -> None:
        kernel.describe_names(self._table, self._blocks, self._elements, values)


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


class ByArrays(Described):
    """A page whose features are made by operations on arrays."""

    def __init__(self, page: Features) -> None:
        self._outline = arrays.Outline.of(page)
        super().__init__(page, arrays.describe(page, self._outline))

    def _describe_names(self, values: Floats) -> None:
        arrays.describe_names(self._table, self._outline, values)
