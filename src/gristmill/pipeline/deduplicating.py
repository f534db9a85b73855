"""De-duplicate a corpus, as the last part of its build or anew."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gristmill import dedup
from gristmill.arguments import as_bytes, as_paths, as_workers
from gristmill.config import Config
from gristmill.consent import Named, allow
from gristmill.corpus import Manifest, folder_of
from gristmill.corpus.links import check_links
from gristmill.corpus.named import admit, trust_corpus, with_plugins
from gristmill.engine import Engine, Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline.corpus import Corpus
from gristmill.progress import bars
from gristmill.shards import DOCUMENTS, exclusive


def deduplicate(
    corpus: str | os.PathLike[str],
    method: str | None = None,
    against: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int | str = dedup.MEMORY,
    progress: bool = False,
    report: Report | None = None,
    trust: bool = False,
) -> Corpus:
    """De-duplicate an existing corpus anew, by a method with its parameters (`onion:n=7`), against its own text and that of others.

    If no method is given, it is the one as before. What was interrupted is finished by the same call. `progress` shows
    a sign of life; how long it will take is not known before.
    """
    folder = folder_of(corpus)
    Manifest.read(folder)  # raises if there is no corpus, before anything is made
    if trust:
        trust_corpus(folder, remember=False)
    check_links(folder)
    others = tuple(str(Path(other).absolute()) for other in as_paths(against, "against"))
    allow(Named.at("file", other) for other in others)
    with exclusive(folder), _shown(progress, report) as told:
        _deduplicate(folder, method, others, workers, engine, memory, told)
    return Corpus(folder)


def _deduplicate(
    folder: Path,
    method: str | None,
    others: tuple[str, ...],
    workers: int | None,
    engine: Engine | None,
    memory: int | str,
    report: Report | None,
) -> None:
    manifest = Manifest.read(folder)
    config = with_plugins(manifest.config.replace(dedup_method=method, dedup_against=others))
    admit(config, "dedup")
    shards = manifest.shards
    unfinished = [shard.name for shard in shards if not (shard / DOCUMENTS).exists()]
    if unfinished:
        raise GristmillError(
            f"the corpus in {folder} is not complete ({len(unfinished)} shards are missing): finish it with `gristmill build`"
        )
    job = dedup_job(folder, shards, config, workers, engine, memory, report)
    dedup.parse(config.dedup.method).check(job)
    manifest.reopen(config)
    manifest.finish(shards, run_dedup(config, job))


@contextmanager
def _shown(progress: bool, report: Report | None) -> Iterator[Report | None]:
    if not progress:
        yield report
        return
    with bars("nothing") as begin:
        yield begin("de-duplicating", None)


def dedup_job(
    folder: Path,
    shards: Sequence[Path],
    config: Config,
    workers: int | None,
    engine: Engine | None,
    memory: int | str,
    report: Report | None,
    settled: Sequence[Path] = (),
) -> dedup.Job:
    """What de-duplication of these shards is given to work with; settled ones are compared with and stay as they are."""
    against = tuple(map(Path, config.dedup.against))
    for other in against:
        if other.resolve() == folder.resolve():
            raise UsageError(f"{folder} can't be compared with itself: it is de-duplicated within itself anyway")
    limit = as_bytes(memory, "memory")
    return dedup.Job(
        tuple(shards),
        folder / "dedup",
        as_workers(workers),
        engine,
        limit,
        against,
        folder / dedup.INDEX,
        report or silent,
        tuple(settled),
    )


def run_dedup(config: Config, job: dedup.Job) -> dict[str, int]:
    """De-duplicate, and return what was counted on the way."""
    if not job.settled:
        job.retire_index()
    found = dedup.parse(config.dedup.method).run(job)
    shutil.rmtree(job.work, ignore_errors=True)  # what a killed run of another method has put aside
    return found
