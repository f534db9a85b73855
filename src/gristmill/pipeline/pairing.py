"""Make a parallel corpus: find the pages of a corpus that translate each other, and align their sentences."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
import xxhash

from gristmill.alignment import read_dictionary
from gristmill.arguments import as_path, as_paths
from gristmill.config import check_share
from gristmill.corpus import CorpusReader, Manifest, folder_of
from gristmill.corpus.entry import ShardEntry
from gristmill.corpus.links import check_links
from gristmill.engine import Engine
from gristmill.errors import UsageError
from gristmill.locks import LOCK
from gristmill.parallel.aligning import AlignPages, CountWords, LearnDictionary
from gristmill.parallel.gathering import GatherPages
from gristmill.parallel.outlining import OutlineShard
from gristmill.parallel.pairing import FIRST, SECOND, PairPages
from gristmill.parallel.plan import Plan
from gristmill.parallel.reader import ParallelCorpus, check_languages
from gristmill.parallel.records import DESCRIPTION, FOLDER, FORMAT, UNPAIRED, UNPAIRED_SCHEMA, pairs_of
from gristmill.parallel.repeats import CountRepeats, WriteBeads
from gristmill.pipeline.annotating import Annotating
from gristmill.pipeline.deduplicating import Deduplicating, report_on
from gristmill.progress import Progress
from gristmill.settings import read_toml
from gristmill.shards import ShardWriter, facts, read_batches, write_atomically
from gristmill.stages import Round, Runner, running
from gristmill.threads import in_threads
from gristmill.version import __version__

_BUCKET_DOCUMENTS = 5_000
"""Documents of a bucket, about: these are in memory at once."""
_SMALL_WORK_BYTES = 4_000_000
_COMPARED = ("format", "languages", "settings", "fingerprint")
"""What must be the same in a parallel corpus that was begun before."""


def build_parallel(
    corpus: str | os.PathLike[str],
    source: str,
    target: str,
    output: str | os.PathLike[str] | None = None,
    *,
    dictionaries: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    embedder: str = "",
    min_score: float = 0.5,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> ParallelCorpus:
    """Make a parallel corpus of the pages of a corpus in two languages that translate each other.

    It is made in the folder `output`, or in `parallel/en-de` of the corpus. What is there already is not made again:
    a run that was killed goes on, and one that was finished is opened. `dictionaries` are files of word translations
    (`Dictionary.read` says in which formats), which are used beside what is learned from the pages themselves. Pages
    with a score of at least `min_score` are a pair. `embedder` names what gives sentences as vectors, if they are to
    be aligned by these. `engine` is an engine or the name of one, and the result does not depend on it.
    """
    folder, place = folder_of(corpus), _place(corpus, output, source, target)
    check_share(min_score, "min_score")
    reader = CorpusReader(folder, trust=trust)
    reader.check_complete()
    check_languages(reader, (source, target))
    check_links(folder)
    check_links(place)
    given = tuple(str(Path(path).absolute()) for path in as_paths(dictionaries, "dictionaries"))
    asked = _Asked((source, target), min_score, embedder, given)
    if embedder:
        from gristmill.alignment.embeddings import load_embedder  # noqa: PLC0415 (most align without)

        load_embedder(embedder)  # raises if there is none of that name, before anything is written
    for path in given:
        read_dictionary(Path(path))  # as above
    with running(folder, workers, engine, progress) as runner:
        runner.run(Annotating.of(reader, renewing=False))
    with running(place, workers, engine, progress) as runner:
        _Pairing(CorpusReader(folder), place, asked, runner).run()
    return ParallelCorpus(place)


def _place(corpus: str | os.PathLike[str], output: str | os.PathLike[str] | None, source: str, target: str) -> Path:
    """Return the folder of the parallel corpus; raises if it is that of the corpus itself."""
    folder = folder_of(corpus)
    place = folder / FOLDER / f"{source}-{target}" if output is None else as_path(output, "output")
    if place.resolve() == folder.resolve():
        raise UsageError(f"{place} holds the corpus itself: give another folder with -o")
    if place.is_file():
        raise UsageError(f"{place} is a file: give a folder with -o")
    return place


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the user asks for."""

    languages: tuple[str, str]
    min_score: float
    embedder: str
    dictionaries: tuple[str, ...]

    def to_table(self) -> dict[str, Any]:
        """Return the settings as they are written down: dictionaries by what is in them."""
        hashes = {path: xxhash.xxh3_64_hexdigest(Path(path).read_bytes()) for path in self.dictionaries}
        return {
            "min_score": self.min_score,
            "embedder": self.embedder,
            "dictionaries": [f"{Path(path).name} {hashed}" for path, hashed in hashes.items()],
        }


class _Pairing:
    """The work on one parallel corpus, round by round."""

    def __init__(self, corpus: CorpusReader, folder: Path, asked: _Asked, runner: Runner) -> None:
        self._corpus, self._folder, self._asked, self._runner = corpus, folder, asked, runner
        annotated_by = _annotated_by(corpus)
        known = json.dumps([corpus.manifest.fingerprint, annotated_by], sort_keys=True)
        self._description: dict[str, Any] = {
            "format": FORMAT,
            "gristmill": __version__,
            "languages": list(asked.languages),
            "origin": os.path.relpath(corpus.folder, folder),
            "fingerprint": xxhash.xxh3_128_hexdigest(known.encode()),
            "settings": asked.to_table(),
        }
        documents = sum(corpus.size["languages"][lang] for lang in asked.languages)
        self._plan = Plan(
            corpus.folder,
            folder,
            asked.languages,
            tuple(shard.name for shard in corpus.shards),
            max(1, -(-documents // _BUCKET_DOCUMENTS)),
            embedder=asked.embedder,
            given=asked.dictionaries,
            annotated_by=annotated_by,
            min_score=asked.min_score,
            bytes=corpus.size["bytes"],
        )

    def run(self) -> None:
        """Make the parallel corpus, or what is missing of it."""
        if self._is_done():
            return
        plan, buckets, shards = self._plan, range(self._plan.buckets), self._corpus.shards
        with self._runner.together("pairing pages"):
            self._round("shard", [OutlineShard(shard, plan) for shard in shards])
            self._round("bucket", [PairPages(plan, bucket, FIRST) for bucket in buckets])
            self._round("shard", [GatherPages(shard, plan, FIRST, "texts") for shard in shards])
        with self._runner.together("learning words"):
            self._round("bucket", [CountWords(plan, bucket) for bucket in buckets])
            self._round("dictionary", [LearnDictionary(plan)])
        with self._runner.together("pairing pages by their words"):
            self._round("bucket", [PairPages(plan, bucket, SECOND) for bucket in buckets])
            self._round("shard", [GatherPages(shard, plan, SECOND, "pages") for shard in shards])
        used = tuple(bucket for bucket in buckets if facts(plan.path(SECOND, bucket))["pairs"])
        with self._runner.together("aligning sentences"):
            self._round("bucket", [AlignPages(plan, bucket, number) for number, bucket in enumerate(used)])
            self._round("part", [CountRepeats(plan, part, used) for part in buckets])
            self._round("bucket", [WriteBeads(plan, bucket, number) for number, bucket in enumerate(used)])
        self._finish(used)

    def _round(self, unit: str, tasks: Sequence[Any]) -> None:
        """Run tasks whose files are not there."""
        self._runner.run(
            Round("pairing", tasks, lambda number: tasks[number].result, unit=unit, small_work=_SMALL_WORK_BYTES)
        )

    def _is_done(self) -> bool:
        """Tell whether it is all there; otherwise write down what is begun, or check that it is what was begun."""
        path = self._folder / DESCRIPTION
        if not path.exists():
            others = [entry.name for entry in self._folder.iterdir() if not entry.name.startswith(LOCK)]
            if others:
                raise UsageError(f"{self._folder} is not empty and holds no parallel corpus: give a new folder with -o")
            self._describe({})
            return False
        there = read_toml(path)
        for name in _COMPARED:
            one, other = there.get(name), self._description[name]
            if one != other:
                differing = f"{name}: {one!r} there, {other!r} here"
                what = "the corpus has changed since" if name == "fingerprint" else differing
                raise UsageError(
                    f"{self._folder} holds another parallel corpus ({what}): give another folder with -o, or delete it"
                )
        return "counts" in there

    def _describe(self, counts: Mapping[str, Any]) -> None:
        """Write what the parallel corpus is of, and its counts when it is done."""
        table = self._description | ({"counts": dict(counts)} if counts else {})
        write_atomically(self._folder / DESCRIPTION, tomli_w.dumps(table).encode())

    def _finish(self, used: Sequence[int]) -> None:
        """Make a corpus of the shards, and write down what there is."""
        plan = self._plan
        unpaired = _write_unpaired(plan)
        config = self._corpus.config.replace(dedup_method="none", dedup_against=())
        names = [f"{number:05d}" for number in range(len(used))]
        origin, mark = self._description["origin"], self._description["fingerprint"]
        entries = [
            ShardEntry(name, origin, 1, 0, xxhash.xxh3_64_hexdigest(f"{mark} {plan.languages} {name}".encode()))
            for name in names
        ]
        manifest = Manifest(
            self._folder, config.to_table(), entries, self._corpus.manifest.versions, self._corpus.manifest.files
        )
        manifest.write()
        self._runner.run(Deduplicating(manifest, config))
        report_on(self._folder, self._runner)
        counts: Counter[str] = Counter({"pairs": 0, "candidates": 0, "beads": 0})
        for shard in manifest.shards:
            counts.update(facts(pairs_of(shard)))
        self._describe({**counts, "unpaired": unpaired})
        plan.clear()


def _annotated_by(corpus: CorpusReader) -> dict[str, Any]:
    """Return the settings by which the first shard of a corpus was annotated, and the versions of all."""
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}
    for found in in_threads(lambda shard: facts(shard.tokens), corpus.shards):
        settings = settings or found["settings"]
        versions = found["versions"] | versions
    return {"settings": settings, "versions": versions}


def _write_unpaired(plan: Plan) -> dict[str, int]:
    """Write the list of documents without a pair; return how many there are, by reason."""
    counts: Counter[str] = Counter()
    with ShardWriter(plan.folder / UNPAIRED, UNPAIRED_SCHEMA) as writer:
        for path in plan.of_buckets("unpaired"):
            for batch in read_batches(path, None, 10_000):
                writer.write(batch)
                counts.update(batch.column("reason").to_pylist())
        writer.finish({"reasons": dict(sorted(counts.items()))})
    return dict(sorted(counts.items()))
