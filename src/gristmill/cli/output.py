"""Destination of a result: standard output, or the file that `--output` names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gristmill.arguments import check_local
from gristmill.cli.console import note
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

STANDARD = "-"
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output.")]


def checked_format(name: str, known: Sequence[str], as_json: bool) -> str:
    """Choose the output format by `--format` or `--json`; raise if there is no such format, or if they differ."""
    if name not in known:
        raise UsageError(
            f"there is no output format {name!r}{did_you_mean(name, known)} (there are: {', '.join(known)})"
        )
    if as_json and name not in {known[0], "json"}:
        raise UsageError(f"--json and --format {name} can't be used together: give one of them")
    return "json" if as_json else name


def check_output(output: str) -> None:
    """Raise if there is no folder for the output file, before any work is done."""
    check_local(output, "--output")
    if output != STANDARD and not Path(output).absolute().parent.is_dir():
        raise UsageError(f"there is no folder {str(Path(output).parent)!r} to write {Path(output).name} to")


def write_output(text: str, output: str) -> None:
    """Write a result as UTF-8; say so if it went to a file."""
    if output == STANDARD:
        sys.stdout.buffer.write(text.encode())
        return
    from gristmill.corpus.output import write_output as write_file

    write_file(output, text)
    note(f"written to {output}")
