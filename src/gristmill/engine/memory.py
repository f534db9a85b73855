"""How a process that works on large arrays should treat memory: set by workers and commands when they start."""

from __future__ import annotations

import contextlib
import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of GNU's mallopt(3)
_MAX_FREE_BYTES = 1 << 30  # at the end of the heap, before they go back to the system
_MAX_KEPT_ARRAY_BYTES = 1 << 25  # more than most arrays that are made again and again


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
