"""What the shards of a corpus add up to: pages at every stage, text that is kept, text that is repeated.

The counts of a shard are stored with its files, so that adding them up reads no text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypedDict

import pyarrow.compute as pc

from gristmill.shards import Shard, facts, read_columns


class Counts(TypedDict):
    """Records, pages and documents at every stage. What a stage is given is what it keeps and what it drops."""

    records: int
    skipped: dict[str, int]
    """Records that are no pages, by reason."""
    pages: int
    dropped: dict[str, int]
    """Pages that filters dropped, by filter."""
    dropped_blocks: dict[str, int]
    """Blocks that filters dropped, by filter."""
    text_blocks: int
    """Blocks that cleaning kept."""
    passed: int
    """Documents that passed all filters."""
    duplicates: int
    """Documents of which nothing is left when duplicates are gone."""
    kept: int


class Size(TypedDict):
    """How much text the kept documents have."""

    documents: int
    boilerplate_words: int
    filtered_words: int
    blocks: int
    words: int
    bytes: int
    characters: int
    languages: dict[str, int]
    """Documents in each language, the most frequent first."""


LEFT_OUT = ("boilerplate_words", "filtered_words")
"""Words of kept documents that are in no kept block, because of cleaning and because of filters."""
_SUMS = {"text_blocks": "blocks", "words": "words", "text_bytes": "bytes", "length": "characters"}
"""Columns of `duplicates.parquet` that are added up, and what the sums are called."""


def count_pages(shards: Sequence[Shard]) -> Counts:
    """Add up what became of the records and pages of shards."""
    total: Counter[str] = Counter()
    for shard in shards:
        total.update(facts(shard.documents)["counts"])
        total["duplicates"] += facts(shard.duplicates)["counts"]["duplicates"]
    by_reason: dict[str, dict[str, int]] = {"skipped": {}, "dropped": {}, "dropped_blocks": {}}
    for name, count in sorted(total.items()):
        stage, dot, reason = name.partition(".")
        if dot:
            by_reason[stage][reason] = count
    return {
        "records": total["records"],
        "skipped": by_reason["skipped"],
        "pages": total["pages"],
        "dropped": by_reason["dropped"],
        "dropped_blocks": by_reason["dropped_blocks"],
        "text_blocks": total["text_blocks"],
        "passed": total["passed"],
        "duplicates": total["duplicates"],
        "kept": total["passed"] - total["duplicates"],
    }


def count_repeated(shards: Sequence[Shard]) -> dict[str, Any]:
    """Add up how many blocks and words of shards are unique, duplicates or stubs."""
    total: Counter[str] = Counter()
    for shard in shards:
        total.update(facts(shard.duplicates)["counts"])
    counts: dict[str, Any] = {"blocks": {}, "words": {}}
    for name, count in sorted(total.items()):
        unit, dot, verdict = name.partition(".")
        if dot:
            counts[unit][verdict] = count
    return counts


def measure_size(shards: Sequence[Shard]) -> Size:
    """Add up the text of the kept documents of shards. Reads a few columns of numbers, and no text."""
    sums: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    for shard in shards:
        table = read_columns(shard.documents, ["lang", *LEFT_OUT])
        left = read_columns(shard.duplicates, list(_SUMS))
        kept = pc.greater(left["text_blocks"], 0)
        sums["documents"] += pc.sum(kept).as_py() or 0
        for name in LEFT_OUT:
            sums[name] += pc.sum(table[name].filter(kept)).as_py() or 0
        for column, name in _SUMS.items():
            sums[name] += pc.sum(left[column]).as_py() or 0
        languages.update(table["lang"].filter(kept).to_pylist())
    return {
        "documents": sums["documents"],
        "boilerplate_words": sums["boilerplate_words"],
        "filtered_words": sums["filtered_words"],
        "blocks": sums["blocks"],
        "words": sums["words"],
        "bytes": sums["bytes"],
        "characters": sums["characters"],
        "languages": dict(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
    }
