"""Words as the parser sees them: numbers for what a tagger says of them, made once for each different word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.tagging.treebank import TAGS
from gristmill.annotation.tagging.words import MAX_CHARACTERS
from gristmill.kernel.parse_slots import ATTRIBUTES

Reading = tuple[str, str, str, str]
"""A word, its lemma, its part of speech and its features."""

_NUMBERS = {tag: number for number, tag in enumerate(TAGS)}
_OTHER = _NUMBERS["X"]
_OPEN = frozenset("NOUN PROPN VERB ADJ NUM X SYM".split())
"""Parts of speech with so many words that their lemmas say little."""
_MATTERING = frozenset("Case VerbForm Mood PronType Poss Reflex Voice".split())
"""Features that tell relations apart."""
_AGREEING = frozenset("Case Number Gender Person".split())
_SUFFIX = 3


def numbers_of(reading: Reading) -> tuple[int, tuple[int, ...]]:
    """Return the number of a word's part of speech, and its attributes, in the order of `kernel/parse_slots.py`."""
    word, lemma, tag, feats = reading
    lower, base = word[-MAX_CHARACTERS:].lower(), lemma[-MAX_CHARACTERS:].lower()
    values = feats.split("|") if feats else []
    morph = "|".join([tag, *_some(values, _MATTERING)])
    attributes = (
        f"w{lower}",
        f"l{base}",
        f"t{tag}",
        f"m{morph}",
        f"m{morph}" if tag in _OPEN else f"x{tag}|{base}",
        f"a{'|'.join(_some(values, _AGREEING))}",
        f"s{lower[-_SUFFIX:]}",
        f"f{tag}|{feats}",
    )
    return _NUMBERS.get(tag, _OTHER), tuple(crc32(text.encode("utf-8", "surrogatepass")) for text in attributes)


def _some(values: Iterable[str], names: frozenset[str]) -> list[str]:
    return [value for value in values if value.partition("=")[0] in names]


class WordTable:
    """The numbers of all different words so far."""

    def __init__(self) -> None:
        self._numbers: dict[Reading, int] = {}
        self._attributes = np.zeros((0, ATTRIBUTES), np.uint32)
        self._tags = np.zeros(0, np.uint8)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def attributes(self) -> memoryview[int]:
        """The attributes of each word type, as a view of memory, from which the kernel reads plain numbers."""
        return self._attributes[: len(self._numbers)].data

    @property
    def tags(self) -> memoryview[int]:
        """The number of the part of speech of each word type, as a view of memory, too."""
        return self._tags[: len(self._numbers)].data

    def types_of(self, readings: Sequence[Reading]) -> NDArray[np.int32]:
        """Return the types of words; new ones are added."""
        numbers, before = self._numbers, len(self._numbers)
        types = np.fromiter(
            (numbers.setdefault(reading, len(numbers)) for reading in readings), np.int32, len(readings)
        )
        new = list(numbers)[before:] if len(numbers) > before else []
        if new:
            found = [numbers_of(reading) for reading in new]
            self._grow(before + len(new))
            self._tags[before : before + len(new)] = [tag for tag, _ in found]
            self._attributes[before : before + len(new)] = [attributes for _, attributes in found]
        return types

    def _grow(self, size: int) -> None:
        """Make room for so many word types, twice what there was if it is not enough."""
        if size > len(self._tags):
            room = max(size, 2 * len(self._tags))
            self._tags = np.concatenate([self._tags, np.zeros(room - len(self._tags), np.uint8)])
            more = np.zeros((room - len(self._attributes), ATTRIBUTES), np.uint32)
            self._attributes = np.concatenate([self._attributes, more])
