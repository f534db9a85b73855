"""Searches that a worker process remembers, so that the next page of a sorted list does not sort it again.

They are kept by what was asked, for the index that they are of: when a corpus has grown, its index is another one, and
what was found in the old one is forgotten. The oldest go when all have too many hits together.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from gristmill.pipeline import Corpus
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.request import SearchRequest
from gristmill.search.index.index import Index
from gristmill.search.subcorpora import expanded
from gristmill.search.wordlists import FOLDER, WordLists

MAX_HITS = 8_000_000
"""Hits of all searches that are kept: up to 32 bytes each, some 250 MB."""
MAX_SEARCHES = 200

_Key = tuple[Path, SearchRequest, str, tuple[tuple[str, int, int], ...]]


class KeptSearches:
    """The latest searches, the last one at the end."""

    def __init__(self, max_hits: int = MAX_HITS, max_searches: int = MAX_SEARCHES) -> None:
        self._max_hits, self._max_searches = max_hits, max_searches
        self._kept: OrderedDict[_Key, tuple[Index, Concordance]] = OrderedDict()
        self._hits = 0

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, corpus: Corpus, request: SearchRequest) -> Concordance:
        """Search a corpus, or take what was found before."""
        request.check()
        index = corpus.index
        key = corpus.folder, request, expanded(request.where or "", corpus.folder), _lists_of(corpus, request)
        known = self._forget(key)
        found = known[1] if known is not None and known[0] is index else request.find(index)
        self._keep(key, index, found)
        return found

    def _forget(self, key: _Key) -> tuple[Index, Concordance] | None:
        known = self._kept.pop(key, None)
        self._hits -= len(known[1]) if known else 0
        return known

    def _keep(self, key: _Key, index: Index, found: Concordance) -> None:
        if len(found) > self._max_hits:
            return
        self._kept[key] = index, found
        self._hits += len(found)
        stale = [other for other, (old, _) in self._kept.items() if other[0] == key[0] and old is not index]
        for other in stale:
            self._forget(other)
        while self._hits > self._max_hits or len(self._kept) > self._max_searches:
            self._forget(next(iter(self._kept)))


def _lists_of(corpus: Corpus, request: SearchRequest) -> tuple[tuple[str, int, int], ...]:
    """The state of the saved lists of words, if a query may name one: when a list changes, so does what is found."""
    names_some = any(
        "$" in query
        for query in (request.query, *request.having, *request.lacking, *request.aligned_with, *request.aligned_without)
    )
    return WordLists(folder=corpus.folder / FOLDER).state() if names_some else ()


KEPT = KeptSearches()
"""Those of this process."""
