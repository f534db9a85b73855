"""How a process that works on large arrays should treat memory: set by workers and commands when they start."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import sys
from dataclasses import dataclass
from pathlib import Path

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of GNU's mallopt(3)
_MAX_FREE_BYTES = 1 << 30  # at the end of the heap, before they go back to the system
_MAX_KEPT_ARRAY_BYTES = 1 << 25  # more than most arrays that are made again and again
_MAX_UNTOLD_BYTES = 1 << 26  # by which a process may grow before it is looked what of it was freed


def keep_memory() -> None:
    """Keep memory that was freed for the next array, if the C library can be told so.

    By default it goes back to the system at once, and every page of the next array is then asked for again, which takes
    longer than what is done with it. Arrays of more than 32 MB still go back, so that one large document does not take
    its memory for good. For processes of our own; in somebody else's program it is not ours to decide.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):  # no such C library
        library = ctypes.CDLL(None)
        library.mallopt(_TRIM_THRESHOLD, _MAX_FREE_BYTES)
        library.mallopt(_MMAP_THRESHOLD, _MAX_KEPT_ARRAY_BYTES)


@dataclass
class Household:
    """What a process that serves for days may keep between two tasks."""

    most: int = 0
    """Bytes of its own, without files that are mapped; 0 if it may keep what it has."""
    _after: int = 0
    """What it had when it last gave something back."""

    def is_outgrown(self) -> bool:
        """Give back what was freed, if that may be much; tell whether the process still has more than it may keep."""
        if not self.most:
            return False
        if own_memory() > self._after + _MAX_UNTOLD_BYTES:
            _trim()
            self._after = own_memory()
        return self._after > self.most


HOUSEHOLD = Household()
"""That of this process."""


def own_memory() -> int:
    """Tell how many bytes of memory this process has of its own; 0 where the system does not tell."""
    try:
        _, resident, shared = Path("/proc/self/statm").read_text().split()[:3]
        return (int(resident) - int(shared)) * mmap.PAGESIZE
    except (OSError, ValueError):
        return 0


def _trim() -> None:
    """Give memory that was freed back to the system: that of the C library, and that of Arrow if it is in use."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # no such C library
        ctypes.CDLL(None).malloc_trim(0)
    if arrow := sys.modules.get("pyarrow"):
        arrow.default_memory_pool().release_unused()
