"""The tagger `forms`, for languages without another: only punctuation, symbols and numbers get a tag.

`tag_by_characters` does that in any language; other taggers use it too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gristmill.annotation.tagger import TAGGERS, Tagged

TYPES = 1 << 16
"""How many different words a tagger caches the results of, at most; some 12 MB."""

_NUMBER = re.compile(r"[+\-−–±]?[.,]?[\d½¼¾⅓⅔⅛⅜⅝⅞](?:[\d½¼¾.,:/'’\-–\s]*[\d½¼¾])?[.%]?")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.).+|[^\s@]+@[^\s@]+\.[^\s@]+", re.IGNORECASE)
_EMOTICON = re.compile(r"[:;=8xX][-'^o]?(?:[)(\]\[}{/\\|*3DPpOoSsXx$]|\){2,}|\({2,})+|<3+|\^[_.]*\^")
_LAUGHTER = re.compile(r"[xX]D+")
_USER = re.compile(r"@[\w.\-]+")
_SYMBOLS = frozenset("%‰&@#§†‡")  # punctuation in Unicode, symbols in Universal Dependencies
_WITHOUT_CASE = frozenset("ja km ko lo my th yue zh".split())
"""Languages whose script has no capitals: Latin words in them are mostly names, which keep theirs."""
_PUNCTUATION = frozenset("<>|`´^¨¯")  # symbols in Unicode, punctuation in Universal Dependencies


def tag_by_characters(word: str) -> str:
    """Return the tag that the characters of a word show for certain: PUNCT, SYM, NUM, or PROPN for `@user`; else X.

    Addresses are symbols, as in the guidelines of Universal Dependencies.
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
    """Gives words in lower case as lemmas, or as they are if `keeps_case`, and tags by characters."""

    keeps_case: bool = False

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        words = [word for sentence in sentences for word in sentence]
        return Tagged(
            words if self.keeps_case else list(map(str.lower, words)), list(map(_remembered, words)), [""] * len(words)
        )


_remembered = lru_cache(maxsize=TYPES)(tag_by_characters)


@TAGGERS.register("forms")
@dataclass(frozen=True, slots=True)
class Forms:
    """The registered kind of tagger, for languages that there is no other for."""

    def serves(self, lang: str) -> bool:  # noqa: ARG002 (all languages are treated alike)
        """Tell that it serves any language."""
        return True

    def load(self, lang: str) -> FormTagger:
        """Make the tagger for a language."""
        return FormTagger(keeps_case=lang in _WITHOUT_CASE)
