"""Places of exports: a file or folder on disk, or an object or several in a store.

A `Place` is where one file goes, with others beside it; a `FolderPlace` is a folder that is filled with files. Both are
the same to who writes: what was begun appears when it is complete.
"""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from gristmill.corpus.new_folder import clear_leftovers, new_folder
from gristmill.corpus.output import compressed, open_output
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import write_atomically
from gristmill.stores.address import Address
from gristmill.stores.errors import MissingError
from gristmill.stores.objects import TakenError, create, exists, read, remove, sizes, write
from gristmill.stores.uploading import Upload, UploadStream, begin_upload

UNFINISHED = "unfinished"
"""The entry of a card that says that its folder is about to appear, file by file."""
_NUMBERED = re.compile(r"\d{5,}(\.\w+)+")
"""What the names of files look like that a folder is filled with."""


class Place(ABC):
    """Where a file goes."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the file."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """Where it is on this machine; None if it is elsewhere."""

    @abstractmethod
    def sibling(self, name: str) -> Place:
        """The place of a file beside it."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is something."""

    @abstractmethod
    def read(self) -> bytes | None:
        """Read a small file; None if there is none."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write a small file as a whole."""

    @abstractmethod
    def output(self, beside: Callable[[int], None]) -> AbstractContextManager[BinaryIO]:
        """Open a stream to write to, which is compressed by the end of the name.

        `beside` is called with the size of the file when it is complete, to write what goes beside it.
        """


class Filling(Protocol):
    """A folder that is being filled."""

    def output(self, name: str) -> AbstractContextManager[BinaryIO]:
        """Open a file in it to write to."""

    @property
    def size(self) -> int:
        """The size of all files that were written."""

    def describe(self, card: bytes) -> None:
        """Say what the folder holds, in the file beside it; then it is complete."""


class FolderPlace(Protocol):
    """A folder that is filled with numbered files."""

    @property
    def place(self) -> Place:
        """The folder, as what has files beside it."""

    def names(self) -> list[str]:
        """Names of all that is in it, sorted."""

    def filling(self) -> AbstractContextManager[Filling]:
        """Fill it anew: it is complete on a clean exit, after `describe`, and as it was on any other."""


@dataclass(frozen=True, slots=True)
class DiskPlace(Place):
    """A file on disk."""

    at: Path

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.at.name

    @property
    def path(self) -> Path:
        """Where it is on this machine."""
        return self.at

    def sibling(self, name: str) -> DiskPlace:
        """The place of a file beside it."""
        return DiskPlace(self.at.with_name(name))

    def exists(self) -> bool:
        """Whether there is something."""
        return self.at.exists()

    def read(self) -> bytes | None:
        """Read a small file; None if there is none."""
        try:
            return self.at.read_bytes()
        except FileNotFoundError:
            return None

    def write(self, data: bytes) -> None:
        """Write a small file as a whole."""
        try:
            write_atomically(self.at, data)
        except OSError as error:
            raise GristmillError(f"can't write {self.at}: {error.strerror or error}") from error

    def output(self, beside: Callable[[int], None]) -> AbstractContextManager[BinaryIO]:
        """Open a stream to write to; what goes beside it comes first, then the file gets its name."""
        return open_output(str(self.at), beside)

    def __str__(self) -> str:
        return str(self.at)


@dataclass(frozen=True, slots=True)
class StorePlace(Place):
    """An object in a store."""

    address: Address
    replace: bool = False
    """Whether an object that is there may be replaced."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.address.name

    @property
    def path(self) -> Path | None:
        """Where it is on this machine, if its address is that of a file."""
        return Path(self.address.path) if self.address.scheme in {"file", "local"} else None

    def sibling(self, name: str) -> StorePlace:
        """The place of an object beside it."""
        return StorePlace(self.address.parent.join(name), self.replace)

    def exists(self) -> bool:
        """Whether there is something."""
        return exists(self.address)

    def read(self) -> bytes | None:
        """Read a small object; None if there is none."""
        try:
            return read(self.address)
        except MissingError:
            return None

    def write(self, data: bytes) -> None:
        """Write a small object as a whole."""
        write(self.address, data)

    @contextmanager
    def output(self, beside: Callable[[int], None]) -> Iterator[BinaryIO]:
        """Open a stream to write to; the object appears when it is complete, then what goes beside it.

        In this order no other writer's object gets what was written for this one.
        """
        with begin_upload(self.address) as upload:
            with _stream(upload, self.name) as stream:
                yield stream
            try:
                upload.commit(replace=self.replace)
            except TakenError as error:
                raise UsageError(str(error)) from error
            beside(upload.size)

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder on disk."""

    at: Path

    @property
    def place(self) -> DiskPlace:
        """The folder, as what has files beside it."""
        return DiskPlace(self.at)

    def names(self) -> list[str]:
        """Names of all that is in it, sorted; what a killed process has left half-done is undone first."""
        clear_leftovers(self.at.resolve())
        return sorted(path.name for path in self.at.iterdir()) if self.at.is_dir() else []

    @contextmanager
    def filling(self) -> Iterator[Filling]:
        """Fill it under another name; it gets its own when it is complete."""
        with new_folder(self.at.resolve()) as draft:
            yield _DiskFilling(draft, card_of(self.place))


@dataclass(slots=True)
class _DiskFilling:
    draft: Path
    card: Place
    size: int = 0

    @contextmanager
    def output(self, name: str) -> Iterator[BinaryIO]:
        with open_output(str(self.draft / name)) as stream:
            yield stream
        self.size += (self.draft / name).stat().st_size

    def describe(self, card: bytes) -> None:
        self.card.write(card)


@dataclass(frozen=True, slots=True)
class StoreFolder:
    """Objects in a store whose names begin alike, with a card beside them that says that they are complete."""

    address: Address
    replace: bool = False
    """Whether objects that are there may be replaced."""

    @property
    def place(self) -> StorePlace:
        """The folder, as what has files beside it."""
        return StorePlace(self.address, self.replace)

    def names(self) -> list[str]:
        """Names of all that is in it, sorted; none of what a killed process was about to put there."""
        card = card_of(self.place).read()
        return [] if card is not None and is_unfinished(card) else sorted(sizes(self.address))

    @contextmanager
    def filling(self) -> Iterator[Filling]:
        """Send files to the store, where nobody sees them, and make objects of them when all are complete.

        A store can't do that in one step. So the card says meanwhile that the folder is not finished, and comes last.
        """
        with ExitStack() as stack:
            yield (filling := _StoreFilling(self, stack))
            filling.commit()


class _StoreFilling:
    def __init__(self, folder: StoreFolder, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._uploads: list[Upload] = []
        self._card = b""

    @property
    def size(self) -> int:
        return sum(upload.size for upload in self._uploads)

    @contextmanager
    def output(self, name: str) -> Iterator[BinaryIO]:
        upload = self._stack.enter_context(begin_upload(self._folder.address.join(name)))
        with _stream(upload, name) as stream:
            yield stream
        upload.hold()
        self._uploads.append(upload)

    def describe(self, card: bytes) -> None:
        self._card = card

    def commit(self) -> None:
        """Make objects of all files, between two cards."""
        address, card = self._folder.address, card_of(self._folder.place)
        unfinished = f'[export]\nfolder = "{self._folder.place.name}"\n{UNFINISHED} = true\n'.encode()
        assert isinstance(card, StorePlace)
        if self._folder.replace or card.exists():  # that of a killed export, as others were refused
            card.write(unfinished)
        else:
            try:
                create(card.address, unfinished)
            except TakenError as error:
                raise UsageError(str(error)) from error
        for upload in self._uploads:
            upload.commit(replace=True)
        written = {upload.address.name for upload in self._uploads}
        remove(address.join(name) for name in sizes(address) if _NUMBERED.fullmatch(name) and name not in written)
        card.write(self._card)


def card_of(place: Place) -> Place:
    """The place of `FILE.toml`, which says what is in a file or folder."""
    return place.sibling(f"{place.name}.toml")


def is_unfinished(card: bytes) -> bool:
    """Whether a card is that of a folder in a store whose files are only about to appear."""
    return f"\n{UNFINISHED} = true\n".encode() in card


def foreign(names: Sequence[str]) -> list[str]:
    """Choose the names that are not of files that a folder is filled with."""
    return [name for name in names if not _NUMBERED.fullmatch(name)]


@contextmanager
def _stream(upload: Upload, name: str) -> Iterator[BinaryIO]:
    """Write to an upload, compressed by the end of its name."""
    with io.BufferedWriter(UploadStream(upload), 1 << 20) as file, compressed(file, name) as stream:
        yield stream
