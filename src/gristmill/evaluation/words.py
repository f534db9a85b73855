"""Split texts into words, in one way for each kind of score."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from gristmill.text.scripts import KANA, UNIFIED_IDEOGRAPHS

_CJK: Final = f"{UNIFIED_IDEOGRAPHS}{KANA}"
_BAG_WORD = re.compile(rf"[{_CJK}]|\w+")
_SPACED_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_CONTROLS = re.compile(r"[\x00-\x1f]+")
_TAG = re.compile(r"<([phl])>", re.IGNORECASE)
_URL_LINE = re.compile(r"\A\s*URL:?\s*https?://[^\n]*")
TAGS = frozenset({"<p>", "<h>", "<l>"})


def bag(text: str) -> Counter[str]:
    """Count lower-case words without punctuation; Chinese and Japanese by character."""
    return Counter(_BAG_WORD.findall(text.lower()))


def plain_words(text: str) -> list[str]:
    """Split into lower-case words without punctuation, in order, to find the same place in two versions of a page."""
    return _BAG_WORD.findall(text.lower())


def words(text: str, lang: str | None = None) -> list[str]:
    """Split into words as `cleaneval.py` does: at white space, with case and punctuation.

    Chinese and Japanese are split by character. As in Pomikálek's evaluation (2.9.6), characters outside ASCII are
    removed from English texts, where they are mostly quotes and dashes that went wrong in some encoding. In other
    languages they are the text.
    """
    text = _CONTROLS.sub(" ", text)
    if lang == "en" and not text.isascii():
        # Splitting first turns no-break spaces into spaces, which would otherwise vanish with the non-ASCII.
        text = " ".join(text.split()).encode("ascii", "ignore").decode()
    return _SPACED_WORD.findall(text)


def marked_words(text: str, lang: str | None = None) -> list[str]:
    """Split into words as `words` does, with each of CleanEval's tags `<p> <h> <l>` as a word, without the URL line."""
    return words(_TAG.sub(lambda tag: f" {tag[0].lower()} ", _URL_LINE.sub("", text)), lang)


def has_markup(text: str) -> bool:
    """Whether a text is a gold text with CleanEval's tags, rather than a page of HTML."""
    return bool(_TAG.search(text)) and not re.search(r"<(?:html|body|head|kw)\b", text, re.IGNORECASE)
