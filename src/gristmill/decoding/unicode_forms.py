"""Recognise the encoding forms of Unicode by their bytes: UTF-8 by its sequences, UTF-16 and UTF-32 by their zeros."""

from __future__ import annotations

import re

import numpy as np

MIN_MULTIBYTE_CHARACTERS = 3
"""So many well-formed characters beyond ASCII do not come about by chance in another encoding."""
_NON_ASCII = re.compile(rb"[\x80-\xff]")
_SAMPLE_BYTES = 2048
_MIN_VALID_PER_INVALID = 2  # characters
_CUT_START = re.compile(rb"\A[\x80-\xbf]{1,3}")
_CUT_END = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_ASCII = bytes(range(128))
_HEAD_BYTES = 4096
_MIN_ZEROS = 3
_MIN_ZERO_SHARE = 0.02  # of the bytes: the spaces and line ends of any text
_MAX_ASCII_SHARE = 0.75
_NEARLY_ALL = 0.95  # share
_MAX_LOW_BYTE_ZERO_SHARE = 0.5  # some characters, such as the Chinese one for 1, have a low byte of zero


def almost_utf8(data: bytes) -> bool:
    """Whether bytes are UTF-8 but for a few: truncated within a character, or with a piece in another encoding."""
    first = _NON_ASCII.search(data)
    if not first:
        return False
    sample = data[first.start() : first.start() + _SAMPLE_BYTES]
    sample = _CUT_END.sub(b"", _CUT_START.sub(b"", sample) if first.start() == 0 else sample)
    text = sample.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = len(text) - wrong - (len(sample) - len(sample.translate(None, _ASCII)))
    return right > _MIN_VALID_PER_INVALID * wrong


def by_zeros(data: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 without a byte order mark by the positions of its zeros; None if it is neither."""
    if len(data) < 4 or data.count(b"\0", 0, _HEAD_BYTES) < _MIN_ZEROS:
        return None
    head = data[: min(_HEAD_BYTES, len(data)) // 4 * 4]
    codes = np.frombuffer(head, np.uint8).reshape(-1, 4)
    zeros = (codes == 0).mean(axis=0)
    if min(zeros[2:]) > _NEARLY_ALL and zeros[3] == 1 and zeros[0] < _MAX_LOW_BYTE_ZERO_SHARE:
        return "UTF-32LE"
    if min(zeros[:2]) > _NEARLY_ALL and zeros[0] == 1 and zeros[3] < _MAX_LOW_BYTE_ZERO_SHARE:
        return "UTF-32BE"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    encoding = "UTF-16LE" if odd > even else "UTF-16BE"
    enough = max(even, odd) >= 2 * _MIN_ZERO_SHARE and min(even, odd) <= max(even, odd) / 8
    return encoding if enough and _is_utf16(head, encoding) else None


def _is_utf16(head: bytes, encoding: str) -> bool:
    """Whether bytes with zeros in the right positions are text in UTF-16, and not ASCII with zeros in it."""
    codes = np.frombuffer(head, np.uint8)
    if (
        (codes >= 0x20) & (codes < 0x7F)
    ).mean() > _MAX_ASCII_SHARE:  # in UTF-16 at most every other byte is one of ASCII
        return False
    text = head.decode(encoding, "replace")
    return sum(map(str.isprintable, text)) + sum(map(str.isspace, text)) > _NEARLY_ALL * len(text)
