"""Repair mojibake: text that was UTF-8, was read as windows-1252, and was written as UTF-8 again, `Ã©` for `é`.

It is repaired only where it is certain, piece by piece, by ftfy. `decode` says of a text that it was repaired.
"""

from __future__ import annotations

import functools
import re

# A byte from 80 to BF as windows-1252 reads it, in UTF-8: the second and further bytes of a sequence.
_FURTHER = (
    rb"(?:\xc2[\x80-\xbf]|\xc5[\x92\x93\xa0\xa1\xb8\xbd\xbe]|\xc6\x92|\xcb[\x86\x9c]"
    rb"|\xe2(?:\x80[\x93\x94\x98-\x9a\x9c-\x9e\xa0-\xa2\xa6\xb0\xb9\xba]|\x82\xac|\x84\xa2))"
)
# Its first byte the same way: that of two bytes is mostly a capital letter, of three bytes a small one.
_SEQUENCE = re.compile(rb"\xc3(?:[\x82-\x85\x8e-\x91\x97-\x9b]" + _FURTHER + rb"|[\xa0-\xaf]" + _FURTHER * 2 + rb")")
_BORDERS = (b"<", b">", b"\n")
_MAX_CONTEXT_BYTES = 1000  # before and after the damage
_MAX_PARTS = 20_000  # of a text, repaired or not: no text has more
_MIN_SAVED_CHARACTERS = 2  # by which the text must get shorter for the damage to be certain


def is_suspicious(utf8: bytes) -> bool:
    """Whether text in UTF-8 may hold mojibake."""
    return b"\xc3" in utf8 and _SEQUENCE.search(utf8) is not None


def repair(utf8: bytes) -> bytes:
    """Repair the text, still as UTF-8; it stays as it was if it is not certain that it is damaged."""
    parts: list[bytes] = []
    end = gone = 0
    for match in _SEQUENCE.finditer(utf8):
        if match.start() < end:
            continue
        start, stop = _piece(utf8, match, end)
        text = utf8[start:stop].decode()
        mended = _mended(text)
        # If the right letters are there as well, the text is about mojibake: it shows how letters look when misread.
        if set(mended) <= set(text):
            mended = text
        gone += len(text) - len(mended)
        parts += [utf8[end:start], mended.encode("utf-8", "replace")]
        end = stop
        if len(parts) > _MAX_PARTS:
            break
    return b"".join([*parts, utf8[end:]]) if gone >= _MIN_SAVED_CHARACTERS else utf8


@functools.lru_cache(maxsize=1 << 10)
def _mended(text: str) -> str:
    """Repair a piece of text; the pages of a site have the same menus."""
    from ftfy import fix_encoding  # noqa: PLC0415 (rarely needed)

    return fix_encoding(text)


def _piece(utf8: bytes, match: re.Match[bytes], earliest: int) -> tuple[int, int]:
    """Find the start and end of the text around a match that ftfy is given: up to a tag, a line end or 1,000 bytes."""
    start = max(earliest, match.start() - _MAX_CONTEXT_BYTES)
    start = max(start, *(utf8.rfind(border, start, match.start()) + 1 for border in _BORDERS))
    while start < match.start() and utf8[start] & 0xC0 == 0x80:  # not in the middle of a character
        start += 1
    stop = min(len(utf8), match.end() + _MAX_CONTEXT_BYTES)
    borders = [place for border in _BORDERS if (place := utf8.find(border, match.end(), stop)) >= 0]
    if borders:
        return start, min(borders)
    while match.end() < stop < len(utf8) and utf8[stop] > 127:  # nor of a damaged one
        stop -= 1
    return start, stop
