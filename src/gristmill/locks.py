"""Lock files against other processes; the system releases a lock when its process ends, however it ends.

A file in a folder is locked and not the folder itself, since Windows can't open folders.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gristmill.errors import GristmillError

LOCK = ".lock"
"""The file that is in a folder while a command writes to it."""
WINDOWS = os.name == "nt"
"""Whether this is Windows, where open files can't be removed, renamed or replaced."""
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_fcntl, _msvcrt = _module("fcntl"), _module("msvcrt")  # one of them is there


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder against other commands; raises if one has locked it."""
    path = folder / LOCK
    try:
        descriptor = claim(path)
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
    if descriptor is None:
        raise GristmillError(f"another command is writing to {folder}: wait until it is done")
    try:
        yield
    finally:
        remove(path, descriptor)


def claim(path: Path) -> int | None:
    """Open a file, which is created if need be, and lock it; None if another process has locked it."""
    while True:
        descriptor = os.open(path, _FLAGS, 0o666)
        if not _lock(descriptor):
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


def _lock(descriptor: int) -> bool:
    try:
        if _fcntl is not None:
            _fcntl.flock(descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        else:
            _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks: then there is nothing to hold on to
        return True
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
