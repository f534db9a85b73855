"""Identify languages by CLD2, the default where it is installed: of all libraries the best and by far the fastest.

The comparison is in docs/figures/languages.md. CLD2's model is compiled into its wheel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pycld2

from gristmill.language.identified import NOTHING, Identified
from gristmill.language.identifier import Identifier, Library
from gristmill.language.profile import Profile
from gristmill.language.trained import WithTrained
from gristmill.registry import part

_MAX_CHARACTERS = 20_000  # more text does not change the answer
_MIN_SURE_BYTES = 40  # of letters: from here on an answer is as certain as it gets
# Bytes of letters of texts for which CLD2's best effort is asked. In shorter ones there is nothing to go by; of longer
# ones that CLD2 does not know, its guess is most often wrong.
_GUESSED_BYTES = range(15, 81)
_NONCHARACTERS = "".join(chr(plane << 16 | code) for plane in range(17) for code in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NONCHARACTERS}]")
_REFUSED_BYTES = re.compile(rb"[\xef\xf0-\xf4][\x80-\xbf]+")
_CURRENT_CODES = {"iw": "he", "jw": "jv", "mo": "ro", "in": "id", "ji": "yi"}
# Also CLD2's jokes (Pig Latin, Klingon), which are never true of real pages.
_NO_LANGUAGE = {"un", "xx", "xxx", "", "zzb", "zze", "zzh", "zzp", "tlh"}
_Answer = tuple[bool, int, Sequence[tuple[str, str, int, float]]]


def _current(code: str) -> str:
    """Convert CLD2's code to the current ISO 639 code, without a script; empty if it stands for no language."""
    code = code.partition("-")[0]
    return "" if code in _NO_LANGUAGE else _CURRENT_CODES.get(code, code)


_CODES = {code: _current(code) for _, code in pycld2.LANGUAGES}
_DETECTED = frozenset(pycld2.DETECTED_LANGUAGES)


# CLD2 takes some 100 kB of memory for each text and gives them back. The C library of Linux would give them back to the
# system each time, which takes six times as long as CLD2 itself does for a short text. It no longer does so once it has
# seen a larger piece of memory come and go.
bytes(4 << 20)


class Cld2(Library):
    """The identifier CLD2. Its best effort, which calls everything reliable, is asked only for a guess."""

    languages = frozenset(_CODES[code] for name, code in pycld2.LANGUAGES if name in _DETECTED) - {""}

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """Identify the main language of each text; the confidence is its share, less below 40 bytes of letters."""
        return [_identify(text, guess=guess) for text in texts]


@part("language identifier", "cld2")
def cld2(profiles: Sequence[Profile]) -> Identifier:
    """Make an identifier of CLD2 and, for languages that it does not know, the profiles that a user has trained."""
    return WithTrained(Cld2(), profiles) if profiles else Cld2()


def _identify(text: str, *, guess: bool) -> Identified:
    if len(text) > _MAX_CHARACTERS:
        text = text[:_MAX_CHARACTERS]
    reliable, size, found = _detect(text)
    _, code, percent, _ = found[0]
    lang = _CODES.get(code)
    if lang:
        confidence = percent / 100 if size >= _MIN_SURE_BYTES else percent / 100 * size / _MIN_SURE_BYTES
        return Identified(lang, confidence if reliable else confidence / 2)
    if guess and size in _GUESSED_BYTES:
        lang = _CODES.get(_detect(text, best_effort=True)[2][0][1])
        if lang:
            return Identified(lang, 0.25 * min(1.0, size / _MIN_SURE_BYTES))
    return NOTHING


def _detect(text: str, *, best_effort: bool = False) -> _Answer:
    try:
        # To name an option takes a quarter of the time for a short text.
        answer: _Answer = pycld2.detect(text, True, bestEffort=True) if best_effort else pycld2.detect(text, True)
    except (pycld2.error, UnicodeEncodeError):  # it refuses control characters, and some rare characters that are valid
        answer = _detect_without(_REFUSED.sub(" ", text).encode("utf-8", "replace"), best_effort=best_effort)
    return answer


def _detect_without(data: bytes, *, best_effort: bool) -> _Answer:
    try:
        answer: _Answer = pycld2.detect(data, isPlainText=True, bestEffort=best_effort)
    except pycld2.error:
        answer = pycld2.detect(_REFUSED_BYTES.sub(b" ", data), isPlainText=True, bestEffort=best_effort)
    return answer
