"""Pages, kept pages and words of a corpus by host, language, date, kind of page, reason or role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Array
from gristmill.report.figures import MEASURES
from gristmill.report.outcomes import KEPT, ROLE_NAMES
from gristmill.report.totals import CorpusFigures

KEYS = ("host", "lang", "year", "month", "kind", "reason", "role")
"""What can be broken down by."""
COLUMNS = ("value", *MEASURES, "share")
"""What rows can be sorted by; `share` is that of the words that are kept."""
_YEAR_CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A value, and what there is of it and what is kept of that; roles have blocks and no pages."""

    value: str
    pages: int | None
    kept: int | None
    blocks: int
    kept_blocks: int
    words: int
    kept_words: int

    @property
    def share(self) -> float | None:
        """The share of its words that is kept."""
        return self.kept_words / self.words if self.words else None


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Some of the rows, how many there are, and the sums of all."""

    by: str
    rows: list[Row]
    total: int
    sums: Row

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        return {
            "by": self.by,
            "total": self.total,
            "sums": asdict(self.sums) | {"share": self.sums.share},
            "rows": [asdict(row) | {"share": row.share} for row in self.rows],
        }


def breakdown(
    figures: CorpusFigures, by: str, order: str = "words", *, descending: bool = True, start: int = 0, limit: int = 50
) -> Breakdown:
    """Group all pages (or blocks, by role) and return the rows from `start` on in an order; ties are by value."""
    names, table = _by_role(figures) if by == "role" else _by_pages(figures, by)
    places = _sorted(names, table, order, descending=descending)
    rows = [_row(names[place], table[place], by) for place in places[start : start + limit]]
    return Breakdown(by, rows, len(names), _row("", table.sum(axis=0), by))


def _row(name: str, amounts: Array, by: str) -> Row:
    pages, kept, *others = map(int, amounts.tolist())
    return Row(name, *((None, None) if by == "role" else (pages, kept)), *others)


def _by_pages(figures: CorpusFigures, by: str) -> tuple[list[str], Array]:
    group = figures.totals.groups["month" if by == "year" else by]
    names, table = list(group.numbers), group.trimmed()
    if by == "year":
        years = [name[:_YEAR_CHARACTERS] for name in names]
        names = sorted(set(years))
        summed = np.zeros((len(names), table.shape[1]), np.int64)
        np.add.at(summed, [names.index(year) for year in years], table)
        table = summed
    some = np.flatnonzero(table[:, 0])
    return [names[place] for place in some.tolist()], table[some]


def _by_role(figures: CorpusFigures) -> tuple[list[str], Array]:
    outcomes = figures.totals.outcomes
    amounts = outcomes.trimmed().reshape(-1, 2, len(ROLE_NAMES))
    kept = amounts[outcomes.numbers[KEPT]] if KEPT in outcomes.numbers else np.zeros((2, len(ROLE_NAMES)), np.int64)
    every = amounts.sum(axis=0)
    none = np.zeros(len(ROLE_NAMES), np.int64)
    table = np.stack([none, none, every[0], kept[0], every[1], kept[1]], axis=1)
    some = np.flatnonzero(every[0])
    return [ROLE_NAMES[place] for place in some.tolist()], table[some]


def _sorted(names: Sequence[str], table: Array, order: str, *, descending: bool) -> list[int]:
    """Return places in the order of a column; equal ones are in the order of their values."""
    by_name = sorted(range(len(names)), key=names.__getitem__)
    if order == "value":
        return by_name[::-1] if descending else by_name
    if order == "share":
        words, kept = table[:, MEASURES.index("words")], table[:, MEASURES.index("kept_words")]
        column = np.where(words > 0, kept / np.maximum(words, 1), -1.0)
    else:
        column = table[:, MEASURES.index(order)].astype(np.float64)
    places = np.array(by_name, np.int64)
    found: list[int] = places[np.argsort(-column[places] if descending else column[places], kind="stable")].tolist()
    return found
