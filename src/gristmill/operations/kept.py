"""Searches that a server remembers, so that the next page of a sorted list does not sort it again.

They are kept by what was asked, for the index that they are of: when a corpus has grown, its index is another one, and
what was found in the old one is forgotten. The oldest go when all together hold too much memory.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

from gristmill.arrays.holding import held_bytes
from gristmill.operations.searched import Searched
from gristmill.pipeline import Corpus
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.subcorpora import expanded
from gristmill.search.wordlists import FOLDER, WordLists

MAX_BYTES = 200_000_000
"""What all searches that are kept may hold: hits, their order, and what was found out about them."""
MAX_SEARCHES = 200

_OF_THE_INDEX = (Index, Attribute, Structure)
"""What searches share."""
_Key = tuple[Path, tuple[Any, ...], str, tuple[tuple[str, int, int], ...]]


class KeptSearches:
    """The latest searches, the last one at the end."""

    def __init__(self, max_bytes: int = MAX_BYTES, max_searches: int = MAX_SEARCHES) -> None:
        self._max_bytes, self._max_searches = max_bytes, max_searches
        self._kept: OrderedDict[_Key, tuple[Index, Concordance]] = OrderedDict()
        self._bytes: dict[_Key, int] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, corpus: Corpus, asked: Searched) -> Concordance:
        """Search a corpus, or take what was found before."""
        self._weigh()
        index = corpus.index
        key = corpus.folder, asked.key, expanded(asked.where or "", corpus.folder), _lists_of(corpus, asked)
        known = self._forget(key)
        found = known[1] if known is not None and known[0] is index else asked.find(index)
        self._keep(key, index, found)
        return found

    def _weigh(self) -> None:
        """Weigh the search that was used last, which whoever used it has found out more about meanwhile."""
        if self._kept:
            key, (_, found) = next(reversed(self._kept.items()))
            self._bytes[key] = held_bytes(found, _OF_THE_INDEX)
            self._tidy()

    def _forget(self, key: _Key) -> tuple[Index, Concordance] | None:
        self._bytes.pop(key, None)
        return self._kept.pop(key, None)

    def _keep(self, key: _Key, index: Index, found: Concordance) -> None:
        self._kept[key] = index, found
        self._bytes[key] = held_bytes(found, _OF_THE_INDEX)
        stale = [other for other, (old, _) in self._kept.items() if other[0] == key[0] and old is not index]
        for other in stale:
            self._forget(other)
        self._tidy()

    def _tidy(self) -> None:
        """Forget what is more than may be kept: the one that is too large by itself, then the oldest."""
        newest = next(reversed(self._kept))
        if self._bytes[newest] > self._max_bytes:
            self._forget(newest)
        while sum(self._bytes.values()) > self._max_bytes or len(self._kept) > self._max_searches:
            self._forget(next(iter(self._kept)))


def _lists_of(corpus: Corpus, asked: Searched) -> tuple[tuple[str, int, int], ...]:
    """The state of the saved lists of words, if a query may name one: when a list changes, so does what is found."""
    names_some = any("$" in query for query in asked.queries)
    return WordLists(folder=corpus.folder / FOLDER).state() if names_some else ()
