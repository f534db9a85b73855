"""An engine that measures its tasks, for `scale.py`: each task in its worker process, and the driver between rounds.

CPU time and memory are those of the process. Bytes are those of its calls to read and write (`/proc/self/io`), whether
the disk or the cache answered. What is mapped into memory is not among these: maps are counted by their whole size, and
in a round each mapped file once, too, since tasks that map the same file look at different parts of it.
"""

from __future__ import annotations

import resource
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from gristmill.engine import LocalEngine, Outcome, Report, Task

TEMPORARY = ("dedup", "index/parts")
"""The folders of a corpus that hold what tasks put aside for each other."""
_IO = Path("/proc/self/io")
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


@dataclass(slots=True)
class Cost:
    """What a piece of work took."""

    cpu: float = 0.0
    """Seconds, of all threads."""
    memory: int = 0
    """Bytes that the process had resident at most, with the interpreter and its libraries."""
    read: int = 0
    written: int = 0
    """Bytes, by calls."""
    opened: int = 0
    """Files that were opened, by Python: Arrow opens a few more."""
    mapped: int = 0
    """Bytes of files that were mapped into memory, of which it may have looked at a part."""
    maps: dict[str, int] = field(default_factory=dict)
    """The mapped files and their sizes."""


class Meter:
    """Measures this process, from `start` to `stop`, again and again."""

    def __init__(self) -> None:
        self._opened = 0
        self._maps: dict[str, int] = {}
        self._begun = self._now()
        sys.addaudithook(self._hear)

    def start(self) -> None:
        """Begin to count."""
        self._opened, self._maps = 0, {}
        _CLEAR.write_text(_RESET_PEAK, "ascii")
        self._begun = self._now()

    def stop(self) -> Cost:
        """Return what was counted since the start."""
        cpu, read, written = (now - before for now, before in zip(self._now(), self._begun, strict=True))
        mapped = sum(self._maps.values())
        return Cost(cpu, _peak_memory(), int(read), int(written), self._opened, mapped, self._maps)

    @staticmethod
    def _now() -> tuple[float, float, float]:
        used = resource.getrusage(resource.RUSAGE_SELF)
        numbers = dict(line.split(": ") for line in _IO.read_text("ascii").splitlines())
        return used.ru_utime + used.ru_stime, float(numbers["rchar"]), float(numbers["wchar"])

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count what the interpreter says that it does."""
        if event == "open":
            self._opened += 1
        elif event == "mmap.__new__" and arguments[0] >= 0:
            place = Path(f"/proc/self/fd/{arguments[0]}")
            self._maps[str(place.readlink())] = arguments[1] or place.stat().st_size


def _peak_memory() -> int:
    [line] = [line for line in _STATUS.read_text("ascii").splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


_meters: list[Meter] = []


def _meter() -> Meter:
    """The one meter of this process: what hears of opened files can't be taken away again."""
    if not _meters:
        _meters.append(Meter())
    return _meters[0]


@dataclass(frozen=True, slots=True)
class MeasuredTask:
    """A task that returns what it cost with its result."""

    task: Task

    @property
    def name(self) -> str:
        """That of the task."""
        return self.task.name

    @property
    def cost(self) -> int:
        """That of the task."""
        return self.task.cost

    def run(self, report: Report) -> tuple[Any, Cost]:
        """Run it and measure."""
        meter = _meter()
        meter.start()
        result = self.task.run(report)
        return result, meter.stop()


FIGURES = ("cpu", "memory", "read", "written", "opened", "mapped")


@dataclass(slots=True)
class Round:
    """Tasks that ran between two barriers, and what the driver did before them."""

    stage: str
    kind: str
    """The class of the tasks; empty for what the driver does after the last round of a stage."""
    tasks: int
    driver: dict[str, float]
    total: dict[str, float] = field(default_factory=dict)
    typical: dict[str, float] = field(default_factory=dict)
    """The median of the tasks: the first one of a worker also pays for what it imports."""
    largest: dict[str, float] = field(default_factory=dict)
    distinct: int = 0
    """Bytes of mapped files of the corpus, each counted once."""
    names: list[str] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    """Shards and their CPU seconds, of building alone: its tasks have pages of different sizes."""
    files: int = 0
    kept: int = 0
    temporary: int = 0
    """Files and bytes in the folder of the corpus after the round; temporary is what later rounds remove."""


class MeasuringEngine:
    """Runs tasks in worker processes, which stay, and writes down what each round cost."""

    def __init__(self, corpus: Path, workers: int) -> None:
        self.rounds: list[Round] = []
        self._corpus = corpus.resolve()
        self._local = LocalEngine(workers)
        self._stage = ""

    def __enter__(self) -> Self:
        self._local.__enter__()
        _meter().start()
        return self

    def __exit__(self, *exception: object) -> None:
        last = _figures(_meter().stop())  # first, since what workers have read and written counts as ours once they end
        self._local.__exit__(*exception)
        self.rounds.append(self._measured(Round(self._stage, "", 0, last)))

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes as they end."""
        before = _figures(_meter().stop())
        self._stage = _stage_of(tasks[0]) if tasks else self._stage
        found: list[tuple[str, Cost]] = []
        for outcome in self._local.run([MeasuredTask(task) for task in tasks], report):
            measured: Any = outcome.task
            if outcome.error:
                yield replace(outcome, task=measured.task)
                continue
            result, cost = outcome.result
            found.append((outcome.task.name, cost))
            yield replace(outcome, task=measured.task, result=result)
        if found:
            kinds = sorted({type(task).__name__ for task in tasks})
            made = _summed(Round(self._stage, "+".join(kinds), len(tasks), before), found)
            maps = {path: size for _, cost in found for path, size in cost.maps.items()}
            made.distinct = sum(size for path, size in maps.items() if Path(path).is_relative_to(self._corpus))
            self.rounds.append(self._measured(made))
        _meter().start()

    def _measured(self, made: Round) -> Round:
        for path in self._corpus.rglob("*"):
            if path.is_file():
                size = path.stat().st_size
                made.files += 1
                if path.relative_to(self._corpus).as_posix().startswith(TEMPORARY):
                    made.temporary += size
                else:
                    made.kept += size
        return made


def _figures(cost: Cost) -> dict[str, float]:
    table = asdict(cost)
    return {name: table[name] for name in FIGURES}


def _summed(made: Round, found: Sequence[tuple[str, Cost]]) -> Round:
    """Complete a round by what its tasks cost."""
    rows = [_figures(cost) for _, cost in found]
    for name in FIGURES:
        values = [row[name] for row in rows]
        made.total[name], made.typical[name], made.largest[name] = sum(values), statistics.median(values), max(values)
    if made.stage == "build":
        made.names, made.cpus = [name.split()[1] for name, _ in found], [cost.cpu for _, cost in found]
    return made


def _stage_of(task: Task) -> str:
    """Tell the stage of a task by the module that it is from."""
    module = type(task).__module__
    stages = {
        "gristmill.pipeline.shard": "build",
        "gristmill.dedup": "dedup",
        "gristmill.annotation": "annotate",
        "gristmill.search": "index",
        "gristmill.pipeline.reporting": "report",
    }
    return next((stage for start, stage in stages.items() if module.startswith(start)), module.rpartition(".")[2])
