"""Say what large corpora take on clusters, by the costs in `scale_costs.json` that `scale.py` has measured.

The cost of a task is fitted as a constant plus so much for each of its words; what it opens and reads also grows with
the number of buckets (tasks of shards, in de-duplication) or of shards (tasks of buckets). A round takes as long as the
scarcest of what it needs: cores, the largest task, bandwidth, the file system's answers about files; the next one
begins when it is over and the driver has done its part. Prints tables in Markdown.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scale_simulation import Cluster, Outcome, simulate
from scale_simulation import Round as SimulatedRound

COSTS = Path(__file__).with_name("scale_costs.json")
_DOCS = Path(__file__).parents[1] / "docs"
PAGES = (_DOCS / "cluster.md", _DOCS / "figures" / "scale.md")

UNITS = {
    "ShardTask": "shard",
    "Survey": "batch",
    "FindCopies": "range",
    "Shingling": "shard",
    "JoinOutlines": "whole",
    "FindRepeats": "bucket",
    "CountRepeats": "shard",
    "RankBlocks": "whole",
    "Cover": "bucket",
    "Judge": "shard",
    "JoinStates": "whole",
    "FindCandidates": "shard",
    "FindStubs": "stub range",
    "JoinFinal": "whole",
    "TellOwners": "bucket",
    "WriteResult": "shard",
    "StoreBucket": "bucket",
    "StoreDocuments": "whole",
    "SpanTask": "span",
    "CountTask": "shard",
    "ReportTask": "whole",
    "AnnotateTask": "shard",
    "IndexTask": "shard",
    "AttributeMerge+GlueMerge+StructureMerge": "segment",
}
"""What a task of each kind works on. (A bundle of de-duplication is a shard here: archives are large enough.)"""
SHUFFLED = ("Shingling", "FindRepeats", "Cover", "Judge", "CountRepeats", "TellOwners", "IndexTask")
"""Kinds of tasks whose results other tasks read and nobody else."""
LOOKED_UP_BYTES = {"Cover": 6, "TellOwners": 6, "StoreBucket": 5}
"""Bytes for each block of the corpus in the files in which tasks look up states and ranks, at places all over them."""
LOOKED_UP_SHARE = 0.1
"""The share of words for which that is done: those that begin an n-gram that stands twice in the corpus."""
PAGE = 4096
"""Bytes that are read for one look, at least."""
STAGES = ("build", "dedup", "report", "annotate", "index", "export")

NGRAMS_PER_BUCKET, MAX_BITS = 1 << 20, 12
BATCH_SHARDS, SPAN_SHARDS = 64, 256
RANGE_DOCUMENTS, STUB_RANGE_BUCKETS = 1 << 20, 32
BASE_MEMORY, BYTES_PER_NGRAM, BYTES_PER_TOKEN = 3e8, 72, 10
SEGMENT_TOKENS = 1 << 31
MAX_BLOCKS = 1 << 32
"""How work is divided, and the limits of de-duplication and of the index, as they are in the program."""
EXPORTED_TWICE = 2
"""How often documents are made in an export by tasks: once to measure, and once to be written."""

GB, TB = 1e9, 1e12
PAGE_BYTES = 90_000 * GB / 3.5e9
"""Compressed bytes of a page in the archives of Common Crawl."""
SHARD_BYTES = GB
"""Compressed bytes of an archive there."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a cluster is made of."""

    cores: int = 32
    memory: float = 128 * GB
    network: float = 1.25 * GB
    """Bytes a second, of each node: 10 Gbit/s."""
    shared: float = 40 * GB
    """Bytes a second that the shared file system gives all nodes together."""
    store: float = 200 * GB
    """Bytes a second that the object store gives, where the archives are."""
    opens: float = 50_000.0
    """Files that the shared file system opens in a second."""
    disk: float = 2 * GB
    """Bytes a second of the disk of a node, which is all there is with one node."""
    local_opens: float = 200_000.0

    def bandwidth(self, nodes: int) -> float:
        """Bytes a second between all nodes and their files."""
        return self.disk if nodes == 1 else min(nodes * self.network, self.shared)


@dataclass(frozen=True, slots=True)
class Fit:
    """A cost as a sum of parts: a constant, and so much for each unit of what it depends on."""

    parts: tuple[float, ...]
    error: float
    """The largest relative difference to what was measured."""

    def __call__(self, *sizes: float) -> float:
        """The cost for sizes, of which the first is the constant's 1."""
        return sum(part * size for part, size in zip(self.parts, sizes, strict=True))


def fit(rows: Sequence[Sequence[float]], costs: Sequence[float]) -> Fit:
    """Fit costs by sums of parts that are not negative, so that the relative errors are small.

    There are few parts, so all choices of them are tried.
    """
    sizes, wanted = np.array(rows, np.float64), np.array(costs, np.float64)
    weights = 1 / np.maximum(wanted, max(wanted.max(initial=0.0) * 1e-6, 1e-12))
    best, best_error, width = np.zeros(sizes.shape[1]), math.inf, sizes.shape[1]
    for chosen in itertools.chain.from_iterable(
        itertools.combinations(range(width), count) for count in range(1, min(width, len(rows)) + 1)
    ):
        some = list(chosen)
        parts = np.linalg.lstsq(sizes[:, some] * weights[:, None], wanted * weights, rcond=None)[0]
        whole = np.zeros(width)
        whole[some] = parts
        error = float(np.square((sizes @ whole - wanted) * weights).sum())
        if (parts >= 0).all() and error < best_error * 0.98 - 1e-9:  # more parts must be worth it
            best, best_error = whole, error
    relative = np.abs(sizes @ best - wanted) * weights
    return Fit(tuple(best.tolist()), float(relative.max(initial=0.0)))


@dataclass(frozen=True, slots=True)
class Measured:
    """A round as it was measured, with what it depends on."""

    scale: Mapping[str, Any]
    row: Mapping[str, Any]

    @property
    def tasks(self) -> int:
        """How many tasks it had."""
        return int(self.row["tasks"])

    @property
    def words(self) -> float:
        """Words of a task."""
        return float(self.scale["words"]) / self.tasks

    @property
    def others(self) -> float:
        """How many files of the other kind there are: of buckets for a task of a shard, or of shards."""
        shards, buckets = int(self.scale["shards"]), buckets_of(self.scale["ngrams"])
        return buckets if UNITS[self.row["kind"]] == "shard" else shards


@dataclass(frozen=True, slots=True)
class Kind:
    """A round of tasks of one kind, with its costs for each task."""

    stage: str
    kind: str
    turn: int
    """The how many-th round of this kind it is."""
    unit: str
    fits: Mapping[str, Fit]
    distinct: float
    """Bytes of mapped files for each word of the corpus, each counted once."""
    sorting: float
    """The error of the CPU time if it was fitted by n log n instead."""
    points: Sequence[Measured] = field(repr=False)

    @property
    def name(self) -> str:
        """How tables call it."""
        plain = "merging files" if self.unit == "segment" else self.kind
        return f"{plain} {self.turn}" if self.turn > 1 else plain


def buckets_of(ngrams: float) -> int:
    """How many buckets so many n-grams are put into."""
    return 1 << min(int(ngrams / NGRAMS_PER_BUCKET).bit_length(), MAX_BITS)


class Costs:
    """All that was measured, fitted."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.table = table
        self.scales: list[dict[str, Any]] = table["scales"]
        self.kinds = list(self._kinds())
        self.build = self._fit_build()
        self.drivers = {stage: self._fit_driver(stage) for stage in STAGES}
        largest = self.scales[-1]
        self.words_per_page: float = largest["words"] / largest["pages"]
        self.blocks_per_page: float = largest["blocks"] / largest["pages"]
        self.ngrams_per_word: float = largest["ngrams"] / largest["words"]
        heavy = largest["archives"][1::2]  # of large pages, as those of Common Crawl are
        self.html_per_byte: float = sum(html for _, html, _ in heavy) / sum(packed for _, _, packed in heavy)
        self.rounds = max(sum(row["kind"] == "Cover" for row in scale["rounds"]) for scale in self.scales)

    def _kinds(self) -> Iterator[Kind]:
        found: dict[tuple[str, str, int], list[Measured]] = defaultdict(list)
        order: dict[tuple[str, str, int], float] = {}
        for scale in self.scales:
            turns: dict[str, int] = defaultdict(int)
            for at, row in enumerate(scale["rounds"]):
                if not row["kind"]:
                    continue
                if row["kind"] not in UNITS:
                    raise SystemExit(f"What a task {row['kind']} works on is not known: add it to UNITS in this file.")
                turns[row["kind"]] += 1
                key = row["stage"], row["kind"], turns[row["kind"]]
                found[key].append(Measured(scale, row))
                order[key] = max(order.get(key, 0.0), at / len(scale["rounds"]))
        for key in sorted(found, key=lambda key: (STAGES.index(key[0]), order[key])):
            yield _fitted(*key, found[key])

    def _fit_build(self) -> Fit:
        """CPU seconds of the task that builds a shard, by its pages and the bytes of their HTML."""
        rows, cpus = [], []
        for scale in self.scales:
            [row] = [row for row in scale["rounds"] if row["stage"] == "build" and row["kind"]]
            numbers = [int(name) for name in row["names"]]
            for number, cpu in zip(numbers, row["cpus"], strict=True):
                pages, html, _ = scale["archives"][number]
                rows.append((1.0, pages, html))
                cpus.append(cpu)
        return fit(rows, cpus)

    def _fit_driver(self, stage: str) -> dict[str, Fit]:
        """What the driver takes itself: seconds, bytes that it reads and writes, and bytes of memory."""
        seconds, moved, memory, rows = [], [], [], []
        for scale in self.scales:
            of_stage = [row for row in scale["rounds"] if row["stage"] == stage]
            seconds.append(sum(row["driver"]["cpu"] for row in of_stage))
            moved.append(sum(row["driver"]["read"] + row["driver"]["written"] for row in of_stage))
            memory.append(max(row["driver"]["memory"] for row in of_stage))
            rows.append((1.0, scale["words"], sum(row["tasks"] for row in of_stage)))
        plain = [row[:2] for row in rows]
        return {"cpu": fit(rows, seconds), "moved": fit(plain, moved), "memory": fit(plain, memory)}


def _fitted(stage: str, kind: str, turn: int, points: Sequence[Measured]) -> Kind:
    unit = UNITS[kind]
    plain = [(1.0, point.words) for point in points]
    wide = [(1.0, point.words, point.others) for point in points] if stage == "dedup" else plain
    shapes = {"cpu": plain, "written": plain, "read": wide, "opened": wide}
    fits = {}
    for name, rows in shapes.items():
        values = [_cost(point, name, unit) for point in points]
        fits[name] = fit(rows, values)
    sorting = fit(
        [(1.0, point.words * math.log2(point.words)) for point in points],
        [_cost(point, "cpu", unit) for point in points],
    )
    last = points[-1]
    distinct = last.row["distinct"] / last.scale["words"] if stage in {"dedup", "index"} else 0.0
    return Kind(stage, kind, turn, unit, fits, distinct, sorting.error, points)


def _cost(point: Measured, name: str, unit: str) -> float:
    """What a task typically takes; merging has tasks of all sizes, so there it is the mean."""
    return float(point.row["total"][name] / point.tasks if unit == "segment" else point.row["typical"][name])


@dataclass(frozen=True, slots=True)
class Job:
    """A pile of archives to make a corpus of."""

    name: str
    size: float
    """Compressed bytes."""

    @property
    def shards(self) -> int:
        """How many archives there are."""
        return round(self.size / SHARD_BYTES)

    @property
    def pages(self) -> float:
        """How many pages there are."""
        return self.size / PAGE_BYTES


@dataclass(frozen=True, slots=True)
class Step:
    """A round of a job."""

    stage: str
    name: str
    tasks: int
    cpu: float
    """Seconds of one task."""
    largest: float
    """Seconds of the largest one."""
    memory: float
    read: float
    written: float
    """Bytes of all tasks."""
    shuffled: float
    looked_up: float
    """Bytes of the files in which tasks look up something of some blocks."""
    looks: float
    """How many times all tasks do so."""
    opened: float
    from_store: float = 0.0
    """Bytes of the archives."""

    def seconds(self, nodes: int, hardware: Hardware) -> tuple[float, str]:
        """How long it takes, and what is the scarcest."""
        slots = max(1, min(hardware.cores, int(hardware.memory / max(self.memory, 1.0)))) * nodes
        # A node reads no page of a file twice, and no more pages than its tasks look at.
        moved = self.read + self.written + min(self.looked_up * nodes, self.looks * PAGE)
        rates: dict[str, float] = {
            "CPU": self.tasks * self.cpu / slots,
            "largest task": self.largest if self.tasks <= slots else 0.0,
            "file system": moved / hardware.bandwidth(nodes),
            "object store": self.from_store / min(nodes * hardware.network, hardware.store),
            "files": self.opened / (hardware.local_opens if nodes == 1 else hardware.opens),
        }
        scarcest = max(rates, key=lambda name: rates[name])
        return rates[scarcest], scarcest


class Model:
    """Predicts what a job takes."""

    def __init__(self, costs: Costs, hardware: Hardware | None = None) -> None:
        self.costs, self.hardware = costs, hardware or Hardware()

    def steps(self, job: Job) -> list[Step]:
        """The rounds of a job."""
        return [self._step(kind, job) for kind in self.costs.kinds] + [self._export(job)]

    def words(self, job: Job) -> float:
        """Words of the kept text."""
        return job.pages * self.costs.words_per_page

    def blocks(self, job: Job) -> float:
        """Blocks of all pages."""
        return job.pages * self.costs.blocks_per_page

    def _step(self, kind: Kind, job: Job) -> Step:
        words, blocks = self.words(job), self.blocks(job)
        buckets = buckets_of(words * self.costs.ngrams_per_word)
        tasks = {
            "shard": job.shards,
            "bucket": buckets,
            "range": 1 << int(job.pages / RANGE_DOCUMENTS).bit_length(),
            "stub range": max(1, buckets // STUB_RANGE_BUCKETS),
            "batch": math.ceil(job.shards / BATCH_SHARDS),
            "span": math.ceil(job.shards / SPAN_SHARDS),
            "whole": 1,
            "segment": kind.points[-1].tasks * math.ceil(words / SEGMENT_TOKENS),
        }[kind.unit]
        others = buckets if kind.unit == "shard" else job.shards
        each = words / tasks
        wide = (1.0, each, others)
        found = {name: one(*wide[: len(one.parts)]) for name, one in kind.fits.items()}
        cpu = found["cpu"]
        if kind.stage == "build":
            cpu = self.costs.build(1.0, job.pages / job.shards, SHARD_BYTES * self.costs.html_per_byte)
        row = kind.points[-1].row
        uneven = row["largest"]["cpu"] * row["tasks"] / row["total"]["cpu"] if kind.unit == "segment" else 1.0
        return Step(
            kind.stage,
            kind.name,
            tasks,
            cpu,
            cpu * uneven,
            self._memory(kind, each),
            0.0 if kind.stage == "build" else tasks * found["read"] + kind.distinct * words,
            tasks * found["written"],
            tasks * found["written"] if kind.kind in SHUFFLED else 0.0,
            LOOKED_UP_BYTES.get(kind.kind, 0) * blocks,
            LOOKED_UP_SHARE * words if kind.kind in LOOKED_UP_BYTES else 0.0,
            tasks * found["opened"],
            job.size if kind.stage == "build" else 0.0,
        )

    def _memory(self, kind: Kind, words: float) -> float:
        """Bytes of a task: in de-duplication what its rounds promise not to exceed, elsewhere what was measured."""
        if kind.unit == "bucket":
            return BASE_MEMORY + BYTES_PER_NGRAM * words * self.costs.ngrams_per_word
        if kind.stage == "dedup" and kind.unit == "shard":
            return BASE_MEMORY + BYTES_PER_TOKEN * words
        return float(max(point.row["largest"]["memory"] for point in kind.points))

    def _export(self, job: Job) -> Step:
        """The export: what one process took, divided into tasks of the size of a shard."""
        scale = self.costs.scales[-1]
        [row] = [row for row in scale["rounds"] if row["stage"] == "export"]
        share = self.words(job) / scale["words"]
        cost = row["driver"]
        cpu = EXPORTED_TWICE * cost["cpu"] * share / job.shards
        return Step(
            "export",
            "WriteTask",
            job.shards,
            cpu,
            cpu,
            cost["memory"],
            EXPORTED_TWICE * cost["read"] * share,
            cost["written"] * share,
            0.0,
            0.0,
            0.0,
            cost["opened"] / scale["shards"] * job.shards,
        )

    def driver(self, job: Job, stage: str) -> float:
        """Seconds that the driver of a stage takes itself."""
        tasks = sum(step.tasks for step in self.steps(job) if step.stage == stage)
        if stage == "export":
            return 0.0
        fits, words = self.costs.drivers[stage], self.words(job)
        return fits["cpu"](1.0, words, tasks) + fits["moved"](1.0, words) / self.hardware.network

    def driver_memory(self, job: Job) -> float:
        """Bytes that the driver has at most."""
        words = self.words(job)
        return max(self.costs.drivers[stage]["memory"](1.0, words) for stage in STAGES if stage != "export")

    def stage(self, job: Job, stage: str, nodes: int) -> tuple[float, str]:
        """Seconds of a stage, and what most of them are spent on."""
        spent: dict[str, float] = defaultdict(float)
        for step in self.steps(job):
            if step.stage == stage:
                seconds, scarcest = step.seconds(nodes, self.hardware)
                spent[scarcest] += seconds
        spent["driver"] += self.driver(job, stage)
        return sum(spent.values()), max(spent, key=lambda name: spent[name])

    def simulated(self, job: Job, nodes: int, *, speculate: bool, seed: int = 0, calm: bool = False) -> Outcome:
        """Run a job on a simulated cluster of nodes."""
        chance = np.random.default_rng(seed)
        rounds = []
        for stage in STAGES:
            steps = [step for step in self.steps(job) if step.stage == stage]
            driver = self.driver(job, stage) / len(steps)
            for step in steps:
                together = min(step.tasks, nodes * self.hardware.cores)
                seconds = max(step.cpu, step.seconds(nodes, self.hardware)[0] * together / step.tasks)
                sizes = seconds * chance.lognormal(0.0, 0.1, step.tasks) if step.tasks > 1 else np.array([seconds])
                rounds.append(SimulatedRound(sizes.tolist(), driver))
        cluster = Cluster(nodes, self.hardware.cores)
        if calm:
            cluster = Cluster(nodes, self.hardware.cores, node_sigma=0.0, task_sigma=0.0, failures_an_hour=0.0)
        return simulate(rounds, cluster, seed=seed, speculate=speculate)

    def disk(self, job: Job) -> tuple[float, float, float, float]:
        """Bytes that stay, bytes that are there in between, files that stay, files at most."""
        scale = self.costs.scales[-1]
        share = self.words(job) / scale["words"]
        last = scale["rounds"][-1]
        kept, temporary = last["kept"] * share, max(row["temporary"] for row in scale["rounds"]) * share
        files = fit(
            [(1.0, scale["shards"]) for scale in self.costs.scales],
            [scale["rounds"][-1]["files"] for scale in self.costs.scales],
        )(1.0, job.shards)
        most = fit(
            [(1.0, scale["shards"], buckets_of(scale["ngrams"])) for scale in self.costs.scales],
            [max(row["files"] for row in scale["rounds"]) for scale in self.costs.scales],
        )(1.0, job.shards, buckets_of(self.words(job) * self.costs.ngrams_per_word))
        return kept, temporary, files, most


JOBS = (Job("1 TB", TB), Job("a month of Common Crawl", 90_000 * GB), Job("100 TB", 100 * TB))
NODES = (1, 16, 256, 1024)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Make a table in Markdown."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def time_of(seconds: float) -> str:
    """A time in words, with two digits."""
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{_digits(seconds / size)} {unit}"
    return f"{_digits(seconds)} s"


def size_of(amount: float) -> str:
    """A number of bytes in words, with two digits."""
    for unit, size in (("PB", 1e15), ("TB", TB), ("GB", GB), ("MB", 1e6), ("kB", 1e3)):
        if amount >= size:
            return f"{_digits(amount / size)} {unit}"
    return f"{amount:.0f} B"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def measured_table(costs: Costs) -> str:
    """What tasks cost for each word, at the largest size that was measured, and how well the fits are."""
    rows = []
    for kind in costs.kinds:
        if kind.turn > 1:
            continue
        point = kind.points[-1]
        rows.append(
            [
                f"{kind.stage}: {kind.name}",
                f"{point.tasks} ({kind.unit})",
                *[
                    f"{1e6 * part.row['total']['cpu'] / part.scale['words']:.3f}" if part else ""
                    for part in _at_all(costs, kind)
                ],
                size_of(point.row["largest"]["memory"]),
                f"{(point.row['total']['read'] + point.row['distinct']) / point.scale['words']:.1f}",
                f"{point.row['total']['written'] / point.scale['words']:.1f}",
                f"{point.row['typical']['opened']:.0f}",
                f"{100 * kind.fits['cpu'].error:.0f}% / {100 * kind.sorting:.0f}%",
            ]
        )
    header = [
        "tasks",
        "how many",
        *(f"µs a word at {scale['millions']} M" for scale in costs.scales),
        "memory",
        "bytes read a word",
        "written",
        "files opened",
        "error of n / n log n",
    ]
    return table(header, rows)


def _at_all(costs: Costs, kind: Kind) -> list[Measured | None]:
    by_scale = {point.scale["millions"]: point for point in kind.points}
    return [by_scale.get(scale["millions"]) for scale in costs.scales]


def driver_table(model: Model) -> str:
    """What drivers do themselves."""
    rows = []
    for stage in STAGES:
        if stage == "export":
            continue
        of_scales = [
            time_of(sum(row["driver"]["cpu"] for row in scale["rounds"] if row["stage"] == stage))
            for scale in model.costs.scales
        ]
        rows.append([stage, *of_scales, *(time_of(model.driver(job, stage)) for job in JOBS)])
    measured = [f"{scale['millions']} M words" for scale in model.costs.scales]
    return table(["driver of", *measured, *(job.name for job in JOBS)], rows)


def hours_table(model: Model, job: Job) -> str:
    """How long a job takes on clusters, stage by stage, and what on."""
    rows = []
    for stage in STAGES:
        found = [model.stage(job, stage, nodes) for nodes in NODES]
        rows.append([stage, *(f"{time_of(seconds)} ({why})" for seconds, why in found)])
    totals = [sum(model.stage(job, stage, nodes)[0] for stage in STAGES) for nodes in NODES]
    rows.append(["**together**", *(f"**{time_of(total)}**" for total in totals)])
    return table([job.name, *(f"{nodes:,} node{'s' if nodes > 1 else ''}" for nodes in NODES)], rows)


def size_table(model: Model) -> str:
    """Disk, network, files, tasks and driver by job."""
    rows = []
    for job in JOBS:
        steps = model.steps(job)
        kept, temporary, files, most = model.disk(job)
        moved = sum(step.read + step.written for step in steps) + job.size
        rows.append(
            [
                job.name,
                f"{job.pages / 1e6:,.0f} M",
                f"{model.words(job) / GB:,.0f} G",
                f"{sum(step.tasks * step.cpu for step in steps) / 3600:,.0f}",
                size_of(kept),
                size_of(temporary),
                size_of(moved),
                size_of(sum(step.shuffled for step in steps)),
                f"{sum(step.opened for step in steps) / 1e6:,.0f} M",
                f"{files:,.0f}",
                f"{most:,.0f}",
                size_of(max(step.memory for step in steps)),
                size_of(model.driver_memory(job)),
            ]
        )
    header = [
        "archives",
        "pages",
        "words",
        "core hours",
        "corpus on disk",
        "temporary",
        "moved",
        "of it shuffled",
        "opened files",
        "files",
        "at most",
        "memory of a task",
        "of the driver",
    ]
    return table(header, rows)


def simulation_table(model: Model, jobs: Sequence[Job]) -> str:
    """How far from ideal."""
    rows = []
    for job in jobs:
        for nodes in NODES[1:]:
            calm = model.simulated(job, nodes, speculate=False, calm=True)
            plain, copied = (model.simulated(job, nodes, speculate=speculate) for speculate in (False, True))
            rows.append(
                [
                    f"{job.name}, {nodes:,} nodes",
                    time_of(calm.ideal),
                    f"{calm.ratio:.2f}",
                    f"{plain.ratio:.2f}",
                    f"{copied.ratio:.2f}",
                    f"{copied.copies:,}",
                    f"{plain.failures:,}",
                    f"{100 * plain.lost / (plain.ideal * nodes * model.hardware.cores):.2f}%",
                    f"{100 * plain.driver / plain.seconds:.1f}%",
                ]
            )
    header = [
        "job",
        "ideal",
        "barriers alone",
        "with stragglers and failures",
        "with copies of late tasks",
        "copies",
        "nodes failed",
        "work lost",
        "driver",
    ]
    return table(header, rows)


def warnings(model: Model) -> Iterator[str]:
    """What of this the program can't do in one run."""
    for job in JOBS:
        if model.blocks(job) > MAX_BLOCKS:
            yield (
                f"{job.name}: {model.blocks(job) / 1e9:.0f} G blocks, and one run of onion numbers "
                f"{MAX_BLOCKS / 1e9:.1f} G: {math.ceil(model.blocks(job) / MAX_BLOCKS)} corpora or more."
            )


def one_machine_table(costs: Costs) -> str:
    """How long one machine takes, by the number of its cores."""
    rows = []
    for millions in (1, 10, 100):
        job = Job("", millions * 1e6 * PAGE_BYTES)
        times = []
        for cores in (8, 32):
            model = Model(costs, Hardware(cores=cores))
            times.append(time_of(sum(model.stage(job, stage, 1)[0] for stage in STAGES if stage != "export")))
        rows.append([f"{millions} M", size_of(job.size), f"{Model(costs).words(job) / 1e6:,.0f} M", *times])
    return table(["pages", "archives", "words of text", "8 cores", "32 cores"], rows)


def parts_of(model: Model, *, simulated: bool) -> dict[str, str]:
    """All tables, by name."""
    about = model.costs.table
    commits = sorted({f"commit {scale['commit']}" for scale in model.costs.scales})
    found = {
        "measured with": f"Measured with gristmill {about['gristmill']} at {' and '.join(commits)}, "
        f"Python {about['python']}, on a shared machine ({about['processor']}).",
        "costs": measured_table(model.costs),
        "drivers": driver_table(model),
        "one machine": one_machine_table(model.costs),
        **{f"hours of {job.name}": hours_table(model, job) for job in JOBS},
        "sizes": size_table(model),
        "limits": "\n".join(f"- {line}" for line in warnings(model)),
        "merging": f"{time_of(model.stage(JOBS[0], 'dedup', 1)[0])}",
    }
    return found | ({"simulation": simulation_table(model, JOBS[:2])} if simulated else {})


def update(page: Path, parts: Mapping[str, str]) -> None:
    """Replace what stands between `<!-- NAME -->` and `<!-- / -->` in a page."""

    def replaced(match: re.Match[str]) -> str:
        name, space = match[1], match[2]
        return f"<!-- {name} -->{space}{parts[name]}{space}<!-- / -->" if name in parts else match[0]

    text = page.read_text("utf-8")
    page.write_text(re.sub(r"<!-- ([a-zA-Z0-9 ]+) -->(\s*).*?\s*<!-- / -->", replaced, text, flags=re.DOTALL), "utf-8")


def main() -> None:
    """Print all tables, or put them into the docs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--costs", type=Path, default=COSTS, metavar="FILE", help=f"default: {COSTS.name}, beside this")
    parser.add_argument("--no-simulation", action="store_true", help="leave out the simulation, which takes minutes")
    parser.add_argument("--update", action="store_true", help="put the tables into docs/, and print nothing")
    arguments = parser.parse_args()
    model = Model(Costs(json.loads(arguments.costs.read_text("utf-8"))))
    parts = parts_of(model, simulated=not arguments.no_simulation)
    if arguments.update:
        for page in PAGES:
            update(page, parts)
    else:
        print("\n\n".join(parts.values()))


if __name__ == "__main__":
    main()
