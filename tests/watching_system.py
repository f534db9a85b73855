"""Watch what this process asks of the system: which files it opens, what it runs, imports and connects to.

Python tells hooks of all that (PEP 578). A hook stays as long as the process, so there is one, which does nothing as
long as nothing is watched.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_FILES = ("open", "os.", "shutil.", "sqlite3.connect", "pathlib.", "glob.", "tempfile.")
_RUNS = frozenset({"subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system"})
_watched: list[Watched] = []


class Watched:
    """A folder that nobody may look at, modules that nobody may import: what was done all the same, and prevented."""

    def __init__(self, folder: Path, modules: frozenset[str]) -> None:
        self.folder, self.modules = os.path.realpath(folder), modules
        self.found: list[str] = []

    def judge(self, event: str, given: tuple[Any, ...]) -> None:
        """Note an event that must not be, and prevent it; a process of our own is prevented, as it is not watched."""
        is_own = event == "subprocess.Popen" and tuple(given[1][:3]) == (sys.executable, "-P", "-m")
        if is_own or self._is_forbidden(event, given):
            if not is_own:
                self.found.append(f"{event} {given!r:.300}")
            raise PermissionError(f"the test forbids {event}")

    def _is_forbidden(self, event: str, given: tuple[Any, ...]) -> bool:
        if event == "import":
            return given[0] in self.modules
        if event == "socket.connect":
            return isinstance(given[1], tuple)
        if event in _RUNS or event == "socket.getaddrinfo":
            return True
        return event.startswith(_FILES) and any(self._is_inside(item) for item in given)

    def _is_inside(self, item: Any) -> bool:
        if isinstance(item, bytes):
            item = os.fsdecode(item)
        if not isinstance(item, str | os.PathLike):
            return False
        path = os.path.realpath(item)
        return path == self.folder or path.startswith(f"{self.folder}{os.sep}")


def _hook(event: str, given: tuple[Any, ...]) -> None:
    if _watched:
        watched = _watched.pop()  # what it does itself is not looked at
        try:
            watched.judge(event, given)
        finally:
            _watched.append(watched)


@contextmanager
def watching(folder: Path, *modules: str) -> Iterator[list[str]]:
    """Give the list of what is done with a folder, modules and the network: that is noted there, and fails."""
    if _hook not in _installed:
        sys.addaudithook(_hook)
        _installed.append(_hook)
    _watched.append(watched := Watched(folder, frozenset(modules)))
    try:
        yield watched.found
    finally:
        _watched.remove(watched)


_installed: list[Any] = []
