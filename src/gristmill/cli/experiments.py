"""How the results of experiments are written: tables under titles, or JSON, and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.output import STANDARD, check_output, write_output
from gristmill.cli.table import json_text, table_lines
from gristmill.cli.terminal import terminal_width
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.experiment import Experiment


def _check_picture(picture: Path | None) -> Path | None:
    """Raise before any work is done if no picture can be written to the file; all pictures are SVG."""
    if picture:
        if picture.suffix.lower() != ".svg":
            raise UsageError(f"pictures are SVG: name a file that ends in .svg, not {str(picture)!r}")
        check_output(str(picture))
    return picture


Picture = Annotated[
    Path | None,
    typer.Option("--picture", metavar="FILE.svg", help="Also draw what is shown, as SVG.", callback=_check_picture),
]


def check_drawn(picture: Path | None, show: str, drawn: Sequence[str], instead: str = "") -> None:
    """Raise before any work is done if a picture is asked for, and there is none of what is shown."""
    if picture and show not in drawn:
        raise UsageError(f"there is no picture of {show}, but of {', '.join(drawn)}{instead}")


def show_experiment(
    experiment: Experiment, picture: Path | None = None, *, as_json: bool = False, output: str = STANDARD
) -> None:
    """Write what an experiment found, and its picture to a file."""
    if as_json:
        write_output(json_text(experiment.to_json()), output)
    else:
        width = terminal_width() if output == STANDARD else None
        write_output("".join(f"{line.rstrip()}\n" for line in _lines(experiment, width)), output)
        if experiment.note:
            note(experiment.note)
    if picture:
        write_output(experiment.to_svg(), str(picture))


def _lines(experiment: Experiment, width: int | None) -> Iterator[str]:
    """Write each table under its title."""
    visible = [section for section in experiment.sections if section.shown != 0]
    for number, section in enumerate(visible):
        shown = section.rows[: section.shown]
        more = f" ({len(shown):,} of {len(section.rows):,}; --json has all)" if len(shown) < len(section.rows) else ""
        if number:
            yield ""
        yield f"{section.title}{more}"
        yield from table_lines(section.columns, shown, width) if shown else ["nothing"]
