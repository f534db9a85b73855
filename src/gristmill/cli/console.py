"""What commands say on the terminal: messages, tables, the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from gristmill.pipeline import Progress as BuildProgress

_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str, code: int) -> int:
    """Say what went wrong, on standard error; gives back the exit code."""
    _errors.print(f"gristmill: {message}", markup=False, style="red" if sys.stderr.isatty() else "")
    return code


def note(message: str) -> None:
    """Say something that is no result, on standard error."""
    _errors.print(message, markup=False)


@contextmanager
def build_progress() -> Iterator[BuildProgress]:
    """A progress bar over the bytes of the input, on a terminal only, and only if it takes more than a moment."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_errors, transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("building", total=None)
        yield BuildProgress(start=lambda total: bar.update(task, total=total), advance=lambda amount: bar.advance(task, amount))
