"""CleanEval's markup: what kind of block each line is."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.document import Block


def marked(blocks: Iterable[Block]) -> str:
    """The text of blocks, a line each, with `<h>`, `<p>` or `<l>` before it."""
    return "".join([f"<{block.kind}>{block.text}\n" for block in blocks])
