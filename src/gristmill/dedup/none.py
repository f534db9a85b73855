"""No de-duplication: all text is marked as unique, so that stages and exports that ask for marks find some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.dedup.copies import write_marked
from gristmill.dedup.job import Job
from gristmill.registry import part
from gristmill.shards import row_count


@part("de-duplication method", "none")
@dataclass(frozen=True, kw_only=True)
class Nothing:
    """Keeps everything, also what is repeated."""

    def check(self, job: Job) -> None:
        """Refuse other corpora to compare with: nothing is compared."""
        job.refuse_others("none")

    def run(self, job: Job) -> dict[str, int]:
        """Mark all documents as unique."""
        starts = np.cumsum([0, *(row_count(shard.documents) for shard in (*job.settled, *job.shards))]).tolist()
        nothing = np.zeros(0, np.int64)
        write_marked(job, starts, nothing, nothing, np.zeros(0))
        return {}
