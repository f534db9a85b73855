"""Queries for documents, as people type them to search engines: `(guitar OR guitars) fret "slide guitar"`.

A document must have all words and phrases; of those with OR between them, one. OR binds its neighbours, with or without
parentheses. Whatever is typed is a query as long as it has a word: what is not closed ends with the text.
"""

from __future__ import annotations

import re

from gristmill.errors import UsageError

Terms = tuple[tuple[str, ...], ...]
"""Words and phrases that a document must have, each in one of several forms."""

_PIECE = re.compile(r'"([^"]*)"?|[()]|[^\s()"]+')
_MAX_TEXT_CHARACTERS = 4_000
_MAX_FORMS = 200


def parse_terms(text: str) -> Terms:
    """Parse a query for documents; raises if there is no word in it, or there are too many."""
    if len(text) > _MAX_TEXT_CHARACTERS:
        raise UsageError(f"the query is longer than {_MAX_TEXT_CHARACTERS:,} characters")
    terms: list[dict[str, None]] = []
    joins = False  # whether the next form belongs to the term before it
    for piece in _PIECE.finditer(text):
        if piece[0] in {"(", ")", "AND"}:
            continue
        if piece[0] == "OR":
            joins = bool(terms)
            continue
        form = " ".join((piece[0] if piece[1] is None else piece[1]).split())
        if any(map(str.isalnum, form)):
            if not joins:
                terms.append({})
            terms[-1][form] = None
        joins = False
    if not terms:
        raise UsageError("there is no word in the query")
    if sum(map(len, terms)) > _MAX_FORMS:
        raise UsageError(f"the query has more than {_MAX_FORMS} words")
    return tuple(dict.fromkeys(map(tuple, terms)))
