"""Make the index of a corpus, and open it, making first what is missing or out of date."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from gristmill.arguments import check_type
from gristmill.corpus import Corpus, Manifest, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine
from gristmill.errors import GristmillError
from gristmill.locks import LOCK
from gristmill.progress import Progress
from gristmill.search.index.index import FOLDER, Index, is_current, parse_card, read_card, verify
from gristmill.search.index.leftovers import discard, done_with, recover
from gristmill.shards import DOCUMENTS, DUPLICATES, TOKENS, exclusive
from gristmill.stages import CURRENT, MISSING, Runner, Stage, State, running, stale


def index(
    corpus: str | os.PathLike[str],
    selection: Selection | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> Index:
    """Make the index of a corpus over what a selection keeps, by default as it was built; shards are annotated first if need be.

    An index that is there stays until the new one is complete. `progress` shows bars, `trust` is as for a `Corpus`.
    """
    folder = folder_of(corpus)
    Corpus(folder, trust=trust)  # raises if it is not complete
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_links(folder)
    _check_writable(folder)
    with running(folder, workers, engine, progress) as runner:
        return _index(Corpus(folder), selection, runner)


def check_index(corpus: str | os.PathLike[str]) -> Index:
    """The index that a corpus has, if every byte of it is as it was written; raises if there is none or it is damaged."""
    place = Corpus(folder_of(corpus)).folder / FOLDER
    verify(place, read_card(place))
    return Index.open(place)


def open_index(
    corpus: Corpus,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool | Progress = False,
) -> Index:
    """The index of a corpus as it is now; if there is none, or one from before a change, it is made, over what the old one was of."""
    folder, place = corpus.folder, corpus.folder / FOLDER
    mark = _current(place, corpus)
    if mark:
        _clear_up(folder, mark)
        return Index.open(place)
    check_links(folder)
    _check_writable(folder)
    with running(folder, workers, engine, progress) as runner:
        opened = Corpus(folder)
        recover(folder)
        if mark := _current(place, opened):
            _discard_done(folder, mark)
            return Index.open(place)
        return _index(opened, _selection_of(place), runner)


def _current(place: Path, corpus: Corpus) -> str:
    """The fingerprint of the index, if there is one that is whole and of the corpus as it is now."""
    try:
        card = read_card(place)
        return str(card["corpus"]["fingerprint"]) if is_current(card, corpus) else ""
    except GristmillError:  # there is none, or it is damaged, or of another version
        return ""


def _clear_up(folder: Path, mark: str) -> None:
    """Remove what is left of a build that was killed when it was all but done; if another command is writing, that has to wait."""
    if done_with(folder, mark) or (folder / LOCK).exists():
        with suppress(GristmillError, OSError), exclusive(folder):
            recover(folder)
            _discard_done(folder, mark)


def _discard_done(folder: Path, mark: str) -> None:
    for left in done_with(folder, mark):
        discard(left)


def _selection_of(place: Path) -> Selection | None:
    """What the index that was there was of, as far as that can be told."""
    try:
        return Selection.from_table(parse_card(place)["corpus"]["selection"])
    except (GristmillError, KeyError, TypeError, AttributeError):
        return None


def _index(corpus: Corpus, selection: Selection | None, runner: Runner) -> Index:
    # What makes an index is far more than what reads one: a search should not wait for its import.
    from gristmill.pipeline.annotating import Annotating  # noqa: PLC0415

    runner.run(Annotating.of(corpus))
    made: Index = runner.run(Indexing(corpus.folder, selection, anew=True))
    return made


class Indexing(Stage):
    """Makes the index in which a corpus is searched."""

    name = "index"
    doing = "indexing"
    unit = ""
    reads = (f"shards/*/{DOCUMENTS}", f"shards/*/{DUPLICATES}", f"shards/*/{TOKENS}")
    writes = (f"{FOLDER}/*",)
    small_work = 2_000_000  # bytes of annotation

    def __init__(self, folder: Path, selection: Selection | None = None, *, anew: bool = False) -> None:
        """Make the index over a selection; `anew`, if one that is current should be made again too."""
        self._folder, self._selection, self._anew = folder, selection, anew

    @property
    def command(self) -> str:
        """The command that indexes; the first search does it too."""
        return f"gristmill index {self._folder}"

    def units(self) -> Sequence[str]:
        """The index as a whole."""
        return [FOLDER]

    def state(self, unit: str) -> State:
        """Current where the index is whole and of the corpus as it is now."""
        place = self._folder / unit
        if self._anew or not place.exists():
            return MISSING
        if not Manifest.read(self._folder).finished:
            return stale("the corpus is not complete")
        return CURRENT if _current(place, Corpus(self._folder)) else stale("the corpus has changed since")

    def work(self, todo: Sequence[str], runner: Runner) -> list[Any]:
        """Build all of it."""
        from gristmill.search.index.building import build_index, index_cost  # noqa: PLC0415

        del todo
        corpus = Corpus(self._folder)
        cost = index_cost(corpus)
        return [build_index(corpus, self._selection, runner.engine_for(self, cost), runner.begin(self, cost))]

    def finish(self, results: Sequence[Any]) -> Index:
        """The index."""
        return results[0] if results else Index.open(self._folder / FOLDER)


def _check_writable(folder: Path) -> None:
    """Raise if nothing can be made in a corpus, before anything is begun."""
    if not os.access(folder, os.W_OK):
        raise GristmillError(
            f"can't write to {folder}, where tokens and index have to be made before it can be searched"
        )
