"""Plain text: a block a line, an empty line after each document."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.corpus.cut import Cut
from gristmill.corpus.formats.registry import text_format


@text_format("text", ".txt", ".text")
def text(cut: Cut) -> Iterator[str]:
    """The text alone."""
    yield f"{cut.document.text}\n\n"
