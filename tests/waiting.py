"""Wait for something to happen, however long that takes on a machine that has much else to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 120.0
"""Seconds until something counts as not happening: matters only where a test fails."""


def wait_until(condition: Callable[[], Any], *, pause: float = 0.02) -> Any:
    """Wait until a condition holds, and return what it gives; raises if it never does."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, "it does not happen"
        time.sleep(pause)
    return found


def settled(state: Callable[[], Any], *, seconds: float = 0.5) -> Any:
    """Wait until something has not changed for some time; raises if it goes on changing."""
    end = time.monotonic() + PATIENCE
    before = state()
    while True:
        time.sleep(seconds)
        if (now := state()) == before:
            return now
        assert time.monotonic() < end, "it goes on"
        before = now
