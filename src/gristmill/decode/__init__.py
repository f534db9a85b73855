"""From bytes to text: find the encoding, decode, and tidy the characters.

The steps, in this order: byte order mark; HTTP charset; `<meta>` charset; XML declaration; valid UTF-8; a detector. A declaration is
believed only if the bytes agree with it. Which step decided is told with the result.
"""

from __future__ import annotations

from typing import NamedTuple

from gristmill.decode import declared as declarations
from gristmill.decode import labels
from gristmill.decode.detector import detect
from gristmill.decode.tidy import tidy, tidy_utf8

__all__ = ["Decoded", "decode", "tidy"]

_TOLERATED = 0.01  # share of undecodable among the non-ASCII bytes: a cut or garbled character does not make a declaration wrong
_SURE_OF_UTF8 = 3  # so many well-formed multi-byte characters do not come about by chance in another encoding
_HIGH_BYTES = bytes(range(128, 256))
_LEAD_BYTES = bytes(range(0xC2, 0xF5))


class Decoded(NamedTuple):
    """The text, the WHATWG name of its encoding, and the step that decided it."""

    text: str
    encoding: str
    decided_by: str


def decode(data: bytes, lang: str | None = None, declared: str | None = None) -> Decoded:
    """Decode a page's bytes; never raises, whatever they are. `declared` is the charset that came with them (in HTTP)."""
    del lang  # language-driven detection will take it
    bom = declarations.byte_order_mark(data)
    if bom:
        return Decoded(tidy(labels.decode(bom.encoding, data[bom.length :])), bom.encoding, "bom")
    utf8 = _strict_utf8(data)
    for step, label in (("http", declared), ("meta", declarations.meta_charset(data)), ("xml", declarations.xml_encoding(data))):
        encoding = labels.canonical(label) if label else None
        if encoding is None or (encoding.startswith("UTF-16") and b"\0" not in data):  # the spaces and tags of UTF-16 have zeros
            continue
        if utf8 is not None and (encoding == "UTF-8" or _surely_utf8(data, utf8)):
            return Decoded(utf8, "UTF-8", step if encoding == "UTF-8" else "utf-8")
        text = labels.decode(encoding, data)
        if _agrees(data, text):
            return Decoded(tidy(text), encoding, step)
    if utf8 is not None:
        return Decoded(utf8, "UTF-8", "utf-8")
    encoding = detect(data)
    return Decoded(tidy(labels.decode(encoding, data)), encoding, "detector")


def _strict_utf8(data: bytes) -> str | None:
    try:
        return tidy_utf8(data)
    except UnicodeDecodeError:
        return None


def _surely_utf8(data: bytes, text: str) -> bool:
    return not text.isascii() and len(data) - len(data.translate(None, _LEAD_BYTES)) >= _SURE_OF_UTF8


def _agrees(data: bytes, text: str) -> bool:
    bad = text.count("\ufffd")
    return bad == 0 or bad <= _TOLERATED * (len(data) - len(data.translate(None, _HIGH_BYTES)))
