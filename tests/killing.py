"""Kill commands: they run in a process of their own, which dies before its n-th change of a file or folder.

It really dies: no `finally` is run, nothing is flushed, locks go with it. (Arrow opens the files that it writes by
itself, unseen; but what is done with them next is seen.)
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

_DONE, _KILLED, _FAILED = 0, 99, 1
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = frozenset(["os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate"])
_MAX_SECONDS = 600


def is_killed(action: Callable[[], object], step: int, inside: Path) -> bool:
    """Run an action in a folder, killed before its change number `step` (from 0); false if it ended before that."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # the threads that pytest may have don't matter to the action
        child = os.fork()
    if child == 0:
        _run(action, step, str(inside))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in {_DONE, _KILLED}, f"the command itself failed ({code})"
    return code == _KILLED


def changes_of(action: Callable[[], object], inside: Path) -> list[str]:
    """What changes an action makes that is not killed: what is done and to what, one by one."""
    reader, writer = os.pipe()

    def noted() -> None:
        seen = _Changes(str(inside))
        sys.addaudithook(seen)
        action()
        with os.fdopen(writer, "wb") as notes:
            notes.write("\0".join(seen.changes).encode())

    with os.fdopen(reader, "rb") as notes:
        assert not is_killed(noted, sys.maxsize, inside)
        os.close(writer)
        return notes.read().decode().split("\0")


def some_of(count: int, most: int) -> Iterator[int]:
    """Numbers below `count`, all of them or as many as one wants from all over, the first and the last among them."""
    yield from range(count) if count <= most else sorted({number * (count - 1) // (most - 1) for number in range(most)})


def contents(folder: Path) -> dict[str, bytes | None]:
    """All that is below a folder: what files hold, and folders."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def _run(action: Callable[[], object], step: int, inside: str) -> NoReturn:
    """The life of the other process."""
    try:
        signal.alarm(_MAX_SECONDS)  # what hangs is no less wrong
        sys.addaudithook(_Changes(inside, step))
        action()
    except BaseException:  # noqa: BLE001 (the test it is a copy of must not go on here)
        traceback.print_exc()
        os._exit(_FAILED)
    os._exit(_DONE)


class _Changes:
    """Notes changes below a folder, and ends the process at one of them."""

    def __init__(self, inside: str, last: int = sys.maxsize) -> None:
        self._inside = inside
        self._last = last
        self.changes: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._is_change(event, arguments):
            if len(self.changes) == self._last:
                os._exit(_KILLED)
            self.changes.append(f"{event} {os.fsdecode(arguments[0])}")

    def _is_change(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event != "open" and event not in _CHANGES:
            return False
        path = arguments[0]
        if isinstance(path, int) or (event == "open" and not arguments[2] & _WRITING):
            return False
        name = os.fsdecode(path)
        return name.startswith(self._inside) or not os.path.isabs(name)  # noqa: PTH117 (`rmtree` has names within a folder)
