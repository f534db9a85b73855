"""CleanEval's markup.

A line with the address, then a block a line with its kind before it, and an empty line after each document.
"""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.cleaning.cleaneval import marked
from gristmill.corpus.cut import Cut
from gristmill.corpus.formats.registry import text_format


@text_format("markup", ".markup")
def markup(cut: Cut) -> Iterator[str]:
    """Write the text with `<h>`, `<p>` and `<l>`."""
    yield f"URL: {cut.document.url}\n"
    yield marked(cut.document.blocks)
    yield "\n"
