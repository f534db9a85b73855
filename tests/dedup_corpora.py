"""Small corpora to de-duplicate, and what is found in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gristmill.document import Block, Document, Kind
from gristmill.shards import Shard, document_writer, read_rows

Blocks = list[tuple[list[str], bool]]
"""Blocks of a document: their words, and whether cleaning keeps them."""


def document(blocks: Blocks, dropped: str = "", kind: Kind = "p") -> Document:
    made = Document(
        blocks=[
            Block(" ".join(words), kind, "", 0, 0, len(words), 0, 0, 0, 0.0 if keep else 1.0) for words, keep in blocks
        ],
        dropped=dropped,
        lang="en",
    )
    made.measure()
    return made


def write(folder: Path, shards: Sequence[Sequence[Document]]) -> list[Shard]:
    written = [Shard.of(folder, f"{number:05d}") for number in range(len(shards))]
    for shard, documents in zip(written, shards, strict=True):
        with document_writer(shard) as writer:
            for item in documents:
                writer.write(item)
            writer.finish({})
    return written


def found(shards: Sequence[Shard]) -> list[dict[str, Any]]:
    return [row for shard in shards for row in read_rows(shard.duplicates)]


def result_bytes(shards: Sequence[Shard]) -> list[bytes]:
    return [shard.duplicates.read_bytes() for shard in shards]


def texts(seed: int, stock_seed: int = 0, count: int = 60) -> list[Document]:
    """Documents of which many share some text: blocks are drawn from a stock, some with words changed."""
    draw = random.Random(stock_seed)
    stock = [[f"w{draw.randrange(500)}" for _ in range(draw.randrange(5, 60))] for _ in range(count)]
    lines = [[f"w{draw.randrange(500)}" for _ in range(draw.randrange(1, 5))] for _ in range(5)]
    draw = random.Random(seed)
    documents = []
    for _ in range(count):
        blocks: Blocks = []
        for _ in range(draw.randrange(1, 8)):
            words = (
                list(draw.choice(stock))
                if draw.random() < 0.6
                else [f"u{draw.randrange(10**6)}" for _ in range(draw.randrange(3, 50))]
            )
            if draw.random() < 0.3:
                start = draw.randrange(len(words))
                words[start : start + draw.randrange(1, 40)] = [
                    f"u{draw.randrange(10**6)}" for _ in range(draw.randrange(1, 40))
                ]
            blocks.append((words, not blocks or draw.random() < 0.9))
            if draw.random() < 0.5:
                blocks.append((draw.choice(lines), True))
        documents.append(document(blocks, "length" if draw.random() < 0.05 else ""))
    return documents


def small_parts(patch: pytest.MonkeyPatch) -> None:
    """Let everything come in parts that would if it were large: text, tokens, and what is told of these."""
    patch.setattr("gristmill.dedup.reading._PART_BYTES", 60)
    patch.setattr("gristmill.dedup.reading._LARGE_GROUP_BYTES", 2000)
    for name in ("verdicts", "first_owners"):
        patch.setattr(f"gristmill.dedup.onion.{name}.PART_TOKENS", 7)
    for name, value in (("SHARDS_TOGETHER", 2), ("MIN_BUNDLE_NGRAMS", 30), ("BUNDLES", 1000)):
        patch.setattr(f"gristmill.dedup.onion.survey.{name}", value)
    patch.setattr("gristmill.dedup.onion.same_texts.DOCUMENTS_PER_RANGE", 2)
    patch.setattr("gristmill.dedup.onion.settling.BUCKETS_TOGETHER", 2)
    patch.setattr("gristmill.dedup.onion.plan._BITS_PER_STUB_RANGE", 0)
    patch.setattr("gristmill.dedup.onion.first_owners._ASKED_TOKENS", 50)
    patch.setattr("gristmill.dedup.onion.first_owners._MAX_READINGS", 1000)
