"""A function is called in worker processes from an asyncio program, and whatever happens to a worker, calls end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from waiting import PATIENCE, wait_until

from gristmill.engine.memory import HOUSEHOLD, own_memory
from gristmill.engine.pool import CallFailed, Pool, WorkerDied
from gristmill.errors import GristmillError

T = TypeVar("T")


class Unreadable:
    """A result that the master can't unpickle."""

    def __reduce__(self) -> tuple[Any, ...]:
        return int, ("no number",)


@dataclass(frozen=True)
class Behave:
    """Does what it is told to."""

    factor: int = 2
    folder: str = ""

    def __call__(self, told: Any) -> Any:
        if isinstance(told, int):
            return told * self.factor
        sys.stdout.write("what a function prints must not disturb")
        what, *rest = told.split()
        if what == "once" and not Path(self.folder, "done").exists():
            Path(self.folder, "done").touch()
            what = "die"
        if what == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "exit":
            os._exit(7)
        if what == "sleep":
            time.sleep(float(rest[0]))
        if what == "bug":
            raise ZeroDivisionError("oh")
        if what == "error":
            raise GristmillError("not today")
        if what == "log":
            logging.getLogger("gristmill.test").warning("said by %s", "a worker")
        return {"unreadable": Unreadable(), "large": b"x" * 3_000_000}.get(what, os.getpid())


def lives(worker: int) -> bool:
    try:
        os.kill(worker, 0)
    except ProcessLookupError:
        return False
    return True


def run(main: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(main, 2 * PATIENCE))


@pytest.mark.parametrize("workers", [1, 3])
def test_calls_are_answered(workers: int) -> None:
    async def main() -> None:
        async with Pool(workers, Behave(3)) as pool:
            assert await asyncio.gather(*(pool.run(number) for number in range(200))) == [
                3 * number for number in range(200)
            ]

    run(main())


def test_all_workers_are_kept_busy() -> None:
    async def main() -> set[int]:
        async with Pool(3, Behave()) as pool:
            return set(await asyncio.gather(*(pool.run("sleep 0.05") for _ in range(12))))

    workers = run(main())
    assert len(workers) == 3
    assert not any(map(lives, workers))


def test_large_arguments_and_results() -> None:
    async def main() -> None:
        async with Pool(2, Behave()) as pool:
            told = "large " + "y" * 3_000_000
            assert [len(data) for data in await asyncio.gather(*(pool.run(told) for _ in range(8)))] == [3_000_000] * 8

    run(main())


def test_callers_wait_when_workers_have_enough_to_do() -> None:
    async def main() -> None:
        async with Pool(1, Behave()) as pool:
            calls = [asyncio.create_task(pool.run("sleep 0.2")) for _ in range(20)]
            await asyncio.sleep(0.1)
            assert sum(lane.load() for lane in pool._lanes) == 3
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            assert await pool.run(1) == 2  # what was given up does not disturb the next

    run(main())


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ("bug", "ZeroDivisionError: oh"),
        ("error", "not today"),
        ("unreadable", "its result can't be read: ValueError: invalid literal"),
    ],
)
def test_an_error_is_raised_in_the_caller(told: str, message: str, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Pool(1, Behave()) as pool:
            before = await pool.run("who")
            with pytest.raises(CallFailed, match=message):
                await pool.run(told)
            assert await pool.run("who") == before

    run(main())
    assert "Traceback" in caplog.text


@pytest.mark.parametrize(("told", "how"), [("die", "was killed by SIGKILL"), ("exit", "ended with exit code 7")])
def test_a_worker_that_dies_costs_only_the_call_that_it_dies_of(told: str, how: str) -> None:
    async def main() -> None:
        async with Pool(2, Behave()) as pool:
            calls = [*range(6), told, *range(6, 12)]
            answers = await asyncio.gather(*map(pool.run, calls), return_exceptions=True)
            died = answers.pop(6)
            assert isinstance(died, WorkerDied)
            assert how in str(died)
            assert answers == [2 * number for number in range(12)]
            assert await pool.run(1) == 2

    run(main())


def test_a_call_is_tried_once_more(tmp_path: Path) -> None:
    async def main() -> None:
        async with Pool(1, Behave(folder=str(tmp_path))) as pool:
            before = await pool.run("who")
            assert await pool.run("once") != before

    run(main())


def test_a_worker_that_dies_while_it_has_nothing_to_do_is_replaced() -> None:
    async def main() -> None:
        async with Pool(1, Behave()) as pool:
            worker = await pool.run("who")
            os.kill(worker, signal.SIGKILL)
            assert await pool.run(1) == 2
            await asyncio.sleep(0.1)
            assert await pool.run("who") != worker

    run(main())


def test_a_worker_that_hangs_is_killed() -> None:
    async def main() -> None:
        async with Pool(1, Behave(), max_seconds=2.0) as pool:
            worker = await pool.run("who")
            hangs, behind = asyncio.create_task(pool.run("sleep 600")), asyncio.create_task(pool.run(3))
            with pytest.raises(WorkerDied, match=r"it took longer than 2 seconds"):
                await hangs
            assert await behind == 6
            assert not lives(worker)

    run(main())


def test_workers_say_things_to_the_log_of_the_master(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Pool(1, Behave()) as pool:
            await pool.run("log")

    run(main())
    assert "said by a worker" in caplog.text


def test_a_function_that_the_workers_can_not_have() -> None:
    async def main(function: Any) -> None:
        async with Pool(2, function):
            pytest.fail("it should not have started")

    with pytest.raises(CallFailed, match="no number"):
        run(main(Unreadable()))


def test_closing_ends_the_workers_and_the_calls() -> None:
    async def main() -> None:
        async with Pool(2, Behave()) as pool:
            workers = set(await asyncio.gather(*(pool.run("sleep 0.05") for _ in range(4))))
            calls = [asyncio.create_task(pool.run("sleep 600")) for _ in range(20)]
            await asyncio.sleep(0.05)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert {str(answer) for answer in answers} == {"the worker processes were ended"}
        assert not any(map(lives, workers))
        with pytest.raises(WorkerDied, match="were ended"):
            await pool.run(1)

    run(main())


def test_workers_end_when_the_program_is_cancelled() -> None:
    workers: list[int] = []

    async def main() -> None:
        async with Pool(1, Behave()) as pool:
            workers.append(await pool.run("who"))
            await pool.run("sleep 600")

    async def cancelled() -> None:
        task = asyncio.create_task(main())
        while not workers:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancelled())
    assert not lives(workers[0])


MASTER = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from test_engine_pool import Behave
from gristmill.engine.pool import Pool

async def main():
    async with Pool(1, Behave()) as pool:
        print(await pool.run("who"), flush=True)
        await pool.run("sleep 600")

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_master(number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", MASTER, Path(__file__).parent], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as master:
        assert master.stdout
        worker = int(master.stdout.readline())
        time.sleep(0.1)
        master.send_signal(number)
        master.wait(PATIENCE)
    wait_until(lambda: not lives(worker))


_MEGABYTE = 1_000_000
_held: list[Any] = []


def _be_thrifty() -> None:
    HOUSEHOLD.most = own_memory() + 200 * _MEGABYTE


def _take(what: str) -> tuple[int, int]:
    """Fill many arrays, and hold or free them; tells which process this is, and what it had before."""
    before = own_memory()
    arrays = [np.ones(_MEGABYTE // 8) for _ in range(400)] if what in {"hold", "free"} else []
    if what == "hold":
        _held.extend(arrays)
    return os.getpid(), before


@pytest.mark.skipif(sys.platform != "linux", reason="others do not tell what memory a process has, or keep it")
def test_a_worker_keeps_no_more_memory_than_it_may() -> None:
    async def ask() -> list[tuple[int, int]]:
        async with Pool(1, _take, warm_up=_be_thrifty, ahead=0) as pool:
            return [await pool.run(what) for what in ("", "free", "", "free", "", "hold", "", "")]

    found = asyncio.run(ask())
    first, other = found[0][0], found[-1][0]
    assert [worker for worker, _ in found] == [first] * 6 + [other] * 2, "what was freed is no reason to end"
    assert first != other, "one that holds too much is replaced, and every call is answered"
    assert max(before for _, before in found) < found[0][1] + 150 * _MEGABYTE, "what was freed has gone back"
