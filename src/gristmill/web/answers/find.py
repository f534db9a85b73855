"""Ranked retrieval of units: the best documents, paragraphs, sentences or windows for some words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.ranked.finding import MATCHES, FindRequest
from gristmill.search.ranked.found import SHOWN_TOKENS
from gristmill.search.ranked.store import AUTOMATIC_TOKENS
from gristmill.web.downloads import format_param, table_answer

MAX_ROWS = 1_000
_WORDS = 'Words and "phrases"; +word is required, -word excluded.'
_BY = "bm25, or dimensions: date, quality, yield, length, numeric attributes of documents; several: date,quality."
_MATCH = "Units with any or all of the words; without it, any if they are ranked by bm25 alone."


@dataclass(frozen=True, slots=True, kw_only=True)
class FindAsked:
    """Which units are wanted, and by what they are ranked."""

    q: str = param(_WORDS, default="")
    unit: str = param(
        "document, paragraph, sentence, or window:50 for 50 tokens.", default="paragraph", max_characters=20
    )
    by: str = param(_BY, default="bm25", max_characters=200)
    attribute: str = param("What the words are: word, lemma, or another attribute.", default="word", max_characters=20)
    match: str = param(_MATCH, default="", choices=("", *MATCHES))
    where: str = param("Only documents for which this holds: year>=2010, or @name of a subcorpus.", default="")
    lang: str = param("Only texts in this language.", default="", max_characters=20)
    page: int = param("Which page of the units, from 1.", default=1, minimum=1, maximum=100)
    rows: int = param("Units on a page.", default=10, minimum=1, maximum=MAX_ROWS)
    tokens: int = param("Tokens of a unit that are shown at most.", default=SHOWN_TOKENS, minimum=1, maximum=10_000)
    format: str = format_param()


@operation(FindAsked, room="search")
def find(corpus: Corpus, asked: FindAsked) -> dict[str, Any] | File:
    """Find the best documents, paragraphs, sentences or windows for some words, by BM25 or by dimensions.

    `terms` says how many of all `units` have each term. Rows have the `rank`, the `score` by BM25, `values` in the
    dimensions, the `text` and the `marks` of the terms in it, the number of the `unit`, where it is in the index
    (`start`, `end`), and the `id`, `url`, `title`, `lang`, `host` and `date` of its document.
    """
    found = corpus.find_as(
        FindRequest(
            query=asked.q,
            unit=asked.unit,
            by=asked.by,
            limit=asked.rows,
            offset=(asked.page - 1) * asked.rows,
            attribute=asked.attribute,
            match=asked.match or None,
            where=asked.where.strip() or None,
            lang=asked.lang.strip() or None,
            tokens=asked.tokens,
        ),
        max_tokens=AUTOMATIC_TOKENS,
    )
    return table_answer(found, asked.format, f"find-{asked.q}")
