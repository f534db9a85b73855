"""The end of commands that build pages: what could not be read, where the program failed, or why nothing is there."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.cli.console import note
from gristmill.errors import GristmillError

if TYPE_CHECKING:
    from gristmill.corpus import CorpusReader


def shard_count(corpus: Path) -> int:
    """Count the shards that a corpus has before pages are added; there may be no corpus yet."""
    from gristmill.corpus import Manifest
    from gristmill.pipeline.adding import can_add

    return len(Manifest.read(corpus).settled) if can_add(corpus) else 0


def end_build(corpus: CorpusReader) -> None:
    """Name what went wrong; raise if the program failed on pages, or if nothing was kept."""
    from gristmill.corpus.faults import Faults

    if not corpus.counts["kept"]:
        reasons = _indented(Faults.of(corpus).lines_of_nothing(corpus))
        raise GristmillError(f"nothing was kept:{reasons}\nTo see why, page by page: {_dropped(corpus)}")
    tell_faults(corpus)


def tell_faults(corpus: CorpusReader, first: int = 0) -> None:
    """Name what went wrong in the shards from the `first` on; raise if the program failed on pages."""
    from gristmill.corpus.faults import Faults

    found = Faults.of(corpus, first)
    if found.broken:
        lines = _indented(found.lines_of_broken())
        note(f"warning: not everything could be read:{lines}\nEach record of it: {_dropped(corpus)}")
    if found.failed:
        raise GristmillError(
            "the program, or a plugin, failed on pages, which are dropped; all others are built:"
            f"{_indented(found.lines_of_failed())}\nWhere it failed: {found.logs[0]}"
        )


def _indented(lines: Iterable[str]) -> str:
    return "".join(f"\n  {line}" for line in lines)


def _dropped(corpus: CorpusReader) -> str:
    return f"gristmill dropped {shlex.quote(str(corpus.folder))}"
