"""Language identification, by CLD2, whose model is compiled into its wheel."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import NamedTuple

import pycld2

from gristmill.errors import UsageError

UNKNOWN = "und"
_ENOUGH = 20_000  # characters: more text does not change the answer
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]|[^\x00-\uffff](?<=[\ufffe\uffff])")
_CURRENT_CODES = {"iw": "he", "jw": "jv", "mo": "ro", "in": "id", "ji": "yi"}


def _current(code: str) -> str:
    """CLD2's code as it is written today, without its script."""
    code = code.partition("-")[0]
    return _CURRENT_CODES.get(code, code)


_NAMES = {name.lower(): _current(code) for name, code in pycld2.LANGUAGES if _current(code) not in {"un", "xx", "xxx"}}


def check_languages(codes: Iterable[str]) -> None:
    """Raise if a code is none that `identify` can give: a misspelt one would quietly drop everything."""
    known = {*_NAMES.values(), UNKNOWN}
    for code in codes:
        if code not in known:
            hint = _NAMES.get(code) or next((_NAMES[name] for name in difflib.get_close_matches(code, _NAMES, n=1)), "")
            raise UsageError(f"{code!r} is not the code of a language that can be told" + (f"; did you mean {hint!r}?" if hint else ""))


class Identified(NamedTuple):
    """An ISO 639 code (`und` if there is nothing to go by) and a confidence from 0 to 1."""

    lang: str
    confidence: float


def identify(text: str) -> Identified:
    """The language that most of the text is in; the confidence is its share of the text, halved where the identifier is unsure."""
    data = _REFUSED.sub(" ", text[:_ENOUGH]).encode("utf-8", "replace")
    try:
        reliable, _, guesses = pycld2.detect(data, isPlainText=True, bestEffort=True)
    except pycld2.error:  # it refuses some rare characters that are valid UTF-8
        reliable, _, guesses = pycld2.detect(re.sub(rb"[\xef\xf0-\xf4][\x80-\xbf]+", b" ", data), isPlainText=True, bestEffort=True)
    _, code, percent, _ = guesses[0]
    lang = _current(code)
    if lang in {"un", "xx", ""}:
        return Identified(UNKNOWN, 0.0)
    return Identified(lang, percent / 100 * (1.0 if reliable else 0.5))
