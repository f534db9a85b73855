"""Measure fragmentation: into how many pieces cleaning breaks the text of a page (Pomikálek 2011, 2.9.10)."""

from __future__ import annotations

from itertools import groupby

from gristmill.columns import fold
from gristmill.document import Document


def fragments(document: Document) -> list[int]:
    """The lengths in characters of the unbroken stretches of kept blocks; a gap is where a block was dropped."""
    kept = {id(block) for block in document.kept()}
    runs = groupby((block for block in document.blocks if block.text), key=lambda block: id(block) in kept)
    return [sum(len(fold(block.text)) + 1 for block in run) - 1 for is_kept, run in runs if is_kept]
