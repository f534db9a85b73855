"""The one policy of trying again: what fails in passing is asked for anew, ever more slowly, for a bounded time."""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from gristmill.stores.address import Address
from gristmill.stores.errors import WrongUseError, problem_of

VARIABLE = "GRISTMILL_PATIENCE"
"""The environment variable that says for how many seconds a store that does not answer is asked again."""
_DEFAULT_SECONDS = 300.0
_FIRST_WAIT_SECONDS = 0.2
_MAX_WAIT_SECONDS = 30.0
_log = logging.getLogger(__name__)

T = TypeVar("T")


class Patience:
    """How long one thing is tried again: waits grow twofold, with a random part, up to a time since it first failed."""

    def __init__(self, address: Address, seconds: float | None = None, stop: threading.Event | None = None) -> None:
        """Begin to count; without `seconds`, it is what `GRISTMILL_PATIENCE` says, or 300; `stop` ends all waiting."""
        self._address = address
        self._seconds = seconds_of_patience() if seconds is None else seconds
        self._stop = stop or threading.Event()
        self._failures = 0
        self._since = 0.0
        """When it first failed."""

    def progress(self) -> None:
        """Begin anew, as something came: a transfer that breaks every minute still comes to its end."""
        self._failures = 0

    def wait(self, error: BaseException) -> None:
        """Wait before the next attempt; raises `StoreError` if there is no use, or no time left, for one."""
        problem = problem_of(error, self._address)
        if not problem.passes:
            raise problem.error from error
        if not self._failures:
            self._since = time.monotonic()
        longest = min(_MAX_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2**self._failures)
        pause = random.uniform(longest / 2, longest)  # so that many workers do not come back all at once
        if problem.wait is not None:
            pause = max(pause, problem.wait)
        if time.monotonic() - self._since + pause > self._seconds:
            raise problem.error from error
        self._failures += 1
        _log.info("%s; next attempt in %.1f s", problem.error, pause)
        if self._stop.wait(pause):
            raise problem.error from error


def seconds_of_patience() -> float:
    """For how long a store that does not answer is asked again."""
    said = os.environ.get(VARIABLE, "")
    try:
        return max(0.0, float(said)) if said else _DEFAULT_SECONDS
    except ValueError:
        raise WrongUseError(f"{VARIABLE} is {said!r}, and should be a number of seconds, such as 300") from None


def retried(action: Callable[[], T], address: Address, seconds: float | None = None) -> T:
    """Do something with a store, again if it fails in passing; raises `StoreError` in words if it fails for good.

    The action must be one that may be done twice.
    """
    patience = Patience(address, seconds)
    while True:
        try:
            return action()
        except Exception as error:  # noqa: BLE001 (`wait` raises what does not pass)
            patience.wait(error)
