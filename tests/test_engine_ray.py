"""Work on a real Ray cluster of several nodes: the same bytes, whatever dies meanwhile, and nothing is left running.

All in one test, step by step: the cluster takes long to start, and tests of a file may run in several processes.
"""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest
import ray_cluster
from killing import contents
from ray_cluster import MARK, StoppingEngine, marked, node_here, taken_away, wait_until
from test_engine import Square
from test_evaluate_run import gold_set

import gristmill
from gristmill import sample
from gristmill.engine import Engine, InlineEngine, Report, engine_of, silent
from gristmill.engine.ray import RayEngine, RaySettings, crew, member
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation import Evaluation, PageScore, evaluate

pytest.importorskip("ray", reason="Ray is not installed: pip install 'gristmill[cluster]'")
pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to see processes")

During = Callable[[str], AbstractContextManager[None]]

# A filter that waits at one page, for as long as there is a file "wait".
_WAITING = """
import time
from dataclasses import dataclass
from pathlib import Path
from gristmill import part
from gristmill.filter import DocumentFilter, Finding


@part("filter", "waiting")
@dataclass(frozen=True)
class Waiting(DocumentFilter):
    def judge(self, document):
        if "nisi.example" in document.url and Path("wait").exists():
            Path("waits").touch()
            time.sleep(600)
        return Finding(True, "")
"""


@dataclass(frozen=True)
class Orphan:
    """A task that waits, the first time that it is run, until it is killed."""

    folder: Path
    name = "orphan"
    cost = 1

    def run(self, report: Report) -> None:
        is_first = not (self.folder / "nodes").exists()
        report(1)
        with (self.folder / "nodes").open("a") as file:
            file.write(f"{node_here()}\n")
        if is_first:
            (self.folder / "process").write_text(f"{os.getppid()} {os.getpid()} .")
            time.sleep(600)

    def kill(self, victim: str) -> None:
        wait_until((self.folder / "process").exists)
        actor, process, _ = wait_until(lambda: (self.folder / "process").read_text().split())
        os.kill(int(actor if victim == "actor" else process), signal.SIGKILL)


@dataclass(frozen=True)
class Greedy:
    """A task that wants more memory than it may have."""

    name = "greedy"
    cost = 1

    def run(self, report: Report) -> int:
        report(1)
        return len(bytearray(2_000_000_000))


@dataclass(frozen=True)
class Place:
    """Where the steps of the test work."""

    cluster: ray_cluster.Nodes
    folder: Path
    inputs: Path
    reference: Path
    plugin: Path
    mark: str

    def engine(self, **settings: object) -> RayEngine:
        return RayEngine(RaySettings(address=self.cluster.address, all=True, **settings))  # type: ignore[arg-type]

    def command(self, *arguments: str | Path) -> subprocess.Popen[bytes]:
        """Start a command on the cluster."""
        command = [sys.executable, "-m", "gristmill", *map(str, arguments)]
        command += ["--engine", f"ray:address={self.cluster.address},all=yes"]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)


def test_work_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_worker_niceness", "0")  # the machine may have much else to do
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    inputs, reference = tmp_path / "inputs", tmp_path / "reference"
    inputs.mkdir()
    data = sample.WARC.read_bytes()
    for number, share in enumerate((2, 3, 4)):
        (inputs / f"{number}.warc.gz").write_bytes(data[: len(data) // share])
    everything(inputs, reference, InlineEngine())
    with ray_cluster.nodes(2) as cluster:
        place = Place(cluster, tmp_path, inputs, reference, tmp_path / "waiting.py", tmp_path.name)
        place.plugin.write_text(_WAITING)
        monkeypatch.setenv(MARK, place.mark)
        with place.engine(retries=2) as engine:
            tasks_end_well_or_with_an_error(engine)
            a_task_that_kills_its_workers_is_given_up(engine)
            a_worker_that_is_killed_is_replaced(place, engine)
            workers_end_when_nobody_listens_any_more(place, engine)
        wait_until(lambda: not marked(place.mark) and not cluster.members())
        a_connection_that_is_there_is_used(place)
        what_no_node_has_is_an_error(place)
        a_node_that_is_other_is_an_error(place)
        all_stages_give_the_same_bytes(place)
        a_driver_that_is_killed_leaves_nothing_running(place)
        an_interrupt_leaves_nothing_running(place)


def everything(inputs: Path, folder: Path, engine: Engine | str, during: During = lambda _: nullcontext()) -> None:
    """All stages of a corpus, one after the other, and exports of it."""
    corpus = folder / "corpus"
    with during("build"):
        gristmill.build([inputs], corpus, engine=engine)
    with during("dedup"):
        gristmill.deduplicate(corpus, "onion:n=7", engine=engine)
    with during("annotate"):
        gristmill.annotate(corpus, engine=engine)
    with during("index"):
        gristmill.index(corpus, engine=engine)
    for name in ("corpus.jsonl", "corpus.vert"):
        gristmill.export(corpus, folder / name, engine=engine)


def tasks_end_well_or_with_an_error(engine: RayEngine) -> None:
    amounts: list[int] = []
    tasks = [*(Square(number) for number in range(7)), Square(7, "error"), Square(8, "bug")]
    outcomes = {outcome.task: outcome for outcome in engine.run(tasks, amounts.append)}
    assert [outcomes[Square(number)].result for number in range(7)] == [0, 1, 4, 9, 16, 25, 36]
    assert outcomes[Square(7, "error")].error == "no squares today"
    assert outcomes[Square(8, "bug")].error == "ZeroDivisionError: oh"
    assert "ZeroDivisionError" in outcomes[Square(8, "bug")].traceback
    assert sum(amounts) == 7 * 2 + 1 + 1
    assert list(engine.run([], amounts.append)) == []


def a_task_that_kills_its_workers_is_given_up(engine: RayEngine) -> None:
    tasks = [Square(1), Square(2, "kill"), Square(3), Square(4)]
    outcomes = {outcome.task.name: outcome for outcome in engine.run(tasks, silent)}
    poison = outcomes.pop("square of 2")
    assert poison.error.startswith("it was run 3 times, and given up: its worker process was killed by SIGKILL")
    assert not poison.died  # else it would be run again by the runner
    assert sorted(outcome.result for outcome in outcomes.values()) == [1, 9, 16]


def a_worker_that_is_killed_is_replaced(place: Place, engine: RayEngine) -> None:
    """Both what Ray has started for us and our own process can die."""
    for victim in ("actor", "process"):
        task = Orphan(place.folder / victim)
        task.folder.mkdir()
        killer = threading.Thread(target=task.kill, args=(victim,))
        killer.start()
        [outcome] = engine.run([task], silent)
        assert not outcome.error
        killer.join()
        first, second = (task.folder / "nodes").read_text().split()
        assert first != second, "it was not run again on another node"


def workers_end_when_nobody_listens_any_more(place: Place, engine: RayEngine) -> None:
    outcomes = engine.run([Square(1), Square(100, "sleep")], silent)
    assert next(outcomes).result == 1
    assert len(marked(place.mark)) == 2
    outcomes.close()  # type: ignore[attr-defined]
    assert len(marked(place.mark)) == 1  # the other one has nothing to do
    assert [outcome.result for outcome in engine.run([Square(3)], silent)] == [9]


def a_connection_that_is_there_is_used(place: Place) -> None:
    import ray  # noqa: PLC0415 (where it is not installed, there are no tests)

    ray.init(address=place.cluster.address, log_to_driver=False)
    try:
        engine = engine_of("ray:address=192.0.2.1:1")  # there is nothing at this address, nor is it looked at
        there = evaluate([gold_set()], ["justext", "bte"], engine=engine)
        here = evaluate([gold_set()], ["justext", "bte"])
        assert [untimed(there, key) for key in there.results] == [untimed(here, key) for key in here.results]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


def untimed(evaluation: Evaluation, key: tuple[str, str]) -> list[PageScore]:
    return [dataclasses.replace(page, seconds=0.0) for page in evaluation.results[key].pages]


def what_no_node_has_is_an_error(place: Place) -> None:
    with pytest.raises(UsageError, match="no node of the Ray cluster has the 1000 CPUs that a task is to get"):
        next(place.engine(cpus=1000.0).run([Square(1)], silent))
    with pytest.raises(UsageError, match="memory"):
        next(place.engine(memory="900T").run([Square(1)], silent))
    [outcome] = place.engine(memory="700M").run([Greedy()], silent)
    assert "MemoryError" in outcome.error
    assert place.engine(memory="700M").workers == 2


def a_node_that_is_other_is_an_error(place: Place) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew, "versions_here", lambda: {"gristmill": "0.0.0"})
        with pytest.raises(GristmillError, match=r"has gristmill .*, not 0\.0\.0: all nodes must have the same"):
            next(place.engine().run([Square(1)], silent))
        patch.undo()
        patch.setattr(member, "_SEEN_SECONDS", 0.0)
        engine = place.engine()
        with engine.seeing(place.folder / "nowhere" / "lock"), pytest.raises(GristmillError, match="does not see"):
            next(engine.run([Square(1)], silent))


def all_stages_give_the_same_bytes(place: Place) -> None:
    """A node is lost during each stage."""
    engine = StoppingEngine(place.engine().settings)
    everything(place.inputs, place.folder / "ray", engine, lambda name: taken_away(place.cluster, place.folder / name))
    assert contents(place.folder / "ray") == contents(place.reference)


def a_driver_that_is_killed_leaves_nothing_running(place: Place) -> None:
    corpus = place.folder / "killed"
    (place.folder / "wait").touch()
    process = place.command("build", place.inputs, "-o", corpus, "--plugin", place.plugin, "--filter", "waiting")
    wait_until((place.folder / "waits").exists)
    done = wait_until(lambda: list(corpus.glob("shards/*/documents.parquet")))
    process.kill()
    process.wait()
    wait_until(lambda: not marked(place.mark) and not place.cluster.members())
    (place.folder / "wait").unlink()
    times = {path: path.stat().st_mtime_ns for path in done}
    again = place.command("build", place.inputs, "-o", corpus, "--plugin", place.plugin, "--filter", "waiting")
    assert again.wait() == 0
    assert {path: path.stat().st_mtime_ns for path in done} == times
    local = place.folder / "not-killed"
    gristmill.load_plugin(str(place.plugin))
    filters = gristmill.Config().filter.replace(None, ["waiting"], None)
    config = dataclasses.replace(gristmill.Config().replace(plugins_modules=[str(place.plugin)]), filter=filters)
    gristmill.build([place.inputs], local, config, engine=InlineEngine())
    assert contents(corpus) == contents(local)


def an_interrupt_leaves_nothing_running(place: Place) -> None:
    (place.folder / "wait").touch()
    (place.folder / "waits").unlink(missing_ok=True)
    corpus = place.folder / "interrupted"
    process = place.command("build", place.inputs, "-o", corpus, "--plugin", place.plugin, "--filter", "waiting")
    wait_until((place.folder / "waits").exists)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert not marked(place.mark)
    wait_until(lambda: not place.cluster.members())
