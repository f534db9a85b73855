"""Messages and progress bars on standard error, and the exception for Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from gristmill.cli.terminal import safe_lines
from gristmill.progress import Advance, Progress, bars, hidden

if TYPE_CHECKING:
    from rich.console import Console

_RED, _NORMAL = "\x1b[31m", "\x1b[0m"
_consoles: list[Console] = []
"""Consoles on which something moves now: messages must go above it."""


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


@contextmanager
def notes_above(console: Console) -> Iterator[None]:
    """Write messages above what moves on a console, as long as it does."""
    _consoles.append(console)
    try:
        yield
    finally:
        _consoles.remove(console)


class _Bars:
    """Progress bars, on a terminal only. Rich is imported with the first bar, as most searches need none."""

    def __init__(self) -> None:
        self._begin: Progress | None = None
        self._shown = ExitStack()

    def add(self, name: str, total: int | None) -> Advance:
        """Begin one more bar."""
        if not sys.stderr.isatty():
            return hidden(name, total)
        if self._begin is None:
            from rich.console import Console

            console = Console(stderr=True)
            self._begin = self._shown.enter_context(bars(console=console, stay=False))
            self._shown.enter_context(notes_above(console))
        return self._begin(name, total)

    def end(self) -> None:
        """Remove all bars from the terminal."""
        self._shown.close()


@contextmanager
def progress_bars(*, resumable: bool = True) -> Iterator[Progress]:
    """Show a bar for everything that begins, until the end; on Ctrl-C raise `Interrupted`, which says what is kept."""
    place = _Bars()
    try:
        yield place.add
    except KeyboardInterrupt:
        message = "interrupted; what is finished is kept, and the same command goes on from there" if resumable else ""
        raise Interrupted(message) from None
    finally:
        place.end()
