"""Measure what a Ray cluster costs and brings: a build by Ray next to one by the local engine, and on more nodes.

Archives are written from pages of the gold standards, as in `build.py`. Every build is a process of its own, from its
start to its end; the ways take turns, and the best of some runs counts. On one machine there are as many nodes as one
likes, but no more cores: two nodes of one core each need two that nobody else uses. The results must be the same to the
byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build import write_archive
from harness import GoldPage, at_least_one, command_line, find_gold_sets, print_table, read_gold_pages, tell

_BUILD = (
    "import sys, gristmill; gristmill.build(sys.argv[4:], sys.argv[1], engine=sys.argv[2], workers=int(sys.argv[3]))"
)
_STORE_BYTES = 80_000_000  # the least that Ray allows, about


def start_cluster(*cores: int) -> Any:
    """Start a Ray cluster, whose nodes have so many cores; the first is that of the driver."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # else they would have less of a busy machine than local workers
    from ray.cluster_utils import Cluster  # noqa: PLC0415 (it takes seconds, and --help needs none)

    first, *others = cores
    head = {"num_cpus": first, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for count in others:
        cluster.add_node(num_cpus=count, include_dashboard=False, object_store_memory=_STORE_BYTES)
    return cluster


@dataclass(frozen=True, slots=True)
class Way:
    """A way to build: an engine, and how many workers it has."""

    name: str
    engine: str
    workers: int


class Bench:
    """Builds archives in different ways, again and again."""

    def __init__(self, folder: Path, archives: Sequence[Path], repeat: int) -> None:
        self._output, self._archives, self._repeat = folder / "corpus", archives, repeat
        self._bytes = ""

    def compare(self, ways: Sequence[Way]) -> dict[str, float]:
        """The shortest time of each way, in seconds."""
        best: dict[str, float] = {}
        for _ in range(self._repeat):
            for way in ways:
                best[way.name] = min(self._build(way), best.get(way.name, float("inf")))
        return best

    def _build(self, way: Way) -> float:
        start = time.perf_counter()
        command = [sys.executable, "-c", _BUILD, str(self._output), way.engine, str(way.workers)]
        subprocess.run([*command, *map(str, self._archives)], check=True)
        seconds = time.perf_counter() - start
        found = _digest(self._output)
        if self._bytes not in {"", found}:
            sys.exit(f"{way.name} has made another corpus than the others")
        self._bytes = found
        shutil.rmtree(self._output)
        return seconds


def _digest(folder: Path) -> str:
    digest = hashlib.blake2b()
    for file in sorted(folder.rglob("*")):
        digest.update(str(file.relative_to(folder)).encode())
        digest.update(file.read_bytes() if file.is_file() else b"")
    return digest.hexdigest()


def measure_overhead(bench: Bench) -> dict[str, float]:
    """Build on two cores: by the local engine, on a cluster that runs already, and on one that is started for it."""
    tell("one node with two cores")
    cluster = start_cluster(2)
    try:
        return bench.compare(
            [
                Way("local", "local", 2),
                Way("Ray, running", f"ray:address={cluster.address}", 2),
                Way("Ray, started", "ray:address=local", 2),
            ]
        )
    finally:
        cluster.shutdown()


def measure_nodes(bench: Bench) -> dict[str, float]:
    """Build on one and on two nodes with one core each, and by one and two local workers, which have the same cores."""
    tell("one and two nodes with one core each")
    one, two = start_cluster(0, 1), start_cluster(0, 1, 1)
    try:
        return bench.compare(
            [
                Way("one node", f"ray:address={one.address}", 2),
                Way("two nodes", f"ray:address={two.address}", 2),
                Way("one local worker", "local", 1),
                Way("two local workers", "local", 2),
            ]
        )
    finally:
        for cluster in (one, two):
            cluster.shutdown()


def write_archives(folder: Path, pages: Sequence[GoldPage], count: int, archives: int) -> list[Path]:
    """Write a number of pages, evenly to archives; the pages come again and again, each time with another number."""
    each = count // archives
    return [
        write_archive(
            folder / f"{number:03d}.warc.gz",
            [pages[(number * each + at) % len(pages)] for at in range(each)],
            number,
        )
        for number in range(archives)
    ]


def rows_of(times: Mapping[str, float]) -> list[list[str]]:
    """Rows of a table: seconds, and how often the first way's time that is."""
    first = next(iter(times.values()))
    return [[name, f"{seconds:.1f}", f"{seconds / first:.2f}"] for name, seconds in times.items()]


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--pages", type=at_least_one, default=2000, help="pages to build (default: 2000)")
    parser.add_argument("--archives", type=at_least_one, default=8, help="archives that they are in (default: 8)")
    parser.add_argument("--repeat", type=at_least_one, default=3, help="runs, of which the best counts (default: 3)")
    parser.add_argument("--only", choices=["overhead", "nodes"], help="measure only this")
    arguments = parser.parse_args()
    sets = find_gold_sets(arguments.gold)
    pages = [page for path in sets for page in read_gold_pages(path, -(-arguments.pages // len(sets)))]
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Bench(folder, write_archives(folder, pages, arguments.pages, arguments.archives), arguments.repeat)
        if arguments.only != "nodes":
            found["overhead"] = measure_overhead(bench)
        if arguments.only != "overhead":
            found["nodes"] = measure_nodes(bench)
    if arguments.json:
        print(json.dumps({"pages": arguments.pages, **found}, indent=2))
        return
    for times in found.values():
        print_table([f"{arguments.pages:,} pages", "seconds", "times"], rows_of(times))
        print()


if __name__ == "__main__":
    main()
