"""What words tell by themselves, in any language: punctuation, symbols and numbers by their characters, and no more."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gristmill.annotation.tagger import TAGGERS, Tagged

TYPES = 1 << 16
"""Words that a tagger remembers what it said of, at most; some 12 MB."""

_NUMBER = re.compile(r"[+\-−–±]?[.,]?[\d½¼¾⅓⅔⅛⅜⅝⅞](?:[\d½¼¾.,:/'’\-–\s]*[\d½¼¾])?[.%]?")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.).+|[^\s@]+@[^\s@]+\.[^\s@]+", re.IGNORECASE)
_EMOTICON = re.compile(r"[:;=8xX][-'^o]?(?:[)(\]\[}{/\\|*3DPpOoSsXx$]|\){2,}|\({2,})+|<3+|\^[_.]*\^")
_LAUGHTER = re.compile(r"[xX]D+")
_USER = re.compile(r"@[\w.\-]+")
_SYMBOLS = frozenset("%‰&@#§†‡")  # punctuation to Unicode, symbols to Universal Dependencies
_PUNCTUATION = frozenset("<>|`´^¨¯")  # and the other way round


def tag_by_characters(word: str) -> str:
    """What the characters of a word tell for certain: PUNCT, SYM, NUM, or PROPN for the name of a user; otherwise X.

    Addresses are symbols, as the guidelines of Universal Dependencies have it.
    """
    if word.isalpha():
        return "SYM" if _LAUGHTER.fullmatch(word) else "X"
    if _NUMBER.fullmatch(word):
        return "NUM"
    if _USER.fullmatch(word):
        return "PROPN"
    if _EMOTICON.fullmatch(word) or _ADDRESS.fullmatch(word):
        return "SYM"
    if any(map(str.isalnum, word)) and not all(unicodedata.category(character)[0] in "NSM" for character in word):
        return "X"
    return "PUNCT" if all(map(_is_punctuation, word)) else "SYM"


def _is_punctuation(character: str) -> bool:
    return character in _PUNCTUATION or (unicodedata.category(character)[0] == "P" and character not in _SYMBOLS)


@dataclass(frozen=True, slots=True)
class FormTagger:
    """Lower-cased words for lemmas, and tags by characters."""

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""
        words = [word for sentence in sentences for word in sentence]
        return Tagged(list(map(str.lower, words)), list(map(_remembered, words)), [""] * len(words))


_remembered = lru_cache(maxsize=TYPES)(tag_by_characters)


@TAGGERS.register("forms")
@dataclass(frozen=True, slots=True)
class Forms:
    """For languages that nothing is known of."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (it is the same for all)
        """All languages."""
        return True

    def load(self, lang: str) -> FormTagger:  # noqa: ARG002 (it is the same for all)
        """The tagger."""
        return FormTagger()
