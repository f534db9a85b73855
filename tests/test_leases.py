"""Leases: locks between processes and between machines, the end of their owners, and what these may still write.

Other machines are processes here that have another name for theirs (GRISTMILL_NODE), by which all else is decided; a
test gives a process another host name in earnest, where that is allowed.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from killing import changes_of, is_killed
from waiting import PATIENCE, wait_until

from gristmill import drafts, leases, locks
from gristmill.drafts import Draft, temporary_name
from gristmill.engine import LocalEngine
from gristmill.engine.local import Order
from gristmill.errors import GristmillError
from gristmill.leases import BusyError, LostLeaseError, has_traces, in_turn, is_leased, leased, locked
from gristmill.locks import LOCK
from gristmill.nodes import ATTEMPT, NODE, attempt, is_running, node_name, process_start
from gristmill.parts import Part
from gristmill.shards import exclusive, write_atomically

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX")

DEAD = "00000000-1-00000000"
SHORT = 0.6
"""Seconds of a lease in these tests."""
HOLDING = """
import sys, time
from pathlib import Path
from gristmill.leases import locked
from gristmill.shards import write_atomically
folder = Path(sys.argv[1])
with locked(folder):
    print("in", flush=True)
    for line in sys.stdin:
        try:
            write_atomically(folder / "file", line.encode())
            print("written", flush=True)
        except Exception as error:
            print(type(error).__name__, error, flush=True)
print("out", flush=True)
"""
RACING = """
import sys, time
from pathlib import Path
from gristmill.leases import BusyError, locked
folder, start = Path(sys.argv[1]), float(sys.argv[2])
while time.time() < start:
    pass
try:
    with locked(folder):
        (folder / "in").open("x").close()
        time.sleep(0.15)
        (folder / "in").unlink()
        print("won")
except BusyError:
    print("refused")
"""


class Other:
    """A process that has locked a folder, on another machine or on this one."""

    def __init__(self, folder: Path, node: str | None = None, seconds: float = SHORT) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDING, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {leases.SECONDS: str(seconds)} | ({NODE: node} if node else {}),
        )
        assert self.says() == "in"

    def says(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def write(self, text: str) -> str:
        assert self.process.stdin
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        return self.says()

    def end(self) -> None:
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait()


@contextmanager
def _other(folder: Path, node: str | None = None, seconds: float = SHORT) -> Iterator[Other]:
    other = Other(folder, node, seconds)
    try:
        yield other
    finally:
        other.end()


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(leases.SECONDS, str(SHORT))


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _lease(folder: Path, name: str = LOCK) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_bytes()[1:])
    return found


def _age(path: Path, seconds: float) -> None:
    """Make a file older than it is."""
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def _forged(folder: Path, **changes: Any) -> None:
    """Leave a lease as a process would that was here once."""
    with locked(folder):
        found = _lease(folder)
    (folder / LOCK).write_bytes(b" " + json.dumps(found | changes).encode())


def test_a_lease_says_who_has_it(tmp_path: Path) -> None:
    with locked(tmp_path):
        found = _lease(tmp_path)
        assert (found["node"], found["process"], found["seconds"]) == (node_name(), os.getpid(), SHORT)
        assert is_running(found["process"], found["started"])
        with pytest.raises(BusyError) as refused, locked(tmp_path):
            pytest.fail("both are in")
        assert str(refused.value).startswith(f"another command is writing to {tmp_path}: wait until it is done (")
        assert f" on {node_name()}, process {os.getpid()}, since 2" in str(refused.value)
        assert is_leased(tmp_path / LOCK)
        assert _names(tmp_path) == {LOCK}
    assert _names(tmp_path) == set()
    assert not is_leased(tmp_path / LOCK)
    assert not leases.fences()


def test_signs_of_life(tmp_path: Path) -> None:
    with locked(tmp_path):
        before = (tmp_path / LOCK).stat().st_mtime_ns
        wait_until(lambda: (tmp_path / LOCK).stat().st_mtime_ns != before)


def test_a_process_of_this_machine_that_was_killed_is_not_waited_for(tmp_path: Path) -> None:
    with _other(tmp_path, seconds=1000) as other:
        with pytest.raises(BusyError, match=f"process {other.process.pid}"), locked(tmp_path):
            pytest.fail("both are in")
        other.process.kill()
        other.process.wait()
        assert _names(tmp_path) == {LOCK}
        with locked(tmp_path):
            assert _lease(tmp_path)["process"] == os.getpid()
    assert _names(tmp_path) == set()


def test_a_process_that_ended_without_being_waited_for_is_dead(tmp_path: Path) -> None:
    with _other(tmp_path, seconds=1000) as other:
        other.process.kill()
        with in_turn(tmp_path / LOCK, PATIENCE):  # its threads may need a moment to end
            assert other.process.returncode is None
            assert not process_start(other.process.pid)


def test_a_process_of_another_machine_is_waited_for_until_its_lease_has_ended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with _other(tmp_path, "node-7", seconds=100) as other:
        other.process.kill()
        other.process.wait()
        with pytest.raises(BusyError, match=r"on node-7, .* last sign of life was \d+ seconds ago"), locked(tmp_path):
            pytest.fail("it may be alive")
        assert is_leased(tmp_path / LOCK)
        (tmp_path / LOCK).write_bytes(b" " + json.dumps(_lease(tmp_path) | {"seconds": 1.5}).encode())
        _age(tmp_path / LOCK, 200)
        with caplog.at_level(logging.WARNING), locked(tmp_path):
            pass
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "may be dead: it is watched for 0 seconds" in said[0]
    assert f"process {other.process.pid}, since 2" in said[1]
    assert "on node-7" in said[1]
    assert re.search(r"gave no sign of life for 2\d\d seconds", said[1])
    assert _names(tmp_path) == set()


def test_a_living_process_of_another_machine_with_a_wrong_clock(tmp_path: Path) -> None:
    """What looks old is watched: some file systems have the time of the writer's machine."""
    with _other(tmp_path, "node-7", seconds=24):  # a sign of life every two seconds, watched for six
        os.utime(tmp_path / LOCK, (1e9, 1e9))
        with pytest.raises(BusyError, match="on node-7"), locked(tmp_path):
            pytest.fail("it is alive")


def test_a_time_in_the_future_is_no_sign_of_life(tmp_path: Path) -> None:
    _forged(tmp_path, node="node-7")
    os.utime(tmp_path / LOCK, (4e9, 4e9))
    with locked(tmp_path):
        assert _lease(tmp_path)["node"] == node_name()


def test_readers_do_not_watch(tmp_path: Path) -> None:
    _forged(tmp_path, node="node-7", seconds=1000)
    _age(tmp_path / LOCK, 5000)
    with pytest.raises(BusyError, match="on node-7"), exclusive(tmp_path, watching=False):
        pytest.fail("this would take four minutes")


@pytest.mark.parametrize("left", [b"", b"{", b" [1]", b" {}", b'{"token": "x"}' * 1000])
def test_leases_that_nobody_can_read(tmp_path: Path, left: bytes) -> None:
    """They count as dead if they are not new, and no process has locked them."""
    (tmp_path / LOCK).write_bytes(left)
    with pytest.raises(BusyError, match="its name is not known"), locked(tmp_path):
        pytest.fail("it may be just being written")
    _age(tmp_path / LOCK, 20)
    held = locks.claim(tmp_path / LOCK)
    assert held is not None
    with pytest.raises(BusyError), locked(tmp_path):
        pytest.fail("both are in")
    locks.release(held)
    with locked(tmp_path):
        pass
    assert _names(tmp_path) == set()


def test_who_has_lost_a_lease_writes_nothing_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A machine that was frozen wakes up after another one has taken its work over."""
    with _other(tmp_path, "node-7") as frozen:
        assert frozen.write("before") == "written"
        frozen.process.send_signal(signal.SIGSTOP)
        _age(tmp_path / LOCK, 20)
        with caplog.at_level(logging.WARNING), locked(tmp_path):
            frozen.process.send_signal(signal.SIGCONT)
            said = frozen.write("after")
            assert said.startswith(f"LostLeaseError this command has lost its lock on {tmp_path}: ")
            assert f"on {node_name()}, process {os.getpid()}" in said
            assert (tmp_path / "file").read_text() == "before\n"
            assert frozen.process.stdin
            frozen.process.stdin.close()
            assert frozen.says() == "out"
            assert _lease(tmp_path)["process"] == os.getpid()  # it did not take away what is not its own
        assert _names(tmp_path) == {"file"}
    assert "is taken over from" in caplog.text


def test_workers_of_who_has_lost_a_lease_write_nothing_more(tmp_path: Path) -> None:
    """Also if these live on, on other machines: their orders say which lease they work under."""
    with locked(tmp_path):
        order = Order.of(Writing(str(tmp_path / "file")))
        (outcome,) = LocalEngine(1).run([Writing(str(tmp_path / "file"))], lambda _: None)
        assert not outcome.error
        (tmp_path / "file").unlink()
    with locked(tmp_path), _without_fences():
        with pytest.raises(LostLeaseError, match="lost its lock"):
            order.run(lambda _: None)
        assert not (tmp_path / "file").exists()
    with _without_fences(), pytest.raises(LostLeaseError, match="is gone"):
        order.run(lambda _: None)
    write_atomically(tmp_path / "file", b"")


class Writing:
    """A task that puts a file in place."""

    name, cost = "writing", 1

    def __init__(self, path: str) -> None:
        self.path = path

    def run(self, report: Callable[[int], None]) -> None:
        write_atomically(Path(self.path), b"x")
        report(1)


@contextmanager
def _without_fences() -> Iterator[None]:
    before = leases.fences()
    try:
        yield
    finally:
        leases.put_up(())
        leases.put_up(before)


def test_fences_are_of_their_folders(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "ab").mkdir()
    with locked(tmp_path / "a"):
        (tmp_path / "a" / LOCK).unlink()
        write_atomically(tmp_path / "ab" / "file", b"")
        write_atomically(tmp_path / "file", b"")
        with pytest.raises(LostLeaseError):
            write_atomically(tmp_path / "a" / "file", b"")
        with pytest.raises(LostLeaseError):
            drafts.move(tmp_path / "ab", tmp_path / "a" / "folder")
    assert _names(tmp_path / "a") == set()


@pytest.mark.parametrize("left", ["nothing", "dead here", "dead elsewhere"])
def test_many_builds_in_the_same_moment(tmp_path: Path, left: str) -> None:
    """Processes of several machines, at a new folder, or at one whose owner is dead: one of them wins."""
    for attempt_number in range(int(os.environ.get("GRISTMILL_RACES", "1"))):
        folder = tmp_path / str(attempt_number)
        folder.mkdir()
        if left != "nothing":
            _forged(folder, node=node_name() if left == "dead here" else "node-9", process=2**22 + 1)
            _age(folder / LOCK, 20)
        start = str(time.time() + 0.7)
        runs = [
            subprocess.Popen(
                [sys.executable, "-c", RACING, str(folder), start],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | {NODE: f"node-{number % 4}", leases.SECONDS: "30"},
            )
            for number in range(8)
        ]
        said = [run.communicate() for run in runs]
        assert [out.strip() for out, _ in said].count("won") >= 1, said
        assert {out.strip() for out, _ in said} <= {"won", "refused"}, said
        assert _names(folder) == set()


def test_many_threads_at_once_never_meet(tmp_path: Path) -> None:
    """Eight takers that try again and again until the lease was had 24 times, first from an owner that is dead."""
    inside, met, wins = [0], [0], [0]
    guard = threading.Lock()
    deadline = time.monotonic() + 60
    _forged(tmp_path, node=node_name(), process=2**22 + 1)

    def take(number: int) -> None:
        while wins[0] < 24 and time.monotonic() < deadline:
            try:
                with locked(tmp_path):
                    with guard:
                        inside[0] += 1
                        wins[0] += 1
                        met[0] += inside[0] > 1
                    time.sleep(0.0005 * (number % 3))
                    with guard:
                        inside[0] -= 1
            except BusyError:
                continue

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(8)))
    assert met == [0]
    assert wins[0] >= 24
    assert _names(tmp_path) == set()


def test_killed_at_every_step_of_taking_and_giving_up(tmp_path: Path) -> None:
    """The next one has it at once, and nothing is left, also if the killed one was taking over from a dead one."""

    def use() -> None:
        with locked(folder):
            (folder / "used").touch()

    for state in ("nothing", "dead", "dead while taking over"):
        folder = tmp_path / state
        folder.mkdir()

        def prepare(state: str = state, folder: Path = folder) -> None:
            shutil.rmtree(folder)
            folder.mkdir()
            if state != "nothing":
                _forged(folder, process=2**22 + 1, token=DEAD)
            if state == "dead while taking over":
                other = _lease(folder) | {"token": "00000000-1-00000001"}
                (folder / f"{LOCK}.{DEAD}.next").write_bytes(b" " + json.dumps(other).encode())

        prepare()
        steps = len(changes_of(use, tmp_path))
        assert steps > 8
        for step in range(steps):
            prepare()
            assert is_killed(use, step, tmp_path)
            use()
            assert _names(folder) == {"used"}, (state, step)


def test_file_systems_without_hard_links_or_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    def no_locks(*_: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(locks, "_fcntl", _Fcntl(no_locks))
    with locked(tmp_path):
        assert _names(tmp_path) == {LOCK}
        write_atomically(tmp_path / "file", b"x")
        with pytest.raises(BusyError, match=f"process {os.getpid()}"), locked(tmp_path):
            pytest.fail("both are in")
    assert _names(tmp_path) == {"file"}
    _forged(tmp_path, process=2**22 + 1)
    with locked(tmp_path):
        assert _lease(tmp_path)["process"] == os.getpid()
    assert _names(tmp_path) == {"file"}


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with locked(tmp_path):
        monkeypatch.setattr(os, "write", full)
    assert _names(tmp_path) == set()
    with pytest.raises(GristmillError, match="No space left on device"), locked(tmp_path):
        pytest.fail("nothing can be written")
    assert _names(tmp_path) == set()


class _Fcntl:
    LOCK_EX, LOCK_NB = 1, 2

    def __init__(self, flock: Callable[..., None]) -> None:
        self.flock = flock


def test_folders_that_can_not_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(GristmillError, match=r"can't write to .*nowhere: No such file"), locked(tmp_path / "nowhere"):
        pytest.fail("there is no folder")
    (tmp_path / LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(GristmillError, match="can't write to"), locked(tmp_path):
        pytest.fail("it is a link")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare")
def test_host_names_tell_machines_apart(tmp_path: Path) -> None:
    """Without the environment variable, in a name space of host names of its own."""
    code = "import platform; print(platform.node())"
    ran = subprocess.run(
        ["unshare", "--uts", "sh", "-c", 'hostname node-8 && exec "$0" -c "$1"', sys.executable, code],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.stdout.strip() != "node-8":
        pytest.skip("name spaces of host names are not allowed here")
    command = 'hostname node-8 && exec "$0" -c "$1" "$2"'
    process = subprocess.Popen(
        ["unshare", "--uts", "sh", "-c", command, sys.executable, HOLDING, str(tmp_path)],  # noqa: S607
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {leases.SECONDS: "30"},
    )
    with process:
        assert process.stdout
        assert process.stdout.readline() == "in\n"
        assert _lease(tmp_path)["node"] == "node-8"
        process.kill()
        process.wait()
        with pytest.raises(BusyError, match="on node-8"), locked(tmp_path):
            pytest.fail("its process can't be looked up here")
        _age(tmp_path / LOCK, 100)


def test_parts_keep_out_themselves_and_whole_commands(tmp_path: Path) -> None:
    def refuses(part: Part | None) -> bool:
        try:
            with locked(tmp_path, part):
                return False
        except BusyError:
            return True

    with ExitStack() as stack:
        stack.enter_context(locked(tmp_path, Part(1, 3)))
        stack.enter_context(locked(tmp_path, Part(3, 3)))
        assert _names(tmp_path) == {".lock-1-of-3", ".lock-3-of-3"}
        assert [refuses(part) for part in (Part(1, 3), Part(2, 3), Part(3, 3), None)] == [True, False, True, True]
        assert [refuses(Part(number, 4)) for number in (1, 2)] == [True, True]  # these are other shards
    assert _names(tmp_path) == set()
    with locked(tmp_path):
        assert refuses(Part(1, 3))
    _forged(tmp_path, process=2**22 + 1)
    (tmp_path / LOCK).rename(tmp_path / ".lock-2-of-3")
    assert not refuses(Part(1, 4))
    assert not refuses(None)
    assert _names(tmp_path) == set()  # what a dead part left is taken away


def test_turns(tmp_path: Path) -> None:
    """Those who wait for each other come one by one."""
    count = [0]

    def add(_: int) -> None:
        with in_turn(tmp_path / "turn"):
            before = count[0]
            time.sleep(0.001)
            count[0] = before + 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(12)))
    assert count == [12]
    with leased(tmp_path / "turn"), pytest.raises(BusyError), in_turn(tmp_path / "turn", 0.01):
        pytest.fail("both are in")
    with pytest.raises(BusyError), in_turn(tmp_path / "turn"):
        raise BusyError("of something else")
    assert not has_traces(tmp_path / "turn")


def test_wrong_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(leases.SECONDS, "a minute")
    with pytest.raises(GristmillError, match="GRISTMILL_LEASE must be a number of seconds, not 'a minute'"):
        locked(tmp_path).__enter__()


def test_temporary_names_are_unique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {temporary_name(tmp_path / "x").name for _ in range(100)}
    monkeypatch.setenv(NODE, "another")
    names |= {temporary_name(tmp_path / "x").name for _ in range(100)}
    assert len(names) == 200
    assert all(len(name) < 50 for name in names)
    assert len({name.split(".")[1].split("-")[0] for name in names}) == 2


def test_drafts_of_other_machines_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their locks may not be seen here: they go when they are a day old."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv(NODE, "another")
        theirs, old = temporary_name(tmp_path / "x"), temporary_name(tmp_path / "x")
    mine = temporary_name(tmp_path / "x")
    for path in (theirs, old, mine):
        path.write_bytes(b"half")
    _age(old, 2 * 24 * 3600)
    with Draft(tmp_path / "x") as draft:
        os.write(draft.descriptor, b"whole")
    assert _names(tmp_path) == {"x", theirs.name}


def test_leftovers_of_all_machines_go_with_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has the folder alone need not ask whose they are."""
    monkeypatch.setenv(NODE, "another")
    shard = tmp_path / "shards" / "00000"
    shard.mkdir(parents=True)
    left = [temporary_name(shard / "tokens.parquet"), temporary_name(tmp_path / "corpus.toml")]
    own = shard / "mine.tmp"
    for path in (*left, own):
        path.touch()
    monkeypatch.delenv(NODE)
    with exclusive(tmp_path, Part(1, 2)):
        assert all(path.exists() for path in left)
    with exclusive(tmp_path):
        assert not any(path.exists() for path in left)
    assert own.exists()


def test_attempts_look_as_expected() -> None:
    assert re.fullmatch(ATTEMPT, attempt())
