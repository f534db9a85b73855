"""Language identification, by CLD2, whose model is compiled into its wheel."""

from __future__ import annotations

import re
from typing import NamedTuple

import pycld2

UNKNOWN = "und"
_ENOUGH = 20_000  # characters: more text does not change the answer
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]|[^\x00-\uffff](?<=[\ufffe\uffff])")
_CURRENT_CODES = {"iw": "he", "jw": "jv", "mo": "ro", "in": "id", "ji": "yi"}


class Identified(NamedTuple):
    """An ISO 639 code (`und` if there is nothing to go by) and a confidence from 0 to 1."""

    lang: str
    confidence: float


def identify(text: str) -> Identified:
    """The language that most of the text is in; the confidence is its share of the text, halved where the identifier is unsure."""
    data = _REFUSED.sub(" ", text[:_ENOUGH]).encode("utf-8", "replace")
    try:
        reliable, _, guesses = pycld2.detect(data, bestEffort=True)
    except pycld2.error:  # it refuses some rare characters that are valid UTF-8
        reliable, _, guesses = pycld2.detect(re.sub(rb"[\xef\xf0-\xf4][\x80-\xbf]+", b" ", data), bestEffort=True)
    _, code, percent, _ = guesses[0]
    code = code.partition("-")[0]
    if code in {"un", "xx", ""}:
        return Identified(UNKNOWN, 0.0)
    return Identified(_CURRENT_CODES.get(code, code), percent / 100 * (1.0 if reliable else 0.5))
