"""Plain text: a block a line, an empty line after each document."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.corpus.formats.registry import FORMATS
from gristmill.document import Document


@FORMATS.register("text")
def text(document: Document) -> Iterator[str]:
    """The text alone."""
    for block in document.blocks:
        yield block.text + "\n"
    yield "\n"
