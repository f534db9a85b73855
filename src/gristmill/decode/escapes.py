"""Encodings of seven bits, which say with escapes where their wide characters begin and end."""

from __future__ import annotations

import re

_JAPANESE = re.compile(rb"\x1b\$[@B]|\x1b\$\([DOPQ]")
_KOREAN = b"\x1b$)C"
_CHINESE = re.compile(rb"~\{[!-w][!-~](?:[!-w][!-~])*~\}")


def seven_bit(data: bytes) -> str | None:
    """The encoding whose escapes stand in data that is ASCII otherwise, and which can decode it; None if there is none."""
    if b"\x1b$" in data:
        if _KOREAN in data:
            return "iso2022_kr"
        if _JAPANESE.search(data):
            return "ISO-2022-JP"
    if b"~{" in data and _CHINESE.search(data) and _is_chinese(data):
        return "hz"
    return None


def _is_chinese(data: bytes) -> bool:
    """Whether what stands between the escapes of HZ is characters: two signs of ASCII may also stand side by side by chance."""
    text = data.decode("hz", "replace")
    wide = [character for character in text if not character.isascii()]
    return text.count("\ufffd") <= len(wide) // 10 and sum("\u3000" <= character <= "\u9fff" for character in wide) * 2 > len(wide)
