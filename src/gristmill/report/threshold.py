"""What would be kept with another threshold, or other roles: looked up in what was counted, block by block, before.

Two answers are given. `before` is of all pages that were cleaned, whatever filters and de-duplication made of them:
what `Selection(max_boilerplate=x, roles=..., preset="none", max_duplicate=1)` keeps. `after` takes what they decided
when the corpus was built for granted: with the threshold and roles of the build that is the corpus as it is. (An export
with another threshold asks the filters anew, so it may keep a little more or less.)
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.errors import UsageError
from gristmill.report.figures import BINS, STEPS
from gristmill.report.outcomes import ROLE_NAMES
from gristmill.report.totals import CorpusFigures, lowest_bins
from gristmill.roles import ROLES, Names, check_roles

_MAX_ROLE_SETS = 64
"""Choices of roles whose pages are remembered."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How much would be kept."""

    pages: int
    blocks: int
    words: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What a threshold and a choice of roles would keep; `of` is all that there is, whatever its score and role."""

    max_boilerplate: float
    roles: tuple[str, ...] | None
    """None stands for those that each document was built with."""
    before: Kept
    after: Kept
    of: Kept

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        return asdict(self)


class Thresholds:
    """Answers what thresholds would keep; after the first question of some roles, each is a look at a table."""

    def __init__(self, figures: CorpusFigures) -> None:
        """Take the figures of a corpus."""
        self._figures = figures
        self._pages: OrderedDict[tuple[str, ...], Array] = OrderedDict()

    def cut(self, max_boilerplate: float, roles: Names | None = None) -> Cut:
        """Count what would be kept; the threshold is rounded to three decimals, roles None are those of the build."""
        if not 0 <= max_boilerplate <= 1:
            raise UsageError(f"the threshold must be from 0 to 1, not {max_boilerplate:g}")
        step = round(max_boilerplate * STEPS)
        chosen = None if roles is None else check_roles(roles)
        totals = self._figures.totals
        pages = self.pages(chosen)
        blocks, words = (_by_bin(table, chosen) for table in (totals.blocks, totals.words))
        before, after = (
            Kept(*(int(table[place, : step + 1].sum()) for table in (pages, blocks, words))) for place in (0, 1)
        )
        everything = Kept(int(totals.built_pages[0].sum()), int(totals.blocks.sum()), int(totals.words.sum()))
        return Cut(step / STEPS, chosen, before, after, everything)

    def pages(self, roles: tuple[str, ...] | None) -> Array:
        """Count pages by the lowest bin of their blocks of some roles: before and after filters."""
        if roles is None:
            return self._figures.totals.built_pages
        found = self._pages.pop(roles, None)
        if found is None:
            columns = [*(ROLES.index(role) for role in roles), len(ROLES)]
            found = np.zeros((2, BINS), np.int64)
            for _, figures in self._figures:
                for place, bins in enumerate(figures.page_bins):
                    found[place] += lowest_bins(bins, columns)
        self._pages[roles] = found
        while len(self._pages) > _MAX_ROLE_SETS:
            self._pages.popitem(last=False)
        return found


def _by_bin(table: Array, roles: tuple[str, ...] | None) -> Ints:
    """Add up blocks or words by bin, those before filters and those after them; blocks without a role always count."""
    if roles is None:
        chosen = table[:, 1].sum(axis=0)
    else:
        chosen = table[[*(ROLES.index(role) for role in roles), len(ROLES)]].sum(axis=(0, 1))
    return np.stack([chosen.sum(axis=0), chosen[1]])


def scores(figures: CorpusFigures, steps: int = 100) -> dict[str, Any]:
    """Give blocks and words in coarser bins, as a slider needs them: JSON with `steps`, `roles`, `rows` and `pages`.

    A row is `[role, built, left, bin, blocks, words]`: the place of the role in `roles`, whether it is text as built,
    whether filters and de-duplication left it, and the bin. Bin `b` has what the threshold b / steps keeps and the one
    before it does not. `pages` has, for each threshold, the pages that are kept with the roles of the build, before
    filters and after them.
    """
    totals = figures.totals
    starts = np.array([0, *(np.arange(steps) * (STEPS // steps) + 1)])
    blocks, words = (np.add.reduceat(table[..., :-1], starts, axis=-1) for table in (totals.blocks, totals.words))
    places = np.argwhere(blocks)
    amounts = np.stack([blocks[tuple(places.T)], words[tuple(places.T)]], axis=1)
    pages = totals.built_pages.cumsum(axis=1)[:, np.arange(steps + 1) * (STEPS // steps)]
    return {
        "steps": steps,
        "roles": list(ROLE_NAMES),
        "rows": np.concatenate([places, amounts], axis=1).tolist(),
        "pages": pages.tolist(),
    }
