"""Progress bars for terminals and notebooks, and how work reports how far it is.

The library that draws them takes time to import, so that happens when a bar is first shown.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gristmill.arguments import wrong_type

if TYPE_CHECKING:
    from rich.console import Console

Advance = Callable[[int], None]
"""A function to be called with the amount of work just done."""
Progress = Callable[[str, int | None], Advance]
"""A function to be called when work begins, with its name and its amount, or None if that is not known."""


def hidden(name: str, amount: int | None) -> Advance:
    """Show nothing of some work: a `Progress`."""
    del name, amount
    return _ignored


def _ignored(amount: int) -> None:
    del amount


@contextmanager
def shown(progress: bool | Progress) -> Iterator[Progress]:
    """Give what work reports to: progress bars if True, nothing if False, else what the caller gives."""
    if progress is True:
        with bars() as begin:
            yield begin
    elif progress is False:
        yield hidden
    elif callable(progress):
        yield progress
    else:
        raise wrong_type("progress", "True or False", progress)


@contextmanager
def bars(*, console: Console | None = None, stay: bool = True) -> Iterator[Progress]:
    """Open a place for bars, on standard error or in the notebook; with `stay` they are still shown when all is done.

    Where standard error is no terminal, each bar is one line, which is printed at its end.
    """
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console or _console(), transient=not stay) as place:

        def begin(name: str, amount: int | None) -> Advance:
            task = place.add_task(name, total=amount)
            return lambda done: place.advance(task, done)

        yield begin


def _console() -> Console:
    """Open standard error or the notebook; there bars move only if `ipywidgets` is installed, and else come as text."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=True, force_jupyter=None if importlib.util.find_spec("ipywidgets") else False)
