"""What commands say on the terminal: messages, tables, the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from gristmill.cli.terminal import safe_lines
from gristmill.errors import GristmillError

if TYPE_CHECKING:
    from gristmill.pipeline import Progress as BuildProgress

_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def complain(message: str, code: int) -> int:
    """Say what went wrong, on standard error; gives back the exit code."""
    _errors.print(f"gristmill: {safe_lines(message)}", markup=False, style="red" if sys.stderr.isatty() else "")
    return code


def note(message: str) -> None:
    """Say something that is no result, on standard error."""
    _errors.print(safe_lines(message), markup=False)


def _bar(amount: ProgressColumn) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    return Progress(*columns, console=_errors, transient=True, disable=not sys.stderr.isatty())


@contextmanager
def _resumable() -> Iterator[None]:
    """Turn an interrupt into a message, where what is done is kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise GristmillError("interrupted; what is finished is kept, and the same command goes on from there") from None


@contextmanager
def export_progress(total: int) -> Iterator[Callable[[], None]]:
    """The same over a number of documents; to be called after each."""
    with _bar(MofNCompleteColumn()) as bar:
        task = bar.add_task("exporting", total=total)
        yield lambda: bar.advance(task)


@contextmanager
def dedup_progress() -> Iterator[Callable[[int], None]]:
    """A sign of life while a corpus is de-duplicated, on a terminal only; how many rounds it will take is not known before."""
    with _resumable(), _bar(TextColumn("")) as bar:
        task = bar.add_task("de-duplicating", total=None)
        yield lambda amount: bar.advance(task, amount)


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """A bar for each stage that begins; to be called with its name and its amount of work."""
    with _resumable(), _bar(TaskProgressColumn()) as bar:

        def begin(name: str, amount: int) -> Callable[[int], None]:
            task = bar.add_task(name, total=amount)
            return lambda done: bar.advance(task, done)

        yield begin


@contextmanager
def build_progress() -> Iterator[BuildProgress]:
    """A progress bar over the bytes of the input, on a terminal only; it goes away at the end."""
    from gristmill.pipeline import Progress as BuildProgress  # noqa: PLC0415 (no other command should wait for its import)

    with _resumable(), _bar(DownloadColumn()) as bar:
        task = bar.add_task("building", total=None)
        yield BuildProgress(start=lambda total: bar.update(task, total=total), advance=lambda amount: bar.advance(task, amount))
