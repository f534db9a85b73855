"""Add pages to a corpus: new shards after those that are there, with the settings that it was built with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from gristmill.archive import find_sources
from gristmill.archive.allowed import allow_stores
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.inventory import Inventory, SourceNote
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.corpus.named import admit, check_for_workers, trust_corpus
from gristmill.engine import Engine, InlineEngine, engine_of
from gristmill.errors import UsageError
from gristmill.parallel.reader import refuse_parallel
from gristmill.parts import Part
from gristmill.pipeline.building import Building, checked, fingerprints, listed, plan_shards
from gristmill.pipeline.corpus import Corpus
from gristmill.pipeline.deduplicating import Deduplicating, report_on
from gristmill.pipeline.dividing import as_part, check_all_done, check_choice, forget_parts, planning
from gristmill.pipeline.indexing import compact_index
from gristmill.pipeline.pushing import open_mirror, publish
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
    engine: Engine | str | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    notes: Callable[[SourceNote], None] = unnoted,
    trust: bool = False,
    mirror: str | None = None,
    part: str | Part | None = None,
    merge: bool = False,
) -> Corpus:
    """Add archives and pages to a corpus, but for those that are in it already, or finish an addition that was begun.

    Files are known by what they hold, whatever their names are: one that is there is not read again, and of an archive
    that has only grown at its end the rest is read. `notes` is told of both. What the corpus keeps stays kept: only the
    new pages are de-duplicated, against it and among themselves. Standing queries are asked of them. What its files
    name that the user has not allowed before needs `trust`: plugins, taggers, files that filters read. `progress` shows
    bars. `mirror` is an address such as `s3://bucket/corpus`, where the corpus goes in the end, as by `push`.

    With a `part`, such as `3/16`, only that part of the new shards is built, while others build the other parts with
    the same sources; the corpus is as it was until a last call with `merge`, which raises if one is missing.
    """
    engine, folder, part = engine_of(engine), folder_of(corpus), as_part(part)
    check_choice(part, merge=merge)
    if trust:
        trust_corpus(folder, remember=False)
    check_links(folder)
    refuse_parallel(folder)
    settings = Manifest.read(folder).config
    if read_watches(folder):
        admit(settings, "annotate")
    config = checked(settings)
    given = find_sources(listed(sources), leave_out=folder)
    allow_stores(given)
    if not isinstance(engine, InlineEngine):
        check_for_workers(config, "clean", "filter")
    copy = open_mirror(mirror) if mirror is not None else None
    with running(folder, workers, engine, progress, part) as runner:
        with planning(folder, part):
            manifest = Manifest.read(folder)
            Deduplicating(manifest, config, workers, memory, settled=len(manifest.settled)).check()
            fresh, known = Inventory(folder, manifest.settled).sort_out(given)
            if merge and fresh and manifest.adding is None:
                raise UsageError(f"there is nothing to merge in {folder}: add parts first, the first with --part 1/N")
            groups = manifest.extend(plan_shards(fresh), fingerprints(config))
        for note in known:
            notes(note)
        if copy:
            copy.check_same(manifest.entries, f"the one in {folder}")
        stage = Building(folder, list(groups), groups, config, copy)
        if merge:
            check_all_done(folder, stage.not_begun, len(groups), "built")
        built = runner.run(stage)
        if part:
            return Corpus(folder)
        runner.run(Replacing(manifest, len(manifest.settled), runner))
        runner.run(Deduplicating(manifest, config, workers, memory, anew=built, settled=len(manifest.settled)))
        ask_watches(CorpusReader(folder), runner)
        compact_index(CorpusReader(folder), engine)
        report_on(folder, runner)
        forget_parts(folder, part)
        if copy:
            publish(folder, copy, runner)
    return Corpus(folder)


def can_add(folder: Path) -> bool:
    """Tell whether there is a corpus in a folder that pages can be added to, and not only the beginning of one."""
    return (folder / MANIFEST).exists() and Manifest.read(folder).is_settled
