"""How often any five letters in a row are in a collection, which Heintze's fingerprints choose by."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.copies import not_shown
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.units import CHARACTERS, as_units
from gristmill.dedup.job import Job
from gristmill.dedup.reading import read_kept
from gristmill.engine import Report
from gristmill.shards import Shard

PREFIX = 5
"""Letters that are counted together: any characters of the text."""
_PLACE_BITS = 20
"""Five letters are counted by so many bits of their hash: 8 MB of counts, in which few share a place."""
_SHARDS_TOGETHER = 64


def prefix_places(hashes: Hashes) -> Ints:
    """Where five letters are counted."""
    return (hashes >> np.uint64(64 - _PLACE_BITS)).astype(np.int64)


def prefix_counts(job: Job, work: Path) -> Path:
    """Count in all documents, settled ones too, and give the file that has the counts."""
    shards, skip = (*job.settled, *job.shards), not_shown(job.settled)
    groups = [shards[start : start + _SHARDS_TOGETHER] for start in range(0, len(shards), _SHARDS_TOGETHER)]
    parts = tuple(work / "prefixes" / f"{number:05d}" for number in range(len(groups)))
    job.run(
        [
            CountPrefixes(group, tuple(skip.get(shard) for shard in group), path)
            for group, path in zip(groups, parts, strict=True)
        ],
        parts.__getitem__,
    )
    total = work / "prefixes" / "all"
    job.run([AddPrefixes(parts, total)], lambda _: total)
    return total


@dataclass(frozen=True, slots=True)
class CountPrefixes:
    """Counts five letters in the documents of some shards."""

    shards: tuple[Shard, ...]
    skip: tuple[Flags | None, ...]
    path: Path

    @property
    def name(self) -> str:
        """The shards."""
        return f"letters from shard {self.shards[0].name} on"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return sum(shard.documents.stat().st_size for shard in self.shards)

    def run(self, report: Report) -> None:
        """Write the counts."""
        counts = np.zeros(1 << _PLACE_BITS, np.int64)
        for shard, skip in zip(self.shards, self.skip, strict=True):
            for text in read_kept(shard, skip):
                characters = as_units(CHARACTERS, text.text, text.lengths, text.starts)
                places = prefix_places(all_shingles(characters, PREFIX).hashes)
                counts += np.bincount(places, minlength=len(counts))
        save_arrays(self.path, {"counts": counts})
        report(self.cost)


@dataclass(frozen=True, slots=True)
class AddPrefixes:
    """Adds up what was counted in all shards."""

    parts: tuple[Path, ...]
    path: Path
    name = "letters of all shards"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return len(self.parts) << (_PLACE_BITS + 3)

    def run(self, report: Report) -> None:
        """Write the sums."""
        counts = np.zeros(1 << _PLACE_BITS, np.int64)
        for part in self.parts:
            counts += load_arrays(part)["counts"]
        save_arrays(self.path, {"counts": counts})
        report(self.cost)
