"""Destinations of an export: a file, a folder of files, or a stream.

Nothing that is there is replaced unless that is wanted. A file or folder appears under its name when it is complete,
after what goes beside it: so the same call can be made again after it was killed at any time.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gristmill.corpus.formats import Format
from gristmill.corpus.manifest import NAME
from gristmill.corpus.new_folder import clear_leftovers, new_folder
from gristmill.corpus.output import open_output
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import SHARDS, write_atomically

Describe = Callable[[dict[str, Any]], str]
"""Makes the content of `FILE.toml`, of what the destination knows of the file."""
_HOW = "give another name, or --force (in Python, force=True) to replace it"
"""What to do if there is something already."""


class Destination(Protocol):
    """Takes the documents of an export."""

    @property
    def made(self) -> Format:
        """The format that they are written in."""

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Raise if something that is there would be replaced."""

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Write documents, and what goes beside them."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Standard output, a pipe or a device."""

    path: str
    made: Format

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Never raise: nothing is replaced."""
        del corpus, force

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Write documents; there is nothing beside a stream."""
        del describe
        with open_output(self.path) as stream, self.made.writer(stream) as write:
            for chosen in selected:
                write(chosen)


@dataclass(frozen=True, slots=True)
class File:
    """One file."""

    path: Path
    format_name: str
    made: Format

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Raise if the file is there, or files beside it that are not of the same export."""
        beside = self.made.beside(self.path)
        _refuse_own_files(corpus, self.path, _card(self.path), *beside)
        if force:
            return
        _refuse_existing(self.path)
        for path, content in beside.items():
            if not _holds(path, content):
                _refuse_existing(path)
        _refuse_other_card(self.path)

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Write the file, and when it is complete what goes beside it; only then it gets its name."""

        def finished(size: int) -> None:
            about = {"file": self.path.name, "format": self.format_name, "bytes": size}
            beside = {path: content.encode() for path, content in self.made.beside(self.path).items()}
            _write_beside(self.path, beside | {_card(self.path): describe(about).encode()})

        with open_output(str(self.path), finished) as stream, self.made.writer(stream) as write:
            for chosen in selected:
                write(chosen)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of numbered files, each of about `size` bytes before it is compressed. No document is divided."""

    path: Path
    format_name: str
    made: Format
    suffix: str
    size: int

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Raise if there is something in it; what is not of an export is not even replaced by force."""
        _refuse_own_files(corpus, self.path, _card(self.path))
        clear_leftovers(self.path.resolve())
        there = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        foreign = [name for name in there if not re.fullmatch(r"\d{5,}(\.\w+)+", name)]
        if foreign:
            raise UsageError(f"{self.path} holds what is not of an export ({foreign[0]}): give another folder")
        if force:
            return
        if there:
            _refuse_existing(self.path)
        _refuse_other_card(self.path)

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Fill the folder under another name, and write what goes beside it.

        It gets its own name when both are complete.
        """
        with new_folder(self.path.resolve()) as draft:
            waiting = iter(selected)
            chosen = next(waiting, None)
            files, total = 0, 0
            while chosen is not None or files == 0:  # one file at least: of nothing, it says in which form
                file = draft / f"{files:05d}{self.suffix}"
                with open_output(str(file)) as stream, self.made.writer(stream) as write:
                    written = 0
                    while chosen is not None and written < self.size:
                        written += write(chosen)
                        chosen = next(waiting, None)
                files, total = files + 1, total + file.stat().st_size
            about = {
                "folder": self.path.name,
                "format": self.format_name,
                "files": files,
                "bytes": total,
                "shard_size": self.size,
            }
            _write_beside(self.path, {_card(self.path): describe(about).encode()})


def _card(path: Path) -> Path:
    """The path of `FILE.toml`, which says what is in a file or folder."""
    return path.with_name(f"{path.name}.toml")


def _refuse_own_files(corpus: CorpusReader, *paths: Path) -> None:
    """Raise if a file of the corpus itself would be replaced.

    These are `corpus.toml` and all that is in its shards.
    """
    folder = corpus.folder.resolve()
    for target in (path.resolve() for path in paths):
        if target in {folder, folder / NAME} or target.is_relative_to(folder / SHARDS):
            raise UsageError(f"{target} belongs to the corpus in {corpus.folder}: give another file to write to")


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise UsageError(f"{path} is there already: {_HOW}")


def _refuse_other_card(path: Path) -> None:
    """Raise if there is a `FILE.toml` already, except for that of a killed export to the same name."""
    card = _card(path)
    try:
        about = tomllib.loads(card.read_text("utf-8"))["export"]
        own = path.name in {about.get("file"), about.get("folder")}
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, AttributeError):  # no file of ours
        own = False
    if not own:
        _refuse_existing(card)


def _holds(path: Path, content: str) -> bool:
    return path.is_file() and path.read_bytes() == content.encode()


def _write_beside(path: Path, files: Mapping[Path, bytes]) -> None:
    try:
        for beside, content in files.items():
            write_atomically(beside, content)
    except OSError as error:
        raise GristmillError(f"can't write beside {path}: {error.strerror or error}") from error
