"""What a target is, and how its cases are run."""

from __future__ import annotations

import signal
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

TARGETS: dict[str, type[Target]] = {}
LONGEST = 20.0
"""Seconds of processor time after which a case counts as hanging: none of the inputs is large."""


class Target(ABC):
    """Something that reads input; `folder` is for its files. Registers itself under its `name`."""

    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __init_subclass__(cls) -> None:
        if cls.name:
            TARGETS[cls.name] = cls

    @abstractmethod
    def make(self, random: Random) -> Any:
        """An input."""

    @abstractmethod
    def attempt(self, case: Any) -> None:
        """Try an input; raises if the result is wrong, or if anything but a user's mistake was raised."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that went wrong."""

    number: int
    case: Any
    error: str
    trace: str

    @property
    def place(self) -> str:
        """The error and the line that raised it: findings of one cause have the same."""
        lines = [line.strip() for line in self.trace.splitlines() if line.strip().startswith("File ")]
        return f"{self.error.partition(':')[0]} {lines[-1] if lines else ''}"


def fuzz(
    target: Target, seed: int, numbers: Iterator[int], on_case: Callable[[int], None] = lambda _: None
) -> Iterator[Finding]:
    """Try cases by their numbers."""
    for number in numbers:
        on_case(number)
        case = target.make(Random(f"{target.name} {seed} {number}"))
        try:
            with _limited(LONGEST):
                target.attempt(case)
        except Exception as error:  # noqa: BLE001 (any of them is what is looked for)
            yield Finding(number, case, f"{type(error).__name__}: {error}", traceback.format_exc())


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise if it takes longer; also what can't be interrupted is seen in the end."""

    def raise_timeout(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    begun = time.process_time()
    before = signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    if time.process_time() - begun > seconds:
        raise TimeoutError(f"more than {seconds} seconds")
