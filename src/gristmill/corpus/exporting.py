"""Export: write a corpus to a file or a folder in some format, and beside it what was written."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.arguments import as_bytes, as_path, as_texts, check_type, is_address
from gristmill.corpus.destination import Destination, File, Folder, Stream
from gristmill.corpus.formats import FORMATS, Format
from gristmill.corpus.formats.vertical import NAME as VERTICAL
from gristmill.corpus.formats.vertical import VerticalFormat, vertical_for
from gristmill.corpus.masking import masked
from gristmill.corpus.outcome import Outcome
from gristmill.corpus.output import PACKED, is_file
from gristmill.corpus.parallel_export import export_by_tasks
from gristmill.corpus.places import DiskFolder, DiskPlace, StoreFolder, StorePlace
from gristmill.corpus.reader import CorpusReader, opened
from gristmill.corpus.selecting import SelectedDocument
from gristmill.corpus.selection import Selection
from gristmill.corpus.tokens import select_with_tokens
from gristmill.engine import Engine, Report
from gristmill.errors import UsageError
from gristmill.personal import check_kinds
from gristmill.progress import Progress, shown
from gristmill.registry import load_installed
from gristmill.stages import MISSING, Runner, State, TaskStage
from gristmill.stores.address import Address

FOLDER_FORMAT = "parquet"
"""Format of the files in a folder, if nothing else is said."""


def export(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    format_name: str | None = None,
    selection: Selection | None = None,
    on_document: Callable[[], None] | None = None,
    taggers: str | Sequence[str] | None = None,
    *,
    mask: str | Sequence[str] = (),
    shard_size: int | str | None = None,
    manager: str | None = None,
    chunks: bool = False,
    force: bool = False,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
) -> int:
    """Write the documents that a selection keeps to a file, and return how many they are.

    The format is told by the file's name if it is not given; a name that ends in `.gz` or `.zst` is compressed; `-` is
    standard output. With a `shard_size`, such as `1GB`, the output is a folder of files of about this size before they
    are compressed, in a format such as `parquet` or `jsonl.zst`. Tokens are those that the corpus was annotated with;
    where there are none, or with other `taggers`, it is annotated on the way, with the corpus's parsers. `mask`
    names kinds of personal data to replace: `email,phone,ip`. `manager` is the corpus manager that vertical text is
    for: `cwb`, as with names that end in `.vrt`, or `sketchengine`, as with others; with `chunks` it has noun, verb
    and prepositional chunks, too. What is there already is replaced only by `force`. Beside the file goes what is
    in it, `FILE.toml`, and what other programs need to load it. `progress` shows a bar. A large corpus is written
    by several `workers`, by default one for each core, or by an `engine`: a file that is not compressed, or a
    folder if there are at least three. The bytes are the same.
    """
    corpus = opened(corpus)
    export = prepare_export(
        corpus,
        output,
        format_name,
        selection,
        taggers,
        mask,
        shard_size,
        on_document,
        manager=manager,
        chunks=chunks,
        force=force,
    )
    return export.run(progress, workers=workers, engine=engine).counts["documents"]


def prepare_export(
    corpus: CorpusReader,
    output: str | os.PathLike[str],
    format_name: str | None = None,
    selection: Selection | None = None,
    taggers: str | Sequence[str] | None = None,
    mask: str | Sequence[str] = (),
    shard_size: int | str | None = None,
    on_document: Callable[[], None] | None = None,
    *,
    manager: str | None = None,
    chunks: bool = False,
    force: bool = False,
) -> Exporting:
    """Make an export ready: what is wrong is an error now, and the work is done by its `run`."""
    path = os.fspath(output) if isinstance(output, str) else str(as_path(output, "output"))
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_type(format_name, str, "format_name", "the name of a format")
    selection = selection or Selection()
    choices = None if taggers is None else as_texts(taggers, "taggers")
    kinds = tuple(kind.strip() for text in as_texts(mask, "mask") for kind in text.split(",") if kind.strip())
    check_kinds(kinds)
    check_type(manager, str, "manager", "the name of a corpus manager")
    size = None if shard_size is None else as_bytes(shard_size, "shards")
    name, place = _destination(path, format_name, size, _Vertical(manager, chunks), force=force)
    place.refuse(corpus, force=force)
    return Exporting(corpus, name, place, selection, choices, kinds, on_document)


@dataclass(frozen=True)
class Exporting(TaskStage):
    """The stage that writes documents to a destination, which is complete or as it was before."""

    corpus: CorpusReader
    format_name: str
    place: Destination
    selection: Selection
    taggers: Sequence[str] | None
    mask: tuple[str, ...]
    on_document: Callable[[], None] | None

    name = "export"
    doing = "exporting"
    unit = ""
    small_work = sys.maxsize  # this process writes, whatever it is: it may be to standard output

    @property
    def has_tokens(self) -> bool:
        """Whether the format is one of tokens."""
        return FORMATS[self.format_name].has_tokens

    def run(
        self, progress: bool | Progress = False, *, workers: int | None = 1, engine: Engine | str | None = None
    ) -> Outcome:
        """Write all documents, and return what was counted.

        Much is written by several `workers` (None: one for each core) or by an `engine`, where that pays.
        """
        with shown(progress) as told, Runner(workers, engine, told) as runner:
            divided = export_by_tasks(self, runner)
            if divided is not None:
                return divided
        with shown(progress) as told:
            outcome: Outcome = Runner(1, progress=told).run(self)
        return outcome

    def units(self) -> Sequence[str]:
        """One unit: the destination as a whole."""
        return [self.format_name]

    def state(self, unit: str) -> State:
        """Always missing: whether something may be replaced was checked before."""
        del unit
        return MISSING

    def task(self, unit: str) -> WriteTask:
        """The task that writes all documents."""
        del unit
        return WriteTask(self)

    def finish(self, results: Sequence[Any]) -> Outcome:
        """Return what was counted."""
        outcome: Outcome = results[0]
        return outcome


@dataclass(frozen=True)
class WriteTask:
    """The task that writes the documents of an export."""

    export: Exporting

    @property
    def name(self) -> str:
        """The folder of the corpus."""
        return str(self.export.corpus.folder)

    @property
    def cost(self) -> int:
        """Number of documents, estimated: other thresholds may keep more or fewer."""
        return int(self.export.corpus.counts["kept"])

    def run(self, report: Report) -> Outcome:
        """Write all documents, and return what was counted."""
        export = self.export
        made = export.place.made
        changed = made.dialect.changed if isinstance(made, VerticalFormat) else Counter[str]()
        outcome = Outcome(export.selection, export.mask, changed=changed)
        selected = _selected(export.corpus, FORMATS[export.format_name], export.selection, export.taggers)
        if export.mask:
            selected = masked(selected, export.mask, outcome.masked)
        reported = _reported(outcome.counted(selected), report, export.on_document)
        export.place.write(reported, lambda about: outcome.to_toml(export.corpus, about))
        return outcome


def format_of(path: str) -> str:
    """The format that a file's name stands for."""
    suffix = Path(_unpacked(path)).suffix
    if not any(suffix in made.suffixes for _, made in FORMATS.items()):
        load_installed()
    found = next((name for name, made in FORMATS.items() if suffix in made.suffixes), None)
    if found is None:
        raise UsageError(f"can't tell the format from the name {path!r}: give --format ({', '.join(FORMATS)})")
    return found


def _unpacked(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".zst")


def _destination(
    path: str, format_name: str | None, shard_size: int | None, wanted: _Vertical, *, force: bool
) -> tuple[str, Destination]:
    """The name of the format, and the destination of documents in it."""
    if shard_size is not None:
        return _folder(path, format_name or FOLDER_FORMAT, shard_size, wanted, force=force)
    stored = is_address(path)
    if path.endswith(("/", os.sep)) or (not stored and Path(path).is_dir()):
        raise UsageError(
            f"{path} is a folder: name a file in it, or give a --shard-size such as 1GB to fill it with files"
        )
    name = format_name or format_of(path)
    made = _format(name, wanted, path)
    _check_packed(path, name, made)
    if stored:
        return name, File(StorePlace(stored_address(path), force), name, made)
    return name, File(DiskPlace(Path(path)), name, made) if is_file(path) else Stream(path, made)


def stored_address(path: str) -> Address:
    """The address of what is written to a store; raises if nothing can be written there."""
    address = Address.parse(path)
    if address.is_web:
        raise UsageError(f"{address}: nothing can be written to a web server; give an address such as s3://bucket/name")
    if not address.key.strip("/") and address.scheme not in {"file", "local", "memory"}:
        raise UsageError(
            f"{address} is a bucket: give a name in it, such as {str(address).rstrip('/')}/corpus.jsonl.gz"
        )
    return address


@dataclass(frozen=True, slots=True)
class _Vertical:
    """What was asked for vertical text."""

    manager: str | None
    chunks: bool


def _format(name: str, wanted: _Vertical, path: str = "") -> Format:
    """The format of that name, for a corpus manager if it is vertical text."""
    if name == VERTICAL:
        return vertical_for(wanted.manager, path, chunks=wanted.chunks)
    if wanted.manager is not None:
        raise UsageError(f"only vertical text is made for a corpus manager, and the format is {name}: leave out --for")
    if wanted.chunks:
        raise UsageError(f"only vertical text has chunks, and the format is {name}: leave out --chunks")
    return FORMATS[name]


def _folder(path: str, format_name: str, shard_size: int, wanted: _Vertical, *, force: bool) -> tuple[str, Destination]:
    given = format_name.removeprefix(".")
    name = _unpacked(given)
    made = _format(name, wanted)
    _check_packed(given, name, made)
    stored = is_address(path)
    if path == "-" or (not stored and Path(path).exists() and not Path(path).is_dir()):
        raise UsageError(f"--shard-size fills a folder with files, and {path} is none: give a folder, such as corpus/")
    if (stored or not Path(path).is_dir()) and any(
        _unpacked(path).endswith(suffix) for known in FORMATS for suffix in FORMATS[known].suffixes
    ):
        raise UsageError(
            f"--shard-size fills a folder with files, and {path} is the name of one: "
            "give a folder, such as corpus/, and --format"
        )
    folder = StoreFolder(stored_address(path), force) if stored else DiskFolder(Path(path))
    return name, Folder(folder, name, made, made.suffixes[0] + given.removeprefix(name), shard_size)


def _check_packed(path: str, name: str, made: Format) -> None:
    if path.endswith(PACKED) and not made.compressible:
        raise UsageError(f"{name} is compressed by itself: give a name that does not end in {Path(path).suffix}")


def _selected(
    corpus: CorpusReader, made: Format, selection: Selection, taggers: Sequence[str] | None
) -> Iterator[SelectedDocument]:
    return select_with_tokens(corpus, selection, taggers) if made.has_tokens else corpus.select(selection)


def _reported(
    selected: Iterable[SelectedDocument], report: Report, on_document: Callable[[], None] | None
) -> Iterator[SelectedDocument]:
    for chosen in selected:
        yield chosen
        report(1)
        if on_document:
            on_document()
