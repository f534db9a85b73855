"""CLD2, whose model is compiled into its wheel: the best of the libraries and by far the fastest (docs/figures/languages.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pycld2

from gristmill.language.identified import NOTHING, Identified
from gristmill.language.identifier import IDENTIFIERS, Identifier
from gristmill.language.profile import Profile
from gristmill.language.trained import WithTrained

_ENOUGH = 20_000  # characters: more text does not change the answer
_SURE = 40  # bytes of letters from which on an answer is as certain as it gets
_GUESSED = range(
    15, 81
)  # bytes: in less there is nothing to go by; in more that CLD2 does not know, its guess is most often wrong
_NONCHARACTERS = "".join(chr(plane << 16 | code) for plane in range(17) for code in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef{_NONCHARACTERS}]")
_REFUSED_BYTES = re.compile(rb"[\xef\xf0-\xf4][\x80-\xbf]+")
_CURRENT_CODES = {"iw": "he", "jw": "jv", "mo": "ro", "in": "id", "ji": "yi"}
_NO_LANGUAGE = {
    "un",
    "xx",
    "xxx",
    "",
    "zzb",
    "zze",
    "zzh",
    "zzp",
    "tlh",
}  # also its jokes (Pig Latin, Klingon), never true of real pages
_Answer = tuple[bool, int, Sequence[tuple[str, str, int, float]]]


def _current(code: str) -> str:
    """CLD2's code as it is written today, without its script; empty if it stands for no language."""
    code = code.partition("-")[0]
    return "" if code in _NO_LANGUAGE else _CURRENT_CODES.get(code, code)


_CODES = {code: _current(code) for _, code in pycld2.LANGUAGES}
_DETECTED = frozenset(pycld2.DETECTED_LANGUAGES)
NAMES = {name.lower(): _CODES[code] for name, code in pycld2.LANGUAGES if name in _DETECTED and _CODES[code]}
"""The codes of the languages that it can tell, by their English names."""


class Cld2:
    """CLD2 without its best effort, which calls everything reliable; its best effort is asked only for a guess."""

    languages = frozenset(NAMES.values())

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        """The language that most of each text is in; the confidence is its share, less for texts below 40 bytes of letters."""
        return [_identify(text, guess=guess) for text in texts]


@IDENTIFIERS.register("cld2")
def cld2(profiles: Sequence[Profile]) -> Identifier:
    """CLD2 and, for languages that it does not know, what a user has trained."""
    return WithTrained(Cld2(), profiles) if profiles else Cld2()


def _identify(text: str, *, guess: bool) -> Identified:
    text = text[:_ENOUGH]
    reliable, size, found = _detect(text, best_effort=False)
    _, code, percent, _ = found[0]
    lang = _CODES.get(code)
    if lang:
        confidence = percent / 100 if size >= _SURE else percent / 100 * size / _SURE
        return Identified(lang, confidence if reliable else confidence / 2)
    if guess and size in _GUESSED:
        lang = _CODES.get(_detect(text, best_effort=True)[2][0][1])
        if lang:
            return Identified(lang, 0.25 * min(1.0, size / _SURE))
    return NOTHING


def _detect(text: str, *, best_effort: bool) -> _Answer:
    try:
        answer: _Answer = pycld2.detect(text, isPlainText=True, bestEffort=best_effort)
    except (pycld2.error, UnicodeEncodeError):  # it refuses control characters, and some rare characters that are valid
        answer = _detect_without(_REFUSED.sub(" ", text).encode("utf-8", "replace"), best_effort=best_effort)
    return answer


def _detect_without(data: bytes, *, best_effort: bool) -> _Answer:
    try:
        answer: _Answer = pycld2.detect(data, isPlainText=True, bestEffort=best_effort)
    except pycld2.error:
        answer = pycld2.detect(_REFUSED_BYTES.sub(b" ", data), isPlainText=True, bestEffort=best_effort)
    return answer
