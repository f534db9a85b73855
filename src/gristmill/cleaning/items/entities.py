"""Named entities in titles and paragraphs: names and numbers by rules, or those of lists.

The paper has a recogniser of athletics, of which it uses athletes, sports and gender (section 3.3.1). It says that
other subjects need other types. Ours, which know no subject, are names (runs of words with a capital) and numbers with
what is glued to them (400m, 2008). A single capitalised word at the beginning of a sentence is no name. Scripts without
capitals have no names here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

TYPES = ("name", "number")
"""The types that the model which comes with Gristmill knows."""
_NUMBER = re.compile(r"(?<!\w)\d[\d.,:]*\w*")
_MAX_CHARACTERS = 20_000  # of a paragraph that are looked at
_LAST_LETTER = 0x24FF


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
        entries = {entry.lower(): name for name, known in lists.items() for entry in known}
        ordered = sorted(entries, key=len, reverse=True)
        pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, ordered)) + r")(?!\w)", re.IGNORECASE)

        def find(text: str) -> list[Entity]:
            found = []
            for match in pattern.finditer(text[:_MAX_CHARACTERS]) if ordered else ():
                value = match[0].lower()
                words = [value] if entries[value] in whole else value.split()
                found.append(Entity(entries[value], frozenset(words)))
            return found

        return cls(tuple(lists), find)


def find_names_and_numbers(text: str) -> list[Entity]:
    """Find names and numbers by rules."""
    text = text[:_MAX_CHARACTERS]
    names = [Entity("name", frozenset(match[1].lower().split())) for match in _names().finditer(text) if match[1]]
    return [
        *names,
        *(Entity("number", frozenset([match[0].rstrip(".,:").lower()])) for match in _NUMBER.finditer(text)),
    ]


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
