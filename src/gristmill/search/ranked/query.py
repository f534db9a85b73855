"""Queries for units, as people type them: `+climate "sea level" -coast`.

A term is a word or, in double quotes, a phrase. `+` before it: a unit must have it; `-`: it must not. A word is divided
as the tokeniser of each language of the corpus divides it: `don't` is the phrase `do n't`, and so are words of scripts
without spaces that are longer than a token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.annotation.tokeniser import tokenise
from gristmill.corpus.attributes import LOWER_CASED, lower_cased_texts
from gristmill.errors import UsageError

_PIECE = re.compile(r'([+-]?)(?:"([^"]*)"?|([^\s"]+))')
_MAX_CHARACTERS = 4_000
_MAX_TERMS = 200
TOKENISED = {"word": "lc", "lemma": "lemma_lc"}
"""Attributes whose terms are tokenised and searched in lower case, and their lower-cased forms."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase of a query."""

    text: str
    ways: tuple[tuple[str, ...], ...]
    """The ways in which it is divided into tokens."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class UnitQuery:
    """What a unit should have, in the order of the query, and what it must not have."""

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...]


def parse_query(text: str, attribute: str, languages: Sequence[str], *, match_all: bool) -> UnitQuery:
    """Read a query; raises if there is no word in it that is wanted. With `match_all` every term is required."""
    if len(text) > _MAX_CHARACTERS:
        raise UsageError(f"the query is longer than {_MAX_CHARACTERS:,} characters")
    terms: dict[tuple[tuple[str, ...], ...], Term] = {}
    excluded: dict[tuple[tuple[str, ...], ...], Term] = {}
    for sign, phrase, word in _PIECE.findall(text):
        ways = _ways(phrase or word, attribute, languages)
        if not ways:
            continue
        before = terms.get(ways)
        term = Term(
            " ".join((phrase or word).split()), ways, match_all or sign == "+" or bool(before and before.required)
        )
        (excluded if sign == "-" else terms)[ways] = term
    if not terms:
        raise UsageError(f"there is no word to look for in the query {text!r}")
    if len(terms) + len(excluded) > _MAX_TERMS:
        raise UsageError(f"the query has more than {_MAX_TERMS} words")
    return UnitQuery(tuple(terms.values()), tuple(excluded.values()))


def _ways(text: str, attribute: str, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Divide a term in each language; punctuation around it does not count."""
    if attribute not in LOWER_CASED:
        words = tuple(text.split())
        return (words,) if words else ()
    divided = dict.fromkeys(_divided(text, language) for language in languages)
    return tuple(words for words in divided if words)


def _divided(text: str, language: str) -> tuple[str, ...]:
    return tuple(lower_cased_texts(_stripped(tokenise(text, language).words)))


def _stripped(words: Sequence[str]) -> list[str]:
    there = [number for number, word in enumerate(words) if any(map(str.isalnum, word))]
    return list(words[there[0] : there[-1] + 1]) if there else []
