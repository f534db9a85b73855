"""A mirror: a corpus in an object store, and the list of what it consists of.

    s3://bucket/corpus/mirror/00000003.json                              the list, in its third edition
    s3://bucket/corpus/shards/00000/documents.1-6bd1c07f5bd29a6e.parquet an object of the first edition

An object is never changed. Its name is the path of the file with the edition that it came with and a hash of what it
holds, before the suffix. What a corpus consists of is the list with the highest number, and nothing else: it is created
when all objects are there, by a request that fails if there is one of that number. So a mirror is always whole, and of
two who write at the same time one fails and says so.

What is safe to remove follows from the names. Who makes edition 4 uses objects that are on list 3, and objects of
edition 4, and no others. Objects of editions up to 3 that are not on list 3 are of no use to anybody.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from gristmill.corpus.entry import ShardEntry
from gristmill.errors import GristmillError, UsageError
from gristmill.locks import WINDOWS
from gristmill.shapes import check_format, misfit
from gristmill.shards import SHARD_NAME, SHARDS
from gristmill.stores.address import Address
from gristmill.stores.errors import MissingError
from gristmill.stores.objects import TakenError, check_exclusive, create, read, remove, sizes, write
from gristmill.stores.uploading import abort_uploads

FORMAT = 1
_LISTS = "mirror"
"""The folder of the lists."""
_LIST = re.compile(r"mirror/(\d{8})\.json")
_PROBE = "exclusive"
_OLD = b'{"superseded": true}\n'
"""What is left of a list when there is a newer one: its number stays taken."""
_OBJECT = re.compile(r"(?:.*/)?[^/]*\.(\d+)-[0-9a-f]{16}(?:\.[^./]*)?")
_MAX_ATTEMPTS = 5
_HASH = re.compile(r"[0-9a-f]{32}")
_WORK = "dedup"
"""The folder of a corpus in which de-duplication has what it needs meanwhile."""
_PASSING = (".tmp", ".lock", "-shm")
"""Ends of names of files that are there only while a command runs."""
_DRIVE = re.compile(r"[A-Za-z]:")
_ODD_ON_WINDOWS = re.compile(r'[:*?"<>|]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)', re.IGNORECASE)
"""Names that can't be those of files on Windows, or stand for devices."""
_SHAPE = {
    "mirror": int,
    "edition": int,
    "complete": bool,
    "shards": {str: str},
    "files": [{"path": str, "object": str, "bytes": int, "hash": str}],
}


@dataclass(frozen=True, slots=True)
class MirroredFile:
    """A file of a corpus, and the object that holds it."""

    path: str
    """Where it is in the corpus, with slashes."""
    object: str
    """The name of the object, as it goes on behind the address of the mirror."""
    bytes: int
    hash: str
    """The xxh3_128 of its content."""

    @classmethod
    def of(cls, path: str, size: int, digest: str, edition: int) -> MirroredFile:
        """Name the object of a file that comes with an edition."""
        place = PurePosixPath(path)
        name = f"{place.stem}.{edition}-{digest[:16]}{place.suffix}"
        return cls(path, str(place.with_name(name)), size, digest)

    def to_table(self) -> dict[str, Any]:
        """Return the entry as it is written."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True)
class Mirror:
    """What a mirror consists of, by its newest list."""

    address: Address
    edition: int = 0
    """The number of the list; 0 if there is none yet."""
    files: Mapping[str, MirroredFile] = field(default_factory=dict)
    """All files, by their paths."""
    shards: Mapping[str, str] = field(default_factory=dict)
    """The names of the shards, and hashes of what their sources hold."""
    complete: bool = True
    """Whether the corpus was complete, and no build or addition was under way."""

    @classmethod
    def open(cls, address: Address) -> Mirror:
        """Read the newest list of a mirror; it is empty if there is none."""
        for _ in range(_MAX_ATTEMPTS):
            edition = max(_editions(address), default=0)
            if not edition:
                return cls(address)
            try:
                data = read(_list(address, edition))
            except MissingError:
                continue
            if data != _OLD:  # or there is a newer one since it was looked for
                return cls._parse(address, edition, data)
        raise GristmillError(f"{address} changes all the time: wait until others have written it, and try again")

    @classmethod
    def existing(cls, address: Address) -> Mirror:
        """Read the newest list of a mirror that must be there."""
        found = cls.open(address)
        if not found.edition:
            raise UsageError(
                f"there is no corpus at {address} (no {_LISTS}/*.json): "
                "give the address that `gristmill push` or --mirror was given"
            )
        return found

    @classmethod
    def _parse(cls, address: Address, edition: int, data: bytes) -> Mirror:
        name = _list(address, edition)
        try:
            table = json.loads(data)
        except ValueError as error:
            raise GristmillError(f"{name} is damaged (it is no JSON): publish the corpus again") from error
        if isinstance(table, dict) and isinstance(table.get("mirror"), int):
            check_format(table["mirror"], FORMAT, f"the mirror at {address}", "push the corpus to a new address")
        fault = misfit(table, _SHAPE, _LISTS)
        if not fault:
            files = [MirroredFile(**{key: entry[key] for key in MirroredFile.__slots__}) for entry in table["files"]]
            fault = _wrong_files(files) or _wrong_shards(table["shards"])
        if fault:
            raise GristmillError(f"{name} is damaged ({fault}): publish the corpus again")
        return cls(address, edition, {file.path: file for file in files}, table["shards"], table["complete"])

    def to_json(self) -> bytes:
        """Write the list: a line for what is known of all, and one for each file."""
        about = {"mirror": FORMAT, "edition": self.edition, "complete": self.complete, "shards": dict(self.shards)}
        files = ",\n".join(json.dumps(file.to_table()) for file in self.files.values())
        return f'{json.dumps(about)[:-1]}, "files": [\n{files}\n]}}\n'.encode()

    def check_guarded(self) -> None:
        """Raise if the store does not keep two writers apart."""
        check_exclusive(self.address.join(_LISTS, _PROBE))

    def objects(self) -> dict[str, int]:
        """List all objects of the mirror with their sizes, on its list or not."""
        return {name: size for name, size in sizes(self.address).items() if _OBJECT.fullmatch(name)}

    def check_same(self, entries: Iterable[ShardEntry], what: str) -> None:
        """Raise if the mirror holds another corpus, or shards that this one lacks."""
        given = {entry.name: entry.fingerprint for entry in entries}
        differ = [name for name in self.shards if given.get(name, self.shards[name]) != self.shards[name]]
        if differ or (self.shards and given and not given.keys() & self.shards.keys()):
            raise UsageError(
                f"{self.address} holds another corpus than {what}"
                f"{f' (shard {differ[0]} is of other sources)' if differ else ''}: give another address"
            )
        lacking = sorted(self.shards.keys() - given.keys())
        if lacking:
            raise UsageError(
                f"{self.address} has shards that {what} has not ({lacking[0]}"
                f"{f' and {len(lacking) - 1:,} more' if len(lacking) > 1 else ''}): give another address"
            )

    def commit(
        self, files: Iterable[MirroredFile], shards: Iterable[ShardEntry], *, complete: bool, unguarded: bool = False
    ) -> Mirror:
        """Create the list that follows this one; raises if another writer has done so meanwhile."""
        ordered = sorted(files, key=lambda file: file.path)
        new = Mirror(
            self.address,
            self.edition + 1,
            {file.path: file for file in ordered},
            {entry.name: entry.fingerprint for entry in shards},
            complete,
        )
        try:
            (write if unguarded else create)(_list(self.address, new.edition), new.to_json())
        except TakenError as error:
            raise GristmillError(
                f"another command has written to {self.address} meanwhile, and what it wrote stays: "
                "run the same command again to publish this corpus after it"
            ) from error
        return new

    def clear(self) -> None:
        """Remove objects of this edition and older ones that are not on its list, and what is left of uploads."""
        wanted = {file.object for file in self.files.values()}
        there = sizes(self.address)
        remove(self.address.join(name) for name in there if name not in wanted and self._is_old(name))
        for name, size in there.items():
            found = _LIST.fullmatch(name)
            if found and int(found[1]) < self.edition and size > len(_OLD):
                write(_list(self.address, int(found[1])), _OLD)
        abort_uploads(self.address, self._is_old)

    def _is_old(self, name: str) -> bool:
        found = _OBJECT.fullmatch(name)
        return found is not None and int(found[1]) <= self.edition


def is_own(path: str) -> bool:
    """Whether a file in the folder of a corpus is part of it, and not a lock or a temporary file."""
    names = PurePosixPath(path).parts
    return names[0] != _WORK and not any(name.startswith(".") or name.endswith(_PASSING) for name in names)


def files_in(folder: Path) -> list[str]:
    """List the files of the corpus in a folder, sorted; raises if one can't be in a mirror."""
    found: list[str] = []
    seen: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(root)
        folders[:] = [] if real in seen else folders  # a link that leads to where it is in has no end
        seen.add(real)
        found += [Path(root, name).relative_to(folder).as_posix() for name in names]
    own = sorted(filter(is_own, found))
    odd = [path for path in own if not is_inside(path)]
    if odd:
        raise UsageError(f"{odd[0]!r} in {folder} has a name that can't be in a mirror: rename it")
    return own


def shard_of(path: str) -> str:
    """The name of the shard that a file belongs to; empty if to none."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 and parts[0] == SHARDS else ""


def _editions(address: Address) -> list[int]:
    """The numbers of the lists that there are."""
    names = (f"{_LISTS}/{name}" for name in sizes(address.join(_LISTS)))
    return [int(found[1]) for found in map(_LIST.fullmatch, names) if found]


def _list(address: Address, edition: int) -> Address:
    return address.join(_LISTS, f"{edition:08d}.json")


def _wrong_files(files: Iterable[MirroredFile]) -> str:
    """Say what is wrong with a list from elsewhere; paths may lead out of the folder that they are brought to."""
    seen: set[str] = set()
    for file in files:
        for name in (file.path, file.object):
            if not is_inside(name):
                return f"{name!r} can't be a file of a corpus"
        if not is_own(file.path) or file.bytes < 0 or not _HASH.fullmatch(file.hash):
            return f"{file.path!r} can't be a file of a corpus"
        if file.path.lower() in seen:
            return f"{file.path!r} is on it twice"
        seen.add(file.path.lower())
    folders = {str(parent).lower() for file in seen for parent in PurePosixPath(file).parents}
    both = seen & folders
    return f"{min(both)!r} is a file and a folder" if both else ""


def is_inside(name: str) -> bool:
    """Whether a path stays within the folder that it begins in."""
    parts = name.split("/")
    if "\\" in name or not name.isprintable() or _DRIVE.match(name) or any(part in {"", ".", ".."} for part in parts):
        return False
    return not WINDOWS or not any(_ODD_ON_WINDOWS.search(part) for part in parts)


def _wrong_shards(shards: Mapping[str, str]) -> str:
    wrong = [name for name in shards if not SHARD_NAME.fullmatch(name)]
    return f"{wrong[0]!r} can't be the name of a shard" if wrong else ""


def local_path(folder: Path, path: str) -> Path:
    """Where a file of a mirror goes in the folder of a corpus."""
    return folder.joinpath(*PurePosixPath(path).parts)
