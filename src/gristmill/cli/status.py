"""`gristmill status`: show how far the stages of a corpus are, and what is to be done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import note
from gristmill.cli.options import CorpusFolder
from gristmill.cli.table import write_json, write_table
from gristmill.errors import UsageError
from gristmill.table import Column

if TYPE_CHECKING:
    from gristmill.pipeline.stages import StageStatus

_FORMATS = ("table", "json")
_STATES = ("current", "missing", "stale", "outdated")


def status(
    corpus: CorpusFolder,
    *,
    format_name: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(_FORMATS)}.", autocompletion=one_of(_FORMATS))
    ] = "table",
) -> None:
    """Show how far each stage is, and what is to be done.

    Of each stage it shows how many shards are current, missing (not done yet), stale (done, but of something that has
    changed since) or outdated (done by other versions: used as it is, until you ask for it anew). Nothing is changed.

    \b
    Examples:
      gristmill status corpus
      gristmill status corpus --format json
    """
    from gristmill.pipeline import status as status_of

    if format_name not in _FORMATS:
        raise UsageError(f"--format must be one of {', '.join(_FORMATS)}, not {format_name!r}")
    found = status_of(corpus)
    if format_name == "json":
        write_json(found.to_table())
        return
    columns = [Column("stage"), *map(Column, _STATES), Column("which"), Column("why")]
    write_table(columns, map(_row, found.stages))
    if found.part_of is not None:
        note(f"\n{corpus} holds {found.shards:,} of the {found.part_of:,} shards of a corpus.")
    needed = [stage.command for stage in found.stages if stage.command and stage.is_needed]
    anew = [stage.command for stage in found.stages if stage.command and not stage.is_needed]
    note(f"\nNext: {needed[0]}" if needed else "\nThere is nothing to be done.")
    if anew:
        note(f"To do anew what other versions have done: {anew[0]}")


def _row(stage: StageStatus) -> tuple[str | int, ...]:
    not_current = [unit for unit, state in stage.units.items() if state.name != "current"]
    return stage.name, *(len(stage.named(state)) for state in _STATES), _ranges(not_current), "; ".join(stage.reasons)


def _ranges(names: Sequence[str]) -> str:
    """Join the names of shards that follow each other: 00001-00004 00007."""
    runs: list[list[str]] = []
    for name in names:
        if runs and name.isdigit() and runs[-1][-1].isdigit() and int(name) == int(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
