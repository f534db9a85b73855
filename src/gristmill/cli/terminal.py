"""Text that is safe to write to a terminal, and the width of the terminal."""

from __future__ import annotations

import re
import shutil
import sys

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
"""Characters that could control the terminal, or change the direction of text that is not their own."""


def safe(text: str) -> str:
    """Make text from the web fit to be shown on a terminal, in one line."""
    return _UNSAFE.sub(" ", text)


def terminal_width() -> int | None:
    """Columns of the terminal; None if standard output goes elsewhere, where lines may be of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def safe_lines(text: str) -> str:
    """Make text of several lines fit to be shown: names and addresses in it may be of a corpus from elsewhere."""
    return "\n".join(map(safe, text.split("\n")))
