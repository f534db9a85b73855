"""What commands say on the terminal: messages and progress bars, and how they end when they are interrupted."""

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

    def __init__(self) -> None:
        self._begin: Progress | None = None
        self._shown = ExitStack()

    def add(self, name: str, total: int | None) -> Advance:
        """One more bar."""
        if not sys.stderr.isatty():
            return hidden(name, total)
        if self._begin is None:
            from rich.console import Console

            console = Console(stderr=True)
            self._begin = self._shown.enter_context(bars(console=console, stay=False))
            _consoles.append(console)
            self._shown.callback(_consoles.remove, console)
        return self._begin(name, total)

    def end(self) -> None:
        """Take them off the terminal."""
        self._shown.close()


@contextmanager
def progress_bars(*, resumable: bool = True) -> Iterator[Progress]:
    """A bar for everything that begins, which goes away at the end; an interrupt says what becomes of the work."""
    place = _Bars()
    try:
        yield place.add
    except KeyboardInterrupt:
        message = "interrupted; what is finished is kept, and the same command goes on from there" if resumable else ""
        raise Interrupted(message) from None
    finally:
        place.end()
