"""How the forms of words are asked for, as not every search engine knows OR."""

from __future__ import annotations

from gristmill.bootstrapping.query import Query
from gristmill.errors import UsageError

FORMS = {
    "or": "one request, with the forms of a word in parentheses: (guitar OR guitars) fret",
    "each": "a request for each form, without operators: guitar fret, and then guitars fret",
    "first": "one request, with the first form of each word: guitar fret",
}
"""Ways to ask for the forms of words."""


def variants(query: Query, forms: str) -> list[Query]:
    """Return the queries that are sent for a query, as one of `FORMS` says.

    With `each`, the second query has the second form of every word, and so on; where a word has fewer forms, it starts
    from its first again. So all forms are asked for, in as many requests as a word has forms at most.
    """
    if forms == "or" or not query.words:
        return [query]
    most = 1 if forms == "first" else max(map(len, query.words))
    chosen = [tuple((word[number % len(word)],) for word in query.words) for number in range(most)]
    return [Query(words, query.filters) for words in dict.fromkeys(chosen)]


def check_forms(forms: str) -> None:
    """Raise if there is no such way."""
    if forms not in FORMS:
        raise UsageError(f"forms must be one of {', '.join(FORMS)}, not {forms!r}")
