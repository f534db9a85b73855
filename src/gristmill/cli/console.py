"""What commands say on the terminal: messages and progress bars, and how they end when they are interrupted."""

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
"""Where progress bars are shown just now, if there are any: messages must go above them."""


class Interrupted(Exception):  # noqa: N818 (nothing is wrong)
    """The user pressed Ctrl-C; the message says what became of the work."""


def complain(message: str, code: int) -> int:
    """Say what went wrong, on standard error; gives back the exit code."""
    text = f"gristmill: {safe_lines(message)}"
    _say(f"{_RED}{text}{_NORMAL}" if sys.stderr.isatty() and not os.environ.get("NO_COLOR") else text)
    return code


def note(message: str) -> None:
    """Say something that is no result, on standard error."""
    _say(safe_lines(message))


def _say(text: str) -> None:
    if _consoles:
        _consoles[-1].print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        print(text, file=sys.stderr)


class _Bars:
    """Progress bars, on a terminal only; what draws them is imported with the first one, as most searches need none."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._begin: Begin | None = None
        self._shown = ExitStack()

    def add(self, name: str, total: int | None) -> Bar:
        """One more bar."""
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
        """Take them off the terminal."""
        self._shown.close()


@contextmanager
def _bars(unit: Unit, *, resumable: bool = True) -> Iterator[_Bars]:
    """Progress bars; and an interrupt says that what is done is kept, where it is."""
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
    """A bar over a number of documents; to be called after each."""
    with _bars("documents", resumable=False) as shown:
        advance = shown.add("exporting", total)
        yield lambda: advance(1)


@contextmanager
def evaluation_progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar over the work of an evaluation; to be called with what was just done."""
    with _bars("share", resumable=False) as shown:
        yield shown.add("evaluating", total)


@contextmanager
def dedup_progress() -> Iterator[Callable[[int], None]]:
    """A sign of life while a corpus is de-duplicated; how many rounds it will take is not known before."""
    with _bars("nothing") as shown:
        yield shown.add("de-duplicating", None)


@contextmanager
def stage_progress() -> Iterator[Callable[[str, int], Callable[[int], None]]]:
    """A bar for each stage that begins; to be called with its name and its amount of work."""
    with _bars("share") as shown:
        yield shown.add


@contextmanager
def build_progress() -> Iterator[BuildProgress]:
    """A progress bar over the bytes of the input; it goes away at the end."""
    from gristmill.pipeline import Progress as BuildProgress

    with _bars("bytes") as shown:
        bar = shown.add("building", None)
        yield BuildProgress(start=bar.set_total, advance=bar)
