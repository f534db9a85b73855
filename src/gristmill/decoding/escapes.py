"""Recognise 7-bit encodings of East Asian languages, which mark with escapes where wide characters begin and end."""

from __future__ import annotations

import re

from gristmill.decoding import labels

_JAPANESE = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]")
_KOREAN = b"\x1b$)C"
_CHINESE = re.compile(rb"~\{[!-w][!-~](?:[!-w][!-~])*~\}")


def seven_bit(data: bytes) -> str | None:
    """Find the encoding whose escapes stand in ASCII data; None if there is none, or it can't decode them."""
    if b"\x1b" in data and b"\x1b$" in data:  # single bytes are searched for many times faster than two
        if _KOREAN in data:
            return _if_readable("iso2022_kr", data)
        if _JAPANESE.search(data):
            return _if_readable("ISO-2022-JP", data)
    if b"~" in data and b"~{" in data and _CHINESE.search(data):
        return _if_readable("hz", data)
    return None


def _if_readable(encoding: str, data: bytes) -> str | None:
    """The encoding, if most of what stands between the escapes is East Asian: the signs may also occur by chance."""
    text = labels.decode(encoding, data)
    wide = [character for character in text if not character.isascii()]
    readable = sum("\u2e80" <= character <= "\u9fff" or "\uac00" <= character <= "\uffef" for character in wide)
    return encoding if readable * 2 > len(wide) and text.count("\ufffd") <= len(wide) // 10 else None
