"""How the results of experiments are written: tables under titles, or JSON, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.output import check_output, write_output
from gristmill.cli.table import table_lines, write_json, write_lines
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
    typer.Option("--picture", metavar="FILE.svg", help="Also draw what --show shows, as SVG.", callback=_check_picture),
]


def show_experiment(experiment: Experiment, picture: Path | None = None, *, as_json: bool = False) -> None:
    """Write what an experiment found, and its picture to a file; say so if it has none."""
    if as_json:
        write_json(experiment.to_json())
    else:
        width = terminal_width()
        visible = [section for section in experiment.sections if section.shown != 0]
        for number, section in enumerate(visible):
            shown = section.rows[: section.shown]
            more = (
                f" ({len(shown):,} of {len(section.rows):,}; --json has all)" if len(shown) < len(section.rows) else ""
            )
            lines = table_lines(section.columns, shown, width) if shown else ["nothing"]
            write_lines([*([""] if number else []), f"{section.title}{more}", *lines])
        if experiment.note:
            note(experiment.note)
    if picture:
        svg = experiment.to_svg()
        write_output(svg, str(picture)) if svg else note(f"there is no picture of {experiment.name}")
