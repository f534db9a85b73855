"""Generate copies of pages in another way of writing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.record import Made
from gristmill.evaluation.near_duplicates.spelling import WAYS
from gristmill.registry import part


@part("kind of near-duplicates", "variant", takes=1)
def variant(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a page, and a copy in one of `WAYS` in rotation: upper case, full width, zero width, decomposed."""
    for source in sources:
        way = next(desk.ways)
        first = desk.page("variant", source.blocks, source.lang)
        texts = [WAYS[way](block.text, source.lang, desk.rng) for block in source.blocks]
        copies = [
            replace(block, text=text, written=way if text != block.text else "")
            for block, text in zip(source.blocks, texts, strict=True)
        ]
        yield first
        yield desk.page("variant", copies, source.lang, name="copy", cluster=first.cluster)
