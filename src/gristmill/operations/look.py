"""What a corpus is made of: how far its stages are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.declaration import operation
from gristmill.parameters import asked

if TYPE_CHECKING:
    from pathlib import Path

    from gristmill.pipeline import Corpus
    from gristmill.pipeline.stages import Status


@asked
class NoParameters:
    """For operations that need none."""


@operation(
    NoParameters,
    room="report",
    table=True,
    needs_index=False,
    needs_complete=False,
    group="look",
    examples=("gristmill status corpus", "gristmill status corpus --json"),
)
def status(corpus: Corpus | Path, asked: NoParameters) -> Status:
    """Show how far each stage is, and what is to be done.

    Of each stage it shows how many shards are current, missing (not done yet), stale (done, but of something that has
    changed since) or outdated (done by other versions: used as it is, until you ask for it anew). Nothing is changed.
    It is of the corpus as it is now, also if a build or an addition has not come to its end.
    """
    from gristmill.pipeline import Corpus, status

    del asked
    found = status(corpus)
    is_served = isinstance(corpus, Corpus) and not corpus.build
    return found.without_place() if is_served else found
