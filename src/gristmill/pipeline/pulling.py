"""Pull: bring a corpus, or some of its shards, back from its mirror in an object store.

What comes from a store is a stranger's until the user says otherwise: paths on the list stay within the folder, nothing
that the corpus names is run or read, and every file is what the list says. `corpus.toml` comes last: until then there
is no corpus in the folder.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import xxhash

from gristmill import consent
from gristmill.arguments import as_path, as_texts
from gristmill.corpus import Manifest
from gristmill.corpus.digests import digest_of
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.corpus.mirror import Mirror, MirroredFile, local_path, shard_of
from gristmill.corpus.tally import Tally, tally
from gristmill.drafts import commit
from gristmill.engine import Engine, Report
from gristmill.errors import GristmillError, UsageError
from gristmill.locks import LOCK
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.pushing import mirror_address, part_of
from gristmill.progress import Progress
from gristmill.shards import TOKENS, write_atomically
from gristmill.stages import CURRENT, MISSING, State, TaskStage, over_shards, running
from gristmill.stores.address import Address
from gristmill.stores.errors import MissingError
from gristmill.stores.objects import read
from gristmill.stores.transfer import download_file

PARTS = ("documents", "tokens", "report", "index", "ngrams", "pages", "other")
"""What a corpus consists of, for `only`; `documents` are always brought, as nothing is of use without them."""
_STAGING = ".pull"
"""The folder within that of a corpus in which files are that have not come in full."""
_NOTE = "pull.json"
"""The file in it that says what is being pulled."""
_FOLDERS = {
    "index": "index",
    "sketches": "index",
    "ranked": "index",
    "ngrams": "ngrams",
    "pages": "pages",
    "fetched": "pages",
}
_FILES = {TOKENS: "tokens", "figures.arrays": "report", "report.html": "report"}
_OF_ALL_SHARDS = ("index", "ngrams", "pages")
"""What is of a corpus as a whole, and is not brought with some of its shards."""
_AT_ONCE = 4
"""Files that a task downloads at the same time."""


def pull(
    address: str,
    output: str | os.PathLike[str],
    *,
    shards: str | Sequence[str | int] | None = None,
    only: str | Sequence[str] | None = None,
    force: bool = False,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
) -> Corpus:
    """Bring a corpus from its mirror, such as `s3://bucket/corpus`, to the folder `output`.

    `shards` are some of them, such as `"0-9,12"`: then it becomes a corpus of these, whose counts are of these. `only`
    leaves out parts that can be made again, such as the index: `"documents,tokens"`. What was interrupted goes on with
    the same call. A corpus that is there is changed only by `force`, and only if it is an older state of the same one.
    Nothing that the corpus names is trusted by pulling it. Raises if it was never complete and has to be built on.
    """
    folder = bring(
        address, output, shards=shards, only=only, force=force, workers=workers, engine=engine, progress=progress
    ).folder
    return Corpus(folder)


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull did."""

    folder: Path
    edition: int
    files: int
    bytes: int
    shards: int
    part_of: int | None
    """The number of shards of the whole corpus, if it is a part of one."""
    complete: bool
    """Whether it is a complete corpus, and not one whose build has to go on."""


def bring(
    address: str,
    output: str | os.PathLike[str],
    *,
    shards: str | Sequence[str | int] | None = None,
    only: str | Sequence[str] | None = None,
    force: bool = False,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
) -> Pulled:
    """Do what `pull` says, and tell what was brought."""
    folder, parts = as_path(output, "output"), _parts(only)
    mirror = Mirror.existing(mirror_address(address))
    if MANIFEST not in mirror.files:
        raise GristmillError(f"{mirror.address} holds no corpus (no {MANIFEST} on its list): publish it again")
    names = None if shards is None else _numbers(shards, mirror)
    wanted = {path: file for path, file in mirror.files.items() if path != MANIFEST and _is_wanted(path, names, parts)}
    note = {"address": str(mirror.address), "shards": names and sorted(names), "parts": sorted(parts)}
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give a folder with -o")
    manifest = Manifest.parse(folder, _read(mirror, MANIFEST))
    if {entry.name: entry.fingerprint for entry in manifest.entries} != dict(mirror.shards):
        raise GristmillError(f"{mirror.address} is damaged: its list is not of its {MANIFEST}, so publish it again")
    check_links(folder)
    pulled = Pulled(
        folder,
        mirror.edition,
        len(wanted) + 1,
        sum(file.bytes for file in wanted.values()) + mirror.files[MANIFEST].bytes,
        len(manifest.entries) if names is None else len(names),
        manifest.part_of if names is None or len(names) == len(manifest.entries) else len(manifest.entries),
        manifest.finished,
    )
    if names is None and all(_is_there(folder, file) for file in (mirror.files[MANIFEST], *wanted.values())):
        return pulled
    _check_place(folder, mirror, note, force=force)
    _check_space(folder, wanted.values())
    with running(folder, workers, engine, progress) as runner:
        _begin(folder, note)
        runner.run(Pulling(folder, mirror.address, wanted))
        # From here on nothing has to be fetched: a kill leaves little to be done again.
        if names is None:
            write_atomically(folder / MANIFEST, _read(mirror, MANIFEST))
        else:
            manifest.choose(names)
            total = Tally()
            for counted in over_shards(runner, "counting", manifest.shards, tally):
                total.add(counted)
            manifest.finish(total, {})
        shutil.rmtree(folder / _STAGING)
    return pulled


class Pulling(TaskStage):
    """Downloads what a folder lacks of a corpus: a task for each shard, and for each other folder."""

    name = "pull"
    doing = "downloading"
    unit = "part"
    small_work = 4_000_000  # bytes

    def __init__(self, folder: Path, address: Address, files: dict[str, MirroredFile]) -> None:
        """Take the files that are wanted, by their paths."""
        self._folder, self._address = folder, address
        self._parts: dict[str, list[MirroredFile]] = defaultdict(list)
        for path, file in files.items():
            self._parts[part_of(path)].append(file)

    def units(self) -> Sequence[str]:
        """Name the parts of the corpus."""
        return list(self._parts)

    def state(self, unit: str) -> State:
        """Tell whether a part may be there; its task looks whether it is what it should be."""
        return MISSING if self._parts[unit] else CURRENT

    def task(self, unit: str) -> DownloadTask:
        """Make the task that downloads a part."""
        return DownloadTask(self._folder, self._address, unit, tuple(self._parts[unit]))


@dataclass(frozen=True, slots=True)
class DownloadTask:
    """Downloads the files of a part that are not there, or are not what they should be."""

    folder: Path
    address: Address
    part: str
    files: tuple[MirroredFile, ...]

    @property
    def name(self) -> str:
        """The part of the corpus."""
        return self.part

    @property
    def cost(self) -> int:
        """Bytes to download, at most."""
        return sum(file.bytes for file in self.files)

    def run(self, report: Report) -> int:
        """Download files, some at the same time, and return how many there are."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return sum(pool.map(lambda file: self._get(file, report), self.files))

    def _get(self, file: MirroredFile, report: Report) -> int:
        target = local_path(self.folder, file.path)
        try:
            if _is_there(self.folder, file):
                report(file.bytes)
                return 1
            target.parent.mkdir(parents=True, exist_ok=True)
            # Two files of the same content, such as empty ones, must not be one draft.
            draft = self.folder / _STAGING / f"{file.hash}-{file.object.replace('/', '-')[-100:]}"
            download_file(self.address.join(file.object), draft, file.bytes, file.hash, report)
            commit(draft, target)
        except MissingError as error:
            raise _gone(file.path, self.address) from error
        except OSError as error:
            raise GristmillError(f"can't write {target}: {error.strerror or error}") from error
        return 1


def _is_there(folder: Path, file: MirroredFile) -> bool:
    """Whether a file is in the folder of a corpus, and what it should be."""
    place = local_path(folder, file.path)
    return place.is_file() and place.stat().st_size == file.bytes and digest_of(place) == file.hash


def _read(mirror: Mirror, path: str) -> bytes:
    """Read a small file of a mirror."""
    file = mirror.files[path]
    try:
        data = read(mirror.address.join(file.object))
    except MissingError as error:
        raise _gone(path, mirror.address) from error
    if len(data) != file.bytes or xxhash.xxh3_128_hexdigest(data) != file.hash:
        raise GristmillError(f"{mirror.address.join(file.object)} is damaged: publish the corpus again")
    return data


def _gone(path: str, address: Address) -> GristmillError:
    return GristmillError(
        f"{path} is not at {address} any more: it was published anew meanwhile, so run the same command again"
    )


def _parts(only: str | Sequence[str] | None) -> frozenset[str]:
    """Read which parts are wanted."""
    if only is None:
        return frozenset(PARTS)
    given = {name.strip() for text in as_texts(only, "only") for name in text.split(",") if name.strip()}
    unknown = sorted(given - set(PARTS))
    if unknown or not given:
        raise UsageError(f"--only takes some of {', '.join(PARTS)}, not {', '.join(unknown) or 'nothing'}")
    return frozenset({*given, PARTS[0]})


def _numbers(shards: str | Sequence[str | int], mirror: Mirror) -> frozenset[str]:
    """Read which shards are wanted: `0-9,12`."""
    if not mirror.complete:
        raise UsageError(f"the corpus at {mirror.address} is not complete: pull all of it, and finish it")
    given = [shards] if isinstance(shards, str) else list(shards)
    numbered = {int(name): name for name in mirror.shards}
    found: set[str] = set()
    for item in (piece.strip() for text in given for piece in str(text).split(",") if piece.strip()):
        first, dash, last = item.partition("-")
        if not (first.isdecimal() and first.isascii() and (not dash or (last.isdecimal() and last.isascii()))):
            raise UsageError(f"--shards takes numbers and ranges, such as 0-9,12, not {item!r}")
        chosen = [name for number, name in numbered.items() if int(first) <= number <= int(last or first)]
        if not chosen or (not dash and len(chosen) != 1) or int(last or first) > max(numbered):
            names = sorted(mirror.shards)
            raise UsageError(
                f"there is no shard {item} at {mirror.address}: it has {names[0]} to {names[-1]}"
                if names
                else f"the corpus at {mirror.address} has no shards"
            )
        found.update(chosen)
    if not found:
        raise UsageError("--shards takes numbers and ranges, such as 0-9,12")
    return frozenset(found)


def _is_wanted(path: str, shards: Collection[str] | None, parts: Collection[str]) -> bool:
    """Whether a file is of the shards and parts that are wanted."""
    part, shard = _part(path), shard_of(path)
    if part not in parts:
        return False
    if shards is None:
        return True
    if shard:
        return shard in shards
    return part == "other" and PurePosixPath(path).parts[0] != "watches"


def _part(path: str) -> str:
    """The part, of `PARTS`, that a file belongs to."""
    names = PurePosixPath(path).parts
    if shard_of(path):
        return _FILES.get(names[-1], "documents")
    if len(names) == 1:
        return "pages" if ".sqlite" in names[0] else _FILES.get(names[0], "other")
    return _FOLDERS.get(names[0], "other")


def _check_place(folder: Path, mirror: Mirror, note: dict[str, Any], *, force: bool) -> None:
    """Raise if there is something in the folder that is not to be replaced."""
    begun = folder / _STAGING / _NOTE
    if begun.is_file():
        if json.loads(begun.read_bytes()) != note:
            raise UsageError(
                f"another pull to {folder} was interrupted: finish it with the same command, or delete the folder"
            )
    elif (folder / MANIFEST).exists():
        there = Manifest.read(folder)
        if not force:
            raise UsageError(
                f"{folder} holds a corpus: give another folder with -o, "
                "or --force (in Python, force=True) to bring it up to date with its mirror"
            )
        known = {entry.name: entry.fingerprint for entry in there.entries}
        if any(mirror.shards.get(name) != fingerprint for name, fingerprint in known.items()):
            raise UsageError(f"{folder} holds another corpus than {mirror.address}: give another folder with -o")
    elif folder.is_dir() and any(entry.name != LOCK for entry in folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no corpus: give a new folder with -o")


def _check_space(folder: Path, files: Collection[MirroredFile]) -> None:
    """Raise if there is not enough space for what has to come."""
    missing = sum(file.bytes for file in files if not local_path(folder, file.path).is_file())
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free
    if missing > free:
        raise GristmillError(
            f"there is not enough space for the corpus in {place}: it needs {missing / 1e6:,.1f} MB, "
            f"and {free / 1e6:,.1f} MB are free; --only documents leaves out what can be made again"
        )


def _begin(folder: Path, note: dict[str, Any]) -> None:
    """Write down what is pulled, and that there is no corpus until it is done."""
    try:
        (folder / _STAGING).mkdir(exist_ok=True)
        write_atomically(folder / _STAGING / _NOTE, json.dumps(note).encode())
        (folder / MANIFEST).unlink(missing_ok=True)
    except OSError as error:
        raise GristmillError(f"can't write to {folder}: {error.strerror or error}") from error
    consent.forget_inside(folder)  # what was allowed is not what comes now
