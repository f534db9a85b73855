"""The annotation stage: one task a shard, which writes `tokens.parquet`. The pipeline runs it.

Annotated are the blocks that cleaning and filters keep, of documents that filters keep, whether or not they are
duplicates: so the threshold of de-duplication can be changed without annotating again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.annotation.annotation import Annotation
from gristmill.annotation.blocks import annotate, language_of
from gristmill.annotation.memory import DEFAULT_BYTES, limit_memory
from gristmill.annotation.parsing.choice import is_parser, of_taggers
from gristmill.annotation.settings import settings_of, versions_of
from gristmill.annotation.spent import Spent
from gristmill.annotation.table import TOKENS_SCHEMA, Annotated, to_arrow
from gristmill.annotation.tagger import spec_for
from gristmill.arrays.ragged import starts_of
from gristmill.engine import Report
from gristmill.kept import OUTLINE, block_columns
from gristmill.shards import Shard, ShardWriter, open_parquet, read_batches, row_count, rows_and_facts
from gristmill.stages import CURRENT, MISSING, ShardTask, State, outdated, stale

_COLUMNS = ("lang", *OUTLINE, "blocks.list.element.text", "blocks.list.element.lang")
_CHARACTERS_AT_ONCE = 2_000_000  # that are annotated together; a document is never divided
_TOKENS_AT_ONCE = 1_000_000  # that are written together
_DICTIONARY_BYTES = 1 << 26  # more than the different words of these have, so that all are stored as numbers


@dataclass(frozen=True, slots=True)
class AnnotateTask(ShardTask):
    """The task of annotating the kept text of one shard with the chosen taggers."""

    choices: tuple[str, ...] = ()
    memory: int = DEFAULT_BYTES
    """Bytes that the words which are kept between texts may take in a worker."""

    def run(self, report: Report) -> dict[str, Any]:
        """Write the tokens of the shard, and return the counts and settings that are stored with them.

        With these, but not stored, goes how long each tagger and the parser needed.
        """
        counts = _Counts()
        limit_memory(self.memory)
        with ShardWriter(self.shard.tokens, TOKENS_SCHEMA, _DICTIONARY_BYTES) as writer:
            for table in _gathered(_annotated(self.shard, self.choices, counts, report, self.cost)):
                writer.write(table)
            found = counts.to_table() | {
                "settings": settings_of(self.choices),
                "versions": versions_of(counts.taggers, counts.languages, self.choices),
            }
            writer.finish(found)
        return found | {"spent": counts.spent}


def state_of(
    shard: Shard, choices: Sequence[str] = (), *, trusted: bool = True, known: dict[str, str] | None = None
) -> State:
    """Tell whether a shard is annotated with the present settings and versions.

    It is stale if its documents have changed, or the user has chosen other taggers since; and outdated if only versions
    of libraries, models or rules are others now, or the taggers that languages get by default. If taggers are not
    `trusted`, none is loaded or read on this machine: it is enough that the shard was annotated by them. `known` has
    what was found out about other shards: most are annotated in the same way, and to ask all taggers takes a while.
    """
    if not shard.tokens.exists():
        return MISSING
    rows, stored = rows_and_facts(shard.tokens)
    if rows != row_count(shard.documents):
        return stale("it has other documents now")
    if stored["settings"]["taggers"] != list(choices):
        return stale(f"other {_otherwise(stored['settings']['taggers'], choices)} were chosen since")
    reason = _known(stored, choices, known) if trusted else ""
    return outdated(reason) if reason else CURRENT


def _otherwise(stored: Sequence[str], choices: Sequence[str]) -> str:
    """Name what was chosen otherwise since: taggers, parsers, or both."""
    parsers = [list(filter(is_parser, given)) for given in (stored, choices)]
    taggers = of_taggers(stored) != of_taggers(choices)
    names = [*(["taggers"] if taggers else []), *(["parsers"] if parsers[0] != parsers[1] else [])]
    return " and ".join(names)


def _known(stored: Mapping[str, Any], choices: Sequence[str], known: dict[str, str] | None) -> str:
    """Say why a shard would be annotated otherwise now, or what was said of one that was annotated in the same way."""
    if known is None:
        return _why_outdated(stored, choices)
    names = {name: sorted(stored[name]) for name in ("taggers", "languages")}
    way = json.dumps([stored["settings"], stored["versions"], names], sort_keys=True)
    if way not in known:
        known[way] = _why_outdated(stored, choices)
    return known[way]


def _why_outdated(stored: Mapping[str, Any], choices: Sequence[str]) -> str:
    """Say why a shard would be annotated otherwise now, by what is stored with its tokens; empty if it would not."""
    versions = versions_of(stored["taggers"], stored["languages"], choices)
    if stored["settings"] != settings_of(choices) or stored["versions"] != versions:
        return "taggers, parsers or rules have other versions or models now"
    langs = stored["languages"]
    if langs and {spec_for(lang, choices) for lang in langs} != set(stored["taggers"]):
        return "languages have other taggers by default now"
    return ""


def is_current(shard: Shard, choices: Sequence[str] = ()) -> bool:
    """Tell whether a shard is annotated with the present settings and versions."""
    return state_of(shard, choices) == CURRENT


class _Counts:
    """Counts of what a shard has: documents, blocks, sentences, and tokens by language and by tagger."""

    def __init__(self) -> None:
        self.total = Counter({"documents": 0, "blocks": 0, "sentences": 0, "tokens": 0})
        self.languages: Counter[str] = Counter()
        self.taggers: Counter[str] = Counter()
        self.spent = Spent()
        """How long each tagger, with the tokeniser, and the parser have worked."""

    def add(self, annotation: Annotation, lang: str) -> None:
        """Count a block."""
        tokens = len(annotation.words)
        self.total.update(blocks=1, sentences=len(annotation.sentences), tokens=tokens)
        self.languages[lang] += tokens
        self.taggers[annotation.tagger] += tokens

    def to_table(self) -> dict[str, Any]:
        """Return the counts as a table to store, sorted by name."""
        named = {"counts": self.total, "languages": self.languages, "taggers": self.taggers}
        return {name: dict(sorted(counts.items())) for name, counts in named.items()}


def _annotated(
    shard: Shard, choices: Sequence[str], counts: _Counts, report: Report, cost: int
) -> Iterator[pa.RecordBatch]:
    """Yield the annotations of the documents of a shard, some at a time, and report progress in bytes."""
    with open_parquet(shard.documents) as file:
        rows = file.metadata.num_rows
    done = 0
    for batch in read_batches(shard.documents, _COLUMNS):
        for documents in _parts(batch):
            yield to_arrow(_annotate(documents, choices, counts))
        report(cost * (done + batch.num_rows) // rows - cost * done // rows)
        done += batch.num_rows


_Texts = dict[int, tuple[str, str]]
"""Texts of blocks and their languages, by the numbers of the blocks."""


def _parts(batch: pa.RecordBatch) -> Iterator[list[_Texts]]:
    """Yield the texts of the documents of a batch, as many documents at a time as are annotated together.

    `kept` are the numbers of the kept blocks among all blocks of the batch. Document d has those from `starts[d]` to
    `starts[d + 1]`, and `ends` are prefix sums of their characters. A part ends where the characters up to the end of a
    document pass a multiple of `_CHARACTERS_AT_ONCE`: with a limit of 100 and documents that end at 40, 90, 130 and
    180, the quotients are [0, 0, 1, 1], so that the third document begins a part.
    """
    columns = block_columns(batch)
    kept = columns.kept
    texts = columns.fields.field("text").take(pa.array(kept))
    ends = starts_of(pc.utf8_length(texts).to_numpy())
    starts = np.searchsorted(kept, columns.offsets)
    edges = np.flatnonzero(np.diff(ends[starts[1:]] // _CHARACTERS_AT_ONCE)) + 1
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
    """Annotate the texts of documents together, and count them."""
    texts = [text for document in documents for text in document.values()]
    found = iter(annotate(texts, choices, counts.spent))
    annotated: list[Annotated] = []
    for document in documents:
        annotated.append(dict(zip(document, found, strict=False)))
        counts.total["documents"] += bool(document)
        for (_, lang), annotation in zip(document.values(), annotated[-1].values(), strict=True):
            counts.add(annotation, lang)
    return annotated


def _gathered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Join batches to tables of about `_TOKENS_AT_ONCE`, so that each different word is stored once in a table."""
    gathered: list[pa.RecordBatch] = []
    tokens = 0
    for batch in batches:
        gathered.append(batch)
        tokens += len(batch.column("word").values)
        if tokens >= _TOKENS_AT_ONCE:
            yield pa.Table.from_batches(gathered).combine_chunks()
            gathered, tokens = [], 0
    if gathered:
        yield pa.Table.from_batches(gathered).combine_chunks()
