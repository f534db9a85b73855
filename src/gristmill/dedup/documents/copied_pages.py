"""Pages with exact copies, which ukWaC left out before cleaning (Ferraresi et al. 2008, section 2.2).

Not one of the copies is kept: most such pages were warnings, copyright statements and the like.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.dedup.copies import copied, not_shown
from gristmill.dedup.exact import OF, comparable, first_copies
from gristmill.dedup.job import Job
from gristmill.dedup.result import NOBODY
from gristmill.shards import Shard


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Documents that are not compared with others."""

    flags: dict[Shard, Flags]
    """Which these are, of shards that have some."""
    rows: Ints
    copies: Ints
    """Those that are dropped, by rows of the corpus, and for each another page that is the same."""


def left_out(job: Job, *, perfect: bool) -> LeftOut:
    """Find documents that later versions replace, and if `perfect` also pages with exact copies.

    Settled documents stay: of these only pages are left out that were dropped so before.
    """
    flags = not_shown(job.settled)
    nothing = np.empty(0, np.int64)
    if not perfect:
        return LeftOut(flags, nothing, nothing)
    catalogue = comparable(job, OF["page"])
    first = first_copies(catalogue.digests, catalogue.kept)
    settled = catalogue.starts[len(job.settled)]
    is_copied = copied(first, keep_first=False) != NOBODY
    is_copied[:settled] = copied(first[:settled], keep_first=False) != NOBODY
    for number, shard in enumerate((*job.settled, *job.shards)):
        here = is_copied[catalogue.starts[number] : catalogue.starts[number + 1]]
        if here.any():
            flags[shard] = here | flags[shard] if shard in flags else here
    rows = np.flatnonzero(is_copied)
    rows = rows[rows >= settled]
    return LeftOut(flags, rows, copied(first, keep_first=False)[rows])
