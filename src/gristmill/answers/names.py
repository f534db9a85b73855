"""Names: words in capitals that belong together, and what they are names of.

Delmonte (GReG, section 3.1): multiwords are taken from dictionaries, or guessed of neighbours that begin with a capital
letter; the name of a person is matched if its last part is, that of a place or an institution as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gristmill.answers.rules_file import NameWords

_NAMING = frozenset(("PROPN",))
_MAYBE_NAMING = frozenset(("PROPN", "ADJ", "NOUN", "X"))


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text."""

    start: int
    end: int
    kind: str
    """`person`, `place`, `institution`, or `name` if it is not known which."""
    words: tuple[str, ...]
    """Its words in lower case."""

    def matches(self, other: Name) -> bool:
        """Tell whether two names can mean the same.

        A person's name must match in its last part, and where both have more, in that as well. Others match as a
        whole.
        """
        if "person" in (self.kind, other.kind):
            if {self.kind, other.kind} & {"place", "institution"} or self.words[-1] != other.words[-1]:
                return False
            shorter, longer = sorted((self.words, other.words), key=len)
            return all(_initial(word, longer) for word in shorter[:-1])
        return self.words == other.words

    def matches_word(self, word: str) -> bool:
        """Tell whether a single word can stand for it: the last part of a person's name, or the whole name."""
        return word == self.words[-1] if self.kind == "person" else self.words == (word,)


def _initial(part: str, words: Sequence[str]) -> bool:
    """Tell whether a first name is among words, written out or as its first letter."""
    letter = part.rstrip(".")
    return any(
        part == word or (len(letter) == 1 and word.startswith(letter)) or (word.rstrip(".") == part[:1])
        for word in words
    )


def find_names(words: Sequence[str], tags: Sequence[str], begins: Sequence[int], known: NameWords) -> tuple[Name, ...]:
    """Find names: neighbours in capitals of which one at least is tagged as a name, or tells by the lists of the rules.

    `begins` are the first words of sentences: there, a capital says nothing.
    """
    first_words, found, at = set(begins), [], 0
    while at < len(words):
        end = at
        while end < len(words) and (end == at or end not in first_words) and _could(words[end], tags[end], known):
            end += 1
        start = at
        while start < end and not _is_name(words, tags, start, first_words, known, alone=end - start == 1):
            start += 1
        places = range(start, end)
        named = any(tags[place] in _NAMING or _is_first(words[place], known) for place in places)
        if named or (len(places) > 1 and any(_is_institution(words[place], known) for place in places)):
            found.append(_name(words, start, end, known))
        at = max(end, at + 1)
    return tuple(found)


def _could(word: str, tag: str, known: NameWords) -> bool:
    """Tell whether a word can be part of a name; where all nouns have capitals, few nouns can."""
    folded = word.casefold()
    if known.capital_nouns and tag == "NOUN" and folded not in known.institutions | known.places | known.first:
        return False
    return word[:1].isupper() and (tag in _MAYBE_NAMING or folded in known.titles)


def _is_name(
    words: Sequence[str], tags: Sequence[str], at: int, first_words: set[int], known: NameWords, *, alone: bool
) -> bool:
    """Tell whether a name can begin with a word: it is tagged so, or its capital tells."""
    if tags[at] in _NAMING or _is_first(words[at], known) or words[at].casefold() in known.titles:
        return True
    return not alone and at not in first_words and (tags[at] == "ADJ" or not known.capital_nouns)


def _is_institution(word: str, known: NameWords) -> bool:
    return word.casefold() in known.institutions


def _is_first(word: str, known: NameWords) -> bool:
    return word.casefold() in known.first


def _name(words: Sequence[str], start: int, end: int, known: NameWords) -> Name:
    parts = tuple(word.casefold() for word in words[start:end])
    titled = len(parts) > 1 and parts[0] in known.titles
    if titled:
        start, parts = start + 1, parts[1:]
    before = words[start - 1].casefold() if start else ""
    if not known.institutions.isdisjoint(parts):
        kind = "institution"
    elif titled or before in known.titles or (parts[0] in known.first):
        kind = "person"
    elif before in known.before_places or not known.places.isdisjoint(parts):
        kind = "place"
    else:
        kind = "name"
    return Name(start, end, kind, parts)
