"""What stands at a place, as a hash: of files, of folders with all that is in them, of the code of Python modules."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import stat
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder, all_suffixes
from pathlib import Path

_LARGE_BYTES = 1_000_000
"""Larger files are hashed once in a process, as long as they don't change."""
_DIGEST_BYTES = 16


def digest_of(places: Iterable[Path]) -> str:
    """Hash what files and folders hold, and how it is named in these; what is not there differs from all that is."""
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for place in places:
        for path, name in _files_at(place):
            found.update(f"{name}\0{_digest_of_file(path)}\0".encode("utf-8", "surrogateescape"))
        found.update(b"\n")
    return found.hexdigest()


def _files_at(place: Path) -> Iterator[tuple[Path, str]]:
    """Yield a file, or all in a folder, also by links, each with its name there; no folder is entered twice."""
    if not place.is_dir():
        yield place, ""
        return
    seen: set[str] = set()
    for folder, folders, names in os.walk(place, followlinks=True):
        real = os.path.realpath(folder)
        folders[:] = [] if real in seen else sorted(folders)
        if real not in seen:
            yield from ((Path(folder, name), os.path.relpath(Path(folder, name), place)) for name in sorted(names))
        seen.add(real)


def _digest_of_file(path: Path) -> str:
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):  # a device or a pipe is not opened
            return "no file"
        if found.st_size < _LARGE_BYTES:
            return _hash(path)
        return _hash_of_large(path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    except (OSError, ValueError):
        return "nothing"


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


@lru_cache(maxsize=4096)
def _hash_of_large(path: Path, *stamp: int) -> str:
    del stamp  # only so that a file that has changed is read again
    return _hash(path)


def module_files(name: str) -> list[Path]:
    """List the files of code that the import of a module runs: its own, and those of the packages that it is in.

    Nothing of it is imported, as Python itself would do to find a module in a package. There are none if the module is
    not found.
    """
    files: list[Path] = []
    spec: ModuleSpec | None = None
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        try:
            full = ".".join(parts[:count])
            inside = spec and spec.submodule_search_locations
            spec = PathFinder.find_spec(full, inside) if inside else importlib.util.find_spec(full)
        except (ImportError, ValueError):
            return []
        if spec is None or (count < len(parts) and spec.submodule_search_locations is None):
            return []
        if spec.has_location and spec.origin:
            files.append(Path(spec.origin))
    if spec and spec.has_location and spec.submodule_search_locations:
        within = (path for place in spec.submodule_search_locations for path in Path(place).rglob("*"))
        files += sorted(path for path in within if path.name.endswith(tuple(all_suffixes())) and _is_code(path))
    return list(dict.fromkeys(files))


def _is_code(path: Path) -> bool:
    return path.is_file() and path.parent.name != "__pycache__"
