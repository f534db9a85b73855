"""A query: some words, each in one of several forms, that a page must have."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PARTS = re.compile(r'(\()|(\))|"([^"]*)"|([^\s()"]+)')


@dataclass(frozen=True, slots=True)
class Query:
    """What a page must have: one form of each word.

    The words `guitar` (as `guitar` or `guitars`) and `fret`, with the language-filter word `and`, are
    `Query((("guitar", "guitars"), ("fret",)), ("and",))`.
    """

    words: tuple[tuple[str, ...], ...]
    """The words of the tuple, each with its forms, the base form first. A form with a space is a phrase."""
    filters: tuple[str, ...] = ()
    """Common words of the language that its neighbours don't have."""

    @property
    def text(self) -> str:
        """The query as people read it, and as documents have it: `(guitar OR guitars) fret and`."""
        return " ".join([*(_group(forms) for forms in self.words), *map(quoted, self.filters)])


def quoted(form: str) -> str:
    """Put a phrase into quotation marks; a word stays as it is."""
    plain = form.replace('"', " ").strip()
    return f'"{plain}"' if " " in plain else plain


def _group(forms: tuple[str, ...]) -> str:
    joined = " OR ".join(map(quoted, forms))
    return f"({joined})" if len(forms) > 1 else joined


def parse_query(text: str) -> Query:
    """Read a query as people write it: words, phrases in quotation marks, and `(guitar OR guitars)`."""
    words: list[tuple[str, ...]] = []
    group: list[str] | None = None
    for opening, closing, phrase, word in _PARTS.findall(text):
        form = " ".join((phrase or word).split())
        if opening and group is None:
            group = []
        elif closing and group:
            words.append(tuple(group))
            group = None
        elif form and form != "OR" and group is not None:
            group.append(form)
        elif form and form != "OR":
            words.append((form,))
    return Query((*words, tuple(group)) if group else tuple(words))
