"""Destinations of an export: a file, a folder of files, or a stream; files and folders are on disk or in a store.

Nothing that is there is replaced unless that is wanted. A file or folder appears under its name when it is complete: so
the same call can be made again after it was killed at any time.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from gristmill.corpus.formats import Format
from gristmill.corpus.manifest import NAME
from gristmill.corpus.output import open_output
from gristmill.corpus.places import DiskFolder, DiskPlace, FolderPlace, Place, card_of, foreign, is_unfinished
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.errors import UsageError
from gristmill.shards import SHARDS

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

    place: Place
    format_name: str
    made: Format

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Raise if the file is there, or files beside it that are not of the same export."""
        beside = self._beside()
        _refuse_own_files(corpus, self.place, card_of(self.place), *beside)
        if force:
            return
        _refuse_existing(self.place)
        for place, content in beside.items():
            if place.read() != content:
                _refuse_existing(place)
        _refuse_other_card(self.place)

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Write the file, and when it is complete what goes beside it."""
        with self.place.output(self.finished(describe)) as stream, self.made.writer(stream) as write:
            for chosen in selected:
                write(chosen)

    def finished(self, describe: Describe) -> Callable[[int], None]:
        """Make the function that writes what goes beside the file, when it is complete and its size is known."""

        def write_beside(size: int) -> None:
            about = {"file": self.place.name, "format": self.format_name, "bytes": size}
            for place, content in (self._beside() | {card_of(self.place): describe(about).encode()}).items():
                place.write(content)

        return write_beside

    @property
    def path(self) -> Path | None:
        """Where the file is on disk; None if it is in a store."""
        return self.place.at if isinstance(self.place, DiskPlace) else None

    def _beside(self) -> dict[Place, bytes]:
        """What other programs need to read the file, by its places."""
        found = self.made.beside(Path(self.place.name))
        return {self.place.sibling(path.name): content.encode() for path, content in found.items()}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of numbered files, each of about `size` bytes before it is compressed. No document is divided."""

    folder: FolderPlace
    format_name: str
    made: Format
    suffix: str
    size: int

    def refuse(self, corpus: CorpusReader, *, force: bool) -> None:
        """Raise if there is something in it; what is not of an export is not even replaced by force."""
        place = self.folder.place
        _refuse_own_files(corpus, place, card_of(place))
        there = self.folder.names()
        others = foreign(there)
        if others:
            raise UsageError(f"{place} holds what is not of an export ({others[0]}): give another folder")
        if force:
            return
        if there:
            _refuse_existing(place)
        _refuse_other_card(place)

    def write(self, selected: Iterable[SelectedDocument], describe: Describe) -> None:
        """Fill the folder, and write what goes beside it; it appears when both are complete."""
        with self.folder.filling() as filling:
            waiting = iter(selected)
            chosen = next(waiting, None)
            files = 0
            while chosen is not None or files == 0:  # one file at least: of nothing, it says in which form
                with filling.output(f"{files:05d}{self.suffix}") as stream, self.made.writer(stream) as write:
                    written = 0
                    while chosen is not None and written < self.size:
                        written += write(chosen)
                        chosen = next(waiting, None)
                files += 1
            filling.describe(self._card(files, filling.size, describe))

    def write_card(self, files: int, total: int, describe: Describe) -> None:
        """Write what is in the folder, beside it: so many files, and so many bytes in all."""
        card_of(self.folder.place).write(self._card(files, total, describe))

    @property
    def path(self) -> Path | None:
        """Where the folder is on disk; None if it is in a store."""
        return self.folder.at if isinstance(self.folder, DiskFolder) else None

    def _card(self, files: int, total: int, describe: Describe) -> bytes:
        about = {
            "folder": self.folder.place.name,
            "format": self.format_name,
            "files": files,
            "bytes": total,
            "shard_size": self.size,
        }
        return describe(about).encode()


def _refuse_own_files(corpus: CorpusReader, *places: Place) -> None:
    """Raise if a file of the corpus itself would be replaced.

    These are `corpus.toml` and all that is in its shards.
    """
    folder = corpus.folder.resolve()
    for target in (place.path.resolve() for place in places if place.path is not None):
        if target in {folder, folder / NAME} or target.is_relative_to(folder / SHARDS):
            raise UsageError(f"{target} belongs to the corpus in {corpus.folder}: give another file to write to")


def _refuse_existing(place: Place) -> None:
    if place.exists():
        raise UsageError(f"{place} is there already: {_HOW}")


def _refuse_other_card(place: Place) -> None:
    """Raise if there is a `FILE.toml` already, except for that of a killed export to the same name."""
    card = card_of(place)
    try:
        found = card.read()
        if found is None or is_unfinished(found):
            return
        about = tomllib.loads(found.decode())["export"]
        own = place.name in {about.get("file"), about.get("folder")}
    except (OSError, ValueError, KeyError, AttributeError):  # no file of ours
        own = False
    if not own:
        _refuse_existing(card)
