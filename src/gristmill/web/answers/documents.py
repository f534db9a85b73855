"""Search for whole documents, in the form of SearXNG's JSON: by this a corpus is a search engine for `bootstrap`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gristmill.operations.declaration import operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus

if TYPE_CHECKING:
    from gristmill.search.documents import DocumentSearch


@dataclass(frozen=True, slots=True)
class DocumentsAsked:
    """A query for documents."""

    q: str = param(
        'Words that a document must have: (mill OR mills) is one or the other, "corn mill" a phrase.', default=""
    )
    page: int = param("Which page of results.", default=1, minimum=1, maximum=100_000)
    count: int = param("Results of a page.", default=10, minimum=1, maximum=100)
    lang: str = param("Only documents in this language.", default="", max_characters=20)


@operation(DocumentsAsked, room="search")
def documents(corpus: Corpus, asked: DocumentsAsked) -> dict[str, Any]:
    """Find the documents that have all words of a query, the best first (BM25).

    The answer has the form of SearXNG's, and is given at `/search?q=...`, too.
    """
    found = _search_of(corpus).search(
        asked.q, limit=asked.count, offset=(asked.page - 1) * asked.count, lang=asked.lang
    )
    return {
        "query": asked.q,
        "number_of_results": found.total,
        "results": [
            {"url": item.url, "title": item.title, "content": item.extract, "score": round(item.score, 6)}
            for item in found.documents
        ],
    }


_last: list[tuple[Corpus, DocumentSearch]] = []
"""The search of the corpus that was asked last: what it has found out on the way is of use to the next question."""


def _search_of(corpus: Corpus) -> DocumentSearch:
    from gristmill.search.documents import DocumentSearch  # noqa: PLC0415 (a server should be ready before it is)

    if not _last or _last[0][0] is not corpus:
        _last[:] = [(corpus, DocumentSearch(corpus.index))]
    return _last[0][1]
