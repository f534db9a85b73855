"""Tasks run in worker processes; what goes wrong in one does not touch the others."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from gristmill.engine import LocalEngine, Outcome, Report, early_worker, local
from gristmill.errors import GristmillError


@dataclass(frozen=True)
class Square:
    """A task that works, or fails in the way it is told to."""

    number: int
    way: str = "well"

    @property
    def name(self) -> str:
        return f"square of {self.number}"

    @property
    def cost(self) -> int:
        return self.number

    def run(self, report: Report) -> int:
        sys.stdout.write("what tasks print must not disturb")
        report(1)
        if self.way == "error":
            raise GristmillError("no squares today")
        if self.way == "bug":
            raise ZeroDivisionError("oh")
        if self.way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.way == "signal":
            os.kill(os.getpid(), 40)
        if self.way == "exit":
            os._exit(7)
        if self.way == "sleep":
            time.sleep(600)
        if self.way == "who":
            return os.getpid()
        report(1)
        return self.number**2


def run(tasks: list[Square], workers: int) -> tuple[dict[str, Outcome], int]:
    amounts: list[int] = []
    outcomes = {outcome.task.name: outcome for outcome in LocalEngine(workers).run(tasks, amounts.append)}
    return outcomes, sum(amounts)


@pytest.mark.parametrize("workers", [1, 3])
def test_all_tasks_are_done(workers: int) -> None:
    outcomes, amount = run([Square(number) for number in range(7)], workers)
    assert sorted(outcome.result for outcome in outcomes.values()) == [0, 1, 4, 9, 16, 25, 36]
    assert amount == 14


def test_no_tasks() -> None:
    assert run([], 4) == ({}, 0)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("error", "no squares today"),
        ("bug", "ZeroDivisionError: oh"),
        ("kill", "its worker process was killed by SIGKILL (out of memory?)"),
        ("signal", "its worker process was killed by signal 40"),
        ("exit", "its worker process ended with exit code 7"),
    ],
)
def test_one_failure_leaves_the_rest(way: str, message: str) -> None:
    outcomes, _ = run([Square(1), Square(2, way), Square(3), Square(4)], 2)
    assert outcomes.pop("square of 2").error == message
    assert sorted(outcome.result for outcome in outcomes.values()) == [1, 9, 16]


def workers_of(engine: LocalEngine, count: int) -> set[int]:
    return {
        outcome.result for outcome in engine.run([Square(number, "who") for number in range(count)], lambda _: None)
    }


def lives(worker: int) -> bool:
    try:
        os.kill(worker, 0)
    except ProcessLookupError:
        return False
    return True


def test_workers_end_with_the_run() -> None:
    engine = LocalEngine(1)
    first, second = workers_of(engine, 2), workers_of(engine, 2)
    assert (len(first), len(second), first & second) == (1, 1, set())
    assert not any(map(lives, first | second))


def test_workers_stay_where_they_are_kept() -> None:
    with LocalEngine(1) as engine:
        [first] = workers_of(engine, 2)
        assert workers_of(engine, 1) == {first}
        assert workers_of(engine, 0) == set()
        assert [outcome.error for outcome in engine.run([Square(1, "bug")], lambda _: None)] == [
            "ZeroDivisionError: oh"
        ]
        assert workers_of(engine, 1) == {first}
        assert lives(first)
    assert not lives(first)


def test_workers_that_died_are_replaced() -> None:
    with LocalEngine(1) as engine:
        [first] = workers_of(engine, 1)
        os.kill(first, signal.SIGKILL)  # while it has nothing to do: no task is lost
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        [second] = workers_of(engine, 1)
        assert [bool(outcome.error) for outcome in engine.run([Square(1, "kill")], lambda _: None)] == [True]
        [third] = workers_of(engine, 1)
        assert len({first, second, third}) == 3
    assert not any(map(lives, (first, second, third)))


def test_kept_workers_end_when_nobody_listens_any_more() -> None:
    with LocalEngine(2) as engine:
        [first] = workers_of(engine, 1)
        outcomes = engine.run([Square(1), Square(100, "sleep")], lambda _: None)
        assert next(outcomes).result == 1
        outcomes.close()  # type: ignore[attr-defined]
        assert not lives(first)
        [second] = workers_of(engine, 1)
    assert not lives(second)


def test_workers_end_when_nobody_listens_any_more(tmp_path: Path) -> None:
    del tmp_path
    outcomes = LocalEngine(2).run([Square(1), Square(100, "sleep")], lambda _: None)
    assert next(outcomes).result == 1
    start = time.monotonic()
    outcomes.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 300  # of 600


def get_ready() -> None:
    """Leave a trace in a worker that it was made ready; one that tasks of another test don't see."""
    os.environ["MADE_READY"] = "yes"


class AskReady(Square):
    """Tells whether its worker was made ready."""

    def run(self, report: Report) -> int:
        """Give 1 if it was, else 0."""
        del report
        return int(os.environ.get("MADE_READY") == "yes")


def test_a_worker_that_was_started_early_is_taken_once() -> None:
    with early_worker("test_engine:get_ready"):
        assert [outcome.result for outcome in LocalEngine(1).run([AskReady(1)], lambda _: None)] == [1]
        assert [outcome.result for outcome in LocalEngine(1).run([AskReady(1)], lambda _: None)] == [0]


def test_a_worker_that_was_started_early_is_ended_if_nobody_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with early_worker("test_engine:get_ready"):
        worker = local._early.get_nowait()
        local._early.put(worker)
    assert worker.process.poll() == 0
    with early_worker("test_engine:there_is_no_such_function"):  # which is for the task to find out
        assert [outcome.result for outcome in LocalEngine(1).run([AskReady(1)], lambda _: None)] == [0]
    with early_worker("test_engine:get_ready"):
        monkeypatch.syspath_prepend("elsewhere")  # then it could import other modules than this process
        assert [outcome.result for outcome in LocalEngine(1).run([AskReady(1)], lambda _: None)] == [0]
