"""The figures of a whole corpus: those of its shards, read from their files or counted, and added up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Array, Ints
from gristmill.corpus.reader import CorpusReader
from gristmill.errors import GristmillError
from gristmill.report.figures import BINS, BUILT, DIMENSIONS, MEASURES, Figures, Group, count_shard
from gristmill.report.outcomes import BOILERPLATE, ROLE_NAMES, boilerplate_of
from gristmill.report.storing import fingerprint, is_stored, load_figures
from gristmill.shards import Shard
from gristmill.version import __version__
from gristmill.wording import plural, size


@dataclass(slots=True)
class ShardCounts:
    """How many pages, and how many blocks, of each reason a shard has: by these samples are drawn."""

    shard: Shard
    pages: dict[str, int]
    blocks: dict[str, int]


@dataclass(slots=True)
class Totals:
    """All shards added up."""

    blocks: Array = field(default_factory=lambda: np.zeros((len(ROLE_NAMES), 2, 2, BINS), np.int64))
    words: Array = field(default_factory=lambda: np.zeros((len(ROLE_NAMES), 2, 2, BINS), np.int64))
    """As those of `Figures`."""
    built_pages: Array = field(default_factory=lambda: np.zeros((2, BINS), np.int64))
    """Pages by the lowest bin of blocks whose roles are text in them: of all cleaned ones, and of those that passed."""
    groups: dict[str, Group] = field(default_factory=lambda: {name: Group.empty(len(MEASURES)) for name in DIMENSIONS})
    outcomes: Group = field(default_factory=lambda: Group.empty(2 * len(ROLE_NAMES)))
    pages: Ints = field(default_factory=lambda: np.zeros(2, np.int64))
    shards: list[ShardCounts] = field(default_factory=list)

    def add(self, shard: Shard, figures: Figures) -> None:
        """Add the figures of a shard."""
        self.blocks += figures.blocks
        self.words += figures.words
        for number, bins in enumerate(figures.page_bins):
            self.built_pages[number] += lowest_bins(bins, [BUILT])
        for name, group in figures.groups.items():
            _add_group(self.groups[name], group)
        _add_group(self.outcomes, figures.outcomes)
        self.pages += figures.pages
        self.shards.append(ShardCounts(shard, _column(figures.groups["reason"]), _blocks_of(figures.outcomes)))


def _add_group(total: Group, more: Group) -> None:
    rows = total.rows(list(more.numbers))
    total.table[rows] += more.trimmed()


def _column(group: Group) -> dict[str, int]:
    return dict(zip(group.numbers, group.trimmed()[:, 0].tolist(), strict=True))


def _blocks_of(outcomes: Group) -> dict[str, int]:
    """Count blocks by outcome, boilerplate by its roles: `boilerplate/teaser`."""
    table = outcomes.trimmed()[:, : len(ROLE_NAMES)]
    found = dict(zip(outcomes.numbers, table.sum(axis=1).tolist(), strict=True))
    if found.pop(BOILERPLATE, 0):
        by_role = table[outcomes.numbers[BOILERPLATE]].tolist()
        found |= {boilerplate_of(role): count for role, count in zip(ROLE_NAMES, by_role, strict=True)}
    return found


def lowest_bins(bins: Array, columns: list[int]) -> Ints:
    """Count pages by the lowest bin that they have in some columns; `bins` are those of `Figures.page_bins`."""
    lowest = bins[:, columns].min(axis=1, initial=BINS - 1)
    return np.bincount(np.minimum(lowest, BINS - 1), minlength=BINS)


class CorpusFigures:
    """Gives the figures of each shard of a corpus, and their sums, which are computed when they are asked for."""

    def __init__(self, corpus: CorpusReader, *, max_bytes: int | None = None) -> None:
        """Take a corpus; raises when figures are asked for if more than `max_bytes` of documents must be counted."""
        self.corpus = corpus
        self._max_bytes = max_bytes
        self._counted: dict[str, Figures] = {}
        self._made_of: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[tuple[Shard, Figures]]:
        self._check()
        self._max_bytes = None  # what was missing is counted now
        for shard in self.corpus.shards:
            yield shard, self.of(shard)

    def of(self, shard: Shard) -> Figures:
        """Return the figures of a shard; they are counted, and kept in memory, if they are not stored."""
        if shard.name in self._counted:
            return self._counted[shard.name]
        found = load_figures(shard, self._fingerprint(shard))
        if found is None:
            found = self._counted[shard.name] = count_shard(shard, list(self.corpus.replaced(shard)))
        return found

    def _fingerprint(self, shard: Shard) -> bytes:
        if shard.name not in self._made_of:
            self._made_of[shard.name] = fingerprint(shard, self.corpus.replaced(shard))
        return self._made_of[shard.name]

    @cached_property
    def totals(self) -> Totals:
        """The sums of all shards."""
        total = Totals()
        for shard, figures in self:
            total.add(shard, figures)
        return total

    @cached_property
    def state(self) -> str:
        """A hash of all that figures depend on: another one if the corpus has changed, or the program."""
        made = xxhash.xxh3_128(__version__.encode())
        for shard in self.corpus.shards:
            made.update(shard.name.encode() + self._fingerprint(shard))
        return made.hexdigest()

    def missing(self) -> list[Shard]:
        """List the shards whose figures are not stored."""
        return [
            shard
            for shard in self.corpus.shards
            if shard.name not in self._counted and not is_stored(shard, self._fingerprint(shard))
        ]

    def _check(self) -> None:
        """Raise if to count what is missing would take too long."""
        if self._max_bytes is None:
            return
        missing = self.missing()
        amount = sum(shard.documents.stat().st_size for shard in missing)
        if amount > self._max_bytes:
            raise GristmillError(
                f"{plural(len(missing), 'shard')} ({size(amount)}) of this corpus were never counted for a report, "
                f"which takes a while: run `gristmill report {self.corpus.folder}` once, and then come back"
            )
