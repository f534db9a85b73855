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
        """List the units in a state: `current`, `missing` or `stale`."""
        return [unit for unit, found in self.units.items() if found.name == state]

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

    @property
    def up_to_date(self) -> bool:
        """Whether there is nothing to be done."""
        return self.complete and all(state.name == "current" for stage in self.stages for state in stage.units.values())

    def to_table(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON."""
        return {
            "corpus": str(self.folder),
            "complete": self.complete,
            "stages": [
                {
                    "stage": stage.name,
                    **{state: stage.named(state) for state in ("current", "missing", "stale")},
                    "reasons": stage.reasons,
                    "command": stage.command,
                }
                for stage in self.stages
            ],
        }


def status(corpus: str | os.PathLike[str]) -> Status:
    """Say which stages of which shards are current, missing or stale, and by which command that would be changed.

    It reads only the ends of files, changes nothing, and works for a corpus that is not complete.
    """
    folder = folder_of(corpus)
    found = []
    for stage in stages_of(folder):
        units = {unit: stage.state(unit) for unit in stage.units()}
        is_current = all(state.name == "current" for state in units.values())
        found.append(StageStatus(stage.name, units, "" if is_current else stage.command))
    return Status(folder, Manifest.read(folder).finished, tuple(found))
