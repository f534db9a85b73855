"""Write generated documents as shards of a corpus."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

from gristmill.document import Block, Document, document_id
from gristmill.evaluation.near_duplicates.record import Made
from gristmill.shards import Shard, document_writer
from gristmill.text.words import count_words


def write_shards(documents: Iterable[Made], folder: Path, per_shard: int = 1000) -> list[Shard]:
    """Write documents into `folder/shards/00000` and so on, `per_shard` into each; they are read one by one.

    At least one shard is written.
    """
    remaining = iter(documents)
    shards: list[Shard] = []
    first = next(remaining, None)
    while first is not None or not shards:
        shards.append(Shard.of(folder, f"{len(shards):05d}"))
        with document_writer(shards[-1]) as writer:
            row = 0
            for made in itertools.chain([] if first is None else [first], itertools.islice(remaining, per_shard - 1)):
                writer.write(to_document(made, document_id(shards[-1].name, row)))
                row += 1
            writer.finish({"counts": {"records": row, "pages": row, "passed": row}})
        first = next(remaining, None)
    return shards


def to_document(made: Made, identity: str) -> Document:
    """Make the document that a page with these blocks, all of them text, would have become."""
    document = Document(
        id=identity, url=made.url, lang=made.lang, lang_confidence=1.0, content_type="text/html", method="made"
    )
    start = 0
    for block in made.blocks:
        end = start + len(block.text)
        path = block.path or f"html/body/{block.kind}"
        document.blocks.append(
            Block(block.text, block.kind, path, start, end, count_words(block.text), 0, 0, 1, row=block.row)
        )
        start = end + 1
    document.size = start
    document.measure()
    return document
