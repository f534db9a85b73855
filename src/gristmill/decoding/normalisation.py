"""Normalise decoded text: Unix line ends, no control characters, Unicode normal form C."""

from __future__ import annotations

import functools
import re

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.text import composition
from gristmill.text.units import SURROGATES, utf16

# Controls that stand between words become a space; the others carry nothing. Tab, line feed and form feed are white
# space already.
_SEPARATORS = "\x0b\x1c\x1d\x1e\x1f\x85"
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\ufeff\ud800-\udfff]")
_CR, _LF = 13, 10
_SPARSE_RATIO = 8  # with less than one byte beyond ASCII in so many, it is faster to look at those bytes alone


def tidy(text: str) -> str:
    """Normalise a text: Unix line ends, no control characters or lone surrogates, Unicode normal form C."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _tidy_closely(text) if _careful_but_white().take(utf16(text)).any() else text


def tidy_utf8(data: bytes) -> str:
    """Decode and normalise text in UTF-8 as `tidy` does; faster, as bytes show that most pages need no change.

    Raises UnicodeDecodeError.
    """
    data = _unix_lines(data)
    text = data.decode()
    return text if is_tidy(data, text) else _tidy_closely(text)


def _unix_lines(data: bytes) -> bytes:
    """Replace the line ends of Windows and old Macintosh systems by line feeds."""
    if b"\r" not in data:
        return data
    codes = np.frombuffer(data + b"\0", np.uint8)
    if (codes[np.flatnonzero(codes == _CR) + 1] == _LF).all():
        return data.replace(b"\r", b"")  # several times faster than to replace pairs
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
