"""Ask standing queries of the shards that came to a corpus since they were asked last, and of no others."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gristmill.corpus import Corpus, Manifest, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine, silent
from gristmill.pipeline.annotating import annotate_shards
from gristmill.pipeline.stages import Stages, engine_for, shown, unseen
from gristmill.search.concordance.lines import Line
from gristmill.search.index.index import Index
from gristmill.search.index.shard import IndexTask
from gristmill.search.watch.watches import Watch, add_watch, clear_leftovers, read_watches, remove_watch
from gristmill.shards import exclusive


def watch(
    corpus: str | os.PathLike[str], query: str, *, where: str = "", name: str = "", everything: bool = False
) -> Watch:
    """Add a standing query: it is asked of the documents that are added from now on, or with `everything` also of those there are."""
    folder = folder_of(corpus)
    Manifest.read(folder)  # raises if there is no corpus, before anything is made
    check_links(folder)
    with exclusive(folder):
        return add_watch(folder, query, where, name, 0 if everything else len(Manifest.read(folder).settled))


def unwatch(corpus: str | os.PathLike[str], name: str) -> None:
    """Watch for a query no more, and forget what it found."""
    folder = folder_of(corpus)
    Manifest.read(folder)
    check_links(folder)
    with exclusive(folder):
        remove_watch(folder, name)


def run_watches(
    corpus: str | os.PathLike[str],
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: bool = False,
    stages: Stages = unseen,
    trust: bool = False,
) -> dict[str, int]:
    """Ask all standing queries of what is new to them, and return how many lines each found; `gristmill.add` does this by itself."""
    folder = folder_of(corpus)
    Corpus(folder, trust=trust)  # raises if it is not complete
    check_links(folder)
    with exclusive(folder), shown(progress, stages) as told:
        return run_watches_locked(Corpus(folder), workers, engine, told)


def run_watches_locked(
    corpus: Corpus, workers: int | None, engine: Engine | None, stages: Stages = unseen
) -> dict[str, int]:
    """The same for a corpus that is locked already."""
    clear_leftovers(corpus.folder)
    watches = read_watches(corpus.folder)
    found = dict.fromkeys((watch.name for watch in watches), 0)
    asked = {watch.name: watch.pending(corpus.shards) for watch in watches}
    shards = [shard for shard in corpus.shards if any(shard in pending for pending in asked.values())]
    annotate_shards(corpus, engine or engine_for(corpus, workers), stages, shards)
    report = stages("searching", len(shards)) if shards else silent
    for shard in shards:
        asking = [watch for watch in watches if shard in asked[watch.name]]
        for watch, lines in zip(asking, _search(corpus, shard, asking), strict=True):
            watch.keep(shard, lines)
            found[watch.name] += len(lines)
        report(1)
    for watch in watches:
        if not watch.is_published():
            watch.publish()
    return found


def _search(corpus: Corpus, shard: Path, watches: Sequence[Watch]) -> list[list[Line]]:
    """What each of some queries finds in one shard."""
    found: list[list[Line]] = [[] for _ in watches]
    with tempfile.TemporaryDirectory() as folder:
        for part in _index_parts(corpus, shard, Path(folder) / "parts"):
            _search_part(part, watches, found)
    return found


def _search_part(part: Path, watches: Sequence[Watch], found: list[list[Line]]) -> None:
    """Add what each of some queries finds in a part.

    Its index is let go of here, as it could not be removed while it is open.
    """
    index = Index.open(part)
    for watch, lines in zip(watches, found, strict=True):
        lines.extend(watch.search(index))


def _index_parts(corpus: Corpus, shard: Path, folder: Path) -> list[Path]:
    """An index of one shard alone, in parts, as its build has it before all are merged."""
    IndexTask(str(corpus.folder), str(shard), str(folder), Selection()).run(silent)
    return sorted(folder.iterdir())
