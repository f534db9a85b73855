"""Build the index of a corpus: parts for each shard, merged into one.

All is done in a folder beside the index, which is put in its place as a whole. A build that was killed goes on with the
parts that it had, if the corpus is the same; of another corpus they are cleared away. One that was killed while the new
index took the place of the old one is finished by `recover`. The result does not depend on how many workers there were.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from gristmill.corpus import Corpus, Selection
from gristmill.drafts import move
from gristmill.engine import Engine, InlineEngine, Report, run_all, silent
from gristmill.errors import GristmillError
from gristmill.search.index.freshness import fingerprint
from gristmill.search.index.index import FOLDER, Index, read_card, verify
from gristmill.search.index.leftovers import OLD, WHOLE, clear, discard, recover, work_folder
from gristmill.search.index.merging import merge
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.index.shard import PART_TOKENS, IndexTask, empty_columns
from gristmill.search.index.writing import write_index
from gristmill.shards import TOKENS

__all__ = ["FOLDER", "PlainDocument", "PlainParagraph", "build_index", "index_cost", "make_index"]


def build_index(
    corpus: Corpus,
    selection: Selection | None = None,
    engine: Engine | None = None,
    report: Report = silent,
    *,
    part_tokens: int = PART_TOKENS,
) -> Index:
    """Build the index over what a selection keeps of a corpus, by default as it was built, and open it.

    An index that was there stays until the new one is complete. Memory: `part_tokens` times about 60 bytes for each
    worker.
    """
    selection = selection or Selection()
    corpus.cuts(selection)  # a wrong one is an error before anything is done
    mark = fingerprint(corpus, selection)
    place, work = corpus.folder / FOLDER, work_folder(corpus.folder, mark)
    recover(corpus.folder)
    clear(corpus.folder, keep=work)
    engine = engine or InlineEngine()
    parts = _parts(corpus, selection, work / "parts", engine, report, part_tokens)
    about = {"corpus": {"fingerprint": mark, "selection": selection.to_table()}}
    whole = work / WHOLE
    shutil.rmtree(whole, ignore_errors=True)
    if parts:
        merge(parts, whole, about, engine)
    else:
        write_index(whole, empty_columns(), about, durable=True)
    _put_in_place(whole, place)
    clear(corpus.folder)
    return Index.open(place)


def index_cost(corpus: Corpus) -> int:
    """How much `build_index` reports in all: bytes of annotation."""
    return sum((shard / TOKENS).stat().st_size for shard in corpus.shards)


def _parts(
    corpus: Corpus, selection: Selection, folder: Path, engine: Engine, report: Report, part_tokens: int
) -> list[Path]:
    """Write the parts of all shards that have none yet, and return all in their order."""
    folders = [folder / shard.name for shard in corpus.shards]
    for place in folders:
        if place.exists() and not _is_sound(place):
            discard(place)
    tasks = [
        IndexTask(str(corpus.folder), str(shard), str(place), selection, part_tokens)
        for shard, place in zip(corpus.shards, folders, strict=True)
        if not place.exists()
    ]
    failures = run_all(engine, tasks, report)
    if failures:
        raise GristmillError(
            f"{len(failures)} of {len(tasks)} shards could not be indexed:{''.join(failures)}\n"
            "The others are done; run the same command again to try only these."
        )
    return [part for place in folders for part in sorted(place.iterdir())]


def _is_sound(place: Path) -> bool:
    """Whether the parts that an earlier run has made of a shard are as it made them: if the power went, they may not be."""
    try:
        for part in place.iterdir():
            verify(part, read_card(part))
    except GristmillError:
        return False
    return True


def _put_in_place(whole: Path, place: Path) -> None:
    """A folder can't be replaced in one step; if that ends between the two steps there is no index until `recover` is called.

    Who opens it between the two waits a moment: see `Index.open`.
    """
    if place.exists():
        move(place, place.with_name(OLD))
    move(whole, place)
