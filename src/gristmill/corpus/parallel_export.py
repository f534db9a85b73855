"""Export by tasks: the same files as those that one process writes, whatever the number of workers.

A file that is not compressed is put together of parts, one for each shard. Where a folder is filled with files of some
size, the shards are measured first: how many bytes each document becomes says which documents go into which file, and
then each file is written by a task of its own. So documents are made twice, which pays with three workers or more.
"""

from __future__ import annotations

import io
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.corpus.destination import File, Folder
from gristmill.corpus.formats import FORMATS, Format
from gristmill.corpus.formats.registry import TextFormat
from gristmill.corpus.formats.vertical import VerticalFormat, vertical_for
from gristmill.corpus.masking import masked
from gristmill.corpus.new_folder import folder_beside, new_folder
from gristmill.corpus.outcome import Outcome
from gristmill.corpus.output import PACKED, open_output
from gristmill.corpus.reader import CorpusReader
from gristmill.corpus.selecting import SelectedDocument
from gristmill.corpus.selection import Selection
from gristmill.corpus.tokens import select_shard_with_tokens
from gristmill.engine import Report
from gristmill.errors import GristmillError
from gristmill.filter import FILTERS
from gristmill.registry import parse_spec
from gristmill.shards import Shard
from gristmill.stages import Round, Runner, ShardTask

if TYPE_CHECKING:
    from gristmill.corpus.exporting import Exporting

_DOING = "exporting"
_SMALL_WORK_DOCUMENTS = 20_000
"""Documents that one process exports in the time that others take to start."""
_WORKERS_FOR_TWICE = 3
"""Workers from which on it pays to make all documents twice."""
_COPIED_BYTES = 1 << 20


def export_by_tasks(export: Exporting, runner: Runner) -> Outcome | None:
    """Export by the tasks of a runner; None, and nothing is done, if that is not worth it or can't be done."""
    many = runner.has_engine or runner.workers > 1
    if not many or export.on_document or export.corpus.counts["kept"] < _SMALL_WORK_DOCUMENTS:
        return None
    if not _is_known_to_workers(export):
        return None
    place = export.place
    if not isinstance(place, File | Folder) or place.path is None:  # to a stream or a store, from one process
        return None
    dialect = place.made.dialect.name if isinstance(place.made, VerticalFormat) else ""
    what = What(
        str(export.corpus.folder),
        export.format_name,
        dialect,
        isinstance(place.made, VerticalFormat) and place.made.chunks,
        export.selection,
        None if export.taggers is None else tuple(export.taggers),
        export.mask,
    )
    path = place.path
    if isinstance(place, File):
        can_be_joined = isinstance(place.made, TextFormat | VerticalFormat) and _is_plain(path)
        return _write_file(export, place, path, what, runner) if can_be_joined else None
    twice = runner.has_engine or runner.workers >= _WORKERS_FOR_TWICE
    return _fill_folder(export, place, path, what, runner) if twice and _has_its_tokens(export) else None


def _is_plain(path: Path) -> bool:
    return not path.name.endswith(PACKED)


def _has_its_tokens(export: Exporting) -> bool:
    """Whether no text would be annotated on the way, which nobody wants twice."""
    if not export.has_tokens:
        return True
    return export.taggers is None and all(shard.tokens.exists() for shard in export.corpus.shards)


def _is_known_to_workers(export: Exporting) -> bool:
    """Whether worker processes know the format and the filters: those of this process alone they do not."""
    specs = [*export.corpus.config.filter.filters, *export.selection.filters]
    try:
        FORMATS.check_for_workers(export.format_name)
        for spec in specs:
            FILTERS.check_for_workers(parse_spec(spec)[0])
    except GristmillError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class What:
    """What is exported, and how."""

    corpus: str
    format_name: str
    dialect: str
    """The corpus manager that vertical text is for; empty if the format is another one."""
    chunks: bool
    selection: Selection
    taggers: tuple[str, ...] | None
    mask: tuple[str, ...]

    def begin(self) -> tuple[Format, Outcome]:
        """Make a format and an outcome that count for themselves."""
        made = vertical_for(self.dialect, chunks=self.chunks) if self.dialect else FORMATS[self.format_name]
        changed = made.dialect.changed if isinstance(made, VerticalFormat) else Counter[str]()
        return made, Outcome(self.selection, self.mask, changed=changed)

    def selected(self, shard: Shard, start: int, end: int | None, masks: Counter[str]) -> Iterator[SelectedDocument]:
        """Select the documents of a shard, from one to before another one; what is masked in them is counted."""
        corpus = CorpusReader.shared(self.corpus)
        found = (
            select_shard_with_tokens(corpus, shard, self.selection, self.taggers)
            if FORMATS[self.format_name].has_tokens
            else corpus.select(self.selection, shard)
        )
        chosen = islice(found, start, end)
        return masked(chosen, self.mask, masks) if self.mask else chosen


@dataclass(frozen=True, slots=True)
class MeasureShard(ShardTask):
    """Measures how many bytes each document of a shard becomes."""

    what: What
    number: int

    def run(self, report: Report) -> tuple[int, Ints]:
        """Return the sizes, with the number of the shard."""
        made, _ = self.what.begin()
        with made.writer(_Nowhere()) as write:
            sizes = [write(chosen) for chosen in self.what.selected(self.shard, 0, None, Counter())]
        report(self.cost)
        return self.number, np.array(sizes, np.int64)


class _Nowhere(io.BytesIO):
    """A stream that keeps nothing."""

    def write(self, data: Any, /) -> int:
        """Forget some bytes."""
        return len(data)


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Writes one file: some documents of some shards."""

    what: What
    number: int
    path: Path
    pieces: tuple[tuple[Shard, int, int | None], ...]
    """Shards, and the first and the last of their selected documents; all from the first on if there is no last."""
    cost: int

    @property
    def name(self) -> str:
        """The file."""
        return self.path.name

    def run(self, report: Report) -> tuple[int, Outcome, int]:
        """Return what was counted, and the size of the file, with its number."""
        made, outcome = self.what.begin()
        with open_output(str(self.path)) as stream, made.writer(stream) as write:
            for shard, start, end in self.pieces:
                for chosen in outcome.counted(self.what.selected(shard, start, end, outcome.masked)):
                    write(chosen)
        report(self.cost)
        return self.number, outcome, self.path.stat().st_size


def _run(runner: Runner, tasks: Sequence[Any]) -> list[Any]:
    """Run tasks, and return what they return, in their order."""
    found = runner.run_tasks(Round(_DOING, tasks, unit="part", small_work=0), tasks)
    return [result[1:] for result in sorted(found, key=lambda result: result[0])]


def _write_file(export: Exporting, place: File, path: Path, what: What, runner: Runner) -> Outcome:
    """Write a part for each shard, and put them together."""
    total = Outcome(export.selection, export.mask)
    with folder_beside(path.resolve()) as folder:
        tasks = [
            WriteFile(what, number, folder / f"{number:05d}", ((shard, 0, None),), shard.documents.stat().st_size)
            for number, shard in enumerate(export.corpus.shards)
        ]
        for outcome, _ in _run(runner, tasks):
            total.add(outcome)
        finished = place.finished(lambda about: total.to_toml(export.corpus, about))
        with open_output(str(path), finished) as stream:
            for task in tasks:
                with task.path.open("rb") as part:
                    shutil.copyfileobj(part, stream, _COPIED_BYTES)
    return total


def _fill_folder(export: Exporting, place: Folder, path: Path, what: What, runner: Runner) -> Outcome:
    """Measure all shards, and write each file."""
    shards = export.corpus.shards
    sizes = [
        found for (found,) in _run(runner, [MeasureShard(shard, what, number) for number, shard in enumerate(shards)])
    ]
    total = Outcome(export.selection, export.mask)
    with new_folder(path.resolve()) as draft:
        bounds = cut(np.concatenate([np.empty(0, np.int64), *sizes]), place.size)
        starts = starts_of(np.array(list(map(len, sizes)), np.int64))
        size = sum(shard.documents.stat().st_size for shard in shards) // max(len(bounds) - 1, 1)
        tasks = [
            WriteFile(what, number, draft / f"{number:05d}{place.suffix}", _pieces(shards, starts, start, end), size)
            for number, (start, end) in enumerate(pairwise(bounds))
        ]
        written = 0
        for outcome, file_size in _run(runner, tasks):
            total.add(outcome)
            written += file_size
        place.write_card(len(tasks), written, lambda about: total.to_toml(export.corpus, about))
    return total


def cut(sizes: Ints, limit: int) -> list[int]:
    """Cut documents of some sizes into files: one that has reached the limit is complete. There is one file at least.

    sizes 3 3 1 9 2, limit 5  ->  0 2 4 5: files of 3 + 3, 1 + 9, and 2
    """
    before = starts_of(sizes)
    bounds = [0]
    while bounds[-1] < len(sizes) or len(bounds) == 1:
        bounds.append(min(int(np.searchsorted(before, before[bounds[-1]] + limit)), len(sizes)))
    return bounds


def _pieces(shards: Sequence[Shard], starts: Ints, start: int, end: int) -> tuple[tuple[Shard, int, int], ...]:
    """Which documents of which shards are those from a number to before another one."""
    first = int(np.searchsorted(starts, start, side="right")) - 1
    last = int(np.searchsorted(starts, end))
    return tuple(
        (shards[number], max(start - int(starts[number]), 0), min(end, int(starts[number + 1])) - int(starts[number]))
        for number in range(first, min(last, len(shards)))
    )
