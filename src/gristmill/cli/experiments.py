"""How the results of experiments are written: tables under titles, or JSON, and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.output import check_output, write_output
from gristmill.cli.table import table_lines, write_json, write_lines
from gristmill.cli.terminal import terminal_width

if TYPE_CHECKING:
    from gristmill.experiment import Experiment

Picture = Annotated[Path | None, typer.Option("--picture", metavar="FILE", help="Also draw what --show shows, as SVG.")]


def show_experiment(experiment: Experiment, picture: Path | None = None, *, as_json: bool = False) -> None:
    """Write what an experiment found, and its picture to a file; say so if it has none."""
    if picture:
        check_output(str(picture))
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
