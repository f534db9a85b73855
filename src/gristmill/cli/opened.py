"""Open a corpus to search it; if its index is missing or stale, say so and make it first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.cli.console import note, stage_progress

if TYPE_CHECKING:
    from gristmill.engine import Report
    from gristmill.pipeline import Corpus


def open_corpus(folder: Path, *, trust: bool = False) -> Corpus:
    """Open a corpus whose index is up to date."""
    from gristmill.pipeline import Corpus

    corpus = Corpus(folder, trust=trust)
    with stage_progress() as stages:

        def begin(name: str, amount: int) -> Report:
            note(f"{name} {folder} ...")
            return stages(name, amount)

        corpus.stages = begin
        corpus.index  # noqa: B018 (made now, while there is something to show it)
    return corpus
