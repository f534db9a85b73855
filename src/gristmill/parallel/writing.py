"""Writes a shard of a parallel corpus as any shard of a corpus is: documents, their tokens, and what goes with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from gristmill.annotation.blocks import language_of
from gristmill.annotation.settings import versions_of
from gristmill.annotation.table import TOKENS_SCHEMA, Annotated
from gristmill.corpus.listing import write_listing
from gristmill.document import Document
from gristmill.shards import SKIPPED_SCHEMA, BatchWriter, Shard, ShardWriter, document_writer

_ROWS_AT_ONCE = 1000
"""Documents whose tokens are written together."""
_DICTIONARY_BYTES = 1 << 26
"""More than the different words of these have, so that all are stored as numbers."""


@dataclass(slots=True)
class TokenCounts:
    """What is counted of the tokens of a shard: documents, blocks, sentences, and tokens by language and by tagger."""

    total: Counter[str] = field(
        default_factory=lambda: Counter({"documents": 0, "blocks": 0, "sentences": 0, "tokens": 0})
    )
    languages: Counter[str] = field(default_factory=Counter)
    taggers: Counter[str] = field(default_factory=Counter)

    def add(self, document: Document, annotated: Annotated) -> None:
        """Count the annotations of a document."""
        self.total["documents"] += bool(annotated)
        for number, annotation in annotated.items():
            block, tokens = document.blocks[number], len(annotation.words)
            self.total.update(blocks=1, sentences=len(annotation.sentences), tokens=tokens)
            self.languages[language_of(block.text, block.lang, document.lang)] += tokens
            self.taggers[annotation.tagger] += tokens


def write_tokens(
    shard: Shard, tokens: pa.Table, rows: Sequence[int], counts: TokenCounts, annotated_by: Mapping[str, Any]
) -> None:
    """Write tokens of documents, given by their rows in a table.

    `annotated_by` has the `settings` and `versions` by which the corpus was annotated that they come from.
    """
    with ShardWriter(shard.tokens, TOKENS_SCHEMA, _DICTIONARY_BYTES) as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            some = tokens.take(pa.array(rows[start : start + _ROWS_AT_ONCE], pa.int64()))
            writer.write(some.combine_chunks().cast(TOKENS_SCHEMA))
        needed = versions_of(counts.taggers, counts.languages)
        writer.finish(
            {
                "counts": dict(sorted(counts.total.items())),
                "languages": dict(sorted(counts.languages.items())),
                "taggers": dict(sorted(counts.taggers.items())),
                "settings": annotated_by["settings"],
                "versions": {name: annotated_by["versions"].get(name, now) for name, now in needed.items()},
            }
        )


@contextmanager
def opened_shard(shard: Shard) -> Iterator[_Documents]:
    """Open the documents of a shard to write them; they come into place last, after all that is written meanwhile."""
    write_listing(shard, [])
    with ShardWriter(shard.skipped, SKIPPED_SCHEMA) as skipped:
        skipped.finish({})
    with document_writer(shard) as writer:
        documents = _Documents(writer)
        yield documents
        writer.finish({"counts": dict(documents.counts)})


class _Documents:
    """Writes documents and counts them as a build does."""

    def __init__(self, writer: BatchWriter[Document]) -> None:
        self._writer = writer
        self.counts: Counter[str] = Counter({"records": 0, "pages": 0, "passed": 0, "text_blocks": 0})

    def write(self, document: Document) -> None:
        """Add a document that filters have kept."""
        self.counts.update(records=1, pages=1, passed=1, text_blocks=document.text_blocks)
        for name in document.attributes:
            self.counts[f"attributes.{name}"] += 1
        for reason, count in Counter(block.dropped for block in document.blocks if block.dropped).items():
            self.counts[f"dropped_blocks.{reason}"] += count
            self.counts["text_blocks"] += count
        self._writer.write(document)
