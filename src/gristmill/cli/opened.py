"""Open a corpus to search it; if its index is missing or stale, say so and make it first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.cli.console import note, progress_bars

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.progress import Advance


def open_corpus(folder: Path, *, trust: bool = False) -> Corpus:
    """Open a corpus whose index is up to date."""
    from gristmill.pipeline import Corpus

    with progress_bars() as progress:

        def begin(name: str, amount: int | None) -> Advance:
            note(f"{name} {folder} ...")
            return progress(name, amount)

        corpus = Corpus(folder, progress=begin, trust=trust, say=note)
        corpus.index  # noqa: B018 (made now, while there is something to show it)
    return corpus
