"""Documents that have all words of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.declaration import operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.documents import FoundDocuments


@asked
class DocumentsAsked:
    """Which documents are wanted."""

    query: str = param(
        'Words that a document must have: (mill OR mills) is one or the other, "corn mill" a phrase.',
        kw_only=False,
        kind="words",
        name="q",
        example="mill",
    )
    lang: str | None = param("Only documents in this language.", default=None, kind="lang", max_characters=20)
    limit: int = param("How many documents; 0 for all.", default=10, minimum=0, short="-l")
    offset: int = param("How many to leave out before them.", default=0, minimum=0)


@operation(DocumentsAsked, room="search", table=True)
def documents(corpus: Corpus, asked: DocumentsAsked) -> FoundDocuments:
    """Find the documents that have all words of a query, the best first (BM25).

    At `/search?q=...` the answer is given in the form of SearXNG's JSON. `find` ranks documents by other dimensions,
    too, and paragraphs, sentences and windows.
    """
    from gristmill.search.documents import document_search

    search = document_search(corpus.index)
    return search.search(asked.query, limit=asked.limit or None, offset=asked.offset, lang=asked.lang or "")
