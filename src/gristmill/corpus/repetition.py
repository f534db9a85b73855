"""What de-duplication found in a corpus as a whole.

How much is left, on which hosts the repeated text stood, and which blocks are repeated most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from gristmill.columns import fold
from gristmill.corpus.attributes import host_of
from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import CorpusReader
from gristmill.shards import DOCUMENTS, read_batches, read_columns

_MAX_COUNTED_BLOCKS = 1_000_000
"""Blocks whose copies are counted at a time; beyond, those seen but once are forgotten."""
_EXCERPT_CHARACTERS = 60
_ELSEWHERE = "(in another corpus)"


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
    text: str
    """Its text, or a remark if it is in another corpus."""


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

    def lines(self) -> Iterator[str]:
        """Lay out what there was and what is left, hosts with most repeated text, and blocks with most copies."""
        rows = [("", "before", "after", "left")]
        rows += [_row(name, *getattr(self, name)) for name in ("documents", "blocks", "words")]
        if "ngrams" in self.found:
            rows.append(_row(f"duplicate {self.found['n']}-grams", self.found["repeated"], self.found["left"]))
        hosts = [_row(f"  {host.host}", host.words, host.words - host.repeated) for host in self.hosts if host.repeated]
        yield from _columns([*rows, *([("",) * 4, ("words by host", "", "", ""), *hosts] if hosts else [])])
        if self.repeated:
            yield from ("", "most repeated blocks")
        for block in self.repeated:
            line = fold(block.text)
            text = line if len(line) <= _EXCERPT_CHARACTERS else line[: _EXCERPT_CHARACTERS - 1] + "…"
            yield f"{block.copies:>8,} copies of {block.document} block {block.block}: {text}"

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
        _with_texts(corpus, sorted(copies.items(), key=lambda item: (-item[1], item[0]))[:most]),
    )


def _with_texts(corpus: CorpusReader, blocks: list[tuple[tuple[str, int], int]]) -> list[RepeatedBlock]:
    """Find the texts of blocks, given their places and numbers of copies."""
    found = dict(read_by_id(corpus, DOCUMENTS, {document for (document, _), _ in blocks}, ["blocks.text"]))
    return [
        RepeatedBlock(
            document, block, count, found[document]["blocks"][block]["text"] if document in found else _ELSEWHERE
        )
        for (document, block), count in blocks
    ]


def _copied(batch: pa.RecordBatch) -> dict[tuple[str, int], int]:
    """Number of copies that a batch has of each block."""
    blocks = pa.table(batch.column("blocks").flatten().flatten(), ["share", "verdict", "copy_of", "copy_block"])
    blocks = blocks.filter(pc.and_(pc.equal(blocks["verdict"], "duplicate"), pc.greater_equal(blocks["copy_block"], 0)))
    grouped = blocks.group_by(["copy_of", "copy_block"]).aggregate([([], "count_all")])
    places = zip(grouped["copy_of"].to_pylist(), grouped["copy_block"].to_pylist(), strict=True)
    return dict(zip(places, grouped["count_all"].to_pylist(), strict=True))


def _row(name: str, before: int, after: int) -> tuple[str, str, str, str]:
    return name, f"{before:,}", f"{after:,}", f"{after / before:.1%}" if before else "-"


def _columns(rows: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in rows
    ]
