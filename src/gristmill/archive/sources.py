"""Find the archives and pages that the user named, and read them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gristmill import sample
from gristmill.archive import arc, files, warc
from gristmill.archive.kind import ArchiveKind, sniff
from gristmill.archive.resync import next_record
from gristmill.archive.skip import Skip
from gristmill.document import Page
from gristmill.errors import UsageError

SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read pages from; `name` is how the corpus refers to it."""

    path: str
    name: str
    kind: ArchiveKind
    size: int


def find_sources(arguments: Sequence[str | os.PathLike[str]], leave_out: Path | None = None) -> list[Source]:
    """The files behind file names, folders, glob patterns and the word `sample`, each once, in a stable order.

    What lies in the folder `leave_out` is no source: a corpus may be built inside the folder that it is built from.
    """
    found: dict[str, Source] = {}
    for argument in [os.fspath(argument) for argument in arguments]:
        for path in _expand(argument):
            name = SAMPLE if argument == SAMPLE else os.fsencode(path.as_posix()).decode("utf-8", "replace")
            if str(path) not in found and not (leave_out and path.resolve().is_relative_to(leave_out.resolve())):
                found[str(path)] = _source(path, name)
    if not found:
        named = ", ".join(str(argument) for argument in arguments)
        raise UsageError(f"no files in {named}: give WARC, ARC or WET files, HTML files, or folders of them")
    return list(found.values())


def _source(path: Path, name: str) -> Source:
    try:
        return Source(str(path), name, sniff(path), path.stat().st_size)
    except OSError as error:
        raise UsageError(f"can't read {name}: {error.strerror}") from error


def _expand(argument: str) -> list[Path]:
    if argument == SAMPLE:
        return [sample.WARC]
    path = Path(argument)
    if path.is_dir():
        return sorted(_files(path))
    if path.exists():
        return [path]
    matches = sorted(glob.glob(argument, recursive=True)) if glob.has_magic(argument) else []  # noqa: PTH207 (it may be absolute)
    if not matches:
        raise UsageError(f"there is no file or folder {argument!r}")
    return [file for match in matches for file in _expand(match)]


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder but hidden ones."""
    for parent, folders, files_ in os.walk(folder, onerror=_refuse, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (path for name in files_ if not name.startswith(".") and (path := Path(parent, name)).is_file())


def _refuse(error: OSError) -> None:
    """A folder that can't be read must not be passed over."""
    raise UsageError(f"can't read the folder {error.filename}: {error.strerror}")


def read(source: Source, limit: int = 10_000_000) -> Iterator[Page | Skip]:
    """The pages of a source in order, and a `Skip` for every record that is none; `limit` bounds the bytes of a page's body.

    A body longer than the limit comes with `limit + 1` bytes. After a broken record reading goes on at the next one that can be found.
    """
    path = Path(source.path)
    if source.kind == "page":
        yield from files.read_from(path, source.name, limit)
        return
    if source.size == 0:
        yield Skip("broken", source.name, 0, detail="the file is empty")
        return
    read_from = partial(warc.read_from if source.kind == "warc" else arc.read_from, path, source.name, limit=limit)
    start: int | None = 0
    fault: Skip | None = None
    while start is not None:
        items = read_from(start=start)
        item = next(items, None)
        if fault and not (fault.behind and isinstance(item, Skip) and item.reason == "broken" and item.offset == start):
            yield fault  # else it was this very record, and now its place is known
        fault = None
        while item is not None:
            following = next(items, None)
            if following is None and isinstance(item, Skip) and item.reason == "broken":
                fault = item
            else:
                yield item
            item = following
        start = next_record(path, source.kind, fault.offset) if fault else None
    if fault:
        yield fault
