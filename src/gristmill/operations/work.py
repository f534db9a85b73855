"""What does the work of an operation that changes a corpus: parameters of this machine, never of a request."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.parts import Part
    from gristmill.pipeline import Corpus
    from gristmill.progress import Progress


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A corpus that need not be complete, in place of a `Corpus`: its folder, and what shows how far work on it is."""

    folder: Path
    progress: bool | Progress

    def __fspath__(self) -> str:
        return str(self.folder)

    def refresh(self) -> None:
        """Do nothing: of a folder nothing is kept in memory."""


@asked
class Work:
    """How many processes do the work, and where."""

    workers: int | None = param("Worker processes [one a core].", default=None, minimum=1, short="-j", kind="machine")
    engine: str | None = param(
        "What does the work: local, inline, or ray:address=auto,cpus=1,memory=2G for a Ray cluster [local].",
        default=None,
        kind="machine",
        suggested=("local", "inline", "ray"),
        metavar="NAME[:SETTINGS]",
    )

    def means(self, corpus: Corpus | Unfinished) -> dict[str, Any]:
        """What functions are given that do the work."""
        return {"workers": self.workers, "engine": self.engine, "progress": corpus.progress}


@asked
class DividedWork(Work):
    """Work that several machines can do together, a part each."""

    part: str | None = param(
        "Do one part of the shards, as one of several commands at the same time: 3/16.",
        default=None,
        kind="machine",
        metavar="K/N",
    )
    merge: bool = param(
        "After all parts: do the rest, on this machine; says which parts are missing.", default=False, kind="machine"
    )

    def chosen_part(self) -> Part | None:
        """The part that is done, if it is not all; raises if it is to be merged with the others at the same time."""
        from gristmill.pipeline.dividing import as_part, check_choice

        part = as_part(self.part)
        check_choice(part, merge=self.merge)
        return part


@asked
class MemoryWork(Work):
    """Work that ends with de-duplication."""

    memory: str | None = param(
        "What all workers together may use for de-duplication: 500MB, 4GB [1GB; on a cluster, for each].",
        default=None,
        kind="machine",
        metavar="SIZE",
    )


@asked
class BuildWork(MemoryWork, DividedWork):
    """Work that makes shards."""

    mirror: str | None = param(
        "Put finished shards into a store meanwhile, and all of the corpus in the end: s3://bucket/corpus.",
        default=None,
        kind="machine",
        metavar="ADDRESS",
    )
