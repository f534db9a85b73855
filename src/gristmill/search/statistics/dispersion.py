"""Dispersion: how evenly values are spread over documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.choice import BLOCK_TOKENS, Choice
from gristmill.search.statistics.measures import Scores
from gristmill.search.statistics.tally import MAX_COUNTERS, distinct
from gristmill.search.statistics.values import Keys, Values


def dispersion(values: Values, choice: Choice, keys: Keys, counts: Ids) -> tuple[Ids, Scores]:
    """Number of documents that have each value, and its deviation of proportions.

    Values are given by ascending keys, with their frequencies. DP (Gries 2008) is half of the sum, over all documents,
    of the difference between a document's share of the corpus and its share of the value's occurrences; near 0 if the
    value is spread evenly, near 1 if it is in one small document.
    """
    documents, differences = np.zeros(len(keys), np.int64), np.zeros(len(keys))
    bounds: Ids = choice.index.structure("doc").bounds.astype(np.int64)
    for pairs, times in _pairs(values, choice, keys):
        numbers, rows = _unpacked(pairs, len(keys))
        share = (bounds[numbers + 1] - bounds[numbers]) / max(choice.size, 1)
        # A document without the value adds its share of the corpus, and all of these shares are 1.
        differences += np.bincount(rows, np.abs(times / counts[rows] - share) - share, len(keys))
        documents += np.bincount(rows, minlength=len(keys))
    return documents, np.clip((1 + differences) / 2, 0, 1)


def _pairs(values: Values, choice: Choice, keys: Keys) -> Iterator[tuple[Ids, Ids]]:
    """Different pairs of a document and a value, packed into one number, and the frequency of each.

    Documents come whole, about a block of tokens at a time.
    """
    docs = choice.index.structure("doc")
    bounds: Ids = docs.bounds.astype(np.int64)
    rows_of = _rows_of(keys, values.space)
    first = 0
    while first < len(docs) and len(keys):
        last = max(int(np.searchsorted(bounds, bounds[first] + BLOCK_TOKENS, side="right")) - 1, first + 1)
        start, stop = int(bounds[first]), int(bounds[last])
        mask = choice.block(start, stop).mask
        found = values.keys(slice(start, stop))
        numbers = np.repeat(np.arange(first, last), np.diff(bounds[first : last + 1]))
        rows = rows_of(found)
        wanted = rows >= 0
        if mask is not None:
            wanted &= mask
        yield distinct(np.sort(_packed(numbers[wanted], rows[wanted], len(keys))))
        first = last


def _packed(documents: Ids, rows: Ids, size: int) -> Ids:
    """Pack each pair of a document and a value, whose row is below `size`, into one number.

    With 100 values, the value of row 7 in document 3 is 307.
    """
    return documents * size + rows


def _unpacked(pairs: Ids, size: int) -> tuple[Ids, Ids]:
    """Unpack numbers into documents and rows of values."""
    return np.divmod(pairs, max(size, 1))


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
