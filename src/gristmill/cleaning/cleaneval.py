"""CleanEval's markup: what kind of block each line is."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.document import Block, fold


def marked(blocks: Iterable[Block]) -> str:
    """The text of blocks, a line each whatever lines it has on its page, with `<h>`, `<p>` or `<l>` before it."""
    return "".join([f"<{block.kind}>{fold(block.text)}\n" for block in blocks])
