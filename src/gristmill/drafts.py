"""Write files atomically: under a temporary name, renamed when they are complete and have reached the disk.

So a file that exists is complete, whenever the process is killed or the power fails. Folders are not synchronised: a
name that is lost in a power failure is as if the process had been killed before, and file systems keep renames in
order.
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
"""The suffix of temporary names."""
_MAX_RETRY_SECONDS = 2.0
_RETRY_PAUSE_SECONDS = 0.05


class Draft:
    """A file that is being written: renamed to its name on a clean exit, and removed on any other.

    A draft that a killed process left is removed by the next process that writes to the same name. A lock shows whether
    its process lives.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = temporary_name(path)
        descriptor = locks.claim(self._temporary)
        if descriptor is None:
            raise GristmillError(f"{path} is being written already")
        self.descriptor = descriptor
        """The open file to write to; it must not be closed."""
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
            self._commit()
        except BaseException:
            with suppress(OSError):  # the first error is being raised
                self._temporary.unlink(missing_ok=True)
            raise

    def _commit(self) -> None:
        try:
            os.fsync(self.descriptor)
            if not locks.WINDOWS:  # the lock is held until after the rename; Windows can't rename an open file
                move(self._temporary, self._path)
        finally:
            locks.release(self.descriptor)
        if locks.WINDOWS:
            move(self._temporary, self._path)

    def _discard(self) -> None:
        with suppress(OSError):
            locks.remove(self._temporary, self.descriptor)


def temporary_name(path: Path) -> Path:
    """The temporary name under which this process writes a file."""
    return path.with_name(f"{path.name}.{os.getpid()}{SUFFIX}")


def commit(temporary: Path, path: Path) -> None:
    """Give a complete file its name: for files that another library has written and closed."""
    with temporary.open("r+b") as file:
        os.fsync(file.fileno())
    move(temporary, path)


def move(source: Path, target: Path) -> None:
    """Rename a file or a folder; a file replaces another one.

    Windows refuses that while a program has the file open, if only a virus scanner for a moment; so there it is tried
    again for a while.
    """
    end = time.monotonic() + (_MAX_RETRY_SECONDS if locks.WINDOWS else 0)
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
            time.sleep(_RETRY_PAUSE_SECONDS)
        else:
            return


def _remove_leftovers(path: Path, own: Path) -> None:
    """Remove drafts of a file that dead processes have left."""
    left = re.compile(rf"{re.escape(path.name)}\.\d+{re.escape(SUFFIX)}")
    for found in [Path(entry) for entry in os.scandir(path.parent) if left.fullmatch(entry.name)]:
        if found != own:
            with suppress(OSError):  # another user's
                descriptor = locks.claim(found)
                if descriptor is not None:
                    locks.remove(found, descriptor)
