"""Make the index of a corpus for searches, and open it, after making what is missing or out of date.

The index itself is in `gristmill.search.index`; here is the stage, and who may make, open or compact it when.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gristmill.arguments import check_type
from gristmill.corpus import CorpusReader, Manifest, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine, InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.leases import has_traces
from gristmill.locks import LOCK
from gristmill.parts import Part
from gristmill.pipeline.dividing import PartDone, check_all_done, forget_parts, planning
from gristmill.pipeline.telling import Say, logged, say_if_outdated, say_work
from gristmill.progress import Progress
from gristmill.search.index.compaction import all_merged, none_merged, tiers_merged
from gristmill.search.index.index import FOLDER, Index, check_index_files, is_current, verify_index
from gristmill.search.index.leftovers import leftovers, remove
from gristmill.search.index.segment import parse_card
from gristmill.search.index.state import SegmentEntry, read_state
from gristmill.shards import DOCUMENTS, DUPLICATES, REPLACED, TOKENS, exclusive
from gristmill.stages import CURRENT, MISSING, Runner, Stage, State, running, stale

if TYPE_CHECKING:
    from gristmill.pipeline.annotating import Annotating


def index(
    corpus: str | os.PathLike[str],
    selection: Selection | None = None,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
    compact: bool = False,
    say: Say | None = None,
    merge: bool = False,
) -> Index:
    """Bring the index of a corpus up to date over what a selection keeps, by default as it was built.

    Only shards that are new or have changed are indexed, after they were annotated if need be, and so are those whose
    part of the index is damaged. The index that was there stays until the new one is complete. With `compact` all its
    segments are merged into one. `progress` shows bars, `trust` is as for a `CorpusReader`. `say` is told in a line if
    the annotation is outdated, which is left as it is. With `merge` nothing is annotated and no shard is indexed:
    `index_part` has done that for all shards, or else it raises.
    """
    folder = folder_of(corpus)
    CorpusReader(folder, trust=trust).check_complete()
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_links(folder)
    _check_writable(folder)
    with running(folder, workers, engine, progress) as runner:
        indexing = Indexing(folder, selection or Selection(), all_merged if compact else tiers_merged, verified=True)
        if merge:
            check_all_done(folder, indexing.without_parts(), len(indexing.units()), "indexed")
        made = _index(CorpusReader(folder), indexing, runner)
        forget_parts(folder, None)
    say_if_outdated(CorpusReader(folder), say)
    return made


def index_part(
    corpus: str | os.PathLike[str],
    part: str | Part,
    selection: Selection | None = None,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> PartDone:
    """Annotate and index the shards of one part, such as `3/16`, while others do so with the other parts.

    All are given the same selection. When all are done, `index(..., merge=True)` makes the index of them.
    """
    folder, chosen = folder_of(corpus), Part.parse(part) if isinstance(part, str) else part
    CorpusReader(folder, trust=trust).check_complete()
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_links(folder)
    _check_writable(folder)
    with running(folder, workers, engine, progress, chosen) as runner:
        with planning(folder, chosen):
            opened = CorpusReader(folder)
        runner.run(_annotating(opened))
        runner.run(Indexing(folder, selection or Selection(), verified=True, parts_only=True))
    return PartDone(chosen, len(chosen.of(opened.shards)), len(opened.shards))


def check_index(corpus: str | os.PathLike[str]) -> Index:
    """Open the index that a corpus has, after reading every byte of it; raises if there is none or it is damaged."""
    place = CorpusReader(folder_of(corpus)).folder / FOLDER
    verify_index(place)
    return Index.open(place)


def open_index(
    corpus: CorpusReader,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    say: Say = logged,
) -> Index:
    """Open the index of a corpus as it is now; what is missing or out of date is made, by the old one's selection.

    `say` is told in lines what has to be done first, and that the annotation is outdated if it is: that is left as it
    is until somebody asks for another one (`gristmill annotate`).
    """
    folder, place = corpus.folder, corpus.folder / FOLDER
    if _is_current(place, corpus):
        clear_index(folder)
        say_if_outdated(corpus, say)
        return Index.open(place)
    check_links(folder)
    _check_writable(folder)
    with running(folder, workers, engine, progress) as runner:
        opened = CorpusReader(folder)
        if _is_current(place, opened):
            return Index.open(place)
        opened.check_complete()
        made = _index(opened, Indexing(folder), runner, say)
    say_if_outdated(opened, say)
    return made


def open_committed(corpus: CorpusReader) -> Index:
    """Open the index that a corpus has, even if pages were added since; raises if there is none, and makes nothing."""
    try:
        return Index.open(corpus.folder / FOLDER)
    except UsageError as error:
        raise GristmillError(str(error)) from error


def index_state(corpus: CorpusReader) -> Literal["missing", "stale", "current"]:
    """Tell whether a corpus has an index, and whether that is of the corpus as it is now."""
    try:
        _, card = read_state(corpus.folder / FOLDER)
    except GristmillError:
        return "missing"
    return "current" if is_current(card, corpus) else "stale"


def compact_index(corpus: CorpusReader, engine: Engine | None = None) -> None:
    """Merge segments of the index of a corpus that is locked, if it has one with many small ones."""
    if (corpus.folder / FOLDER).exists():
        from gristmill.search.index.building import compact  # noqa: PLC0415 (as below)

        compact(corpus, engine or InlineEngine())


def _is_current(place: Path, corpus: CorpusReader) -> bool:
    """Tell whether there is an index of the corpus as it is now, and no file of it is missing or cut off."""
    try:
        state, card = read_state(place)
        if not is_current(card, corpus):
            return False
        check_index_files(place, state)
    except GristmillError:  # there is none, or it is damaged, or of another format
        return False
    return True


def clear_index(folder: Path) -> None:
    """Remove what a command has left that was killed when its index was almost done, unless another is writing."""
    with suppress(GristmillError, OSError):
        if leftovers(folder, read_state(folder / FOLDER)[0], derived=False) or has_traces(folder / LOCK):
            with exclusive(folder, watching=False):
                remove(leftovers(folder, read_state(folder / FOLDER)[0], derived=False))


def _selection_of(place: Path) -> Selection | None:
    """Read the selection that the present index is of; None if that can't be told."""
    try:
        return Selection.from_table(parse_card(place)["corpus"]["selection"])
    except (GristmillError, KeyError, TypeError, AttributeError):
        return None


def _index(corpus: CorpusReader, indexing: Indexing, runner: Runner, say: Say | None = None) -> Index:
    """Annotate a corpus as far as it is not, and index it; before that, say what has to be done."""
    annotating = _annotating(corpus)
    if say is not None:
        say_work(corpus, annotating.todo(runner), indexing.count(), runner.workers, say)
    runner.run(annotating)
    made: Index = runner.run(indexing)
    return made


def _annotating(corpus: CorpusReader) -> Annotating:
    # What makes an index is far more than what reads one: a search should not wait for its import.
    from gristmill.pipeline.annotating import Annotating  # noqa: PLC0415

    return Annotating.of(corpus, renewing=False)


class Indexing(Stage):
    """Makes the index in which a corpus is searched: shards that are in no segment become parts, and these segments."""

    name = "index"
    doing = "indexing"
    reads = tuple(f"shards/*/{name}" for name in (DOCUMENTS, REPLACED, DUPLICATES, TOKENS))
    writes = (f"{FOLDER}/*",)
    small_work = 2_000_000  # bytes of annotation

    def __init__(
        self,
        folder: Path,
        selection: Selection | None = None,
        compaction: Callable[[Sequence[int]], list[range]] = none_merged,
        *,
        verified: bool = False,
        parts_only: bool = False,
    ) -> None:
        """Index over a selection, by default that of the index that is there.

        `compaction` says which segments are merged when all shards are indexed. With `verified` all files of segments
        are read, and what is damaged counts as missing. With `parts_only` no index is made of the parts: that is left
        to the command that merges those of several commands.
        """
        self._folder, self._compaction, self._verified = folder, compaction, verified
        self._parts_only = parts_only
        self._selection = selection or _selection_of(folder / FOLDER) or Selection()
        self._engine: Engine = InlineEngine()

    @property
    def command(self) -> str:
        """The command that indexes; the first search does it too."""
        return f"gristmill index {self._folder}"

    def units(self) -> Sequence[str]:
        """Name the shards."""
        return [shard.name for shard in Manifest.read(self._folder).shards]

    def state(self, unit: str) -> State:
        """Tell whether there is a segment of a shard as it is now."""
        if not self._complete:
            return stale("the corpus is not complete") if (self._folder / FOLDER).exists() else MISSING
        if unit in self._kept_shards:
            return CURRENT
        return stale("the shard has changed since") if unit in self._indexed else MISSING

    def count(self) -> int:
        """Count the shards that are to be indexed."""
        try:
            return sum(state != CURRENT for state in self.states(self.units()))
        finally:
            self._forget()

    def _forget(self) -> None:
        """Forget what was read of the index and the corpus, as these are about to change, or have changed."""
        for known in ("_complete", "_kept", "_kept_shards", "_indexed"):
            self.__dict__.pop(known, None)

    @cached_property
    def _complete(self) -> bool:
        """Whether the build, and every addition since, came to its end."""
        return Manifest.read(self._folder).finished

    @cached_property
    def _kept(self) -> list[SegmentEntry]:
        """The segments that can stay."""
        from gristmill.search.index.building import current_segments  # noqa: PLC0415 (as above)

        try:
            return current_segments(CorpusReader(self._folder), self._selection, verified=self._verified)
        except GristmillError:  # shards are not annotated
            return []

    @cached_property
    def _kept_shards(self) -> frozenset[str]:
        """The shards of which these are."""
        return frozenset(name for segment in self._kept for name in segment.shards)

    @cached_property
    def _indexed(self) -> frozenset[str]:
        """The shards that the index is of, as they are or as they were."""
        try:
            return frozenset(read_state(self._folder / FOLDER)[0].keys)
        except GristmillError:
            return frozenset()

    def without_parts(self) -> list[int]:
        """List the shards that are in no segment, and of which no command has made parts: by their numbers."""
        from gristmill.search.index.building import has_parts  # noqa: PLC0415 (as above)

        corpus = CorpusReader(self._folder)
        try:
            return [
                number
                for number, shard in enumerate(corpus.shards)
                if self.state(shard.name) != CURRENT and not has_parts(corpus, self._selection, shard)
            ]
        finally:
            self._forget()

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Make parts of the shards that have none from a command that was killed, or from others."""
        from gristmill.search.index.building import part_tasks  # noqa: PLC0415 (as above)

        corpus, wanted = CorpusReader(self._folder), set(todo)
        corpus.select(self._selection)  # a wrong one is an error before anything is done
        shards = [shard for shard in corpus.shards if shard.name in wanted]
        tasks = part_tasks(corpus, self._selection, shards, alone=runner.part is None)
        self._engine = runner.engine_for(self, sum(task.cost for task in tasks))
        return runner.run_tasks(self, tasks) if tasks else []

    def finish(self, results: Sequence[Any]) -> Index | None:
        """Make segments of the parts, merge segments, and open the index of them."""
        from gristmill.search.index.building import commit  # noqa: PLC0415 (as above)

        del results
        if self._parts_only:
            return None
        commit(CorpusReader(self._folder), self._selection, self._kept, self._engine, self._compaction)
        self._forget()
        return Index.open(self._folder / FOLDER)


def _check_writable(folder: Path) -> None:
    """Raise if nothing can be made in a corpus, before anything is begun."""
    if not os.access(folder, os.W_OK):
        raise GristmillError(
            f"can't write to {folder}, where tokens and index have to be made before it can be searched"
        )
