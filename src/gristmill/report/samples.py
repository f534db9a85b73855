"""Random samples of kept and of dropped text, for every reason: drawn by counts, so that only some shards are read.

The same seed gives the same samples. Blocks of a reason are equally likely within the shards that are looked at: some
chosen at random, and more of them for reasons that these do not have.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from gristmill.corpus.lookup import read_by_id
from gristmill.corpus.reader import REPLACED
from gristmill.document import document_id
from gristmill.filter import FILTERS
from gristmill.report.outcomes import (
    BOILERPLATE,
    DUPLICATE,
    KEPT,
    ROLE,
    ROLE_NAMES,
    STUB,
    Batch,
    read_outcomes,
)
from gristmill.report.overview import label_of
from gristmill.report.totals import CorpusFigures, ShardCounts
from gristmill.shards import DOCUMENTS, Shard, read_columns
from gristmill.wording import one_line

Unit = Literal["block", "page", "record"]

_MAX_POOL = 4
"""Shards that most samples are drawn from."""
_MAX_RECORD_SHARDS = 8
"""Shards in which skipped records are looked for."""
MAX_REASONS = 60
_MAX_TEXT_CHARACTERS = 500
_OF_BLOCKS = frozenset({KEPT, ROLE, DUPLICATE, STUB})
_COLUMNS = [
    "url",
    "title",
    "lang",
    "detail",
    "max_boilerplate",
    *(f"blocks.{name}" for name in ("text", "score", "role")),
]


@dataclass(frozen=True, slots=True)
class Sample:
    """A block, a page with the beginning of its text, or a record that is no page."""

    url: str
    id: str = ""
    """The page; a record has none."""
    block: int | None = None
    title: str = ""
    lang: str = ""
    role: str = ""
    score: float | None = None
    text: str = ""
    detail: str = ""
    """What a filter found, or where a record stands."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why text was kept or dropped: how much there is of it in the whole corpus, and some samples."""

    reason: str
    label: str
    unit: Unit
    count: int
    samples: list[Sample] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        return asdict(self)


def reasons(figures: CorpusFigures) -> list[Reason]:
    """List all reasons that there are, the kept text first."""
    blocks: dict[str, int] = {}
    for shard in figures.totals.shards:
        for name, count in shard.blocks.items():
            blocks[name] = blocks.get(name, 0) + count
    pages = figures.totals.groups["reason"]
    by_page = dict(zip(pages.numbers, pages.trimmed()[:, 0].tolist(), strict=True))
    found = [
        Reason(name, label_of(name), "block", count) for name, count in blocks.items() if count and _is_block(name)
    ]
    found += [
        Reason(name, label_of(name), "page", count)
        for name, count in by_page.items()
        if count and name and name != DUPLICATE
    ]
    found += [
        Reason(f"skipped/{name}", label_of(name), "record", count)
        for name, count in figures.corpus.counts["skipped"].items()
    ]
    return sorted(found, key=_order)[:MAX_REASONS]


def _is_block(name: str) -> bool:
    """Whether blocks are left out for a reason, and not whole pages."""
    if name in _OF_BLOCKS or name.partition("/")[0] == BOILERPLATE:
        return True
    return name != REPLACED and name in FILTERS and FILTERS[name].stage == "block"


def _order(reason: Reason) -> tuple[int, int, str]:
    """Kept text first, then blocks, pages and records, those that are many before others."""
    units: Sequence[Unit] = ("block", "page", "record")
    return (-1 if reason.reason == KEPT else units.index(reason.unit)), -reason.count, reason.reason


def draw_samples(
    figures: CorpusFigures, seed: int = 0, count: int = 3, only: Iterable[str] | None = None
) -> list[Reason]:
    """Draw samples for all reasons, or only for some."""
    known = reasons(figures)
    wanted = known if only is None else [reason for reason in known if reason.reason in set(only)]
    pool = _pool(figures.totals.shards, seed)
    asked: dict[str, dict[tuple[str, str], list[int]]] = {}
    for reason in wanted:
        if reason.unit != "record":
            for shard, ranks in _ranks(figures.totals.shards, pool, reason, seed, count).items():
                asked.setdefault(shard, {})[reason.unit, reason.reason] = ranks
    places: dict[tuple[str, str], list[tuple[str, int | None]]] = {}
    for counts in figures.totals.shards:
        if counts.shard.name in asked:
            for key, found in _places(figures, counts.shard, asked[counts.shard.name]).items():
                places.setdefault(key, []).extend(found)
    ids = {identifier for found in places.values() for identifier, _ in found}
    pages = dict(read_by_id(figures.corpus, DOCUMENTS, ids, _COLUMNS))
    return [
        Reason(
            reason.reason,
            reason.label,
            reason.unit,
            reason.count,
            _records(figures, reason, seed, count)
            if reason.unit == "record"
            else [
                _sample(identifier, block, pages[identifier])
                for identifier, block in places.get((reason.unit, reason.reason), [])
                if identifier in pages
            ],
        )
        for reason in wanted
    ]


def _pool(shards: Sequence[ShardCounts], seed: int) -> list[ShardCounts]:
    """Choose the shards that samples are drawn from where these have some."""
    if len(shards) <= _MAX_POOL:
        return list(shards)
    return random.Random(f"{seed} shards").sample(list(shards), _MAX_POOL)


def _ranks(
    shards: Sequence[ShardCounts], pool: Sequence[ShardCounts], reason: Reason, seed: int, count: int
) -> dict[str, list[int]]:
    """Draw numbers among the blocks or pages of a reason, for each shard that one is in."""

    def number(counts: ShardCounts) -> int:
        amounts: Mapping[str, int] = counts.blocks if reason.unit == "block" else counts.pages
        return amounts.get(reason.reason, 0)

    drawn = random.Random(f"{seed} {reason.reason}")
    having = [counts for counts in pool if number(counts)]
    having = having or [next(counts for counts in shards if number(counts))]
    ends = np.cumsum([number(counts) for counts in having])
    total = int(ends[-1])
    found: dict[str, list[int]] = {}
    for rank in sorted(drawn.sample(range(total), min(count, total))):
        place = int(np.searchsorted(ends, rank, side="right"))
        found.setdefault(having[place].shard.name, []).append(rank - (int(ends[place - 1]) if place else 0))
    return found


def _places(
    figures: CorpusFigures, shard: Shard, asked: Mapping[tuple[str, str], Sequence[int]]
) -> dict[tuple[str, str], list[tuple[str, int | None]]]:
    """Find the pages and blocks of numbers that were drawn in a shard: the id of the page, and the block's number."""
    found: dict[tuple[str, str], list[tuple[str, int | None]]] = {key: [] for key in asked}
    seen = dict.fromkeys(asked, 0)
    for batch in read_outcomes(shard, list(figures.corpus.replaced(shard))):
        for key, ranks in asked.items():
            unit, reason = key
            here = _having(batch, unit, reason)
            chosen = [rank - seen[key] for rank in ranks if seen[key] <= rank < seen[key] + len(here)]
            seen[key] += len(here)
            for place in (int(here[rank]) for rank in chosen):
                row = int(batch.owners[place]) if unit == "block" else place
                block = place - int(batch.offsets[row]) if unit == "block" else None
                found[key].append((document_id(shard.name, batch.first + row), block))
        if all(not ranks or ranks[-1] < seen[key] for key, ranks in asked.items()):
            break
    return found


def _having(batch: Batch, unit: str, reason: str) -> Any:
    """Return the places of the pages or blocks of a batch that have a reason."""
    if unit == "page":
        return np.flatnonzero(batch.pages.flags(reason.__eq__))
    name, _, role = reason.partition("/")
    flags = batch.outcomes.flags(name.__eq__)
    if name == BOILERPLATE:
        flags &= batch.roles == ROLE_NAMES.index(role)
    return np.flatnonzero(flags)


def _sample(identifier: str, block: int | None, page: Mapping[str, Any]) -> Sample:
    blocks = page["blocks"] or []
    one = blocks[block] if block is not None and block < len(blocks) else None
    text = one["text"] if one else " ".join(item["text"] for item in blocks if item["score"] <= page["max_boilerplate"])
    return Sample(
        one_line(page["url"] or ""),
        identifier,
        block,
        one_line(page["title"] or "", _MAX_TEXT_CHARACTERS),
        page["lang"],
        one["role"] if one else "",
        one["score"] if one else None,
        one_line(text[: 4 * _MAX_TEXT_CHARACTERS], _MAX_TEXT_CHARACTERS),
        one_line(page["detail"] or "", _MAX_TEXT_CHARACTERS),
    )


def _records(figures: CorpusFigures, reason: Reason, seed: int, count: int) -> list[Sample]:
    """Draw skipped records, of the first shards in a random order that have some."""
    drawn = random.Random(f"{seed} {reason.reason}")
    shards = list(figures.corpus.shards)
    drawn.shuffle(shards)
    wanted = reason.reason.partition("/")[2]
    for shard in shards[:_MAX_RECORD_SHARDS]:
        table = read_columns(shard.skipped, ["reason", "source", "offset", "url", "detail"])
        rows = [place for place, name in enumerate(table["reason"].to_pylist()) if name == wanted]
        if rows:
            some = table.take(sorted(drawn.sample(rows, min(count, len(rows))))).to_pylist()
            return [
                Sample(one_line(row["url"]), detail=one_line(f"{row['source']}:{row['offset']} {row['detail']}", 500))
                for row in some
            ]
    return []
