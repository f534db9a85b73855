"""Messages and progress bars on standard error, and the exception for Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gristmill.cli.terminal import safe_lines
from gristmill.progress import Bar, Begin, Unit, bars

if TYPE_CHECKING:
    from rich.console import Console

    from gristmill.pipeline import Progress as BuildProgress

_RED, _NORMAL = "\x1b[31m", "\x1b[0m"
_consoles: list[Console] = []
"""Consoles with progress bars on them now: messages must go above these."""


class Interrupted(Exception):  # noqa: N818 (nothing is wrong)
    """Ctrl-C was pressed; the message says what became of the work."""


def complain(message: str, code: int) -> int:
    """Write an error message to standard error, and return the exit code."""
    text = f"gristmill: {safe_lines(message)}"
    _say(f"{_RED}{text}{_NORMAL}" if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else text)
    return code


def note(message: str) -> None:
    """Write a message that is no result to standard error."""
    _say(safe_lines(message))


def _say(text: str) -> None:
    if _consoles:
        _consoles[-1].print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        print(text, file=sys.stderr)


class _Bars:
    """Progress bars, on a terminal only. Rich is imported with the first bar, as most searches need none."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._begin: Begin | None = None
        self._shown = ExitStack()

    def add(self, name: str, total: int | None) -> Bar:
        """Begin one more bar."""
        if not sys.stderr.isatty():
            return Bar(lambda _: None, lambda _: None)
        if self._begin is None:
            from rich.console import Console

            console = Console(stderr=True)
            self._begin = self._shown.enter_context(bars(self._unit, console=console, stay=False))
            _consoles.append(console)
            self._shown.callback(_consoles.remove, console)
        return self._begin(name, total)

    def end(self) -> None:
        """Remove all bars from the terminal."""
        self._shown.close()


@contextmanager
def _bars(unit: Unit, *, resumable: bool = True) -> Iterator[_Bars]:
    """Show progress bars; on Ctrl-C raise `Interrupted`, which says whether what is finished is kept."""
    shown = _Bars(unit)
    try:
        yield shown
    except KeyboardInterrupt:
        message = "interrupted; what is finished is kept, and the same command goes on from there" if resumable else ""
        raise Interrupted(message) from None
    finally:
        shown.end()


@contextmanager
def export_progress(total: int) -> Iterator[Callable[[], None]]:
    """Show a bar over a number of documents; call it after each."""
    with _bars("documents", resumable=False) as shown:
        advance = shown.add("exporting", total)
        yield lambda: advance(1)


@contextmanager
def evaluation_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar over the work of an evaluation; call it with the amount just done."""
    with _bars("share", resumable=False) as shown:
        yield shown.add("evaluating", total)


@contextmanager
def dedup_progress() -> Iterator[Callable[[int], None]]:
    """Show a sign of life while a corpus is de-duplicated; the number of rounds is not known before."""
    with _bars("nothing") as shown:
        yield shown.add("de-duplicating", None)


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """Show a bar for each stage that begins; call it with the name and the amount of work of the stage."""
    with _bars("share") as shown:
        yield shown.add


@contextmanager
def build_progress() -> Iterator[BuildProgress]:
    """Show a bar over the bytes of the input; it disappears at the end."""
    from gristmill.pipeline import Progress as BuildProgress

    with _bars("bytes") as shown:
        bar = shown.add("building", None)
        yield BuildProgress(start=bar.set_total, advance=bar)
