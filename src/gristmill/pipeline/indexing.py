"""Make the index of a corpus, and open it, making first what is missing or out of date."""

from __future__ import annotations

import os
from pathlib import Path

from gristmill.corpus import Corpus, Selection
from gristmill.engine import Engine
from gristmill.errors import GristmillError
from gristmill.pipeline.stages import Stages, check_writable, engine_for, unseen
from gristmill.search.index.index import FOLDER, Index, is_current, parse_card, read_card
from gristmill.shards import exclusive


def index(
    corpus: str | os.PathLike[str],
    selection: Selection | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    stages: Stages = unseen,
) -> Index:
    """Make the index of a corpus over what a selection keeps, by default as it was built; shards are annotated first if need be.

    An index that is there stays until the new one is complete.
    """
    folder = Path(corpus)
    Corpus(folder)  # raises if it is not complete
    check_writable(folder)
    with exclusive(folder):
        opened = Corpus(folder)
        return _index(opened, selection, engine or engine_for(opened, workers), stages)


def open_index(corpus: Corpus, *, workers: int | None = None, engine: Engine | None = None, stages: Stages = unseen) -> Index:
    """The index of a corpus as it is now; if there is none, or one from before a change, it is made, over what the old one was of."""
    place = corpus.folder / FOLDER
    if _is_good(place, corpus):
        return Index.open(place)
    return index(corpus.folder, _selection_of(place), workers=workers, engine=engine, stages=stages)


def _is_good(place: Path, corpus: Corpus) -> bool:
    """Whether there is an index that is whole and of the corpus as it is now."""
    try:
        return is_current(read_card(place), corpus)
    except GristmillError:  # there is none, or it is damaged, or of another version
        return False


def _selection_of(place: Path) -> Selection | None:
    """What the index that was there was of, as far as that can be told."""
    try:
        return Selection.from_table(parse_card(place)["corpus"]["selection"])
    except (GristmillError, KeyError, TypeError):
        return None


def _index(corpus: Corpus, selection: Selection | None, engine: Engine, stages: Stages) -> Index:
    # What makes an index is far more than what reads one: a search should not wait for its import.
    from gristmill.pipeline.annotating import annotate_shards  # noqa: PLC0415
    from gristmill.search.index.building import build_index, index_cost  # noqa: PLC0415

    annotate_shards(corpus, engine, stages)
    return build_index(corpus, selection, engine, stages("indexing", index_cost(corpus)))
