"""Add pages to a corpus: new shards after those that are there, with the settings that it was built with."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gristmill import dedup
from gristmill.archive import find_sources
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.named import admit, trust_corpus
from gristmill.engine import Engine, LocalEngine, silent
from gristmill.pipeline.building import Progress, checked, fingerprints, listed, plan_shards, run_shards, shown_build
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.deduplicating import dedup_job, run_dedup
from gristmill.pipeline.shard import ShardTask
from gristmill.pipeline.watching import run_watches_locked
from gristmill.search.watch.watches import read_watches
from gristmill.shards import DOCUMENTS, SKIPPED, exclusive, read_columns


def add(
    corpus: str | os.PathLike[str],
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int | str = dedup.MEMORY,
    progress: bool | Progress = False,
    trust: bool = False,
) -> Corpus:
    """Add archives and pages to a corpus, but for those that are in it already, or finish an addition that was begun.

    Text that the corpus has is repeated in the new pages, not the other way round: they come after it. Standing queries are asked of them.
    What its files name that the user has not allowed before needs `trust`: plugins, taggers, files that filters read. `progress` shows a
    bar.
    """
    folder = folder_of(corpus)
    if trust:
        trust_corpus(folder, remember=False)
    check_links(folder)
    settings = Manifest.read(folder).config
    if read_watches(folder):
        admit(settings, "annotate")
    config = checked(settings)
    given = find_sources(listed(sources), leave_out=folder)
    with shown_build(progress) as told, exclusive(folder):
        manifest = Manifest.read(folder)
        known = _known_sources(manifest)
        groups = plan_shards([source for source in given if source.name not in known])
        names = manifest.extend(groups, fingerprints(config))
        tasks = [ShardTask(str(folder / "shards" / name), tuple(group), config) for name, group in zip(names, groups, strict=True)]
        if run_shards(tasks, engine or LocalEngine(workers), told) or not manifest.finished:
            shards = [folder / "shards" / entry["name"] for entry in manifest.table["shards"]]
            job = dedup_job(folder, shards, config, workers, engine, memory, silent)
            manifest.finish(shards, run_dedup(config, job))
        run_watches_locked(Corpus(folder), workers, engine)
    return Corpus(folder)


def _known_sources(manifest: Manifest) -> set[str]:
    """The names of all files that the corpus is of. Of a shard of several pages they are in its documents only."""
    known = set()
    for entry in manifest.settled:
        shard = manifest.folder / "shards" / entry["name"]
        known.add(entry["first"])
        if entry["files"] > 1:
            for name in (DOCUMENTS, SKIPPED):
                known.update(read_columns(shard / name, ["source"])["source"].unique().to_pylist())
    return known
