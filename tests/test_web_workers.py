"""Workers of the web app: corpora that grow, questions that are given up or too slow, workers that are killed."""

from __future__ import annotations

import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from urllib.parse import urlencode, urlsplit

import pytest
from waiting import wait_until
from web_server import Client, served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.operations.common import NoParameters
from gristmill.web import workers
from gristmill.web.operations import operations
from gristmill.web.security.forgery import COOKIE
from gristmill.web.workers import Question, answer, get_ready

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")

SLOW = {"q": "[]{1,300}", "sort": "left,right,node"}
"""Some forty seconds of work on the sample; more on a machine that has other things to do."""
STORY = "<html><body><p>{}</p></body></html>"
NAMES = [
    "",
    *(line.split() for line in ("north south east west", "spring summer autumn winter", "rye oats wheat bran")),
]


def _children() -> set[int]:
    """The worker processes: those of a server in this process are its children."""
    return {
        int(number)
        for task in Path("/proc/self/task").iterdir()
        for number in (task / "children").read_text().split()
        if _is_worker(number)
    }


def _is_worker(number: str) -> bool:
    try:
        return b"gristmill.engine.worker" in Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False  # it has just ended


def _lives(worker: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def _cookie(client: Client, session: str) -> str:
    """What the browser of somebody sends."""
    return f"{COOKIE}_{urlsplit(client.address).port}={session:x<32}"


def _ask_and_hold(client: Client, path: str, session: str) -> socket.socket:
    """Ask, and do not wait for the answer."""
    target = urlsplit(client.address)
    asking = socket.create_connection((str(target.hostname), target.port or 80), timeout=60)
    cookie = _cookie(client, session)
    asking.sendall(f"GET {path} HTTP/1.1\r\nHost: {target.netloc}\r\nCookie: {cookie}\r\n\r\n".encode())
    return asking


def _busy(workers: set[int], count: int) -> None:
    """Wait until so many workers compute."""
    before = {worker: _ticks(worker) for worker in workers}
    wait_until(lambda: sum(_ticks(worker) - before[worker] > 10 for worker in workers) >= count)


def _ticks(worker: int) -> int:
    try:
        return int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


@pytest.fixture(scope="module")
def client(indexed: gristmill.Corpus) -> Iterator[Client]:
    """A server whose patience does not end during a test: what is stopped is stopped for another reason."""
    with served(indexed.folder, workers=2, max_seconds=3600.0) as found:
        yield found


def test_a_question_that_is_given_up_is_stopped(client: Client) -> None:
    before = _children()
    count = len(before)  # those of other servers that tests have in this process count, too
    asking = _ask_and_hold(client, f"/api/indexed/search?{urlencode(SLOW)}", "slow")
    _busy(before, 1)
    assert client.get("/api/indexed/count", q="bread").status == 200  # others are answered meanwhile
    asking.close()
    wait_until(lambda: not all(map(_lives, before)))
    wait_until(lambda: len(before & _children()) == count - 1)
    assert client.get("/api/indexed/count", q="bread").status == 200


def test_one_client_does_not_keep_others_waiting(client: Client) -> None:
    asking = [_ask_and_hold(client, f"/api/indexed/search?{urlencode(SLOW)}", "greedy") for _ in range(5)]
    try:
        _busy(_children(), 1)
        for _ in range(3):  # before any of the others is answered
            assert client.get("/api/indexed/count", {"Cookie": _cookie(client, "modest")}, q="bread").status == 200
        assert not select.select(asking, [], [], 0)[0]
    finally:
        for one in asking:
            one.close()


def test_workers_that_are_killed_cost_nobody_an_answer(client: Client) -> None:
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(client.get, "/api/indexed/count", q=f"b{number % 7}*") for number in range(120)]
        time.sleep(0.1)
        for worker in _children():
            os.kill(worker, signal.SIGKILL)
        found = [one.result() for one in asked]
    assert [one.status for one in found] == [200] * 120
    assert len({one.json()["total"] for one in found[::7]}) == 1


def test_a_question_that_takes_too_long(indexed: gristmill.Corpus) -> None:
    with served(indexed.folder, workers=1, max_seconds=1.0) as client:
        (worker,) = _children_besides(client)
        found = client.get(f"/api/indexed/search?{urlencode(SLOW)}")
        assert found.status == 503
        assert found.json() == {"error": "that took longer than 1 seconds, or too much memory: ask for less of it"}
        wait_until(lambda: not _lives(worker))
        assert client.get("/api/indexed/count", q="bread").status == 200


def _children_besides(client: Client) -> set[int]:
    """The workers of a server that was started last: those with one corpus open that answered nothing yet."""
    assert client.get("/api/indexed/about").status == 200
    return {max(_children())}


def test_a_corpus_that_grows(indexed: gristmill.Corpus, tmp_path: Path) -> None:
    """Each answer is that of one state, and the last one is the new one, without a restart."""
    folder, pages = tmp_path / "indexed", tmp_path / "pages"
    shutil.copytree(indexed.folder, folder)
    pages.mkdir()
    ended = Event()
    with served(folder, workers=2) as client, ThreadPoolExecutor(3) as threads:

        def ask() -> list[tuple[int, int]]:
            found = []
            while not ended.is_set():
                about, counted = client.get("/api/indexed/about"), client.get("/api/indexed/count", q="sluicegate")
                assert (about.status, counted.status) == (200, 200), (about.text, counted.text)
                found.append((counted.json()["tokens"], counted.json()["total"]))
            return found

        asked = [threads.submit(ask) for _ in range(3)]
        states = [(indexed.index.size, 0)]
        try:
            for number in range(1, 4):
                text = " ".join(
                    f"The sluicegate of {name} {number} was opened at {name} o'clock." for name in NAMES[number]
                )
                (pages / f"{number}.html").write_text(STORY.format(text), "utf-8")
                gristmill.add(folder, [pages], engine=InlineEngine())
                grown = gristmill.index(folder, engine=InlineEngine())
                states.append((grown.size, len(gristmill.Corpus(folder).search("sluicegate"))))
                last = client.get("/api/indexed/count", q="sluicegate").json()
                assert (last["tokens"], last["total"]) == states[-1]
        finally:
            ended.set()
        found = [state for one in asked for state in one.result()]
    assert set(found) <= set(states)
    assert len(states) == len(set(states)) == 4
    assert found


def test_a_worker_is_warm(indexed: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_open", type(workers._open)())
    get_ready(0, (tmp_path / "nothing", indexed.folder))
    assert list(workers._open) == [indexed.folder]
    assert "index" in vars(workers._open[indexed.folder][1])


def test_too_much_memory_is_told(indexed: gristmill.Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhaust(*_: object) -> None:
        raise MemoryError

    about = operations()["about"]
    monkeypatch.setitem(operations(), "about", type(about)(about.asks, exhaust, room=about.room))
    found = answer(Question(indexed.folder, "about", NoParameters(), "", {}))
    assert (found.status, found.json()) == (503, {"error": "that takes too much memory: ask for less of it"})
