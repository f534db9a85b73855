"""How evenly values are spread over documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.statistics.choice import BLOCK, Choice
from gristmill.search.statistics.measures import Scores
from gristmill.search.statistics.tally import DENSE, distinct
from gristmill.search.statistics.values import Keys, Values


def dispersion(values: Values, choice: Choice, keys: Keys, counts: Ids) -> tuple[Ids, Scores]:
    """For values by ascending keys, with their frequencies: how many documents have each, and its deviation of proportions.

    Deviation of proportions (Gries 2008): DP is half of the sum, over all documents, of the difference between a
    document's share of the corpus and its share of the value's occurrences; near 0 if the value is spread evenly, near
    1 if it is in one small document.
    """
    documents, differences = np.zeros(len(keys), np.int64), np.zeros(len(keys))
    bounds: Ids = choice.index.structure("doc").bounds.astype(np.int64)
    for pairs, times in _pairs(values, choice, keys):
        numbers, rows = np.divmod(pairs, max(len(keys), 1))
        share = (bounds[numbers + 1] - bounds[numbers]) / max(choice.size, 1)
        # A document without the value adds its share of the corpus, and all of these shares are 1.
        differences += np.bincount(rows, np.abs(times / counts[rows] - share) - share, len(keys))
        documents += np.bincount(rows, minlength=len(keys))
    return documents, np.clip((1 + differences) / 2, 0, 1)


def _pairs(values: Values, choice: Choice, keys: Keys) -> Iterator[tuple[Ids, Ids]]:
    """Different pairs of a document and a value, packed into one number, and how often each occurs; some whole documents at a time."""
    docs = choice.index.structure("doc")
    bounds: Ids = docs.bounds.astype(np.int64)
    rows_of = _rows_of(keys, values.space)
    first = 0
    while first < len(docs) and len(keys):
        last = max(int(np.searchsorted(bounds, bounds[first] + BLOCK, side="right")) - 1, first + 1)
        start, stop = int(bounds[first]), int(bounds[last])
        mask = choice.block(start, stop).mask
        found = values.keys(slice(start, stop))
        numbers = np.repeat(np.arange(first, last), np.diff(bounds[first : last + 1]))
        rows = rows_of(found)
        wanted = rows >= 0
        if mask is not None:
            wanted &= mask
        yield distinct(np.sort(numbers[wanted] * len(keys) + rows[wanted]))
        first = last


def _rows_of(keys: Keys, space: int) -> Callable[[Keys], Ids]:
    """A function that says where each of some keys stands among these, -1 if it does not; with a table, if that is not too large."""
    if space <= DENSE:
        table = np.full(space, -1)
        table[keys] = np.arange(len(keys))
        return table.__getitem__

    def search(wanted: Keys) -> Ids:
        rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[rows] == wanted, rows, -1)

    return search
