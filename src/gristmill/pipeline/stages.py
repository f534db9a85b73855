"""Which stages a corpus has, in the order of the data, and how far each of them is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gristmill.archive import Source
from gristmill.corpus import Manifest, folder_of
from gristmill.notebook import Value
from gristmill.pipeline.annotating import Annotating
from gristmill.pipeline.building import Building
from gristmill.pipeline.deduplicating import Deduplicating
from gristmill.pipeline.indexing import Indexing
from gristmill.pipeline.replacing import Replacing
from gristmill.pipeline.reporting import Counting
from gristmill.pipeline.watching import Watching
from gristmill.stages import Stage, State
from gristmill.table import Column, Table

STATES = ("current", "missing", "stale", "outdated")
"""The states of a shard, for each stage."""


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


@dataclass(frozen=True, slots=True, repr=False)
class Status(Table):
    """How far the stages of a corpus are: how many shards are in which state, which are not current, and why."""

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

    @property
    def columns(self) -> Sequence[Column]:
        """The stage, how many shards are in each state, which are not current, and why."""
        return tuple(map(Column, ("stage", *STATES, "which", "why")))

    @property
    def heading(self) -> str:
        """The command that comes next."""
        needed = [stage.command for stage in self.stages if stage.command and stage.is_needed]
        return f"Next: {needed[0]}" if needed else "There is nothing to be done."

    def notes(self) -> list[str]:
        """Say whether it is a part of a corpus, and what could be done anew."""
        part = (
            [f"{self.folder} holds {self.shards:,} of the {self.part_of:,} shards of a corpus."] if self.part_of else []
        )
        anew = [stage.command for stage in self.stages if stage.command and not stage.is_needed]
        return [*part, *(f"To do anew what other versions have done: {command}" for command in anew[:1])]

    def cells(self) -> list[list[Value]]:
        """Return a row a stage."""
        return [
            [
                stage.name,
                *(len(stage.named(state)) for state in STATES),
                _ranges([unit for unit, state in stage.units.items() if state.name != "current"]),
                "; ".join(stage.reasons),
            ]
            for stage in self.stages
        ]

    def facts(self) -> dict[str, Any]:
        """Return of each stage which shards are in which state, why, and the command that it needs."""
        stages = {
            stage.name: {state: stage.named(state) for state in STATES}
            | {"reasons": stage.reasons, "command": stage.command}
            for stage in self.stages
        }
        part = {"shards": self.shards, "part_of": self.part_of} if self.part_of is not None else {}
        about = {"corpus": str(self.folder), "complete": self.complete, "up_to_date": self.up_to_date}
        return {**about, **part, "stages": stages}

    def without_place(self) -> Status:
        """Name the corpus by its name alone: where it is on a server is nobody's business."""
        folder, name = str(self.folder), self.folder.name
        stages = tuple(replace(stage, command=stage.command.replace(folder, name)) for stage in self.stages)
        return replace(self, folder=Path(name), stages=stages)


def _ranges(names: Sequence[str]) -> str:
    """Join the names of shards that follow each other: 00001-00004 00007."""
    runs: list[list[str]] = []
    for name in names:
        if runs and name.isdigit() and runs[-1][-1].isdigit() and int(name) == int(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


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
