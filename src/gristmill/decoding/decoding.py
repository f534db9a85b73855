"""Decode a page: find its encoding, decode it, repair mojibake, and normalise the characters.

The steps, in this order: byte order mark; the zeros of UTF-16 and UTF-32; HTTP charset; `<meta>` charset; XML
declaration; valid UTF-8; the escapes of 7-bit encodings; the models of languages in their encodings. A declaration is
believed only if the bytes agree with it. The result says which step decided, and whether text had to be repaired that
was already wrong when it was encoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Protocol

from gristmill.arguments import as_path, read_bytes, wrong_type
from gristmill.decoding import declared as declarations
from gristmill.decoding import labels, mojibake
from gristmill.decoding.detector import Detector, default_detector
from gristmill.decoding.escapes import seven_bit
from gristmill.decoding.normalisation import Tidied, tidy_text, tidy_utf8
from gristmill.decoding.unicode_forms import MIN_MULTIBYTE_CHARACTERS, almost_utf8, by_zeros

# Share of undecodable among the non-ASCII bytes: a truncated or garbled character does not make a declaration wrong.
_MAX_UNDECODABLE_SHARE = 0.01
_HIGH_BYTES = bytes(range(128, 256))


class Decoded:
    """The text, the name of its encoding, the step that decided it, and whether mojibake in the text was repaired.

    It is like a tuple of these four; the text is made of the UTF-8 when it is first asked for.
    """

    __slots__ = ("_text", "characters", "decided_by", "encoding", "repaired", "utf8")
    __match_args__ = ("text", "encoding", "decided_by", "repaired")
    utf8: bytes
    """The text in UTF-8."""
    characters: int | None
    """How many characters the text has, if they were counted."""

    def __init__(
        self,
        text: str | bytes,
        encoding: str,
        decided_by: str,
        repaired: bool = False,
        characters: int | None = None,
    ) -> None:
        self._text = text if isinstance(text, str) else None
        self.utf8 = text.encode("utf-8", "replace") if isinstance(text, str) else text
        self.encoding, self.decided_by, self.repaired, self.characters = encoding, decided_by, repaired, characters

    @property
    def text(self) -> str:
        """The text."""
        if self._text is None:
            self._text = self.utf8.decode()
        return self._text

    def __iter__(self) -> Iterator[Any]:
        return iter((self.text, self.encoding, self.decided_by, self.repaired))

    def __len__(self) -> int:
        return 4

    def __getitem__(self, place: Any) -> Any:
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, Decoded) else other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        named = ", ".join(f"{name}={value!r}" for name, value in zip(self.__match_args__, self, strict=True))
        return f"Decoded({named})"


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
        return Decoded(tidy_text(labels.decode(bom.encoding, data[bom.length :])), bom.encoding, "bom")
    encoding = by_zeros(data)
    if encoding:
        return Decoded(tidy_text(labels.decode(encoding, data)), encoding, "zeros")
    tidied = tidy_utf8(data)
    if tidied is None:
        return _not_utf8(data, lang, declared, models)
    if not tidied.beyond:
        return _seven_bit(data, tidied, declared)
    decoded = _utf8_or_declared(data, tidied, declared)
    return _repaired(data, decoded) if tidied.may_be_mojibake else decoded


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


def _seven_bit(data: bytes, tidied: Tidied, http: str | None) -> Decoded:
    encoding = seven_bit(data)
    if encoding:
        return Decoded(tidy_text(labels.decode(encoding, data)), encoding, _who_said(encoding, data, http) or "escapes")
    step = _who_said("UTF-8", data, http) or "utf-8"
    return Decoded(tidied.utf8, "UTF-8", step, characters=tidied.characters)


def _utf8_or_declared(data: bytes, tidied: Tidied, http: str | None) -> Decoded:
    """Decide between UTF-8 and a declared encoding for bytes that are valid UTF-8.

    Such bytes are hardly ever anything else: only one or two characters may be valid by chance.
    """
    for step, name in _declared(data, http):
        if name == "UTF-8" or tidied.beyond >= MIN_MULTIBYTE_CHARACTERS:
            said = step if name == "UTF-8" else "utf-8"
            return Decoded(tidied.utf8, "UTF-8", said, characters=tidied.characters)
        text = labels.decode(name, data)
        if _agrees(data, text):
            return Decoded(tidy_text(text), name, step)
    return Decoded(tidied.utf8, "UTF-8", "utf-8", characters=tidied.characters)


def _not_utf8(data: bytes, lang: str | None, http: str | None, models: HasDetector | None) -> Decoded:
    if almost_utf8(data):
        return Decoded(tidy_text(labels.decode("UTF-8", data)), "UTF-8", _who_said("UTF-8", data, http) or "utf-8")
    judged = (models.detector if models else default_detector()).judge(data, lang)
    for step, name in _declared(data, http):
        text = labels.decode(name, data)
        if _agrees(data, text) and not judged.contradicts(name):
            return Decoded(tidy_text(text), name, step)
    return Decoded(tidy_text(labels.decode(judged.encoding, data)), judged.encoding, "model")


def _repaired(data: bytes, decoded: Decoded) -> Decoded:
    if decoded.encoding != "UTF-8" or not mojibake.is_suspicious(data):
        return decoded
    mended = mojibake.repair(data)
    if mended is data:
        return decoded
    return Decoded(tidy_text(mended.decode()), decoded.encoding, decoded.decided_by, repaired=True)


def _agrees(data: bytes, text: str) -> bool:
    bad = text.count("\ufffd")
    return bad == 0 or bad <= _MAX_UNDECODABLE_SHARE * (len(data) - len(data.translate(None, _HIGH_BYTES)))
