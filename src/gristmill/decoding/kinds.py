"""Classify the characters that the bytes of an encoding stand for: small letters of a script, capitals, signs...

`chance.py` estimates with it how likely a byte follows another in any language.
"""

from __future__ import annotations

import functools
import unicodedata

from gristmill.decoding import labels

_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "ARABIC", "THAI")
KINDS = [
    "undefined",
    "a",
    "A",
    "0",
    " ",
    "opening",
    "closing",
    "dash",
    "other punctuation",
    "sign",
    "drawing",
    "no-break space",
    "number",
    "combining",
    *(f"{script} {case}" for script in _SCRIPTS for case in ("Ll", "Lu", "Lo", "Mn")),
]
UNDEFINED = KINDS.index("undefined")
SIGNS = [
    KINDS.index(kind)
    for kind in ("opening", "closing", "dash", "other punctuation", "sign", "drawing", "no-break space")
]
_OTHERS = {"\xa0": "no-break space", "\ufffd": "undefined"}
_BY_CATEGORY = {
    "L": "LATIN Lo",
    "M": "combining",
    "N": "number",
    "C": "undefined",
    "Pi": "opening",
    "Ps": "opening",
    "Pf": "closing",
    "Pe": "closing",
    "Pd": "dash",
    "Po": "other punctuation",
}


@functools.cache
def kinds_of_bytes(encoding: str) -> list[int]:
    """The kind of character of each byte, as an index into `KINDS`; all 0 if characters take several bytes."""
    if labels.is_wide(encoding):
        return [0] * 256
    return [KINDS.index(_kind(character)) for character in labels.decode(encoding, bytes(range(256)))]


@functools.cache
def _kind(character: str) -> str:
    if character.isascii():
        return "a" if character.islower() else "A" if character.isupper() else "0" if character.isdigit() else " "
    category = unicodedata.category(character)
    name = unicodedata.name(character, "")
    kind = f"{name.partition(' ')[0]} {category}"
    if kind in KINDS:
        return kind
    if name.startswith(("BOX", "BLOCK")) or "SHADE" in name:
        return "drawing"
    if character in _OTHERS:
        return _OTHERS[character]
    return _BY_CATEGORY.get(category) or _BY_CATEGORY.get(category[0], "sign")
