"""Decode a page: find its encoding, decode it, repair mojibake, and normalise the characters.

The steps, in this order: byte order mark; the zeros of UTF-16 and UTF-32; HTTP charset; `<meta>` charset; XML
declaration; valid UTF-8; the escapes of 7-bit encodings; the models of languages in their encodings. A declaration is
believed only if the bytes agree with it. The result says which step decided, and whether text had to be repaired that
was already wrong when it was encoded.
"""

from __future__ import annotations

import os
from typing import NamedTuple, Protocol

from gristmill.arguments import as_path, read_bytes, wrong_type
from gristmill.decoding import declared as declarations
from gristmill.decoding import labels, mojibake
from gristmill.decoding.detector import Detector, default_detector
from gristmill.decoding.escapes import seven_bit
from gristmill.decoding.normalisation import tidy, tidy_utf8
from gristmill.decoding.unicode_forms import almost_utf8, by_zeros, surely_utf8

# Share of undecodable among the non-ASCII bytes: a truncated or garbled character does not make a declaration wrong.
_MAX_UNDECODABLE_SHARE = 0.01
_HIGH_BYTES = bytes(range(128, 256))


class Decoded(NamedTuple):
    """The text, the name of its encoding, the step that decided it, and whether mojibake in the text was repaired."""

    text: str
    encoding: str
    decided_by: str
    repaired: bool = False


class HasDetector(Protocol):
    """An object with a detector, such as `language.Models`; asked only when a page needs it, as loading takes time."""

    @property
    def detector(self) -> Detector:
        """The detector of encodings."""


def decode(
    data: bytes | bytearray | memoryview | os.PathLike[str],
    lang: str | None = None,
    declared: str | None = None,
    models: HasDetector | None = None,
) -> Decoded:
    """Decode the bytes of a page, or those of a file; never raises, whatever they are.

    `declared` is the charset that came with them (in HTTP), `lang` the language that they are known to be in, if it is
    known.
    """
    if not isinstance(data, bytes):
        data = _bytes_of(data)
    bom = declarations.byte_order_mark(data)
    if bom:
        return Decoded(tidy(labels.decode(bom.encoding, data[bom.length :])), bom.encoding, "bom")
    encoding = by_zeros(data)
    if encoding:
        return Decoded(tidy(labels.decode(encoding, data)), encoding, "zeros")
    utf8 = _strict_utf8(data)
    if utf8 is not None and data.isascii():
        return _seven_bit(data, utf8, declared)
    if utf8 is not None:
        return _repaired(data, _utf8_or_declared(data, utf8, declared))
    return _not_utf8(data, lang, declared, models)


def _bytes_of(data: bytearray | memoryview | os.PathLike[str]) -> bytes:
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    if isinstance(data, os.PathLike):
        return read_bytes(as_path(data, "data"))
    decoded = " (text is decoded already)" if isinstance(data, str) else ""
    raise wrong_type("data", f"bytes, or a pathlib.Path of a file{decoded}", data)


def _declared(data: bytes, http: str | None) -> list[tuple[str, str]]:
    """List the declared encodings, each with who declares it, the most trusted first; unknown names are left out."""
    said = (("http", http), ("meta", declarations.meta_charset(data)), ("xml", declarations.xml_encoding(data)))
    names = [(step, labels.canonical(label)) for step, label in said if label]
    # A page in UTF-16 or UTF-32 has zeros, and would have been recognised by them.
    return [(step, name) for step, name in names if name and not name.startswith(("UTF-16", "UTF-32"))]


def _who_said(encoding: str, data: bytes, http: str | None) -> str | None:
    return next((step for step, name in _declared(data, http) if name == encoding), None)


def _seven_bit(data: bytes, text: str, http: str | None) -> Decoded:
    encoding = seven_bit(data)
    if encoding:
        return Decoded(tidy(labels.decode(encoding, data)), encoding, _who_said(encoding, data, http) or "escapes")
    return Decoded(text, "UTF-8", _who_said("UTF-8", data, http) or "utf-8")


def _utf8_or_declared(data: bytes, utf8: str, http: str | None) -> Decoded:
    """Decide between UTF-8 and a declared encoding for bytes that are valid UTF-8.

    Such bytes are hardly ever anything else: only one or two characters may be valid by chance.
    """
    for step, name in _declared(data, http):
        if name == "UTF-8" or surely_utf8(data):
            return Decoded(utf8, "UTF-8", step if name == "UTF-8" else "utf-8")
        text = labels.decode(name, data)
        if _agrees(data, text):
            return Decoded(tidy(text), name, step)
    return Decoded(utf8, "UTF-8", "utf-8")


def _not_utf8(data: bytes, lang: str | None, http: str | None, models: HasDetector | None) -> Decoded:
    if almost_utf8(data):
        return Decoded(tidy(labels.decode("UTF-8", data)), "UTF-8", _who_said("UTF-8", data, http) or "utf-8")
    judged = (models.detector if models else default_detector()).judge(data, lang)
    for step, name in _declared(data, http):
        text = labels.decode(name, data)
        if _agrees(data, text) and not judged.contradicts(name):
            return Decoded(tidy(text), name, step)
    return Decoded(tidy(labels.decode(judged.encoding, data)), judged.encoding, "model")


def _repaired(data: bytes, decoded: Decoded) -> Decoded:
    if decoded.encoding != "UTF-8" or not mojibake.is_suspicious(data):
        return decoded
    mended = mojibake.repair(data)
    return decoded if mended is data else decoded._replace(text=tidy_utf8(mended), repaired=True)


def _strict_utf8(data: bytes) -> str | None:
    try:
        return tidy_utf8(data)
    except UnicodeDecodeError:
        return None


def _agrees(data: bytes, text: str) -> bool:
    bad = text.count("\ufffd")
    return bad == 0 or bad <= _MAX_UNDECODABLE_SHARE * (len(data) - len(data.translate(None, _HIGH_BYTES)))
