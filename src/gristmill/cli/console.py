"""What commands say on the terminal: messages and progress bars, and how they end when they are interrupted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from gristmill.pipeline import Progress as BuildProgress

_RED, _NORMAL = "\x1b[31m", "\x1b[0m"
_shown: list[Progress] = []
"""The progress bar that is on the terminal, if there is one: messages must go above it."""


class Interrupted(Exception):  # noqa: N818 (nothing is wrong)
    """The user pressed Ctrl-C; the message says what became of the work."""


def complain(message: str, code: int) -> int:
    """Say what went wrong, on standard error; gives back the exit code."""
    text = f"gristmill: {message}"
    note(f"{_RED}{text}{_NORMAL}" if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else text)
    return code


def note(message: str) -> None:
    """Say something that is no result, on standard error."""
    if _shown:
        _shown[-1].console.print(message, markup=False, highlight=False, soft_wrap=True)
    else:
        print(message, file=sys.stderr)


class _Bars:
    """Progress bars, on a terminal only; what draws them is imported with the first one, as most searches need none."""

    def __init__(self, amount: str) -> None:
        """`amount` is the name of the column that says how much is done, among those of `rich.progress`; empty for none."""
        self._amount = amount
        self._drawn: Progress | None = None

    def add(self, name: str, total: int | None) -> Callable[[int], None]:
        """One more bar; to be called with the amount of work just done."""
        if not sys.stderr.isatty():
            return lambda _: None
        if self._drawn is None:
            self._drawn = _draw(self._amount)
            _shown.append(self._drawn)
        drawn, task = self._drawn, self._drawn.add_task(name, total=total)
        return lambda done: drawn.advance(task, done)

    def set_total(self, total: int) -> None:
        """How much work the last bar is of, if that was not known at first."""
        if self._drawn is not None:
            self._drawn.update(self._drawn.tasks[-1].id, total=total)

    def end(self) -> None:
        """Take them off the terminal."""
        if self._drawn is not None:
            self._drawn.stop()
            _shown.remove(self._drawn)


def _draw(amount: str) -> Progress:
    from rich import progress
    from rich.console import Console

    column: ProgressColumn = getattr(progress, amount)() if amount else progress.TextColumn("")
    columns = (progress.TextColumn("{task.description}"), progress.BarColumn(), column, progress.TimeRemainingColumn())
    drawn = progress.Progress(*columns, console=Console(stderr=True), transient=True)
    drawn.start()
    return drawn


@contextmanager
def _bars(amount: str, *, resumable: bool = True) -> Iterator[_Bars]:
    """Progress bars; and an interrupt says that what is done is kept, where it is."""
    bars = _Bars(amount)
    try:
        yield bars
    except KeyboardInterrupt:
        message = "interrupted; what is finished is kept, and the same command goes on from there" if resumable else ""
        raise Interrupted(message) from None
    finally:
        bars.end()


@contextmanager
def export_progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar over a number of documents; to be called after each."""
    with _bars("MofNCompleteColumn", resumable=False) as bars:
        advance = bars.add("exporting", total)
        yield lambda: advance(1)


@contextmanager
def evaluation_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar over the work of an evaluation; to be called with what was just done."""
    with _bars("TaskProgressColumn", resumable=False) as bars:
        yield bars.add("evaluating", total)


@contextmanager
def dedup_progress() -> Iterator[Callable[[int], None]]:
    """A sign of life while a corpus is de-duplicated; how many rounds it will take is not known before."""
    with _bars("") as bars:
        yield bars.add("de-duplicating", None)


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """A bar for each stage that begins; to be called with its name and its amount of work."""
    with _bars("TaskProgressColumn") as bars:
        yield bars.add


@contextmanager
def build_progress() -> Iterator[BuildProgress]:
    """A progress bar over the bytes of the input; it goes away at the end."""
    from gristmill.pipeline import Progress as BuildProgress

    with _bars("DownloadColumn") as bars:
        yield BuildProgress(start=bars.set_total, advance=bars.add("building", None))
