"""How long a report takes: to count a corpus, to add up its shards, and to answer what a threshold would keep.

    python benchmarks/report.py                      a million blocks in ten shards
    python benchmarks/report.py --shards 1000 --times 1

The corpus is the sample, its shard repeated: `--times` times within a shard, in so many shards.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pyarrow.parquet as pq

import gristmill
from gristmill.corpus import Manifest
from gristmill.corpus.tally import tally
from gristmill.engine import InlineEngine
from gristmill.html.report import report_file
from gristmill.pipeline.reporting import count_figures
from gristmill.report.breakdown import breakdown
from gristmill.report.copies import copies
from gristmill.report.overview import overview
from gristmill.report.samples import draw_samples
from gristmill.report.threshold import Thresholds, scores
from gristmill.report.totals import CorpusFigures
from gristmill.shards import Shard, ShardWriter, facts, read_columns

T = TypeVar("T")


def repeated(folder: Path, shards: int, times: int) -> gristmill.Corpus:
    """Make a corpus of the sample, so many times."""
    corpus = gristmill.build(["sample"], folder, engine=InlineEngine())
    first = corpus.shards[0]
    (first.folder / "figures.arrays").unlink()
    for path in (first.documents, first.duplicates):
        table, known = read_columns(path, _names(path)), facts(path)
        known["counts"] = {name: count * times for name, count in known["counts"].items()}
        with ShardWriter(path, table.schema) as writer:
            for _ in range(times):
                writer.write(table)
            writer.finish(known)
    manifest = Manifest.read(folder)
    [entry] = manifest.entries
    for number in range(1, shards):
        name = f"{number:05d}"
        shutil.copytree(first.folder, Shard.of(folder, name).folder)
        manifest.entries.append(dataclasses.replace(entry, name=name))
    manifest.finish(tally(manifest.shards), {})
    return gristmill.Corpus(folder)


def _names(path: Path) -> list[str]:
    return list(pq.read_schema(path).names)


def timed(what: str, action: Callable[[], T]) -> T:
    """Do something and print how long it took."""
    begun = time.perf_counter()
    found = action()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{what:55} {time.perf_counter() - begun:8.3f} s   peak {memory:6.0f} MB", flush=True)
    return found


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shards", type=int, default=10)
    parser.add_argument("--times", type=int, default=14, help="how often the sample is in a shard")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        corpus = repeated(Path(place) / "corpus", asked.shards, asked.times)
        reader = corpus.reader
        timed("count all shards, one process", lambda: count_figures(corpus.folder, engine=InlineEngine()))
        figures = CorpusFigures(reader)
        total = timed("add up the stored figures", lambda: figures.totals)
        print(f"{int(total.blocks.sum()):,} blocks, {int(total.words.sum()):,} words, {asked.shards:,} shards")
        thresholds = Thresholds(figures)
        timed("threshold 0.5, roles of the build", lambda: thresholds.cut(0.5))
        timed("threshold 0.4, roles of the build", lambda: thresholds.cut(0.4))
        timed("threshold 0.4, other roles for the first time", lambda: thresholds.cut(0.4, "text,heading"))
        timed("threshold 0.3, the same roles", lambda: thresholds.cut(0.3, "text,heading"))
        timed("scores for the slider", lambda: scores(figures))
        timed("stages", lambda: overview(figures))
        timed("breakdown by host", lambda: breakdown(figures, "host"))
        timed("repeated text", lambda: copies(figures))
        timed("samples of all reasons", lambda: draw_samples(figures, 1))
        timed("the file", lambda: report_file(figures))


if __name__ == "__main__":
    main()
