"""Tags that the characters of a word show for certain, in any language: punctuation, symbols, numbers."""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(r"[+\-−–±]?[.,]?[\d½¼¾⅓⅔⅛⅜⅝⅞](?:[\d½¼¾.,:/'’\-–\s]*[\d½¼¾])?[.%]?")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.\-]*://|www\.).+|[^\s@]+@[^\s@]+\.[^\s@]+", re.IGNORECASE)
_EMOTICON = re.compile(r"[:;=8xX][-'^o]?(?:[)(\]\[}{/\\|*3DPpOoSsXx$]|\){2,}|\({2,})+|<3+|\^[_.]*\^")
_LAUGHTER = re.compile(r"[xX]D+")
_USER = re.compile(r"@[\w.\-]+")
_SYMBOLS = frozenset("%‰&@#§†‡")  # punctuation in Unicode, symbols in Universal Dependencies
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


_PLAUSIBLE = {
    "SYM": frozenset("SYM PROPN X NOUN INTJ".split()),
    "PROPN": frozenset("PROPN SYM X NOUN".split()),
    "PUNCT": frozenset("PUNCT SYM".split()),
    "NUM": frozenset("NUM ADJ ADV DET NOUN PRON PROPN SYM X".split()),
}
"""Tags that treebanks have for tokens whose characters show one: most call numbers NUM, but ordinals may be ADJ."""
_FIRST_PICTURE = "\u2600"
"""Single signs before this one are words in some language: `&` is a conjunction, `/` a preposition."""


def plausible_tag(word: str, tag: str) -> str:
    """Return the tag of a word by a model, or the one that its characters show if no treebank would have that.

    Few treebanks have addresses, emoticons and emoji, so models know little about them.
    """
    if word.isalpha() or (len(word) == 1 and word < _FIRST_PICTURE):
        return tag
    shown = tag_by_characters(word)
    return tag if shown == "X" or tag in _PLAUSIBLE[shown] else shown
