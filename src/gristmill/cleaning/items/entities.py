"""Named entities in titles and paragraphs: names and numbers by rules, or those of lists.

The paper has a recogniser of athletics, of which it uses athletes, sports and gender (section 3.3.1). It says that
other subjects need other types. Ours, which know no subject, are names (runs of words with a capital) and numbers with
what is glued to them (400m, 2008). A single capitalised word at the beginning of a sentence is no name. Scripts without
capitals have no names here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

NAME, NUMBER = TYPES = ("name", "number")
"""The types that the model which comes with Gristmill knows."""
_NUMBER = re.compile(r"(?<!\w)\d[\d.,:]*\w*")
_MAX_CHARACTERS = 20_000  # of a paragraph that are looked at
_LAST_LETTER = 0x24FF
_WORD = re.compile(r"\w+")


class Entity(NamedTuple):
    """An instance of a named entity: its type, and its words in lower case."""

    type: str
    words: frozenset[str]

    def matches(self, other: Entity) -> bool:
        """Whether both may stand for the same: `Richards` and `Sanya Richards` do, as they share a word."""
        return self.type == other.type and not self.words.isdisjoint(other.words)


@dataclass(frozen=True)
class Entities:
    """A recogniser: the types that it knows, and what finds the instances of a text."""

    types: tuple[str, ...]
    find: Callable[[str], list[Entity]]

    @classmethod
    def of_lists(cls, lists: Mapping[str, Sequence[str]], whole: Sequence[str] = ()) -> Entities:
        """Make one of lists, such as `{"athlete": ["Sanya Richards"], "sport": ["400m"]}`; longer entries come first.

        Entities of the types in `whole` are the same only if all of their words are: 400m is not 400 Hurdles.
        """
        entries = {
            folded: name for name, known in lists.items() for entry in known if _WORD.search(folded := _folded(entry))
        }
        lengths = _lengths(entries)

        def find(text: str) -> list[Entity]:
            return [
                Entity(entries[value], frozenset([value] if entries[value] in whole else value.split()))
                for value in _listed(text[:_MAX_CHARACTERS].lower(), entries, lengths)
            ]

        return cls(tuple(lists), find)


def _folded(entry: str) -> str:
    return " ".join(entry.lower().split())


_Lengths = Mapping[str, Sequence[tuple[int, int]]]
"""For each word: how far into entries it is their first word, and how long these are; the longest first."""


def _lengths(entries: Iterable[str]) -> _Lengths:
    """Note where entries may begin and end around a word, so that thousands of them cost no more than a few."""
    found: dict[str, set[tuple[int, int]]] = {}
    for entry in entries:
        first = _WORD.search(entry)
        if first:
            found.setdefault(first[0], set()).add((first.start(), len(entry)))
    return {word: sorted(places, key=lambda place: (-place[1], place[0])) for word, places in found.items()}


def _listed(text: str, entries: Container[str], lengths: _Lengths) -> Iterator[str]:
    """Yield the entries that a text has, from left to right, none inside of another; the longest of those at a place.

    An entry begins and ends with a word of the text: `may` is not in `mayor`.
    """
    end = 0
    for match in _WORD.finditer(text):
        for before, length in lengths.get(match[0], ()):
            start = match.start() - before
            value = text[max(start, 0) : start + length]
            if start >= end and value in entries and not _WORD.match(text, start + length):
                end = start + length
                yield value
                break


def find_names_and_numbers(text: str) -> list[Entity]:
    """Find names and numbers by rules."""
    found = _names().finditer(text[:_MAX_CHARACTERS])
    return [*(Entity(NAME, frozenset(match[1].lower().split())) for match in found if match[1]), *find_numbers(text)]


def find_numbers(text: str) -> list[Entity]:
    """Find numbers by rules, with what is glued to them."""
    found = _NUMBER.finditer(text[:_MAX_CHARACTERS])
    return [Entity(NUMBER, frozenset([match[0].rstrip(".,:").lower()])) for match in found]


BY_RULES = Entities(TYPES, find_names_and_numbers)


@cache
def _names() -> re.Pattern[str]:
    """Match runs of capitalised words, group 1; a single one at the beginning of a sentence is matched without it."""
    codes = [code for code in range(min(_LAST_LETTER, sys.maxunicode)) if chr(code).isupper()]
    ends = [place for place, (one, two) in enumerate(pairwise(codes)) if two != one + 1]
    starts = [codes[0], *(codes[place + 1] for place in ends)]
    ranges = zip(starts, [*(codes[place] for place in ends), codes[-1]], strict=True)
    upper = "".join(re.escape(chr(first)) + "-" + re.escape(chr(last)) for first, last in ranges)
    word = rf"[{upper}][\w'’-]*"
    begins = r"(?:\A|(?<=[.!?:] ))"
    return re.compile(rf"(?<![\w'’-])(?:{begins}{word}(?![\w'’-]| +{word})|({word}(?: +{word})*))")
