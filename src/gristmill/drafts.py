"""Files that are written under a temporary name, and get their own when they are whole and have reached the disk.

So what exists is whole, whenever the process is killed or the power goes. Folders are not seen through to the disk: a
name that is lost with the power is as if the process had been killed before, and file systems keep names in the order
in which they were given.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gristmill import locks
from gristmill.errors import GristmillError

SUFFIX = ".tmp"
"""How temporary names end."""
_PATIENCE = 2.0  # seconds
_PAUSE = 0.05


class Draft:
    """A file that is written: in its place on a clean exit, and gone on any other.

    One that a killed process left is removed by the next that writes to the same name. A lock tells whether its process
    lives.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = temporary_name(path)
        descriptor = locks.claim(self._temporary)
        if descriptor is None:
            raise GristmillError(f"{path} is being written already")
        self.descriptor = descriptor
        """To write to; not to be closed."""
        os.ftruncate(descriptor, 0)
        _remove_leftovers(path, self._temporary)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._discard()
            return
        try:
            self._settle()
        except BaseException:
            with suppress(OSError):  # what is wrong is told already
                self._temporary.unlink(missing_ok=True)
            raise

    def _settle(self) -> None:
        try:
            os.fsync(self.descriptor)
            if not locks.WINDOWS:  # the lock is held until it has its name
                move(self._temporary, self._path)
        finally:
            locks.release(self.descriptor)
        if locks.WINDOWS:
            move(self._temporary, self._path)

    def _discard(self) -> None:
        with suppress(OSError):
            locks.remove(self._temporary, self.descriptor)


def temporary_name(path: Path) -> Path:
    """The name under which this process writes a file."""
    return path.with_name(f"{path.name}.{os.getpid()}{SUFFIX}")


def settle(temporary: Path, path: Path) -> None:
    """Give a file its name that another library has written and closed."""
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    move(temporary, path)


def move(source: Path, target: Path) -> None:
    """Rename a file or a folder; a file takes the place of another one.

    Windows refuses that while somebody has it open, if only a virus scanner for a moment; so there it is tried again
    for a while.
    """
    end = time.monotonic() + (_PATIENCE if locks.WINDOWS else 0)
    while True:
        try:
            source.replace(target)
        except PermissionError as error:
            if not locks.WINDOWS:
                raise
            if time.monotonic() > end:
                held = target if target.exists() else source
                raise GristmillError(
                    f"can't replace {held}: a program has it open, so close what reads it and try again"
                ) from error
            time.sleep(_PAUSE)
        else:
            return


def _remove_leftovers(path: Path, own: Path) -> None:
    """Remove what processes that are dead have left of a file."""
    left = re.compile(rf"{re.escape(path.name)}\.\d+{re.escape(SUFFIX)}")
    for found in [Path(entry) for entry in os.scandir(path.parent) if left.fullmatch(entry.name)]:
        if found != own:
            with suppress(OSError):  # somebody else's
                descriptor = locks.claim(found)
                if descriptor is not None:
                    locks.remove(found, descriptor)
