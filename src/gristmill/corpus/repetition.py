"""What de-duplication found in a corpus as a whole.

How much is left, on which hosts the repeated text stood, and which blocks are repeated most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from gristmill.corpus.attributes import host_of
from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import CorpusReader
from gristmill.shards import DOCUMENTS, read_batches, read_columns

_MAX_COUNTED_BLOCKS = 1_000_000
"""Blocks whose copies are counted at a time; beyond, those seen but once are forgotten."""


@dataclass(frozen=True, slots=True)
class HostShare:
    """How much of a host's text is repeated, in words."""

    host: str
    words: int
    repeated: int

    @property
    def share(self) -> float:
        """Share of its words that are repeated."""
        return self.repeated / self.words if self.words else 0.0


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A block of which there are copies: where it stands, and how often it was found again."""

    document: str
    block: int
    copies: int


@dataclass(frozen=True, slots=True)
class Repetition:
    """Numbers before and after de-duplication, hosts with repeated text, and repeated blocks."""

    documents: tuple[int, int]
    """Number of documents before and after."""
    blocks: tuple[int, int]
    """Number of blocks before and after."""
    words: tuple[int, int]
    """Number of words before and after."""
    found: dict[str, Any]
    """What the method counted on the way: n-grams, if it is a method of n-grams."""
    hosts: list[HostShare]
    """Hosts, those with most repeated words first."""
    repeated: list[RepeatedBlock]
    """Blocks, those with most copies first."""

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        pairs = {"documents": self.documents, "blocks": self.blocks, "words": self.words}
        return asdict(self) | {name: dict(zip(("before", "after"), pair, strict=True)) for name, pair in pairs.items()}


def repetition(corpus: CorpusReader, most: int = 10) -> Repetition:
    """Sum up what de-duplication found, with the first `most` hosts and blocks."""
    hosts: dict[str, list[int]] = {}
    copies: Counter[tuple[str, int]] = Counter()
    for shard in corpus.shards:
        documents = read_columns(shard.documents, ["url", "dropped", "words"])
        left = read_columns(shard.duplicates, ["words"])["words"].to_pylist()
        replaced = corpus.replaced(shard)
        rows = zip(*(documents[name].to_pylist() for name in ("url", "dropped", "words")), left, strict=True)
        for row, (url, dropped, words, still) in enumerate(rows):
            if not dropped and row not in replaced:
                sums = hosts.setdefault(host_of(url) or "-", [0, 0])
                sums[0] += words
                sums[1] += words - still
        for batch in read_batches(shard.duplicates, ["blocks"]):
            copies.update(_copied(batch))
        if len(copies) > _MAX_COUNTED_BLOCKS:
            copies = Counter({block: count for block, count in copies.items() if count > 1})
    counts, found = corpus.counts, corpus.manifest.dedup
    shares = [HostShare(host, words, repeated) for host, (words, repeated) in hosts.items()]
    return Repetition(
        (counts["passed"] - counts["replaced"], counts["kept"]),
        (sum(found["blocks"].values()), found["blocks"]["unique"]),
        (sum(found["words"].values()), found["words"]["unique"]),
        {name: value for name, value in found.items() if name not in {"blocks", "words"}},
        sorted(shares, key=lambda host: (-host.repeated, host.host))[:most],
        [
            RepeatedBlock(*place, count)
            for place, count in sorted(copies.items(), key=lambda item: (-item[1], item[0]))[:most]
        ],
    )


def texts_of(corpus: CorpusReader, blocks: Sequence[RepeatedBlock]) -> list[str]:
    """Texts of repeated blocks; of one that is not in this corpus, a remark."""
    found = dict(read_by_id(corpus, DOCUMENTS, {block.document for block in blocks}, ["blocks.text"]))
    return [
        found[block.document]["blocks"][block.block]["text"] if block.document in found else "(in another corpus)"
        for block in blocks
    ]


def _copied(batch: pa.RecordBatch) -> dict[tuple[str, int], int]:
    """Number of copies that a batch has of each block."""
    blocks = pa.table(batch.column("blocks").flatten().flatten(), ["share", "verdict", "copy_of", "copy_block"])
    blocks = blocks.filter(pc.and_(pc.equal(blocks["verdict"], "duplicate"), pc.greater_equal(blocks["copy_block"], 0)))
    grouped = blocks.group_by(["copy_of", "copy_block"]).aggregate([([], "count_all")])
    places = zip(grouped["copy_of"].to_pylist(), grouped["copy_block"].to_pylist(), strict=True)
    return dict(zip(places, grouped["count_all"].to_pylist(), strict=True))
