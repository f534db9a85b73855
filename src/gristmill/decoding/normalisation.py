"""Normalise decoded text: Unix line ends, no control characters, Unicode normal form C."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from gristmill import kernel
from gristmill.arrays.dtypes import Flags
from gristmill.text import composition
from gristmill.text.units import SURROGATES, utf16

# Controls that stand between words become a space; the others carry nothing. Tab, line feed and form feed are white
# space already.
_SEPARATORS = "\x0b\x1c\x1d\x1e\x1f\x85"
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\ufeff\ud800-\udfff]")
_CR, _LF = 13, 10
_LEAD_BYTES = bytes(range(0xC2, 0xF5))
_SPARSE_RATIO = 8  # with less than one byte beyond ASCII in so many, it is faster to look at those bytes alone


def tidy(text: str) -> str:
    """Normalise a text: Unix line ends, no control characters or lone surrogates, Unicode normal form C."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _tidy_closely(text) if _careful_but_white().take(utf16(text)).any() else text


class Tidied(NamedTuple):
    """Text that has been normalised, in UTF-8, and what was seen of it before."""

    utf8: bytes
    beyond: int
    """How many characters beyond ASCII there were."""
    may_be_mojibake: bool
    characters: int | None = None
    """How many characters it has, if they were counted."""


def tidy_utf8(data: bytes) -> Tidied | None:
    """Normalise text in UTF-8 as `tidy` does; None if the bytes are not valid UTF-8."""
    if not kernel.COMPILED:
        return _tidy_arrays(data)
    characters, beyond, runs, mojibake = kernel.survey(data, untidy())
    if characters < 0:
        return None
    utf8 = _unix_lines(data)
    if runs:
        return Tidied(_tidy_runs(utf8, runs), beyond, bool(mojibake))
    gone = len(data) - len(utf8)  # carriage returns
    return Tidied(utf8, beyond, bool(mojibake), characters - gone)


def tidy_text(text: str) -> bytes:
    """Normalise a text as `tidy` does, and give it in UTF-8."""
    try:
        tidied = tidy_utf8(text.encode())
    except UnicodeEncodeError:
        tidied = None
    return tidied.utf8 if tidied else tidy(text).encode()


def _tidy_runs(utf8: bytes, count: int) -> bytes:
    """Normalise runs of characters, given how many there are; the rest of the text need not be looked at."""
    runs = kernel.find_runs(utf8, untidy(), count)
    before = kernel.gather(utf8, runs)
    after = _tidy_closely(before.decode()).encode()
    return utf8 if after == before else kernel.splice(utf8, runs, after)


def _tidy_arrays(data: bytes) -> Tidied | None:
    """Do without the compiled kernel, as quickly as can be."""
    lines = _unix_lines(data)
    try:
        text = lines.decode()
    except UnicodeDecodeError:
        return None
    utf8 = lines if is_tidy(lines, text) else _tidy_closely(text).encode()
    beyond = 0 if len(lines) == len(text) else len(lines) - len(lines.translate(None, _LEAD_BYTES))
    return Tidied(utf8, beyond, b"\xc3" in lines)


@functools.cache
def untidy() -> bytes:
    """Say for each code unit whether it is not surely tidy, 1 or 0; line ends of all systems are."""
    careful = composition.careful().copy()
    careful[[0x09, 0x0A, 0x0C, 0x0D]] = False
    return careful.tobytes()


def _unix_lines(data: bytes) -> bytes:
    """Replace the line ends of Windows and old Macintosh systems by line feeds."""
    if b"\r" not in data:
        return data
    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(codes == _CR) + 1
    if places[-1] < len(data) and (codes[places] == _LF).all():
        return data.replace(b"\r", b"")  # several times faster than to replace pairs
    if kernel.COMPILED:
        return kernel.unix_lines(data)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def is_tidy(utf8: bytes, text: str) -> bool:
    """Whether a text, given as bytes too, surely needs no tidying but for line ends; faster than tidying."""
    codes = np.frombuffer(utf8, np.uint8)
    # Controls by unsigned arithmetic: 14 to 31 become 0 to 17; 0 to 8 wrap around to 247 and more.
    if codes.size and ((codes - 14).min() < 18 or (codes - 9).max() > 246):
        return False
    if b"\x0b" in utf8 or b"\x7f" in utf8:
        return False
    if len(utf8) == len(text):
        return True
    if len(utf8) - len(text) < len(text) // _SPARSE_RATIO:
        text = codes[codes > 127].tobytes().decode()
    return not _careful_beyond_ascii().take(utf16(text)).any()


@functools.cache
def _careful_but_white() -> Flags:
    careful = composition.careful().copy()
    careful[[0x09, 0x0A, 0x0C]] = False
    careful[SURROGATES] = True  # it is seldom worth the time to see whether there are two and two of them
    return careful


@functools.cache
def _careful_beyond_ascii() -> Flags:
    careful = composition.careful().copy()
    careful[:0x80] = False
    return careful


def _tidy_closely(text: str) -> str:
    return composition.compose(_CONTROLS.sub(_replacement, text))


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] in _SEPARATORS else "\ufffd" if "\ud800" <= match[0] <= "\udfff" else ""
