"""Write files atomically: under a temporary name, renamed when they are complete and have reached the disk.

So a file that exists is complete, whenever the process is killed or the power fails. Folders are not synchronised: a
name that is lost in a power failure is as if the process had been killed before, and file systems keep renames in
order.

Temporary names are `NAME.NODE-PROCESS-RANDOM.tmp`: on a file system that several machines share, none is used twice.
Nothing is put in place in a folder whose lease was lost (`gristmill.leases`).
"""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from gristmill import locks
from gristmill.errors import GristmillError
from gristmill.file_systems import is_shared
from gristmill.leases import check_fence
from gristmill.nodes import ATTEMPT, attempt, node_mark

SUFFIX = ".tmp"
"""The suffix of temporary names."""
TEMPORARY = rf"{ATTEMPT}{re.escape(SUFFIX)}"
"""What a temporary name ends with, after a dot, as a regular expression."""
_FORSAKEN_SECONDS = 24 * 3600
"""How old a draft of another machine is at least that nobody writes to any more."""
_MAX_RETRY_SECONDS = 2.0
_RETRY_PAUSE_SECONDS = 0.05


class Draft:
    """A file that is being written: renamed to its name on a clean exit, and removed on any other.

    A draft that a killed process left is removed by the next process that writes to the same name. A lock shows whether
    its process lives, if it is of this machine; a draft of another one is removed when it was not touched for a day.
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
    """Make a temporary name under which a file can be written: another one each time, on every machine."""
    return path.with_name(f"{path.name}.{attempt()}{SUFFIX}")


def commit(temporary: Path, path: Path) -> None:
    """Give a complete file its name: for files that another library has written and closed."""
    _flush(temporary)
    move(temporary, path)


def move(source: Path, target: Path) -> None:
    """Rename a file or a folder; a file replaces another one.

    On a file system that other machines see, a file is flushed before, as they may go on with it after this one fails.
    Windows refuses that while a program has the file open, if only a virus scanner for a moment; so there it is tried
    again for a while.
    """
    if is_shared(target.parent) and stat.S_ISREG(source.stat().st_mode):
        _flush(source)
    check_fence(target)
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


def _flush(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())


def _remove_leftovers(path: Path, own: Path) -> None:
    """Remove drafts of a file that dead processes have left."""
    left = re.compile(rf"{re.escape(path.name)}\.{TEMPORARY}")
    for found in [Path(entry) for entry in os.scandir(path.parent) if left.fullmatch(entry.name)]:
        if found != own:
            with suppress(OSError):  # another user's
                if _is_foreign(found) and own.stat().st_mtime - found.stat().st_mtime < _FORSAKEN_SECONDS:
                    continue
                descriptor = locks.claim(found)
                if descriptor is not None:
                    locks.remove(found, descriptor)


def _is_foreign(draft: Path) -> bool:
    """Tell whether a draft is of another machine, whose locks may not be seen here."""
    made_by = draft.name.removesuffix(SUFFIX).rpartition(".")[2]
    return "-" in made_by and not made_by.startswith(f"{node_mark()}-")
