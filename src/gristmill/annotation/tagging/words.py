"""Words as arrays of code points, as the kernel reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self
from zlib import crc32

import numpy as np

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.arrays.ragged import starts_of
from gristmill.kernel import hash_words

MAX_CHARACTERS = 100
"""Of a word that is described; of longer ones, only so many from the end."""
_KINDS = {tag: number for number, tag in enumerate(("X", "PUNCT", "SYM", "NUM", "PROPN"))}
_MAX_SHAPE_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class Words:
    """Words for the kernel: their letters in lower case, and what else it can't see from these."""

    codes: Any
    starts: Any
    forms: Any
    shapes: Any
    kinds: Any
    capitals: Any

    @classmethod
    def of(cls, words: Sequence[str]) -> Self:
        """Make arrays of words."""
        short = [word if len(word) <= MAX_CHARACTERS else word[-MAX_CHARACTERS:] for word in words]
        codes, starts = code_points([lowered(word) for word in short])
        forms, _ = hash_words(*code_points(short))
        return cls(
            codes,
            starts,
            forms.data,
            np.array([_shape(word) for word in short], np.uint32).data,
            np.array([_KINDS[tag_by_characters(word)] for word in words], np.uint8).data,
            np.array([word[:1].isupper() for word in short], np.uint8).data,
        )

    @property
    def arrays(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """All arrays, in the order in which the kernel takes them."""
        return self.codes, self.starts, self.forms, self.shapes, self.kinds, self.capitals


def lowered(word: str) -> str:
    """Return a word in lower case, letter by letter if that would change its length (`İ`)."""
    lower = word.lower()
    return lower if len(lower) == len(word) else "".join(_lower_letter(letter) for letter in word)


@lru_cache(1024)
def _lower_letter(letter: str) -> str:
    return letter.lower()[0]


def code_points(words: Sequence[str]) -> tuple[memoryview, memoryview]:
    """Return the code points of words, one word after the other, and where each begins.

    They are views of memory and no arrays, so that the kernel reads plain numbers from them also if it is not compiled.
    """
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    starts = starts_of(np.fromiter(map(len, words), np.int64, len(words))).astype(np.int32)
    return codes.data, starts.data


def _shape(word: str) -> int:
    """Hash the shape of a word: `Xx` of `Mill`, `x-x` of `e-mail`, `9,9` of `3,50`."""
    if word.isalpha():
        return _ALPHABETIC[word.islower(), word.istitle(), word.isupper()]
    shape = ""
    for letter in word:
        kind = "X" if letter.isupper() else "x" if letter.isalpha() else "9" if letter.isdigit() else letter
        if kind != shape[-1:]:
            shape += kind
            if len(shape) == _MAX_SHAPE_CHARACTERS:
                break
    return crc32(shape.encode("utf-8", "surrogatepass"))


_ALPHABETIC = {
    (lower, title, upper): crc32(f"{lower}{title}{upper}".encode())
    for lower in (False, True)
    for title in (False, True)
    for upper in (False, True)
}
