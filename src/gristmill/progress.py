"""Progress bars for terminals and notebooks.

What draws them takes time to import, so that happens when one is first shown.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn

Advance = Callable[[int], None]
"""To be called with the amount of work just done."""
Begin = Callable[[str, int | None], "Bar"]
"""Called when something begins, with its name and its amount of work, if that is known."""
Unit = Literal["bytes", "documents", "share", "nothing"]
"""What a bar counts in numbers beside it."""


class Bar:
    """One bar: it is called with the amount of work just done."""

    def __init__(self, advance: Advance, set_total: Advance) -> None:
        self.advance = advance
        self.set_total = set_total
        """To be called with the whole amount, where that is known only after the beginning."""

    def __call__(self, amount: int) -> None:
        """Move it on."""
        self.advance(amount)


@contextmanager
def bars(
    unit: Unit = "share", *, console: Console | None = None, stay: bool = True, hidden: bool = False
) -> Iterator[Begin]:
    """A place for bars, on standard error or in the notebook; they stay when all is done, unless it is said otherwise.

    Where standard error is no terminal each is one line, at its end.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), _amount(unit), TimeRemainingColumn())
    with Progress(*columns, console=console or _console(), transient=not stay, disable=hidden) as shown:

        def begin(name: str, amount: int | None) -> Bar:
            task = shown.add_task(name, total=amount)
            return Bar(lambda done: shown.advance(task, done), lambda total: shown.update(task, total=total))

        yield begin


def _amount(unit: Unit) -> ProgressColumn:
    from rich.progress import DownloadColumn, MofNCompleteColumn, TaskProgressColumn, TextColumn  # noqa: PLC0415

    kinds = {"bytes": DownloadColumn, "documents": MofNCompleteColumn, "share": TaskProgressColumn}
    return kinds[unit]() if unit in kinds else TextColumn("")


def _console() -> Console:
    """Standard error, or the notebook; there bars move only if `ipywidgets` is installed, and else come as text."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=True, force_jupyter=None if importlib.util.find_spec("ipywidgets") else False)
