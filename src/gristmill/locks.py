"""Lock files against other processes of this machine; the system releases a lock when its process ends, however.

A file in a folder is locked and not the folder itself, since Windows can't open folders. Processes of other machines,
on a shared file system, are kept out by leases (`gristmill.leases`).
"""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

LOCK = ".lock"
"""The file that is in a folder while a command writes to it: a lease, of which parts of a command have one each."""
WINDOWS = os.name == "nt"
"""Whether this is Windows, where open files can't be removed, renamed or replaced."""
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_fcntl, _msvcrt = _module("fcntl"), _module("msvcrt")  # one of them is there


def claim(path: Path) -> int | None:
    """Open a file, which is created if need be, and lock it; None if another process has locked it."""
    while True:
        descriptor = os.open(path, _FLAGS, 0o666)
        if lock(descriptor) == "held":
            os.close(descriptor)
            return None
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)  # its holder removed or renamed it after it was opened here: try the new file


def release(descriptor: int) -> None:
    """Unlock and close a file."""
    if _msvcrt is not None:  # the system would do it as well, but in its own time
        os.lseek(descriptor, 0, os.SEEK_SET)
        _msvcrt.locking(descriptor, _msvcrt.LK_UNLCK, 1)
    os.close(descriptor)


def remove(path: Path, descriptor: int) -> None:
    """Remove a file that was claimed, and unlock it."""
    if WINDOWS:
        release(descriptor)
        with suppress(OSError):  # somebody else has opened it meanwhile: now it is theirs
            path.unlink()
    else:
        path.unlink(missing_ok=True)
        release(descriptor)


def lock(descriptor: int) -> Literal["locked", "held", "unknown"]:
    """Lock an open file: it is locked, or another process holds it, or the file system has no locks to tell."""
    try:
        if _fcntl is not None:
            _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        else:
            _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return "held"
    except OSError:  # a file system without locks: then there is nothing to hold on to
        return "unknown"
    return "locked"


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
