"""What the shards of a corpus add up to: pages at every stage, text that is kept, text that is repeated.

The counts of a shard are stored with its files, so that adding them up reads no text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.kept import replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, facts, read_columns

pc = LazyModule("pyarrow.compute")


class Counts(TypedDict):
    """Records, pages and documents at every stage. What a stage is given is what it keeps and what it drops."""

    records: int
    items: NotRequired[int]
    """Documents that are items cut out of pages, if there are any: they are no records, but among the `pages`."""
    skipped: dict[str, int]
    """Records that are no pages, by reason."""
    pages: int
    dropped: dict[str, int]
    """Pages that filters dropped, by filter."""
    dropped_blocks: dict[str, int]
    """Blocks that filters dropped, by filter."""
    text_blocks: int
    """Blocks that cleaning kept."""
    attributes: dict[str, int]
    """Pages that have each attribute of those that who fetched them may give."""
    passed: int
    """Documents that passed all filters."""
    replaced: int
    """Documents of these that later versions replace."""
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


@dataclass(slots=True)
class Tally:
    """Counts of some shards, which can be added to those of others."""

    pages: Counter[str] = field(default_factory=Counter)
    """What became of records and pages, by names such as `dropped.length`."""
    judged: Counter[str] = field(default_factory=Counter)
    """Blocks and words by verdict, by names such as `blocks.unique`."""
    sums: Counter[str] = field(default_factory=Counter)
    """How much text the kept documents have."""
    languages: Counter[str] = field(default_factory=Counter)
    """Kept documents in each language."""

    def add(self, other: Tally) -> None:
        """Add the counts of other shards."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    @property
    def counts(self) -> Counts:
        """What became of the records and pages."""
        total = self.pages
        by_reason: dict[str, dict[str, int]] = {"skipped": {}, "dropped": {}, "dropped_blocks": {}, "attributes": {}}
        for name, count in sorted(total.items()):
            stage, dot, reason = name.partition(".")
            if dot:
                by_reason[stage][reason] = count
        counts: Counts = {
            "records": total["records"],
            "skipped": by_reason["skipped"],
            "pages": total["pages"],
            "dropped": by_reason["dropped"],
            "dropped_blocks": by_reason["dropped_blocks"],
            "text_blocks": total["text_blocks"],
            "attributes": by_reason["attributes"],
            "passed": total["passed"],
            "replaced": total["replaced"],
            "duplicates": total["duplicates"],
            "kept": total["passed"] - total["replaced"] - total["duplicates"],
        }
        if total["items"]:
            counts["items"] = total["items"]
        return counts

    @property
    def repeated(self) -> dict[str, Any]:
        """How many blocks and words are unique, duplicates or stubs."""
        counts: dict[str, Any] = {"blocks": {}, "words": {}}
        for name, count in sorted(self.judged.items()):
            unit, dot, verdict = name.partition(".")
            if dot:
                counts[unit][verdict] = count
        return counts

    @property
    def size(self) -> Size:
        """The text of the kept documents."""
        sums = self.sums
        return {
            "documents": sums["documents"],
            "boilerplate_words": sums["boilerplate_words"],
            "filtered_words": sums["filtered_words"],
            "blocks": sums["blocks"],
            "words": sums["words"],
            "bytes": sums["bytes"],
            "characters": sums["characters"],
            "languages": dict(sorted(self.languages.items(), key=lambda item: (-item[1], item[0]))),
        }


def tally(shards: Sequence[Shard]) -> Tally:
    """Count shards: reads what is stored with their files and a few columns of numbers, and no text."""
    total = Tally()
    for shard in shards:
        replaced = replaced_flags(shard)
        judged: dict[str, int] = facts(shard.duplicates)["counts"]
        total.pages.update(facts(shard.documents)["counts"])
        total.pages.update({"duplicates": judged["duplicates"]} if replaced is None else _left_out(shard, replaced))
        total.judged.update(judged)
        if replaced is not None:
            total.judged.subtract(_judged(shard, replaced))
        _measure(shard, replaced, total)
    return total


def _left_out(shard: Shard, replaced: Flags) -> dict[str, int]:
    """Count the documents of a shard that passed all filters, and are replaced, or of which nothing is left.

    What was found to be a duplicate before it was replaced is no duplicate any more.
    """
    passed = pc.equal(read_columns(shard.documents, ["dropped"])["dropped"], "").to_numpy()
    empty = pc.equal(read_columns(shard.duplicates, ["text_blocks"])["text_blocks"], 0).to_numpy()
    return {
        "replaced": int(np.count_nonzero(passed & replaced)),
        "duplicates": int(np.count_nonzero(passed & empty & ~replaced)),
    }


def _judged(shard: Shard, chosen: Flags) -> Counter[str]:
    """Count blocks and words of some documents of a shard by verdict: there are some if they were judged."""
    counts: Counter[str] = Counter()
    rows = np.flatnonzero(chosen)
    words = read_columns(shard.documents, ["blocks.list.element.words"])["blocks"].take(rows).combine_chunks().flatten()
    found = read_columns(shard.duplicates, ["blocks.list.element.verdict"])["blocks"].take(rows).combine_chunks()
    pairs = zip(found.flatten().field("verdict").to_pylist(), words.field("words").to_pylist(), strict=True)
    for verdict, count in pairs:
        if verdict:
            counts.update({f"blocks.{verdict}": 1, f"words.{verdict}": count})
    return counts


def _measure(shard: Shard, replaced: Flags | None, total: Tally) -> None:
    """Add the text of the kept documents of a shard."""
    table = read_columns(shard.documents, ["lang", *LEFT_OUT])
    left = read_columns(shard.duplicates, list(_SUMS))
    if replaced is not None:
        table, left = table.filter(~replaced), left.filter(~replaced)
    kept = pc.greater(left["text_blocks"], 0)
    total.sums["documents"] += pc.sum(kept).as_py() or 0
    for name in LEFT_OUT:
        total.sums[name] += pc.sum(table[name].filter(kept)).as_py() or 0
    for column, name in _SUMS.items():
        total.sums[name] += pc.sum(left[column]).as_py() or 0
    found = pc.value_counts(table["lang"].filter(kept))
    total.languages.update(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))
