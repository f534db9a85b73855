"""Dispersion: how evenly values are spread over documents, and over the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.arf import ReducedFrequencies
from gristmill.search.statistics.choice import BLOCK_TOKENS, Choice
from gristmill.search.statistics.measures import Scores
from gristmill.search.statistics.tally import MAX_COUNTERS
from gristmill.search.statistics.values import Keys, Values
from gristmill.table import Column

COLUMNS = (
    Column("documents"),
    Column(
        "dp",
        "DP",
        "{:.3f}".format,
        decimals=3,
        about="Deviation of proportions: near 0 if spread evenly over all documents, near 1 if in few of them.",
    ),
    Column(
        "arf",
        "ARF",
        "{:,.1f}".format,
        decimals=1,
        about="Average reduced frequency: the frequency, if spread evenly; near 1 if all stands in one place.",
    ),
)
"""How tables show it."""


class Dispersion(NamedTuple):
    """How each of some values is spread."""

    documents: Ids
    """Number of documents that have it."""
    dp: Scores
    """Deviation of proportions (Gries 2008).

    It is half of the sum, over all documents, of the difference between a document's share of the corpus and its share
    of the value's occurrences; near 0 if the value is spread evenly, near 1 if it is in one small document.
    """
    arf: Scores
    """Average reduced frequency; see `arf.py`."""

    def take(self, places: Ids) -> Dispersion:
        """Take some of the values."""
        return Dispersion(self.documents[places], self.dp[places], self.arf[places])


def dispersion(values: Values, choice: Choice, keys: Keys, counts: Ids) -> Dispersion:
    """Measure how values are spread, which are given by their keys in any order, with their frequencies."""
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    documents, differences = np.zeros(len(keys), np.int64), np.zeros(len(keys))
    reduced = ReducedFrequencies(counts, choice.size)
    lengths = choice.document_lengths
    for each, their_documents, places in _occurrences(values, choice, keys):
        reduced.add(each, places)
        firsts = _first_of_each_pair(each, their_documents)
        times, rows, numbers = np.diff(firsts, append=len(each)), each[firsts], their_documents[firsts]
        share = lengths[numbers] / max(choice.size, 1)
        # A document without the value adds its share of the corpus, and all of these shares are 1.
        differences += np.bincount(rows, np.abs(times / counts[rows] - share) - share, len(keys))
        documents += np.bincount(rows, minlength=len(keys))
    found = Dispersion(documents, np.clip((1 + differences) / 2, 0, 1), reduced.result())
    return found.take(np.argsort(order))


def _occurrences(values: Values, choice: Choice, keys: Keys) -> Iterator[tuple[Ids, Ids, Ids]]:
    """Occurrences of values, about a block of tokens at a time, in the order of the values and then of the text.

    Each has the number of its value among the keys, which ascend, the number of its document, and its place in the
    corpus or subcorpus. Documents come whole. To sort them, value and place in the block are packed into one number:
    with 10 bits for the place, value 7 at the place 42 is 7 * 1024 + 42.
    """
    docs = choice.index.structure("doc")
    bounds: Ids = docs.bounds.astype(np.int64)
    rows_of = _rows_of(keys, values.space)
    first, before = 0, 0
    while first < len(docs) and len(keys):
        last = max(int(np.searchsorted(bounds, bounds[first] + BLOCK_TOKENS, side="right")) - 1, first + 1)
        start, stop = int(bounds[first]), int(bounds[last])
        bits = (stop - start).bit_length()
        rows = rows_of(values.keys(slice(start, stop)))
        mask = choice.block(start, stop).mask if stop > start else None
        wanted = np.flatnonzero(rows >= 0 if mask is None else mask & (rows >= 0))
        packed = np.sort((rows[wanted] << bits) | wanted)
        rows, at = packed >> bits, packed & ((1 << bits) - 1)
        numbers = np.repeat(np.arange(first, last), np.diff(bounds[first : last + 1]))
        inside = choice.places(start, stop)
        yield rows, numbers[at], before + (at if inside is None else inside[at])
        before += stop - start if inside is None else int(inside[-1]) + 1 if len(inside) else 0
        first = last


def _first_of_each_pair(rows: Ids, numbers: Ids) -> Ids:
    """Where a new pair of value and document begins: values [1, 1, 1, 2] in documents [5, 5, 6, 6] give [0, 2, 3]."""
    new = np.ones(len(rows), np.bool_)
    new[1:] = (rows[1:] != rows[:-1]) | (numbers[1:] != numbers[:-1])
    return np.flatnonzero(new)


def _rows_of(keys: Keys, space: int) -> Callable[[Keys], Ids]:
    """Make a function that finds the places of keys among these, -1 for keys that are not there.

    It looks them up in a table, if that is not too large.
    """
    if space <= MAX_COUNTERS:
        table = np.full(space, -1)
        table[keys] = np.arange(len(keys))
        return table.__getitem__

    def search(wanted: Keys) -> Ids:
        rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[rows] == wanted, rows, -1)

    return search
