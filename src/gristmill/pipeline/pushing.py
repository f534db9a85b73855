"""Push: bring the mirror of a corpus in an object store up to date. See `gristmill.corpus.mirror`."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from gristmill.arguments import check_type, is_address
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.digests import Digests, Stamp, digest_of, now, size_of, stamp_of
from gristmill.corpus.links import check_links
from gristmill.corpus.mirror import Mirror, MirroredFile, files_in, local_path
from gristmill.engine import Engine, Report
from gristmill.engine.task import Task
from gristmill.errors import GristmillError, UsageError
from gristmill.progress import Progress
from gristmill.shards import SHARDS
from gristmill.stages import CURRENT, MISSING, Runner, State, TaskStage, running
from gristmill.stores.address import Address
from gristmill.stores.errors import StoreError
from gristmill.stores.transfer import upload_file
from gristmill.stores.uploading import PART_BYTES

_AT_ONCE = 4
"""Small files that a task transfers at the same time."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did."""

    mirror: Mirror
    """The mirror as it is now."""
    files: int
    """The number of files of the corpus."""
    bytes: int
    sent: int
    """The number of files that were not in the mirror before."""
    sent_bytes: int
    removed: int
    """The number of files that the mirror had before, and the corpus has not."""


def push(
    corpus: str | os.PathLike[str],
    address: str,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
    unguarded: bool = False,
) -> Pushed:
    """Bring the mirror of a corpus at an address, such as `s3://bucket/corpus`, up to date with it.

    Only files that are new or have changed are uploaded. The mirror changes in one step, at the end; what was
    interrupted goes on with the same call. If another push comes first, this one raises, and changes nothing.
    `unguarded` allows stores that can't keep two writers apart, for those who know that they are alone.
    """
    folder = folder_of(corpus)
    Manifest.read(folder)  # raises if there is no corpus
    mirror = open_mirror(address, unguarded=unguarded)
    check_links(folder)
    with running(folder, workers, engine, progress) as runner:
        return publish(folder, mirror, runner, unguarded=unguarded)


def open_mirror(address: str, *, unguarded: bool = False) -> Mirror:
    """Open the mirror at an address to write to it; raises if that can't be done."""
    mirror = Mirror.open(mirror_address(address))
    if not unguarded:
        mirror.check_guarded()
    return mirror


def mirror_address(given: str) -> Address:
    """Read the address of a mirror; raises `UsageError` if it can't be one."""
    check_type(given, str, "address", "the address of a mirror as text, such as s3://bucket/corpus")
    if not is_address(given):
        raise UsageError(f"{given!r} is no address in a store: give one such as s3://bucket/corpus")
    address = Address.parse(given.rstrip("/"))
    if address.is_web:
        raise UsageError(f"{address} is that of a web server: give one in a store, such as s3://bucket/corpus")
    return address


def publish(folder: Path, mirror: Mirror, runner: Runner, *, unguarded: bool = False) -> Pushed:
    """Bring a mirror up to date with the corpus in a folder that is locked."""
    manifest = Manifest.read(folder)
    mirror.check_same(manifest.entries, f"the one in {folder}")
    pushed: Pushed = runner.run(Pushing(folder, mirror, manifest, unguarded=unguarded))
    return pushed


def checkpoint(folder: Path, mirror: Mirror, runner: Runner) -> Mirror:
    """Bring a mirror up to date in the middle of a build, and give it as it is then.

    If that fails, it is left to the end of the build, which says why.
    """
    try:
        return publish(folder, mirror, runner).mirror
    except GristmillError as error:
        _log.warning("the mirror is not brought up to date yet: %s", error)
        return mirror


class Pushing(TaskStage):
    """Uploads what a mirror lacks: a task for each shard, and for each other folder of a corpus."""

    name = "push"
    doing = "uploading"
    unit = "part"
    small_work = 4_000_000  # bytes

    def __init__(self, folder: Path, mirror: Mirror, manifest: Manifest, *, unguarded: bool = False) -> None:
        """Look at what there is on both sides."""
        self._folder, self._mirror, self._manifest, self._unguarded = folder, mirror, manifest, unguarded
        self._digests, self._begun = Digests(folder), now()
        self._parts: dict[str, list[str]] = defaultdict(list)
        for path in files_in(folder):
            self._parts[part_of(path)].append(path)
        self._current: dict[str, list[Sent]] = {}
        self._objects: dict[str, dict[str, int]] | None = None

    def units(self) -> Sequence[str]:
        """Name the parts of the corpus: its shards, and its other folders."""
        return list(self._parts)

    def state(self, unit: str) -> State:
        """Tell whether the files of a part are in the mirror, by hashes that are known from before."""
        found = []
        for path in self._parts[unit]:
            stamp = stamp_of(local_path(self._folder, path))
            entry = self._mirror.files.get(path)
            if entry is None or entry.bytes != size_of(stamp) or self._digests.known(path, stamp) != entry.hash:
                return MISSING
            found.append(Sent(entry, stamp))
        self._current[unit] = found
        return CURRENT

    def task(self, unit: str) -> UploadTask:
        """Make the task that uploads a part."""
        paths = self._parts[unit]
        stamps = {path: stamp_of(local_path(self._folder, path)) for path in paths}
        known = {path: self._digests.known(path, stamp) for path, stamp in stamps.items()}
        old = {path: self._mirror.files[path] for path in paths if path in self._mirror.files}
        there = {name: size for place in {_parent(path) for path in paths} for name, size in self._there(place).items()}
        size = sum(map(size_of, stamps.values()))
        return UploadTask(
            self._folder, self._mirror.address, self._mirror.edition + 1, unit, tuple(paths), known, old, there, size
        )

    def _there(self, place: str) -> dict[str, int]:
        """The objects in a folder of the mirror, on its list or not: some may be of a push that was interrupted."""
        if self._objects is None:
            self._objects = defaultdict(dict)
            for name, size in self._mirror.objects().items():
                self._objects[_parent(name)][name] = size
        return self._objects.get(place, {})

    def finish(self, results: Sequence[Any]) -> Pushed:
        """Put the new list in place, if something has changed, and remove what is not needed any more."""
        sent = [
            *(item for items in self._current.values() for item in items),
            *(item for part in results for item in part),
        ]
        self._check_unchanged(sent)
        files = {item.file.path: item.file for item in sent}
        manifest, mirror = self._manifest, self._mirror
        shards = {entry.name: entry.fingerprint for entry in manifest.entries}
        if (files, shards, manifest.finished) != (dict(mirror.files), dict(mirror.shards), mirror.complete):
            self._check_there(files)
            mirror = mirror.commit(
                files.values(), manifest.entries, complete=manifest.finished, unguarded=self._unguarded
            )
            mirror.clear()
        self._digests.remember({item.file.path: (item.stamp, item.file.hash) for item in sent}, self._begun)
        new = [item.file for item in sent if item.uploaded]
        return Pushed(
            mirror,
            len(files),
            sum(file.bytes for file in files.values()),
            len(new),
            sum(file.bytes for file in new),
            len(self._mirror.files.keys() - files.keys()),
        )

    def _check_unchanged(self, sent: Sequence[Sent]) -> None:
        """Raise if a file has changed since it was hashed: then it may not fit the others."""
        if sorted(item.file.path for item in sent) != files_in(self._folder):
            raise GristmillError(f"files came to {self._folder}, or went, meanwhile: run the same command again")
        for item in sent:
            if stamp_of(local_path(self._folder, item.file.path)) != item.stamp:
                raise GristmillError(
                    f"{local_path(self._folder, item.file.path)} was changed meanwhile: run the same command again"
                )

    def _check_there(self, files: Mapping[str, MirroredFile]) -> None:
        """Raise if an object is not in the store, with its size: then no list may name it."""
        there = self._mirror.objects()
        for file in files.values():
            if there.get(file.object) != file.bytes:
                raise StoreError(
                    f"{self._mirror.address.join(file.object)} is gone, or not as it was sent: "
                    "another command may be writing there; run the same command again"
                )


@dataclass(frozen=True, slots=True)
class Sent:
    """A file that is in the mirror now."""

    file: MirroredFile
    stamp: Stamp
    uploaded: bool = False


@dataclass(frozen=True, slots=True)
class UploadTask:
    """Hashes the files of a part, and uploads those that are not in the mirror."""

    folder: Path
    address: Address
    edition: int
    """The edition of the mirror that they come with."""
    part: str
    paths: tuple[str, ...]
    known: Mapping[str, str]
    """Hashes of files that are known from before."""
    old: Mapping[str, MirroredFile]
    """What the mirror has of these files."""
    there: Mapping[str, int]
    """Objects that are in the store already, with their sizes."""
    size: int

    @property
    def name(self) -> str:
        """The part of the corpus."""
        return self.part

    @property
    def cost(self) -> int:
        """Bytes to upload, at most."""
        return self.size

    def run(self, report: Report) -> list[Sent]:
        """Upload files: small ones at the same time, large ones one after the other."""
        large = [path for path in self.paths if local_path(self.folder, path).stat().st_size > PART_BYTES]
        small = [path for path in self.paths if path not in set(large)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            done = list(pool.map(lambda path: self._send(path, report), small))
        return done + [self._send(path, report) for path in large]

    def _send(self, path: str, report: Report) -> Sent:
        place = local_path(self.folder, path)
        stamp = stamp_of(place)
        digest = self.known.get(path) or digest_of(place)
        old = self.old.get(path)
        if old is not None and (old.bytes, old.hash) == (size_of(stamp), digest):
            report(old.bytes)
            return Sent(old, stamp)
        file = MirroredFile.of(path, size_of(stamp), digest, self.edition)
        if self.there.get(file.object) == file.bytes:
            report(file.bytes)
        else:
            upload_file(place, self.address.join(file.object), digest, report)
        return Sent(file, stamp, uploaded=True)


@dataclass(frozen=True, slots=True)
class ThenUpload:
    """A task of a shard whose files are uploaded as soon as it is done."""

    task: Task
    folder: Path
    address: Address
    edition: int
    shard: str

    @classmethod
    def of(cls, task: Task, folder: Path, mirror: Mirror, shard: str) -> ThenUpload:
        """Make the task whose shard goes to the next edition of a mirror."""
        return cls(task, folder, mirror.address, mirror.edition + 1, shard)

    @property
    def name(self) -> str:
        """The name of the task."""
        return self.task.name

    @property
    def cost(self) -> int:
        """The cost of the task."""
        return self.task.cost

    def run(self, report: Report) -> Any:
        """Do the task, and upload; if the store can't be reached, that is left to the end of the command."""
        result = self.task.run(report)
        part = f"{SHARDS}/{self.shard}"
        paths = tuple(f"{part}/{path}" for path in files_in(self.folder / part))
        try:
            UploadTask(self.folder, self.address, self.edition, part, paths, {}, {}, {}, 0).run(lambda _: None)
        except StoreError as error:
            _log.warning("%s is not uploaded yet: %s", part, error)
        return result


def part_of(path: str) -> str:
    """The part of a corpus that a file belongs to: a shard, a segment of the index, a folder, or the files in none."""
    parts = PurePosixPath(path).parts
    depth = {SHARDS: 2, "index": 3}.get(parts[0], 1)
    return "/".join(parts[: min(depth, len(parts) - 1)]) or "."


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
