"""What drivers do themselves, next to the tasks that they hand out: CPU seconds and memory as corpora grow.

A corpus of many shards is made of hard links to the files of one shard, so that it takes no room; sketches of many
documents are made of random numbers. Each step is run by a process of its own at growing sizes; the line through these
says what it would take at the sizes of a corpus of 10 billion tokens: 100,000 shards and 20 million documents.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import print_table

sys.path.remove(str(Path(__file__).resolve().parent))  # workers would take a benchmark for a module of Python
import gristmill
from gristmill.archive import find_sources
from gristmill.arrays.storing import save_arrays
from gristmill.corpus import CorpusReader, Manifest, Selection
from gristmill.corpus.inventory import Inventory
from gristmill.corpus.tally import Tally, tally
from gristmill.dedup import METHODS
from gristmill.dedup.documents import Pairs, Sketches
from gristmill.dedup.documents.reducing import merged, reduced
from gristmill.engine import InlineEngine
from gristmill.pipeline.annotating import count_annotations
from gristmill.pipeline.building import plan_shards
from gristmill.pipeline.replacing import Replacing
from gristmill.pipeline.reporting import write_report
from gristmill.pipeline.stages import stages_of
from gristmill.search.index.building import current_segments
from gristmill.search.index.freshness import shard_keys
from gristmill.search.index.state import FOLDER, SegmentEntry, State, read_state
from gristmill.shards import exclusive
from gristmill.stages import Runner, over_shards

_MAX_LINKS = 30_000  # of one file: file systems allow 65,000
_SHARDS, _DOCUMENTS = 100_000, 20_000_000
_WORKERS = int(os.environ.get("WORKERS", "2"))
"""Workers for the tasks; with 1, the driver does them itself, and what they take is counted."""
_WIDTHS = {"minhash": 84, "simhash": 1, "pugh": 10, "wacky": 25, "winnow": 50}
"""Features of a document by method, about."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a step took."""

    seconds: float
    megabytes: float


Step = Callable[[Path], None]
Places = Callable[[int], Path]
Row = dict[str, str]


def make_base(folder: Path) -> Path:
    """Build, annotate and index a corpus of one shard; return the folder of that shard."""
    gristmill.build(["sample"], folder, engine=InlineEngine())
    gristmill.index(folder, engine=InlineEngine())
    return folder / "shards" / "00000"


def make_corpus(folder: Path, base: Path, shards: int) -> None:
    """Make a corpus of so many shards that are all the same one, and the files that it might have been built from."""
    manifest = Manifest.read(base.parents[1])
    entry = manifest.entries[0]
    names = [f"{number:05d}" for number in range(shards)]
    entries = [replace(entry, name=name, first=f"pages/{name}.warc.gz") for name in names]
    files = sorted(path for path in base.iterdir() if path.is_file())
    first = folder / "shards"
    for number, name in enumerate(names):
        target = folder / "shards" / name
        target.mkdir(parents=True)
        if number % _MAX_LINKS == 0:
            first = target
        for file in files:
            if first == target:
                shutil.copy2(file, target / file.name)
            else:
                os.link(first / file.name, target / file.name)
    written = replace(manifest, folder=folder, entries=entries)
    written.write()


def make_sources(folder: Path, count: int) -> None:
    """Make so many small archives, no two of which are the same."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = f"<title>{number}</title><p>Page {number}."
        (folder / f"{number:06d}.html").write_text(text, "utf-8")


def _states(stage_name: str) -> Step:
    """Ask a stage for the states of all its units, as each command does that runs it."""

    def step(folder: Path) -> None:
        with _runner() as runner:
            stage = (
                Replacing(Manifest.read(folder), runner=runner)
                if stage_name == Replacing.name
                else next(stage for stage in stages_of(folder) if stage.name == stage_name)
            )
            units = stage.units()
            assert len(stage.states(units, runner)) == len(units)

    return step


def _runner() -> Runner:
    """What does the work of tasks: this process, or as many workers as were asked for."""
    return Runner(_WORKERS, None if _WORKERS > 1 else InlineEngine())


def _write_manifest(folder: Path) -> None:
    Manifest.read(folder).write()


def _add_up(folder: Path) -> None:
    total = Tally()
    with _runner() as runner:
        for part in over_shards(runner, "counting", Manifest.read(folder).shards, tally):
            total.add(part)


def _lock(folder: Path) -> None:
    with exclusive(folder):
        pass


def _inventory(folder: Path) -> None:
    Inventory(folder, Manifest.read(folder).entries).sort_out([])


def _report(folder: Path) -> None:
    (folder / "report.html").unlink(missing_ok=True)
    with _runner() as runner:
        write_report(folder, runner)


def _card(folder: Path) -> None:
    """Write and read the card of an index: 64 segments, each of many shards."""
    names = [shard.name for shard in Manifest.read(folder).shards]
    size = -(-len(names) // 64)
    segments = tuple(
        SegmentEntry(f"{start}", 1, 1, dict.fromkeys(names[start : start + size], "0" * 32))
        for start in range(0, len(names), size)
    )
    (folder / FOLDER).mkdir(exist_ok=True)
    State(Selection().to_table(), segments, "joined").write(folder / FOLDER)
    read_state(folder / FOLDER)


def _find(folder: Path) -> None:
    plan_shards(find_sources([str(folder)]))


def _begin(folder: Path) -> None:
    """Write down the shards of a build, one for each source, and find them again."""
    sources = [[source] for source in find_sources([str(folder)])]
    config = gristmill.Config()
    target = folder.with_name(f"{folder.name}-begun")
    target.mkdir(exist_ok=True)
    manifest = Manifest.begin(target, sources, config, {})
    manifest.resume(sources)


def _read(folder: Path) -> None:
    Manifest.read(folder)


def _annotations(folder: Path) -> None:
    with _runner() as runner:
        count_annotations(Manifest.read(folder).shards, runner)


def _keys(folder: Path) -> None:
    shard_keys(CorpusReader(folder), Selection())


def _segments(folder: Path) -> None:
    """Find out which of 64 segments are of the corpus as it is now."""
    current_segments(CorpusReader(folder), Selection())


STEPS: dict[str, Step] = {
    "read corpus.toml": _read,
    "read and write corpus.toml": _write_manifest,
    "take the lock of a corpus": _lock,
    **{
        f"states: {name}": _states(name)
        for name in ("build", "versions", "dedup", "annotate", "watch", "index", "report")
    },
    "add up counts": _add_up,
    "count annotations": _annotations,
    "read the list of all sources": _inventory,
    "keys of the index": _keys,
    "card of the index": _card,
    "segments that can stay": _segments,
    "report": _report,
}
SOURCE_STEPS: dict[str, Step] = {"find and hash sources": _find, "plan a build and resume it": _begin}


def measure(step: Step, folder: Path) -> Use:
    """Run a step in a process of its own; its memory is what it takes beyond what it begins with.

    What workers do for it does not count.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            before, begun = _resident(), time.process_time()
            step(folder)
            used = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6 - before
            os.write(tell, json.dumps(used).encode())
            status = 0
        finally:
            sys.stdout.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        sys.exit("a step failed")
    seconds, megabytes = json.loads(os.read(told, 1000))
    os.close(told)
    os.close(tell)
    return Use(seconds, max(0.0, megabytes))


def _resident() -> float:
    """Memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def extrapolate(sizes: Sequence[int], values: Sequence[float], target: int) -> float:
    """The value at a size, by the line through the smallest and the largest size that was measured."""
    slope = (values[-1] - values[0]) / (sizes[-1] - sizes[0])
    return max(values[-1], values[-1] + slope * (target - sizes[-1]))


def at_once(method: str, documents: int) -> Step:
    """A step that matches so many sketches, of which each tenth is like the one before it, in one process."""
    made: Any = METHODS[method]()

    def step(folder: Path) -> None:
        del folder
        made.match(random_sketches(method, documents))

    return step


def by_tasks(method: str, documents: int) -> Step:
    """A step that does what the driver does if tasks match so many sketches: it puts together what they have found."""

    def step(folder: Path) -> None:
        tenths = np.arange(0, documents - 1, 10)
        found = [
            reduced(Pairs(part, part + 1, np.full(len(part), 0.9)), part, 0, 0) for part in np.array_split(tenths, 64)
        ]
        copies, _ = merged(found, lambda numbers: numbers, 0)
        marked = copies.heads != copies.rows
        save_arrays(folder / method, {"rows": copies.rows[marked], "heads": copies.heads[marked]})

    return step


def random_sketches(method: str, documents: int) -> Sketches:
    """Make sketches, of which each tenth is nearly the same as the one before it."""
    width = _WIDTHS[method]
    random = np.random.default_rng(1)
    features = random.integers(0, 1 << 63, (documents, width), np.uint64)
    likewise = features[1::10]
    likewise[:, : width - 1] = features[::10][: len(likewise), : width - 1]
    return Sketches(features.ravel(), np.arange(documents + 1) * width, np.full(documents, width * 10))


def table(steps: Mapping[str, Callable[[int], Step]], sizes: Sequence[int], places: Places, target: int) -> list[Row]:
    """Measure steps at all sizes."""
    rows: list[Row] = []
    for name, step in steps.items():
        used = [measure(step(size), places(size)) for size in sizes]
        seconds = extrapolate(sizes, [use.seconds for use in used], target)
        megabytes = extrapolate(sizes, [use.megabytes for use in used], target)
        cells = {
            f"{size:,}": f"{use.seconds:.2f} s, {use.megabytes:.0f} MB" for size, use in zip(sizes, used, strict=True)
        }
        rows.append({"step": name, **cells, f"at {target:,}": f"{seconds:.0f} s, {megabytes:.0f} MB"})
        print(" | ".join(rows[-1].values()), file=sys.stderr, flush=True)
    return rows


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", default=[1000, 4000], type=_numbers, help="numbers of shards, rising")
    parser.add_argument("--documents", default=[50_000, 200_000], type=_numbers, help="numbers of documents, rising")
    parser.add_argument("--only", default="", help="measure only steps whose names have this in them")
    parser.add_argument("--folder", type=Path, help="keep the corpora here, and use those that are here")
    parser.add_argument("--json", action="store_true", help="print figures for programs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        _prepare(folder, options.shards)

        def chosen(steps: Mapping[str, Callable[[int], Step]]) -> dict[str, Callable[[int], Step]]:
            return {name: step for name, step in steps.items() if options.only in name}

        of_shards = chosen({name: partial(_same, step) for name, step in STEPS.items()})
        of_sources = chosen({name: partial(_same, step) for name, step in SOURCE_STEPS.items()})
        of_documents = chosen(
            {f"{method}, at once": partial(at_once, method) for method in _WIDTHS}
            | {"document methods, by tasks": partial(by_tasks, "found")}
        )
        tables = [
            table(of_shards, options.shards, lambda size: folder / f"shards-{size}", _SHARDS),
            table(of_sources, options.shards, lambda size: folder / f"sources-{size}", _SHARDS),
            table(of_documents, options.documents, lambda _: folder, _DOCUMENTS),
        ]
    if options.json:
        print(json.dumps(tables, indent=1))
        return
    for rows in filter(None, tables):
        print_table(list(rows[0]), [list(row.values()) for row in rows])


def _same(step: Step, size: int) -> Step:
    del size
    return step


def _prepare(folder: Path, sizes: Sequence[int]) -> None:
    """Make the corpora and sources that are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    base = folder / "base" / "shards" / "00000"
    if not base.exists():
        make_base(folder / "base")
    for size in sizes:
        if not (folder / f"shards-{size}").exists():
            make_corpus(folder / f"shards-{size}", base, size)
        if not (folder / f"sources-{size}").exists():
            make_sources(folder / f"sources-{size}", size)
        shutil.rmtree(folder / f"sources-{size}-begun", ignore_errors=True)


if __name__ == "__main__":
    main()
