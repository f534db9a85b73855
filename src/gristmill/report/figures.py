"""Count a shard for the report, in one pass and without its texts.

Scores are counted in bins, so that the text of any threshold is a sum of a few of them: bin `t` has the scores that are
above (t - 1) / 1000 and at most t / 1000. So what is kept with the threshold t / 1000 is exactly what is in the bins
up to t.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Array, Flags, Ints
from gristmill.columns import Coded
from gristmill.corpus.attributes import host_of
from gristmill.report.outcomes import DUPLICATE, ROLE_NAMES, Batch, countable, read_outcomes
from gristmill.shards import Shard

STEPS = 1000
"""Thresholds that are told apart, from 0 to 1."""
BINS = STEPS + 2
"""The last bin has scores above 1, which no threshold keeps, and stands for pages without any blocks."""
EDGES = np.arange(STEPS + 1) / STEPS
BUILT = len(ROLE_NAMES)
"""The place, behind those of the roles, of the blocks whose roles are text in their own documents."""
DIMENSIONS = ("host", "lang", "month", "kind", "reason", "unread")
"""What pages are grouped by.

A month is `2024-05`, or `2024` if no more is known. A reason is why a page is left out, empty if it is not. The same is
`unread`, but only of pages that were left out before they were cleaned.
"""
MEASURES = ("pages", "kept", "blocks", "kept_blocks", "words", "kept_words")
"""What is counted of a group of pages."""
_MONTH = re.compile(r"([0-9]{4})(?![0-9])(-(?:0[1-9]|1[0-2]))?")


@dataclass(slots=True)
class Group:
    """Pages by the values of a dimension, or blocks by their outcomes: names, and a row of numbers for each."""

    numbers: dict[str, int]
    """The row of each name."""
    table: Array

    @classmethod
    def empty(cls, width: int) -> Group:
        """Make one without names."""
        return cls({}, np.zeros((0, width), np.int64))

    def rows(self, names: Sequence[str]) -> Ints:
        """Return the rows of names, new ones for those that are not known yet."""
        found = np.array([self.numbers.setdefault(name, len(self.numbers)) for name in names], np.int64)
        missing = len(self.numbers) - len(self.table)
        if missing > 0:  # in large steps, as every copy takes its time
            more = np.zeros((max(missing, len(self.table) // 2), self.table.shape[1]), np.int64)
            self.table = np.concatenate([self.table, more])
        return found

    def add(self, names: Sequence[str], codes: Array, amounts: Array) -> None:
        """Add amounts, a row each, to names that are given by codes."""
        sums = np.stack([_sums(codes, amount, len(names)) for amount in amounts.T], axis=1)
        rows = self.rows(names)
        np.add.at(self.table, rows, sums)

    def trimmed(self) -> Array:
        """Return the rows that have names."""
        return self.table[: len(self.numbers)]


@dataclass(slots=True)
class Links:
    """From where the repeated blocks of a shard come: a row for each host, target and block of that."""

    hosts: Ints
    """The host that repeats, as a place among those of the shard."""
    shards: list[str]
    """Names of shards that targets are in; those of another corpus begin with its folder."""
    shard: Ints
    row: Ints
    block: Ints
    """The block of the target; -1 if the whole page is a copy."""
    blocks: Ints
    words: Ints
    """How much is repeated from there."""


@dataclass(slots=True)
class Figures:
    """What was counted in one shard."""

    blocks: Array = field(default_factory=lambda: np.zeros((len(ROLE_NAMES), 2, 2, BINS), np.int64))
    """Blocks by role, whether that is text in their documents, whether they are left, and bin of the score.

    Left are those that filters, later versions and de-duplication do not leave out, as the build decided.
    """
    words: Array = field(default_factory=lambda: np.zeros((len(ROLE_NAMES), 2, 2, BINS), np.int64))
    page_bins: tuple[Array, Array] = field(default_factory=lambda: (_no_pages(), _no_pages()))
    """Of all cleaned pages, and of those that passed all filters: the lowest bin of each role, and of `BUILT`."""
    groups: dict[str, Group] = field(default_factory=lambda: {name: Group.empty(len(MEASURES)) for name in DIMENSIONS})
    outcomes: Group = field(default_factory=lambda: Group.empty(2 * len(ROLE_NAMES)))
    """Blocks, then words, of each role by outcome."""
    pages: Ints = field(default_factory=lambda: np.zeros(2, np.int64))
    """Pages that were cleaned, and pages that have text."""
    hosts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """The host of each page, as a row of `groups["host"]`."""
    links: Links | None = None


def _no_pages() -> Array:
    return np.zeros((0, BUILT + 1), np.uint16)


def count_shard(shard: Shard, replaced: Sequence[int]) -> Figures:
    """Count a shard; `replaced` are the rows of documents that later versions replace."""
    with countable(shard):
        return _counted(read_outcomes(shard, replaced))


def _counted(batches: Iterable[Batch]) -> Figures:
    figures = Figures()
    before, after = [figures.page_bins[0]], [figures.page_bins[1]]
    hosts, links = [figures.hosts], _LinkCounter()
    for batch in batches:
        bins = np.searchsorted(EDGES, batch.score)
        left = batch.left
        _count_bins(figures, batch, bins, left)
        before.append(_page_bins(batch, bins, np.ones(len(left), np.bool_))[batch.cleaned & ~batch.replaced])
        after.append(_page_bins(batch, bins, left)[batch.passed & ~batch.replaced])
        here = _count_pages(figures, batch)
        hosts.append(here)
        links.add(batch, here)
    figures.page_bins = np.concatenate(before), np.concatenate(after)
    figures.hosts = np.concatenate(hosts)
    figures.links = links.result()
    return figures


def _sums(codes: Array, amounts: Array, length: int) -> Ints:
    """Add up whole numbers by codes; exact up to 2^53."""
    found: Ints = np.bincount(codes, amounts, length).astype(np.int64)
    return found


def _count_bins(figures: Figures, batch: Batch, bins: Ints, left: Flags) -> None:
    counted = ~batch.replaced[batch.owners]
    places = np.ravel_multi_index(
        (batch.roles[counted], batch.chosen[counted].astype(int), left[counted].astype(int), bins[counted]),
        figures.blocks.shape,
    )
    size = figures.blocks.size
    figures.blocks += np.bincount(places, minlength=size).reshape(figures.blocks.shape)
    figures.words += _sums(places, batch.words[counted], size).reshape(figures.words.shape)
    names = batch.outcomes.values
    codes = batch.roles * len(names) + batch.outcomes.codes
    cells = len(names) * len(ROLE_NAMES)
    counts = np.bincount(codes, minlength=cells).reshape(len(ROLE_NAMES), -1).T
    words = _sums(codes, batch.words, cells).reshape(len(ROLE_NAMES), -1).T
    rows = figures.outcomes.rows(names)
    np.add.at(figures.outcomes.table, rows, np.concatenate([counts, words], axis=1))


def _page_bins(batch: Batch, bins: Ints, counted: Flags) -> Array:
    """Find the lowest bin that a page has a block in, for each role and for the roles that are text in it."""
    lowest = np.full((batch.documents.num_rows, BUILT + 1), BINS - 1, np.uint16)
    np.minimum.at(lowest, (batch.owners[counted], batch.roles[counted]), bins[counted].astype(np.uint16))
    built = counted & batch.chosen
    np.minimum.at(lowest[:, BUILT], batch.owners[built], bins[built].astype(np.uint16))
    return lowest


def _count_pages(figures: Figures, batch: Batch) -> Ints:
    """Count pages by all dimensions, and return the host of each."""
    rows = batch.documents.num_rows
    kept = batch.pages.flags(lambda reason: not reason)
    is_text = batch.outcomes.flags(lambda name: name not in {"boilerplate", "role"})
    figures.pages += [int(np.count_nonzero(batch.cleaned)), len(np.unique(batch.owners[is_text]))]
    amounts = np.stack(
        [
            np.ones(rows, np.int64),
            kept,
            np.diff(batch.offsets),
            np.where(kept, batch.judged.column("text_blocks").to_numpy(zero_copy_only=False), 0),
            _sums(batch.owners, batch.words, rows),
            np.where(kept, batch.judged.column("words").to_numpy(zero_copy_only=False), 0),
        ],
        axis=1,
    )
    columns = {
        "host": Coded.of(map(host_of, batch.documents.column("url").to_pylist())),
        "lang": Coded.of_arrow(batch.documents.column("lang")),
        "month": _months(batch),
        "kind": Coded.of_arrow(batch.documents.column("page_kind")),
        "reason": batch.pages,
        "unread": Coded(["", *batch.pages.values], np.where(batch.cleaned, 0, batch.pages.codes + 1)),
    }
    for name, column in columns.items():
        figures.groups[name].add(column.values, column.codes, amounts)
    return figures.groups["host"].rows(columns["host"].values)[columns["host"].codes]


def _months(batch: Batch) -> Coded:
    """Find when pages were published, or else fetched."""
    published, fetched = (Coded.of_arrow(batch.documents.column(name)) for name in ("published", "date"))
    known = [month_of(text) for text in published.values], [month_of(text) for text in fetched.values]
    pairs = zip(published.codes.tolist(), fetched.codes.tolist(), strict=True)
    return Coded.of(known[0][one] or known[1][two] for one, two in pairs)


def month_of(date: str) -> str:
    """Find the month in a date, or the year if there is no more; empty if there is no year."""
    found = _MONTH.match(date)
    return found[0] if found else ""


class _LinkCounter:
    """Collects from where blocks are repeated."""

    def __init__(self) -> None:
        self._targets: dict[str, int] = {}
        self._parts: list[Array] = [np.zeros((4, 0), np.int64)]

    def add(self, batch: Batch, hosts: Ints) -> None:
        """Add the repeated blocks of a batch, whose pages are of these hosts."""
        found = np.flatnonzero(batch.outcomes.flags(DUPLICATE.__eq__))
        if not len(found):
            return
        owners = batch.owners[found]
        judged = batch.judged.column("blocks").flatten()
        by_block = Coded.of_arrow(judged.field("copy_of")).take(found)
        by_page = Coded.of_arrow(batch.judged.column("copy_of")).take(owners)
        block = judged.field("copy_block").to_numpy(zero_copy_only=False)[found].astype(np.int64)
        target = np.where(
            by_block.flags(bool), self._numbers(by_block)[by_block.codes], self._numbers(by_page)[by_page.codes]
        )
        self._parts.append(np.stack([hosts[owners], target, block, batch.words[found]]))

    def _numbers(self, names: Coded) -> Ints:
        return np.array([self._targets.setdefault(name, len(self._targets)) for name in names.values], np.int64)

    def result(self) -> Links:
        """Add up what is of the same host, target and block."""
        host, target, block, words = np.concatenate(self._parts, axis=1)
        names = list(self._targets)
        shards, rows = Coded.of(name.rpartition("-")[0] for name in names), [_row(name) for name in names]
        widest = int(block.max(initial=0)) + 2
        packed = (host * max(len(names), 1) + target) * widest + block + 1
        different, first, places = np.unique(packed, return_index=True, return_inverse=True)
        target = target[first]
        return Links(
            host[first],
            shards.values,
            shards.codes.astype(np.int64)[target],
            np.array(rows, np.int64)[target],
            block[first],
            np.bincount(places, minlength=len(different)),
            _sums(places, words, len(different)),
        )


def _row(name: str) -> int:
    digits = name.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 16 else -1
