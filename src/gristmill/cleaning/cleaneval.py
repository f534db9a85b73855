"""CleanEval's output format: a line a block, with a tag for its kind. Used by the command line and by evaluation."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.columns import fold
from gristmill.document import Block


def marked(blocks: Iterable[Block]) -> str:
    """Format blocks as lines that begin with `<h>`, `<p>` or `<l>`; line breaks within a block become spaces."""
    return "".join([f"<{block.kind}>{fold(block.text)}\n" for block in blocks])
