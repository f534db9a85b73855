"""The result of identifying the language of a text."""

from __future__ import annotations

from typing import NamedTuple

UNKNOWN = "und"


class Identified(NamedTuple):
    """An ISO 639 code (`und` if there is nothing to go by) and a confidence from 0 to 1; below a half it is a guess."""

    lang: str
    confidence: float


NOTHING = Identified(UNKNOWN, 0.0)
