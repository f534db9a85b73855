"""Make the index of a corpus, and open it, making first what is missing or out of date."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gristmill.arguments import check_type
from gristmill.corpus import Corpus, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine, InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.locks import LOCK
from gristmill.pipeline.stages import Stages, check_writable, engine_for, shown, unseen
from gristmill.search.index.index import FOLDER, Index, check_index_files, is_current, verify_index
from gristmill.search.index.leftovers import leftovers, remove
from gristmill.search.index.segment import parse_card
from gristmill.search.index.state import read_state
from gristmill.shards import exclusive


def index(
    corpus: str | os.PathLike[str],
    selection: Selection | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool = False,
    stages: Stages = unseen,
    trust: bool = False,
    compact: bool = False,
) -> Index:
    """Bring the index of a corpus up to date over what a selection keeps, by default as it was built.

    Only shards that are new or have changed are indexed, after they were annotated if need be, and so are those whose
    part of the index is damaged. The index that was there stays until the new one is complete. With `compact` all its
    segments are merged into one. `progress` shows bars, `trust` is as for a `Corpus`.
    """
    folder = folder_of(corpus)
    Corpus(folder, trust=trust)  # raises if it is not complete
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_links(folder)
    check_writable(folder)
    with exclusive(folder), shown(progress, stages) as told:
        opened = Corpus(folder)
        return _index(opened, selection, engine or engine_for(opened, workers), told, compact=compact)


def check_index(corpus: str | os.PathLike[str]) -> Index:
    """The index that a corpus has, if every byte of it is as it was written; raises if there is none or it is damaged."""
    place = Corpus(folder_of(corpus)).folder / FOLDER
    verify_index(place)
    return Index.open(place)


def open_index(
    corpus: Corpus,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool = False,
    stages: Stages = unseen,
) -> Index:
    """The index of a corpus as it is now; what is missing of it or from before a change is made, over what the old one was of."""
    folder, place = corpus.folder, corpus.folder / FOLDER
    index = _open_current(place, corpus)
    if index is not None:
        _clear_up(folder)
        return index
    check_links(folder)
    check_writable(folder)
    with exclusive(folder), shown(progress, stages) as told:
        opened = Corpus(folder)
        index = _open_current(place, opened)
        if index is not None:
            return index
        return _index(opened, _selection_of(place), engine or engine_for(opened, workers), told, waited_for=True)


def open_committed(corpus: Corpus) -> Index:
    """The index that a corpus has, be it from before pages were added; raises if there is none, and makes nothing."""
    try:
        return Index.open(corpus.folder / FOLDER)
    except UsageError as error:
        raise GristmillError(str(error)) from error


def compact_index(corpus: Corpus, engine: Engine | None = None) -> None:
    """Merge segments of the index of a corpus that is locked, if it has one with many small ones."""
    from gristmill.search.index.building import compact  # noqa: PLC0415 (as below)

    compact(corpus, engine or InlineEngine())


def _open_current(place: Path, corpus: Corpus) -> Index | None:
    """The index of the corpus as it is now; None if there is none, or a file of it is missing or cut off.

    Raises if a file is not as it was written: it might be the disk, and so is not passed over in silence.
    """
    try:
        state, card = read_state(place)
        if not is_current(card, corpus):
            return None
        check_index_files(place, state)
    except GristmillError:  # there is none, or it is damaged, or of another version
        return None
    return Index.open(place)


def _clear_up(folder: Path) -> None:
    """Remove what is left of a command that was killed when it was all but done; if another is writing, that has to wait."""
    with suppress(GristmillError, OSError):
        if leftovers(folder, read_state(folder / FOLDER)[0]) or (folder / LOCK).exists():
            with exclusive(folder):
                remove(leftovers(folder, read_state(folder / FOLDER)[0]))


def _selection_of(place: Path) -> Selection | None:
    """What the index that was there was of, as far as that can be told."""
    try:
        return Selection.from_table(parse_card(place)["corpus"]["selection"])
    except (GristmillError, KeyError, TypeError, AttributeError):
        return None


def _index(
    corpus: Corpus,
    selection: Selection | None,
    engine: Engine,
    stages: Stages,
    *,
    compact: bool = False,
    waited_for: bool = False,
) -> Index:
    """Annotate and index what is not yet; if a search waits for it, no segments are merged that were there."""
    # What makes an index is far more than what reads one: a search should not wait for its import.
    from gristmill.pipeline.annotating import annotate_shards  # noqa: PLC0415
    from gristmill.search.index import building  # noqa: PLC0415
    from gristmill.search.index.compaction import all_merged, tiers_merged  # noqa: PLC0415

    annotate_shards(corpus, engine, stages)
    compaction = all_merged if compact else building.untouched if waited_for else tiers_merged
    return building.build_index(
        corpus,
        selection,
        engine,
        compaction=compaction,
        verified=not waited_for,
        begin=lambda cost: stages("indexing", cost),
    )
