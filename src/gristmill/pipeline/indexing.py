"""Make the index of a corpus, and open it, making first what is missing or out of date."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gristmill.arguments import check_type
from gristmill.corpus import Corpus, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine
from gristmill.errors import GristmillError
from gristmill.locks import LOCK
from gristmill.pipeline.stages import Stages, check_writable, engine_for, shown, unseen
from gristmill.search.index.index import FOLDER, Index, is_current, parse_card, read_card, verify
from gristmill.search.index.leftovers import discard, done_with, recover
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
) -> Index:
    """Make the index of a corpus over what a selection keeps, by default as it was built; shards are annotated first if need be.

    An index that is there stays until the new one is complete. `progress` shows bars, `trust` is as for a `Corpus`.
    """
    folder = folder_of(corpus)
    Corpus(folder, trust=trust)  # raises if it is not complete
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    check_links(folder)
    check_writable(folder)
    with exclusive(folder), shown(progress, stages) as told:
        opened = Corpus(folder)
        return _index(opened, selection, engine or engine_for(opened, workers), told)


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
    progress: bool = False,
    stages: Stages = unseen,
) -> Index:
    """The index of a corpus as it is now; if there is none, or one from before a change, it is made, over what the old one was of."""
    folder, place = corpus.folder, corpus.folder / FOLDER
    mark = _current(place, corpus)
    if mark:
        _clear_up(folder, mark)
        return Index.open(place)
    check_links(folder)
    check_writable(folder)
    with exclusive(folder), shown(progress, stages) as told:
        opened = Corpus(folder)
        recover(folder)
        if mark := _current(place, opened):
            _discard_done(folder, mark)
            return Index.open(place)
        return _index(opened, _selection_of(place), engine or engine_for(opened, workers), told)


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


def _index(corpus: Corpus, selection: Selection | None, engine: Engine, stages: Stages) -> Index:
    # What makes an index is far more than what reads one: a search should not wait for its import.
    from gristmill.pipeline.annotating import annotate_shards  # noqa: PLC0415
    from gristmill.search.index.building import build_index, index_cost  # noqa: PLC0415

    annotate_shards(corpus, engine, stages)
    return build_index(corpus, selection, engine, stages("indexing", index_cost(corpus)))
