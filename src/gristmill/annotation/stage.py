"""The stage that annotates: one task a shard, which writes `tokens.parquet`.

Annotated are the blocks that cleaning and filters keep, of documents that filters keep, whatever de-duplication says:
so its line can be drawn anew without annotating again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.blocks import annotate, language_of
from gristmill.annotation.settings import settings_of, versions_of
from gristmill.annotation.table import TOKENS_SCHEMA, Annotated, to_arrow
from gristmill.arrays.ragged import starts_of
from gristmill.engine import Report
from gristmill.kept import OUTLINE, block_columns
from gristmill.shards import DOCUMENTS, TOKENS, ShardWriter, facts, open_parquet, read_batches
from gristmill.stages import CURRENT, MISSING, State, stale

_COLUMNS = ("lang", *OUTLINE, "blocks.list.element.text", "blocks.list.element.lang")
_CHARACTERS = 2_000_000  # of text that is annotated together, if it is not of one document
_TOKENS = 1_000_000  # that are written together
_DICTIONARY_BYTES = (
    1 << 26
)  # more than their different words have: all are to be stored by number, as the index reads them


@dataclass(frozen=True, slots=True)
class AnnotateTask:
    """Annotates the kept text of one shard, with taggers as chosen."""

    folder: str
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {Path(self.folder).name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return (Path(self.folder) / DOCUMENTS).stat().st_size

    def run(self, report: Report) -> dict[str, Any]:
        """Write the shard's tokens; how many there are of what is stored with them."""
        shard, counts = Path(self.folder), _Counts()
        with ShardWriter(shard / TOKENS, TOKENS_SCHEMA, _DICTIONARY_BYTES) as writer:
            for table in _gathered(_annotated(shard, self.choices, counts, report, self.cost)):
                writer.write(table)
            found = counts.to_table() | {"settings": settings_of(self.choices), "versions": versions_of(counts.taggers)}
            writer.finish(found)
        return found


def state_of(shard: Path, choices: Sequence[str] = (), *, trusted: bool = True) -> State:
    """Tell whether a shard is annotated, with these settings and by these versions.

    Taggers that are not trusted are not looked for on this machine: it is enough that the shard was annotated by those.
    """
    if not (shard / TOKENS).exists():
        return MISSING
    with open_parquet(shard / TOKENS) as tokens, open_parquet(shard / DOCUMENTS) as documents:
        if tokens.metadata.num_rows != documents.metadata.num_rows:
            return stale("it has other documents now")
    there = facts(shard / TOKENS)
    if there["settings"]["taggers"] != list(choices):
        return stale("other taggers were chosen since")
    if trusted and (there["settings"] != settings_of(choices) or there["versions"] != versions_of(there["taggers"])):
        return stale("taggers have other versions or models now")
    return CURRENT


def is_current(shard: Path, choices: Sequence[str] = ()) -> bool:
    """Whether a shard is annotated, with these settings and by these versions."""
    return state_of(shard, choices) == CURRENT


class _Counts:
    """What is in the tokens of a shard."""

    def __init__(self) -> None:
        self.total = Counter({"documents": 0, "blocks": 0, "sentences": 0, "tokens": 0})
        self.languages: Counter[str] = Counter()
        self.taggers: Counter[str] = Counter()

    def add(self, annotation: Annotation, lang: str) -> None:
        tokens = len(annotation.words)
        self.total.update(blocks=1, sentences=len(annotation.sentences), tokens=tokens)
        self.languages[lang] += tokens
        self.taggers[annotation.tagger] += tokens

    def to_table(self) -> dict[str, Any]:
        named = {"counts": self.total, "languages": self.languages, "taggers": self.taggers}
        return {name: dict(sorted(counts.items())) for name, counts in named.items()}


def _annotated(
    shard: Path, choices: Sequence[str], counts: _Counts, report: Report, cost: int
) -> Iterator[pa.RecordBatch]:
    """The documents of a shard with their tokens, some at a time."""
    with open_parquet(shard / DOCUMENTS) as file:
        rows = file.metadata.num_rows
    done = 0
    for batch in read_batches(shard / DOCUMENTS, _COLUMNS):
        for documents in _parts(batch):
            yield to_arrow(_annotate(documents, choices, counts))
        report(cost * (done + batch.num_rows) // rows - cost * done // rows)
        done += batch.num_rows


_Texts = dict[int, tuple[str, str]]
"""Texts of blocks and their languages, by the numbers of the blocks."""


def _parts(batch: pa.RecordBatch) -> Iterator[list[_Texts]]:
    """The texts of the documents of a batch, so many documents at a time as are annotated together."""
    columns = block_columns(batch)
    kept = columns.kept
    texts = columns.fields.field("text").take(pa.array(kept))
    ends = starts_of(pc.utf8_length(texts).to_numpy())
    starts = np.searchsorted(kept, columns.offsets)
    edges = np.flatnonzero(np.diff(ends[starts[1:]] // _CHARACTERS)) + 1
    langs = batch.column("lang").to_pylist()
    own = columns.fields.field("lang").take(pa.array(kept)).to_pylist()
    for rows in np.split(np.arange(batch.num_rows), edges):
        part = []
        for row in rows.tolist():
            mine = slice(starts[row], starts[row + 1])
            numbers = (kept[mine] - columns.offsets[row]).tolist()
            pairs = zip(texts[mine].to_pylist(), own[mine], strict=True)
            part.append(
                {
                    number: (text, language_of(text, lang, langs[row]))
                    for number, (text, lang) in zip(numbers, pairs, strict=True)
                }
            )
        yield part


def _annotate(documents: Sequence[_Texts], choices: Sequence[str], counts: _Counts) -> list[Annotated]:
    texts = [text for document in documents for text in document.values()]
    found = iter(annotate(texts, choices))
    annotated: list[Annotated] = []
    for document in documents:
        annotated.append(dict(zip(document, found, strict=False)))
        counts.total["documents"] += bool(document)
        for (_, lang), annotation in zip(document.values(), annotated[-1].values(), strict=True):
            counts.add(annotation, lang)
    return annotated


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """The same batches in larger ones, each of which has one list of the words that are in it."""
    gathered: list[pa.RecordBatch] = []
    tokens = 0
    for batch in batches:
        gathered.append(batch)
        tokens += len(batch.column("word").values)
        if tokens >= _TOKENS:
            yield pa.Table.from_batches(gathered).combine_chunks()
            gathered, tokens = [], 0
    if gathered:
        yield pa.Table.from_batches(gathered).combine_chunks()
