"""Sentences and vertical text of both sides, as PRESEMT's bilingual corpora have them, and Sketch Engine reads them.

`NAME.en.sent` and `NAME.de.sent` have a bead a line, so the same lines translate each other. `NAME.en.vert` and
`NAME.de.vert` have the tokens of the same beads with tags and lemmas, each bead within `<align>`: there are as many of
these on both sides, in the same order, which is what Sketch Engine calls a 1:1 mapping. A registry file for each side
names the other one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow.parquet as pq

from gristmill.annotation import Annotation
from gristmill.annotation.table import from_arrow
from gristmill.corpus.attributes import DOC_ATTRIBUTES
from gristmill.corpus.formats.dialects import DIALECTS, SKETCH_ENGINE, Dialect
from gristmill.corpus.formats.managers import registry
from gristmill.corpus.formats.vertical import sentence_lines
from gristmill.document import Document
from gristmill.parallel.formats.moses import write_lines
from gristmill.parallel.formats.registry import Languages, Write, stem_of
from gristmill.parallel.formats.values import columns, one_line
from gristmill.parallel.reader import FoundBeads, ParallelCorpus
from gristmill.parallel.records import SIDES
from gristmill.registry import part
from gristmill.shards import Shard, open_parquet

_DOC = ("id", "url", "host", "lang", "date", "published", "year", "title", "author", "site_name", "licence")
_READ = ("id", "url", "lang", "date", "published", "title", "author", "site_name", "licence")
"""Columns of documents that attributes of `<doc>` are made of."""
_TRANSLATION = "translation"
"""The attribute of `<doc>` that names the document on the other side."""
_ALIGN = ("id", "score", "block", "start", "end_block", "end")
_STRUCTURES = {"doc": (*_DOC, _TRANSLATION), "align": _ALIGN, "s": ()}
_MAX_GROUPS = 2
"""Row groups of tokens that are in memory: the documents of a pair are near each other."""


@dataclass(frozen=True, slots=True)
class SentVertFormat:
    """Writes two files of sentences and two of vertical text."""

    suffixes: tuple[str, ...] = (".sent", ".vert", ".sent+vert")
    compressible: bool = True

    def files(self, name: str, languages: Languages) -> list[str]:
        """`NAME.en.sent`, `NAME.de.sent`, `NAME.en.vert`, `NAME.de.vert`."""
        stem = stem_of(name, self.suffixes[::-1])
        return [f"{stem}.{lang}.{kind}" for kind in ("sent", "vert") for lang in languages]

    @contextmanager
    def writer(self, streams: Sequence[BinaryIO], corpus: ParallelCorpus) -> Iterator[Write]:
        """Write a line and an `<align>` of each side for each bead."""
        del corpus
        sides = [_Side(side, sent, vert) for side, sent, vert in zip(SIDES, streams[:2], streams[2:], strict=True)]
        with ExitStack() as stack:
            shard: _ShardTokens | None = None

            def write(found: FoundBeads) -> None:
                nonlocal shard
                if shard is None or shard.shard != found.shard:
                    stack.close()
                    shard = stack.enter_context(closing(_ShardTokens(found.shard)))
                for number, side in enumerate(sides):
                    side.write(found, number, shard)

            yield write
            for side in sides:
                side.end()

    def beside(self, names: Sequence[str], languages: Languages) -> dict[str, str]:
        """Give the registry files with which Sketch Engine and NoSketch Engine load the vertical text."""
        vertical = [Path(name) for name in names if ".vert" in Path(name).suffixes]
        stems = [path.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".vert") for path in vertical]
        found = {}
        for path, stem, other in zip(vertical, stems, stems[::-1], strict=True):
            settings = {"ALIGNSTRUCT": "align", "ALIGNED": f"./{other}.registry"}
            made = DIALECTS[SKETCH_ENGINE]
            found[f"{stem}.registry"] = registry(path, stem, made.columns, _STRUCTURES, settings)
        del languages
        return found


class _Side:
    """One side of the beads that are written."""

    def __init__(self, side: str, sentences: BinaryIO, vertical: BinaryIO) -> None:
        self._side, self._sentences, self._vertical = side, sentences, vertical
        self._dialect: Dialect = DIALECTS[SKETCH_ENGINE]()
        self._document: tuple[str, int] | None = None
        """The shard and the row of the document that is open."""

    def write(self, found: FoundBeads, number: int, shard: _ShardTokens) -> None:
        """Write this side of some beads, which are of a shard."""
        write_lines(self._sentences, map(one_line, found.beads.column(f"{self._side}_text").to_pylist()))
        names = ("first", "count", "block", "start", "end_block", "end")
        known = columns(found, "id", "score", *(f"{self._side}_{name}" for name in names))
        others = found.beads.column(f"{SIDES[1 - number]}_document").to_pylist()
        pieces: list[str] = []
        for row, other, (bead, score, first, count, *where) in zip(
            found.rows[number].tolist(), others, known, strict=True
        ):
            if (found.shard.name, row) != self._document:
                pieces.append(self._ended())
                pieces.append(self._begun(shard, row, other))
                self._document = found.shard.name, row
            values = [bead, f"{score:.4f}", *(str(value) if value >= 0 else "" for value in where)]
            pieces.append(self._dialect.opened("align", list(zip(_ALIGN, values, strict=True))))
            for annotation in shard.sentences(row, first, count):
                pieces.extend(sentence_lines(annotation, self._dialect))
            pieces.append("</align>\n")
        self._vertical.write("".join(pieces).encode("utf-8", "replace"))

    def end(self) -> None:
        """Close the last document."""
        self._vertical.write(self._ended().encode())

    def _begun(self, shard: _ShardTokens, row: int, other: str) -> str:
        document = shard.documents[row]
        values = [(name, DOC_ATTRIBUTES[name](document)) for name in _DOC]
        return self._dialect.opened("doc", [*values, (_TRANSLATION, other)])

    def _ended(self) -> str:
        return "</doc>\n" if self._document else ""


class _ShardTokens:
    """The documents of a shard and their sentences, by their rows."""

    def __init__(self, shard: Shard) -> None:
        self.shard = shard
        self.documents: list[Document] = list(shard.read_documents(_READ))
        self._stack = ExitStack()
        self._file: pq.ParquetFile = self._stack.enter_context(open_parquet(shard.tokens))
        metadata = self._file.metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        self._ends = np.cumsum(sizes)
        self._groups: dict[int, list[dict[int, Annotation]]] = {}
        self._divided: _Divided | None = None
        """The document that was asked for last."""

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def sentences(self, row: int, first: int, count: int) -> Iterator[Annotation]:
        """Yield some sentences of a document, those of a block together: numbered over all its annotated blocks."""
        if self._divided is None or self._divided.row != row:
            self._divided = _Divided.of(row, self._annotated(row).values())
        return self._divided.take(first, first + count)

    def _annotated(self, row: int) -> dict[int, Annotation]:
        group = int(np.searchsorted(self._ends, row, side="right"))
        if group not in self._groups:
            while len(self._groups) >= _MAX_GROUPS:
                del self._groups[next(iter(self._groups))]
            table = self._file.read_row_group(group)
            self._groups[group] = [one for batch in table.to_batches() for one in from_arrow(batch)]
        return self._groups[group][row - int(self._ends[group]) + len(self._groups[group])]


@dataclass(frozen=True, slots=True)
class _Divided:
    """The blocks of a document, with where their sentences begin: to find some takes no longer in a long one."""

    row: int
    blocks: list[Annotation]
    before: list[int]
    """How many sentences come before each block, and at the end how many there are."""
    edges: list[list[int]]
    """Where the sentences of each block begin among its tokens, and where the last one ends."""

    @classmethod
    def of(cls, row: int, annotations: Iterable[Annotation]) -> _Divided:
        blocks = list(annotations)
        before = [0, *accumulate(len(block.sentences) for block in blocks)]
        return cls(row, blocks, before, [[0, *accumulate(block.sentences)] for block in blocks])

    def take(self, first: int, last: int) -> Iterator[Annotation]:
        """Yield the sentences from one number to before another, those of a block together."""
        number = max(bisect_right(self.before, first) - 1, 0)
        while number < len(self.blocks) and self.before[number] < last:
            block, edges, before = self.blocks[number], self.edges[number], self.before[number]
            start, end = max(first - before, 0), min(last - before, len(block.sentences))
            if start < end:
                yield _part(block, start, end, slice(edges[start], edges[end]))
            number += 1


def _part(annotation: Annotation, start: int, end: int, own: slice) -> Annotation:
    """Take some sentences of a block, and their tokens."""
    return Annotation(
        annotation.words[own],
        annotation.starts[own],
        annotation.sentences[start:end],
        annotation.lemmas[own],
        annotation.tags[own],
        annotation.xpos[own],
        annotation.tagger,
        annotation.feats[own],
        annotation.heads[own],
        annotation.deprels[own],
    )


part("format of sentence pairs", "sent+vert")(SentVertFormat())
