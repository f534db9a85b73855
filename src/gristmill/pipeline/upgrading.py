"""Bring a corpus of an older version to the present format."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from gristmill import dedup
from gristmill.config import Config
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.manifest import FORMAT
from gristmill.corpus.named import admit, with_plugins
from gristmill.dedup.onion.index import Index as NgramIndex
from gristmill.dedup.onion.method import Onion
from gristmill.engine import Engine, engine_of
from gristmill.errors import GristmillError
from gristmill.pipeline.deduplicating import dedup_job, with_means
from gristmill.pipeline.indexing import clear_index, open_index
from gristmill.progress import Progress
from gristmill.search.index.index import FOLDER, Index
from gristmill.stages import Runner, running


def upgrade(
    corpus: str | os.PathLike[str],
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> list[str]:
    """Bring a corpus of an older version to the present format, and return what was done, a sentence each.

    Documents and what was decided about them stay as they are. The n-gram index is made anew, and so is the index for
    searches, if there is one. A corpus need not be upgraded to be read, searched or added to: what is old is then
    read, or made anew when it is needed.
    """
    engine, folder = engine_of(engine), folder_of(corpus)
    CorpusReader(folder, trust=trust).check_complete()
    check_links(folder)
    done = []
    with running(folder, workers, engine, progress) as runner:
        manifest = Manifest.read(folder)
        before = manifest.format
        if not _can_grow(folder) and _make_ngrams(manifest, workers, runner):
            done.append("the n-gram index was made anew")
        shutil.rmtree(folder / dedup.WORK, ignore_errors=True)  # what a killed upgrade has put aside
        if manifest.upgrade():  # the last of what needs the lock: until then the corpus says that it is old
            done.insert(0, f"corpus.toml has format {FORMAT}, and had {before}")
    if (folder / FOLDER).exists() and not _can_be_opened(folder / FOLDER):
        open_index(CorpusReader(folder), workers=workers, engine=engine, progress=progress)
        done.append("the index for searches was made anew")
    clear_index(folder)
    return done


def _can_grow(folder: Path) -> bool:
    """Tell whether segments can be added to the n-gram index: if there is one, not of an older version or damaged."""
    with suppress(GristmillError):
        return NgramIndex.read(folder / dedup.INDEX, same_corpus=True).can_grow
    return False


def _make_ngrams(manifest: Manifest, workers: int | None, runner: Runner) -> bool:
    """Make the n-gram index from what is stored, if the method of the corpus has one."""
    config: Config = with_plugins(manifest.config)
    admit(config, "dedup")
    method = dedup.parse(config.dedup.method)
    if not isinstance(method, Onion):
        return False
    job = with_means(dedup_job(manifest.folder, (), config, workers, None, manifest.shards), runner, None)
    with runner.together("making the n-gram index"):
        method.index_settled(job)
    return True


def _can_be_opened(place: Path) -> bool:
    try:
        Index.open(place)
    except GristmillError:
        return False
    return True
