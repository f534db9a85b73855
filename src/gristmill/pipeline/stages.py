"""Which stages a corpus has, in the order of the data, and how far each of them is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.archive import Source
from gristmill.corpus import Manifest, folder_of
from gristmill.pipeline.annotating import Annotating
from gristmill.pipeline.building import Building
from gristmill.pipeline.deduplicating import Deduplicating
from gristmill.pipeline.indexing import Indexing
from gristmill.pipeline.replacing import Replacing
from gristmill.pipeline.reporting import Counting
from gristmill.pipeline.watching import Watching
from gristmill.stages import Stage, State


def stages_of(folder: Path, sources: Mapping[str, Sequence[Source]] | None = None) -> list[Stage]:
    """List all stages of a corpus, complete or not, in the order of the data: each can be run when those before it are.

    `sources` of shards by name are needed to run the first, as only the user knows where they are.
    """
    manifest = Manifest.read(folder)
    config, shards = manifest.config, manifest.shards
    return [
        Building(folder, [shard.name for shard in shards], sources or {}, config),
        Replacing(manifest, manifest.adding or 0),
        Deduplicating(manifest, config, settled=manifest.adding or 0),
        Annotating(folder, config, shards),
        Watching(folder, shards),
        Indexing(folder),
        Counting(manifest),
    ]


@dataclass(frozen=True, slots=True)
class StageStatus:
    """How far one stage is."""

    name: str
    units: dict[str, State]
    """The state of each shard; of the index, that of all of it."""
    command: str
    """The command that does what is not current; empty if there is nothing to be done, or no command of its own."""

    def named(self, state: str) -> list[str]:
        """List the units in a state: `current`, `missing`, `stale` or `outdated`."""
        return [unit for unit, found in self.units.items() if found.name == state]

    @property
    def is_needed(self) -> bool:
        """Whether something is missing or stale; what is outdated is used as it is."""
        return bool(self.named("missing") or self.named("stale"))

    @property
    def reasons(self) -> list[str]:
        """Why units are not current, each reason once."""
        return list(dict.fromkeys(state.why for state in self.units.values() if state.why))


@dataclass(frozen=True, slots=True)
class Status:
    """How far the stages of a corpus are."""

    folder: Path
    complete: bool
    """Whether the build, and every addition since, came to its end."""
    stages: tuple[StageStatus, ...]
    shards: int = 0
    part_of: int | None = None
    """If it has only some shards of a corpus, how many that one has."""

    @property
    def up_to_date(self) -> bool:
        """Whether there is nothing that has to be done; what is outdated may be done anew."""
        return self.complete and not any(stage.is_needed for stage in self.stages)

    def to_table(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "corpus": str(self.folder),
            "complete": self.complete,
            **({"shards": self.shards, "part_of": self.part_of} if self.part_of is not None else {}),
            "stages": [
                {
                    "stage": stage.name,
                    **{state: stage.named(state) for state in ("current", "missing", "stale", "outdated")},
                    "reasons": stage.reasons,
                    "command": stage.command,
                }
                for stage in self.stages
            ],
        }


def status(corpus: str | os.PathLike[str]) -> Status:
    """Say which stages of which shards are current, missing, stale or outdated, and which command would change that.

    It reads only the ends of files, changes nothing, and works for a corpus that is not complete.
    """
    folder = folder_of(corpus)
    found = []
    for stage in stages_of(folder):
        names = stage.units()
        units = dict(zip(names, stage.states(names), strict=True))
        is_current = all(state.name == "current" for state in units.values())
        found.append(StageStatus(stage.name, units, "" if is_current else stage.command))
    manifest = Manifest.read(folder)
    return Status(folder, manifest.finished, tuple(found), len(manifest.entries), manifest.part_of)
