"""Engines by name: what can be chosen, what is refused, and what a cluster does of the work of a stage."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest
from command import run
from test_engine import Square

import gristmill
from gristmill.engine import ENGINES, ClusterEngine, InlineEngine, LocalEngine, Outcome, Report, Task, engine_of
from gristmill.engine.ray import RayEngine, RaySettings
from gristmill.errors import UsageError
from gristmill.operations.work import Work
from gristmill.parameters import parameters
from gristmill.stages import Round, Runner


def test_engines_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    (engine,) = (item for item in parameters(Work) if item.name == "engine")
    assert engine.declared.suggested == ENGINES
    assert engine_of(None) is None
    assert engine_of("local") is None
    assert isinstance(engine_of("inline"), InlineEngine)
    made = LocalEngine(1)
    assert engine_of(made) is made
    monkeypatch.setitem(sys.modules, "ray", sys)  # any module: nothing is asked of it yet
    chosen = engine_of("ray:address=auto,cpus=2,memory=2G,retries=5,all=yes,env=AWS_*,HOME")
    assert isinstance(chosen, RayEngine)
    assert chosen.settings == RaySettings("auto", 2.0, "2G", 5, all=True, env=("AWS_*", "HOME"))
    assert chosen.memory == 2_000_000_000
    assert chosen.takes_small_work


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("rai", "there is no engine 'rai'; did you mean 'ray'? (there are: local, inline, ray)"),
        ("", "there is no engine '' (there are: local, inline, ray)"),
        ("local:workers=2", "the engine 'local' has no settings; how many processes work is set with --workers"),
        ("ray:cpu=2", "the engine 'ray' has no parameter 'cpu'; did you mean 'cpus'?"),
        ("ray:cpus=0", "cpus must be more than 0"),
        ("ray:cpus=1.5", "cpus must be a whole number if they are more than one, not 1.5"),
        ("ray:cpus=many", "cpus must be a number, not 'many'"),
        ("ray:retries=-1", "retries must not be negative"),
        ("ray:memory=much", "'much' is not a size of memory"),
        ("ray:address=ray://head:10001", "have none of its files: run the command on a node of it"),
    ],
)
def test_wrong_engines(choice: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        engine_of(choice)
    assert message in str(raised.value)


def test_what_is_no_engine() -> None:
    with pytest.raises(
        TypeError, match=r"engine must be an engine, or the name of one \(local, inline, ray\), not int"
    ):
        gristmill.build("sample", "corpus", engine=3)  # type: ignore[arg-type]


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # which makes its import fail
    ran = run("build", "sample", "-o", tmp_path / "corpus", "--engine", "ray")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"the engine 'ray' needs Ray: pip install 'gristmill[cluster]'" in ran.stderr
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "can't reach the Ray cluster at 127.0.0.1:1: Connection refused; is it running?"),
        ("somewhere", "'somewhere' is not the address of a Ray cluster: write HOST:PORT, auto or local"),
    ],
)
def test_a_cluster_that_is_not_there(address: str, message: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'gristmill[cluster]'")
    with pytest.raises(UsageError) as raised:
        next(RayEngine(RaySettings(address)).run([Square(1)], lambda _: None))
    assert message in str(raised.value)


@pytest.mark.parametrize("command", ["build", "add", "dedup", "annotate", "index", "export", "report", "evaluate"])
def test_every_stage_has_the_option(command: str) -> None:
    assert b"--engine" in run(command, "--help").stdout


@dataclass
class NearCluster(ClusterEngine):
    """A cluster that is this very process, and notes what it is given."""

    takes_small_work: bool = False
    memory: int = 0
    workers: int = 6
    given: list[str] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)

    def at_most(self, workers: int) -> ClusterEngine:
        self.limits.append(workers)
        return self

    @contextmanager
    def seeing(self, file: Path) -> Iterator[None]:
        assert file.exists()
        yield

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        self.given += [task.name for task in tasks]
        return InlineEngine().run(tasks, report)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def _round(*, small_work: int, **options: Any) -> Round:
    return Round("squaring", [Square(3), Square(4)], small_work=small_work, **options)


def test_a_cluster_leaves_small_work_to_this_process() -> None:
    cluster = NearCluster()
    Runner(engine=cluster).run(_round(small_work=8))
    assert cluster.given == []
    Runner(engine=cluster).run(_round(small_work=7, max_workers=3))
    assert (cluster.given, cluster.limits) == (["square of 3", "square of 4"], [3])
    greedy = NearCluster(takes_small_work=True)
    Runner(1, greedy).run(_round(small_work=8))
    assert (greedy.given, greedy.limits) == (["square of 3", "square of 4"], [1])
    Runner(engine=greedy).run(_round(small_work=sys.maxsize))  # what has to be done here is done here
    assert len(greedy.given) == 2


def test_workers_and_memory_of_a_cluster() -> None:
    assert Runner(engine=NearCluster()).workers == 6
    assert Runner(engine=NearCluster()).memory(None, default=100) == 600
    assert Runner(engine=NearCluster(memory=1000)).memory(None, default=100) == 4500
    assert Runner(engine=NearCluster(memory=1000)).memory(70, default=100) == 70
    assert Runner(2).memory(None, default=100) == 100
    assert Runner(2).workers == 2


def test_all_stages_of_a_corpus_on_a_cluster(tmp_path: Path) -> None:
    cluster = NearCluster(takes_small_work=True)
    corpus = gristmill.build("sample", tmp_path / "corpus", engine=cluster)
    gristmill.annotate(corpus, engine=cluster, memory="600MB")
    gristmill.index(corpus, engine=cluster)
    assert len(cluster.given) > 6
    given = len(cluster.given)
    assert gristmill.export(corpus, tmp_path / "corpus.jsonl", engine=cluster) == corpus.counts["kept"]
    assert gristmill.export(corpus, tmp_path / "again.jsonl", engine="inline") == corpus.counts["kept"]
    assert len(cluster.given) == given  # this process writes
    assert (tmp_path / "corpus.jsonl").read_bytes() == (tmp_path / "again.jsonl").read_bytes()
