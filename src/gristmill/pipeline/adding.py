"""Add pages to a corpus: new shards after those that are there, with the settings that it was built with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from gristmill import dedup
from gristmill.archive import find_sources
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.inventory import Inventory, SourceNote
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.corpus.named import admit, check_for_workers, trust_corpus
from gristmill.engine import Engine, InlineEngine
from gristmill.pipeline.building import Building, checked, fingerprints, listed, plan_shards
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.deduplicating import Deduplicating, report_on
from gristmill.pipeline.indexing import compact_index
from gristmill.pipeline.replacing import Replacing
from gristmill.pipeline.watching import ask_watches
from gristmill.progress import Progress
from gristmill.search.watch.watches import read_watches
from gristmill.stages import running


def unnoted(note: SourceNote) -> None:
    """Ignore which files are passed over."""
    del note


def add(
    corpus: str | os.PathLike[str],
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int | str = dedup.MEMORY,
    progress: bool | Progress = False,
    notes: Callable[[SourceNote], None] = unnoted,
    trust: bool = False,
) -> Corpus:
    """Add archives and pages to a corpus, but for those that are in it already, or finish an addition that was begun.

    Files are known by what they hold, whatever their names are: one that is there is not read again, and of an archive
    that has only grown at its end the rest is read. `notes` is told of both. What the corpus keeps stays kept: only the
    new pages are de-duplicated, against it and among themselves. Standing queries are asked of them. What its files
    name that the user has not allowed before needs `trust`: plugins, taggers, files that filters read. `progress` shows
    bars.
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
    if not isinstance(engine, InlineEngine):
        check_for_workers(config, "clean", "filter")
    with running(folder, workers, engine, progress) as runner:
        manifest = Manifest.read(folder)
        Deduplicating(manifest, config, workers, memory, settled=len(manifest.settled)).check()
        fresh, known = Inventory(folder, manifest.settled).sort_out(given)
        groups = manifest.extend(plan_shards(fresh), fingerprints(config))
        for note in known:
            notes(note)
        built = runner.run(Building(folder, list(groups), groups, config))
        runner.run(Replacing(manifest, len(manifest.settled)))
        runner.run(Deduplicating(manifest, config, workers, memory, anew=built, settled=len(manifest.settled)))
        ask_watches(CorpusReader(folder), runner)
        compact_index(CorpusReader(folder), engine)
        report_on(folder, runner)
    return Corpus(folder)


def can_add(folder: Path) -> bool:
    """Tell whether there is a corpus in a folder that pages can be added to, and not only the beginning of one."""
    return (folder / MANIFEST).exists() and Manifest.read(folder).is_settled
