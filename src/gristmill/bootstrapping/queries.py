"""Queries of tuples: each word with its forms, and the words that show the language, as many as a provider takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gristmill.bootstrapping.config import MAX_FORMS
from gristmill.bootstrapping.forms import Forms
from gristmill.bootstrapping.query import Query


def make_query(
    words: Sequence[str],
    forms: Forms | None = None,
    filters: Sequence[str] = (),
    *,
    max_words: int = 0,
    max_forms: int = MAX_FORMS,
) -> Query:
    """Make the query of a tuple, with no more than `max_words` words if there is such a limit.

    What does not fit is left out: rare forms first, then filter words, never words of the tuple. Forms are added to all
    words in turn, so that each has some.
    """
    filters = [word for word in filters if word.casefold() not in {other.casefold() for other in words}]
    if max_words:
        room = max(max_words - _length(words), 0)
        filters = filters[:room]
        room -= len(filters)
    groups = [forms.of(word, max_forms) if forms else (word,) for word in words]
    if not max_words:
        return Query(tuple(groups), tuple(filters))
    taken = [1] * len(groups)
    for rank in range(1, max_forms):
        for at, group in enumerate(groups):
            if taken[at] == rank < len(group) and _length([group[rank]]) <= room:
                taken[at] += 1
                room -= _length([group[rank]])
    return Query(tuple(group[:many] for group, many in zip(groups, taken, strict=True)), tuple(filters))


def make_queries(
    tuples: Iterable[Sequence[str]],
    forms: Forms | None = None,
    filters: Sequence[str] = (),
    *,
    max_words: int = 0,
    max_forms: int = MAX_FORMS,
) -> list[Query]:
    """Make the queries of tuples, each once."""
    made = (make_query(words, forms, filters, max_words=max_words, max_forms=max_forms) for words in tuples)
    return list(dict.fromkeys(made))


def _length(words: Iterable[str]) -> int:
    """Count the words of words and phrases."""
    return sum(len(word.split()) for word in words)
