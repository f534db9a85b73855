"""Normalise decoded text: Unix line ends, no control characters, Unicode normal form C."""

from __future__ import annotations

import functools
import re
import unicodedata

import numpy as np
import numpy.typing as npt

# Controls that stand between words become a space; the others carry nothing. Tab, line feed and form feed are white
# space already.
_SEPARATORS = "\x0b\x1c\x1d\x1e\x1f\x85"
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\ufeff\ud800-\udfff]")
_CR, _LF = 13, 10
_MAX_MARKS_IN_RUN = 30
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


def utf16(text: str) -> npt.NDArray[np.uint16]:
    """The code units of a text, to be looked up in tables."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)


def needs_care(codes: npt.NDArray[np.uint16]) -> bool:
    """Whether some character is a control, or not in normal form C, or not surely so whatever stands before it."""
    return bool(_careful()[codes].any())


@functools.cache
def _careful_but_white() -> npt.NDArray[np.bool_]:
    careful = _careful().copy()
    careful[[0x09, 0x0A, 0x0C]] = False
    careful[0xD800:0xE000] = True  # it is seldom worth the time to see whether there are two and two of them
    return careful


@functools.cache
def _careful_beyond_ascii() -> npt.NDArray[np.bool_]:
    careful = _careful().copy()
    careful[:0x80] = False
    return careful


@functools.cache
def _careful() -> npt.NDArray[np.bool_]:
    """For each UTF-16 code unit whether it needs care. Beyond the basic plane only emoji do not: the rest is rare."""
    characters = list(map(chr, range(0x10000)))
    careful = _may_combine() | ~np.array(
        list(map(functools.partial(unicodedata.is_normalized, "NFC"), characters)), np.bool_
    )
    # A soft hyphen and a byte order mark are invisible, and get into the middle of words.
    careful[0xAD] = careful[0xFEFF] = True
    # Controls; the letters that Hangul is composed of.
    careful[:0x20] = careful[0x7F:0xA0] = careful[0x1100:0x1200] = True
    for decomposition in filter(None, map(unicodedata.decomposition, characters)):
        parts = decomposition.split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            careful[int(parts[1], 16)] = True  # it may go together with what stands before it
    careful[0xD83C:0xD83F] = careful[0xDC00:0xE000] = False  # the halves of emoji
    return careful


def _tidy_closely(text: str) -> str:
    return compose(_CONTROLS.sub(_replacement, text))


def compose(text: str) -> str:
    """Convert to normal form C in linear time.

    Of a run of combining marks only the first thirty are kept, as in Unicode's Stream-Safe Text Format: no writing has
    more, and putting them into order takes time that grows with the square of their number.
    """
    marks = _may_combine()[utf16(text)]
    if marks.any() and np.diff(np.flatnonzero(~marks), prepend=-1, append=len(marks)).max() > _MAX_MARKS_IN_RUN:
        text = _long_runs().sub(r"\1", text)
    return unicodedata.normalize("NFC", text)


@functools.cache
def _may_combine() -> npt.NDArray[np.bool_]:
    """For each UTF-16 code unit whether it may be a combining mark, or half of one."""
    marks = np.array(list(map(unicodedata.combining, map(chr, range(0x10000)))), np.bool_)
    marks[0xD800:0xE000] = True
    return marks


@functools.cache
def _long_runs() -> re.Pattern[str]:
    """The pattern of too long runs of marks; slow, as it has a thousand characters to compare with."""
    marks = "".join(character for character in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(character))
    return re.compile(f"([{marks}]{{{_MAX_MARKS_IN_RUN}}})[{marks}]+")


def _replacement(match: re.Match[str]) -> str:
    return " " if match[0] in _SEPARATORS else "\ufffd" if "\ud800" <= match[0] <= "\udfff" else ""
