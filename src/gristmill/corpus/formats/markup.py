"""CleanEval's markup.

A line with the address, then a block a line with its kind before it, and an empty line after each document.
"""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.cleaning.cleaneval import marked
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part


@part("export format", "markup", suffixes=(".markup",))
def markup(chosen: SelectedDocument) -> Iterator[str]:
    """Write the text with `<h>`, `<p>` and `<l>`."""
    yield f"URL: {chosen.document.url}\n"
    yield marked(chosen.document.blocks)
    yield "\n"
