"""Named entities in titles and paragraphs: names and numbers by rules, or those of lists.

The paper has a recogniser of athletics, of which it uses athletes, sports and gender (section 3.3.1). It says that
other subjects need other types. Ours, which know no subject, are names (`names`) and numbers with what is glued to them
(400m, 2008). Scripts without capitals have no names here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gristmill.cleaning.items.names import names_in

NAME, NUMBER = TYPES = ("name", "number")
"""The types that the model which comes with Gristmill knows."""
_NUMBER = re.compile(r"(?<!\w)\d[\d.,:]*\w*")
_MAX_CHARACTERS = 20_000  # of a paragraph that are looked at
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
    """A recogniser: the types that it knows, and what finds the instances of each text of a page."""

    types: tuple[str, ...]
    find_all: Callable[[Sequence[str]], list[list[Entity]]]

    def find(self, text: str) -> list[Entity]:
        """Find the instances of a text that stands alone."""
        return self.find_all([text])[0]

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

        return cls(tuple(lists), lambda texts: list(map(find, texts)))


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


def find_names_and_numbers(texts: Sequence[str]) -> list[list[Entity]]:
    """Find names and numbers by rules."""
    names = names_in([text[:_MAX_CHARACTERS] for text in texts])
    return [
        [*(Entity(NAME, words) for words in own), *find_numbers(text)] for own, text in zip(names, texts, strict=True)
    ]


def find_numbers(text: str) -> list[Entity]:
    """Find numbers by rules, with what is glued to them."""
    found = _NUMBER.finditer(text[:_MAX_CHARACTERS])
    return [Entity(NUMBER, frozenset([match[0].rstrip(".,:").lower()])) for match in found]


BY_RULES = Entities(TYPES, find_names_and_numbers)
