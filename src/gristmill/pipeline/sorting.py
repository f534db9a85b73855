"""Sort archives by site: all records of a site stand together then, in their order, in one archive.

Baisa, Web Content Cleaning (2009), section 2.1 (`sorting.py`): what is needed for cleaning are the pages of one site,
and archives have them in arbitrary order. His program makes an ARC file for each site, in folders that are named by the
first and the last character of the third-level domain (`abc.co.uk` in `ac/`): `file_per_site` does so. Otherwise
archives are filled up to a size, but no site is divided. Which addresses are of one site is said by `site_of`, as for
cleaning; his rule, to leave out scheme, `www.` and path, gives the same.

It is an external sort: `sorted_runs` has its rounds. The order is by site, then that of the sources and their records.
Records that belong to no site (`warcinfo`, the header of an ARC file) come first. WARC records go to WARC files, ARC
records to ARC files. Every record is kept as it is, compressed by gzip; a broken one is counted, with the reason.

Each file is written under a temporary name and renamed. A command that was killed goes on with what is not done; the
same sources give the same bytes, with any number of workers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

import xxhash

from gristmill.archive import Skip, Source, find_sources
from gristmill.archive.allowed import allow_stores
from gristmill.archive.raw import Raw, read_raw
from gristmill.arguments import as_path
from gristmill.cleaning.site import site_of
from gristmill.drafts import Draft
from gristmill.engine import Engine, Report
from gristmill.engine.task import Task
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline.building import listed
from gristmill.pipeline.sorted_runs import Run, RunsWriter, groups_of, merge_to_file, merged, whole_file
from gristmill.progress import Progress
from gristmill.shards import write_atomically
from gristmill.stages import Round, Runner, running

LIST = ".sorted.json"
"""What was sorted, and into which archives; it comes last into place. Hidden, so that it is no source of a build."""
ARCHIVE_BYTES = 1_000_000_000
"""The size at which the next archive is begun, with the next site."""
_WORK = ".sorting"
_PLAN = "plan.json"
_LARGE_BYTES = 16_000_000
_PIECE_BYTES = 1 << 20
_MAX_NAMED_FAULTS = 100
_MAX_NAME_CHARACTERS = 150
_REPORT_BYTES = 1_000_000
_ARC_HEAD = b"1 0 gristmill\nURL IP-address Archive-date Content-type Archive-length\n"


@dataclass(slots=True)
class SortedSource:
    """What was read from a source."""

    name: str
    records: int = 0
    broken: int = 0
    faults: list[str] = field(default_factory=list)
    """What is wrong with the first broken records, with their offsets."""
    bounds: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SortedArchives:
    """The result: archives in a folder, and counts, which add up."""

    folder: Path
    archives: list[dict[str, Any]]
    """The name of each archive, and how many records and sites it has."""
    sources: list[dict[str, Any]]
    """The name of each source, how many records it has, how many are broken, and why."""
    left_out: list[str]
    """Files that are no WARC or ARC archives."""

    @property
    def records(self) -> int:
        """How many records there are."""
        return sum(archive["records"] for archive in self.archives)

    @property
    def sites(self) -> int:
        """How many sites they are of; one with WARC and ARC records counts twice."""
        return sum(archive["sites"] for archive in self.archives)

    @property
    def broken(self) -> int:
        """How many records could not be read."""
        return sum(source["broken"] for source in self.sources)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        counts = {"records": self.records, "sites": self.sites, "broken": self.broken}
        return counts | {"archives": self.archives, "sources": self.sources, "left_out": self.left_out}


def sort_archives(
    archives: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    archive_bytes: int = ARCHIVE_BYTES,
    file_per_site: bool = False,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
) -> SortedArchives:
    """Sort the records of WARC and ARC archives by site, into new archives in a folder.

    A site is in one archive, and a new one is begun when that has `archive_bytes`; or with `file_per_site`, each site
    has its own. What was interrupted goes on with the same call.
    """
    folder = as_path(output, "output")
    if folder.is_file():
        raise UsageError(f"{folder} is a file: give a folder with -o")
    found = find_sources(listed(archives), leave_out=folder)
    allow_stores(found)
    sources = [source for source in found if source.kind in {"warc", "arc"}]
    if not sources:
        raise UsageError(f"{found[0].name} is no WARC or ARC archive: only these can be sorted by site")
    plan: dict[str, Any] = {
        "sources": [[source.name, source.size, source.signature] for source in sources],
        "archive_bytes": 0 if file_per_site else archive_bytes,
    }
    with running(folder, workers, engine, progress) as runner:
        if not _begin(folder, plan):
            read = _run(folder, sources, runner)
            writing = _WriteTask(folder, tuple(_merge_levels(folder, read, runner)), plan["archive_bytes"])
            (made,) = runner.run(Round("writing", [writing], small_work=_LARGE_BYTES))
            left_out = [source.name for source in found if source not in sources]
            _finish(folder, plan, SortedArchives(folder, made, [_told(source) for source in read], left_out))
    return read_sorted(folder)


def read_sorted(folder: Path) -> SortedArchives:
    """Read what was sorted into a folder."""
    try:
        table = json.loads((folder / LIST).read_bytes())
        return SortedArchives(folder, table["archives"], table["sources"], table["left_out"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise GristmillError(f"can't read {folder / LIST}: {error}") from error


def _begin(folder: Path, plan: dict[str, Any]) -> bool:
    """Write down what is to be sorted, or check that it is what was begun; tells whether all is done."""
    for path in (folder / LIST, folder / _WORK / _PLAN):
        if path.exists():
            try:
                begun = json.loads(path.read_bytes())
            except ValueError as error:
                raise GristmillError(f"can't read {path}: {error}; delete the folder {folder}") from error
            if begun.get("plan", begun) != plan:
                raise UsageError(f"other archives were sorted into {folder}, or otherwise: give another folder with -o")
            if path.name == LIST:
                _remove(folder / _WORK)
                return True
            return False
    if [entry for entry in folder.iterdir() if not entry.name.startswith(".")]:
        raise UsageError(f"{folder} is not empty: give a new folder with -o")
    (folder / _WORK).mkdir(exist_ok=True)
    write_atomically(folder / _WORK / _PLAN, json.dumps(plan).encode())
    return False


def _remove(work: Path) -> None:
    if work.is_dir():
        shutil.rmtree(work)


def _told(source: SortedSource) -> dict[str, Any]:
    return {name: value for name, value in asdict(source).items() if name != "bounds"}


def _finish(folder: Path, plan: dict[str, Any], made: SortedArchives) -> None:
    """Check that no record is lost, write the list, and remove what was needed on the way."""
    read = sum(source["records"] for source in made.sources)
    if read != made.records:
        raise GristmillError(
            f"{read:,} records were read, but {made.records:,} written: delete {folder}, and try again"
        )
    table = {"plan": plan, "archives": made.archives, "sources": made.sources, "left_out": made.left_out}
    write_atomically(folder / LIST, (json.dumps(table, indent=1) + "\n").encode())
    _remove(folder / _WORK)


def _run(folder: Path, sources: Sequence[Source], runner: Runner) -> list[SortedSource]:
    """Do the first round: the records of each source as sorted runs."""

    def result(number: int) -> Path:
        return folder / _WORK / f"{number:05d}.json"

    tasks: list[Task] = [_RunsTask(source, result(number)) for number, source in enumerate(sources)]
    runner.run(Round("sorting", tasks, result, unit="archive", small_work=_LARGE_BYTES))
    return [SortedSource(**json.loads(result(number).read_bytes())) for number in range(len(sources))]


@dataclass(frozen=True, slots=True)
class _RunsTask:
    """Reads an archive, and writes its records as sorted runs; then a file that says what they are."""

    source: Source
    result: Path

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def cost(self) -> int:
        return self.source.size - self.source.start

    def run(self, report: Report) -> None:
        found = SortedSource(self.source.name)
        reported = self.source.start
        with _draft(self.result.with_suffix(".runs")) as file:
            runs = RunsWriter(file)
            for item in read_raw(self.source):
                if isinstance(item, Skip):
                    found.broken += 1
                    if len(found.faults) < _MAX_NAMED_FAULTS:
                        found.faults.append(f"{item.offset}: {item.detail}")
                    continue
                found.records += 1
                _add(item, runs)
                if (place := min(item.offset, self.source.size)) > reported + _REPORT_BYTES:
                    report(place - reported)
                    reported = place
            runs.flush()
            found.bounds = runs.bounds
        write_atomically(self.result, json.dumps(asdict(found)).encode())
        report(self.source.size - reported)


def _add(record: Raw, runs: RunsWriter) -> None:
    """Add a record to the runs, compressed."""
    key = f"{'a' if record.kind == 'arc' else 'w'}{record_site(record.url)}".encode("utf-8", "surrogatepass")
    with record.content as content:
        content.seek(0)
        if record.size > _LARGE_BYTES:
            runs.add_large(key, _packed(iter(lambda: content.read(_PIECE_BYTES), b"")))
        else:
            runs.add(key, b"".join(_packed([content.read()])))


def _packed(pieces: Any) -> Iterator[bytes]:
    """Compress pieces as one gzip member, which has no time in it."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


def record_site(url: str) -> str:
    """Name the site of a record: that of its address; of a look-up of a name, the site of that name; else none."""
    if url.startswith("dns:"):
        return site_of(f"//{url[4:].lstrip('/')}")
    return "" if url.startswith(("filedesc:", "metadata:", "urn:")) else site_of(url)


@contextmanager
def _draft(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
        yield file


@dataclass(frozen=True, slots=True)
class _MergeTask:
    """Merges some runs into one."""

    runs: tuple[Run, ...]
    result: Path

    @property
    def name(self) -> str:
        return self.result.name

    @property
    def cost(self) -> int:
        return sum(run.end - run.start for run in self.runs)

    def run(self, report: Report) -> None:
        with _draft(self.result) as file:
            merge_to_file(self.runs, file)
        report(self.cost)


def _merge_levels(folder: Path, read: Sequence[SortedSource], runner: Runner) -> list[Run]:
    """Merge runs, round by round, until there are few enough to be merged into the archives."""
    runs = [
        Run(str(folder / _WORK / f"{number:05d}.runs"), start, end)
        for number, source in enumerate(read)
        for start, end in zip(source.bounds[:-1], source.bounds[1:], strict=True)
    ]
    level = 0
    while len(groups := groups_of(runs)) > 1:
        level += 1
        paths = [folder / _WORK / f"level-{level}-{number:05d}.runs" for number in range(len(groups))]
        tasks: list[Task] = [_MergeTask(tuple(group), path) for group, path in zip(groups, paths, strict=True)]
        runner.run(Round("merging", tasks, paths.__getitem__, small_work=_LARGE_BYTES))
        runs = [whole_file(path) for path in paths]
    return runs


@dataclass(frozen=True, slots=True)
class _WriteTask:
    """Merges the last runs into the archives."""

    folder: Path
    runs: tuple[Run, ...]
    archive_bytes: int

    @property
    def name(self) -> str:
        return str(self.folder)

    @property
    def cost(self) -> int:
        return sum(run.end - run.start for run in self.runs)

    def run(self, report: Report) -> list[dict[str, Any]]:
        """Write the archives, one after the other; returns their names and counts."""
        made: list[dict[str, Any]] = []
        records = merged(self.runs)
        item = next(records, None)
        numbers: Counter[str] = Counter()
        while item is not None:
            kind, first = ("arc" if item[0][:1] == b"a" else "warc"), item[0]
            name = f"{numbers[kind]:05d}.{kind}.gz" if self.archive_bytes else f"{_place(first[1:])}.{kind}.gz"
            numbers[kind] += 1
            counts, site = Counter[str](), first
            with _draft(self.folder / name) as file:
                if kind == "arc" and first[1:]:
                    file.write(b"".join(_packed([_arc_header(name)])))
                while item is not None and item[0][:1] == first[:1]:
                    if item[0] != site and file.tell() >= self.archive_bytes:
                        break
                    counts["sites"] += item[0][1:] not in {b"", site[1:] if counts["records"] else b""}
                    counts["records"] += 1
                    site = item[0]
                    report(item[1].copy_to(file) + item[1].head)
                    item = next(records, None)
            made.append({"name": name, "records": counts["records"], "sites": counts["sites"]})
        return made


def _arc_header(name: str) -> bytes:
    """Make the record that an ARC file begins with; its date is always the same, so that all bytes are."""
    content = _ARC_HEAD + b"\n"
    return b"filedesc://%b 0.0.0.0 19960101000000 text/plain %d\n%b\n" % (name.encode(), len(content), content)


def _place(site: bytes) -> str:
    """Name the file of a site as Baisa does: `abc.co.uk` is `ac/abc.co.uk`, by the third-level domain `abc`.

    A site without a third level goes by its first part. Characters that are no letters, digits, dots or hyphens are
    written as their codes, and a name that is too long for a file is cut off, with a hash of the whole.
    """
    if not site:
        return "no-site"
    name = quote(site, safe="").lower()
    if len(name) > _MAX_NAME_CHARACTERS:
        name = f"{name[:_MAX_NAME_CHARACTERS]}-{xxhash.xxh3_64_hexdigest(site)}"
    labels = name.split(".")
    label = re.sub(r"[^a-z0-9-]", "", labels[-3] if len(labels) > 2 else labels[0]) or "x"
    return f"{label[0]}{label[-1]}/{name}"
