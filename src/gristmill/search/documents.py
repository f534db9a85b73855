"""Search for documents: those that have all words of a query, the best first, ranked by BM25.

A word with several forms counts as one word that occurs wherever one of its forms does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.annotation.tokeniser import tokenise
from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.search.bm25 import BM25, rarity
from gristmill.search.concordance.lines import Context, Line, make_lines
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Run
from gristmill.search.cql.selecting import AllTokens, OfValues, Selector
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.terms import Terms, parse_terms
from gristmill.table import Column, Table
from gristmill.wording import plural

_ANY_LANGUAGE = "und"
_WILDCARD = "*"
_EXTRACT = Context(characters=100)

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document that has all words of a query."""

    number: int
    """Its number in the index, from 0."""
    id: str
    url: str
    title: str
    lang: str
    score: float
    extract: str
    """Text around the first occurrence of the rarest word of the query."""


@dataclass(frozen=True, slots=True, repr=False)
class FoundDocuments(Table):
    """Some of the documents that were found, the best first, and how many there are in all."""

    total: int
    rows: list[FoundDocument]

    @property
    def columns(self) -> Sequence[Column]:
        """What is known of each, its score, and text of it."""
        return [*map(Column, ("number", "id", "url", "title", "lang")), Column("score", "BM25"), Column("extract")]

    @property
    def heading(self) -> str:
        """How many there are."""
        return f"{plural(self.total, 'document')} with all words"


class DocumentSearch:
    """Searches an index for documents. Many threads may search at a time."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._docs = index.structures["doc"]
        self._words = index.attributes["word"]
        self._folded = _Folded(self._words.lexicon)

    def search(self, query: str | Terms, *, limit: int | None = 10, offset: int = 0, lang: str = "") -> FoundDocuments:
        """Find the documents that have all words of a query, and return some of them.

        Case is ignored. `limit` documents (None for all) are returned from place `offset` on; with `lang` only those in
        that language.
        """
        if (limit is not None and limit < 0) or offset < 0:
            raise UsageError("limit and offset must not be negative")
        terms = parse_terms(query) if isinstance(query, str) else query
        if lang and lang not in self._languages:
            return FoundDocuments(0, [])
        occurrences = [self._occurrences(forms, lang) for forms in terms]
        counts = [self._counts(hits) for hits in occurrences]
        rarest = min(occurrences, key=len, default=Hits.none())
        numbers = self._having_all(counts, lang)
        scores = self._scores(counts, numbers)
        best = np.lexsort((numbers, -scores))[offset : None if limit is None else offset + limit]
        return FoundDocuments(len(numbers), list(self._described(numbers[best], scores[best], rarest)))

    def ids(self, query: str | Terms) -> list[str]:
        """Find the ids of all documents that have all words of a query, in the order of the index."""
        terms = parse_terms(query) if isinstance(query, str) else query
        counts = [self._counts(self._occurrences(forms, "")) for forms in terms]
        return self._docs.attribute("id").values(self._having_all(counts, ""))

    def _occurrences(self, forms: Sequence[str], lang: str) -> Hits:
        """Find where one of the forms of a word stands."""
        languages = [lang] if lang else self._languages
        divided = dict.fromkeys(tuple(tokenise(form, language).words) for form in forms for language in languages)
        return Hits.union([self._sequence(words) for words in divided if words])

    def _sequence(self, words: Sequence[str]) -> Hits:
        """Find where words stand one after the other; within a phrase, `*` is any token."""
        stream = Stream(self.index.size, Bounds(self._docs.bounds))
        selectors: list[Selector] = []
        for word in words:
            if word == _WILDCARD and len(words) > 1:
                selectors.append(AllTokens(self.index.size))
                continue
            ids = self._folded.find(word)
            if not len(ids):
                return Hits.none()
            selectors.append(OfValues(self._words, ids))
        return Run(selectors, stream).hits()

    def _counts(self, hits: Hits) -> Ids:
        """Count the hits in each document. If these are many, documents are looked up among them."""
        if len(hits) < len(self._docs):
            return np.bincount(self._docs.number_at(hits.starts), minlength=len(self._docs))
        return np.diff(np.searchsorted(hits.starts, self._docs.bounds.astype(np.int64)))

    def _having_all(self, counts: Sequence[Ids], lang: str) -> Ids:
        """Find the documents that have all words, in a language if one is given."""
        having = np.full(len(self._docs), bool(counts))
        for own in counts:
            having &= own > 0
        if lang:
            languages = self._docs.attributes.get("lang")
            having &= languages.ids == languages.lexicon.find(lang) if languages else True
        return np.flatnonzero(having)

    def _scores(self, counts: Sequence[Ids], numbers: Ids) -> Scores:
        """Compute the scores of some documents."""
        documents = len(self._docs)
        lengths = (self._docs.ends[numbers] - self._docs.starts[numbers]).astype(np.int64)
        scores = np.zeros(len(numbers))
        for own in counts:
            weights = BM25().weights(own[numbers], lengths, self.index.size / max(documents, 1))
            scores += rarity(documents, int(np.count_nonzero(own))) * weights
        return scores

    def _described(self, numbers: Ids, scores: Scores, hits: Hits) -> Iterator[FoundDocument]:
        """Look up what is known of documents, each of which has one of the hits."""
        first = np.searchsorted(hits.starts, self._docs.starts[numbers].astype(np.int64))
        lines = make_lines(Occurrences(self.index, hits[first]), _EXTRACT)
        for number, score, line in zip(numbers.tolist(), scores.tolist(), lines, strict=True):
            yield FoundDocument(number, line.doc, line.url, line.title, line.lang, score, _extract(line))

    @cached_property
    def _languages(self) -> list[str]:
        """The languages of the documents, by whose rules words are divided."""
        found = self._docs.attributes.get("lang")
        return [_ANY_LANGUAGE] if found is None or not len(found.lexicon) else found.lexicon.array.to_pylist()


_searches: WeakKeyDictionary[Index, DocumentSearch] = WeakKeyDictionary()


def document_search(index: Index) -> DocumentSearch:
    """The search of an index, which is made once: that takes a while, and what it finds out is of use to the next."""
    if index not in _searches:
        _searches[index] = DocumentSearch(index)
    return _searches[index]


class _Folded:
    """The values of a lexicon in lower case, sorted, to look up all that differ by case only.

    The values A, B and a are a, a and b in lower case, with the ids 0, 2 and 1.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        lower = pc.utf8_lower(lexicon.array)
        order = pc.sort_indices(lower)
        self._lower = Lexicon.of(lower.take(order))
        self._ids: Ids = order.to_numpy().astype(np.int64)

    def find(self, value: str) -> Ids:
        """Find the ids of the values that are like this one but for case, ascending."""
        lower = pc.utf8_lower(pa.scalar(value)).as_py()
        first = last = max(self._lower.find(lower), 0)
        while last < len(self._lower) and self._lower[last] == lower:
            last += 1
        return np.sort(self._ids[first:last])


def _extract(line: Line) -> str:
    return " ".join(f"{line.left}{line.node}{line.right}".split())
