"""Plain text: a block a line, and an empty line after each document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part

_EMPTY_LINES = re.compile(r"\n(?:[\t ]*+\n)++")


@part("export format", "text", suffixes=(".txt", ".text"))
def text(chosen: SelectedDocument) -> Iterator[str]:
    """Write the text alone. Empty lines of preformatted text are left out, as one is the end of a document."""
    yield _EMPTY_LINES.sub("\n", chosen.document.text) + "\n\n"
