"""What may be written to a terminal, and how much of it there is room for."""

from __future__ import annotations

import re
import shutil
import sys

_EXCERPT_CHARACTERS = 60
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
"""What could write to the terminal in other ways than as text, or turn the direction of what is not its own."""


def safe(text: str) -> str:
    """Text from the web as it can be shown on a terminal."""
    return _UNSAFE.sub(" ", text)


def excerpt(text: str) -> str:
    """The beginning of a text, in one line."""
    from gristmill.document import fold

    line = fold(text)
    return line if len(line) <= _EXCERPT_CHARACTERS else line[: _EXCERPT_CHARACTERS - 1] + "…"


def terminal_width() -> int | None:
    """How many columns the terminal has; None if standard output goes elsewhere, where lines may be of any length."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def safe_lines(text: str) -> str:
    """Text of several lines likewise: names and addresses in it may be of a corpus from elsewhere."""
    return "\n".join(map(safe, text.split("\n")))
