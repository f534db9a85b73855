"""Exact copies: documents whose clean text is the same to the letter, by ranges of digests.

Memory: about 150 bytes for each document of a range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.exact import first_copies
from gristmill.dedup.onion.index import known_indexes
from gristmill.dedup.onion.plan import Plan
from gristmill.dedup.onion.step import Step
from gristmill.dedup.result import NOBODY, pack_elsewhere

_KINDS = {"rows": np.int64, "high": np.uint64, "low": np.uint64, "copied": np.bool_}

DOCUMENTS_PER_RANGE = 1 << 20
"""Documents that are compared by one task, about."""


@dataclass(frozen=True, kw_only=True)
class FindCopies(Step):
    """The documents of a range of digests: which are exact copies of others, here or in text that is there already."""

    stored: bool
    """Whether an earlier run has found the copies already."""

    what: ClassVar[str] = "exact copies in range"

    def work(self) -> None:
        """Find them, and put the others in the order of their digests."""
        plan = self.plan
        documents = self._read()
        rows, digests = documents["rows"], np.column_stack([documents["high"], documents["low"]])
        first = np.where(documents["copied"], NOBODY, rows) if self.stored else _first(plan, rows, digests)
        copies, originals = np.flatnonzero(first != rows), np.flatnonzero(first == rows)
        originals = originals[np.argsort(digests[originals, 0], kind="stable")]
        arrays = {
            "copies": rows[copies],
            "first": first[copies],
            "rows": rows[originals],
            "digests": digests[originals],
        }
        save_arrays(plan.copies(self.number), arrays)

    def _read(self) -> dict[str, Array]:
        """The documents of the range, in the order of the corpus."""
        plan, shift = self.plan, 64 - self.plan.digest_bits
        low, high = np.uint64(self.number << shift), np.uint64(((self.number + 1) << shift) - 1)
        found: dict[str, list[Array]] = {name: [np.empty(0, kind)] for name, kind in _KINDS.items()}
        start = 0
        for number in range(plan.surveys):
            arrays = load_arrays(plan.survey(number))
            here = slice(
                int(np.searchsorted(arrays["high"], low)), int(np.searchsorted(arrays["high"], high, side="right"))
            )
            arrays["rows"], start = arrays["places"] + start, start + int(arrays["rows"].sum())
            for name, values in found.items():
                values.append(arrays[name][here])
        made = {name: np.concatenate(values) for name, values in found.items()}
        order = np.argsort(made["rows"])
        return {name: values[order] for name, values in made.items()}


def _first(plan: Plan, rows: Ints, digests: Array) -> Ints:
    """For each document the first one with the same text, if it is in other text that one, packed."""
    same = first_copies(digests, np.ones(len(rows), np.bool_))
    first = rows[same]
    for number, index in enumerate(known_indexes(plan)):
        originals = np.flatnonzero(first == rows)
        found = index.copies(digests[originals])
        there = found != NOBODY
        first[originals[there]] = pack_elsewhere(number, found[there])
        first = np.where(first >= 0, first[same], first)  # copies of a copy
    return first


def ranges(rows: int) -> int:
    """How many bits of their digests tell documents apart, so that a range has no more than so many."""
    return (rows // DOCUMENTS_PER_RANGE).bit_length()


def read_first(plan: Plan, start: int, end: int) -> Ints:
    """The first document with the same text, for some rows of the corpus."""
    first = np.arange(start, end)
    for number in range(1 << plan.digest_bits):
        arrays = load_arrays(plan.copies(number))
        here = slice(*np.searchsorted(arrays["copies"], (start, end)).tolist())
        first[arrays["copies"][here] - start] = arrays["first"][here]
    return first
