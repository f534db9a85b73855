"""A Ray cluster of several nodes on this machine, and tasks that stop on one of them until it is taken away."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from gristmill.engine import Outcome, Report, Task
from gristmill.engine.ray import RayEngine

MARK = "GRISTMILL_TEST_MARK"
"""An environment variable by which processes of a test are known, on all nodes."""
_STORE_BYTES = 80_000_000  # the least that Ray allows, about
_PATIENCE_SECONDS = 60
_WORKER = b"gristmill.engine.worker"


class Nodes:
    """A head that does no work, and nodes with a core each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster  # noqa: PLC0415 (where Ray is not installed, tests are skipped)

        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.address: str = self._cluster.address
        self._nodes = [self._add() for _ in range(count)]

    def _add(self) -> Any:
        return self._cluster.add_node(num_cpus=1, include_dashboard=False, object_store_memory=_STORE_BYTES)

    def add(self) -> None:
        self._nodes.append(self._add())

    def remove(self, name: str) -> None:
        """Take a node away as if its machine had lost power, by the name that it has for itself."""
        [node] = [node for node in self._nodes if str(node.all_processes["raylet"][0].process.pid) == name]
        self._nodes.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)

    def members(self) -> list[int]:
        """The processes in which Ray has actors of an engine, on any of the nodes."""
        rulers = {f"RAY_RAYLET_PID={node.all_processes['raylet'][0].process.pid}".encode() for node in self._nodes}
        return [
            pid
            for pid, command, environment in _processes()
            if command.startswith(b"ray::Member") and rulers & environment
        ]

    def close(self) -> None:
        import ray  # noqa: PLC0415 (as above)

        ray.shutdown()  # which is needed if the test failed
        self._cluster.shutdown()


@contextmanager
def nodes(count: int) -> Iterator[Nodes]:
    found = Nodes(count)
    try:
        yield found
    finally:
        found.close()


def node_here() -> str:
    """A name of the node that a task runs on: the process of Ray that rules it."""
    return os.environ["RAY_RAYLET_PID"]


@dataclass(frozen=True)
class Stopping:
    """A task that, if it is the first of all that gets there, waits until it is killed."""

    task: Task
    folder: Path

    @property
    def name(self) -> str:
        return self.task.name

    @property
    def cost(self) -> int:
        return self.task.cost

    def run(self, report: Report) -> Any:
        try:
            (self.folder / "taken").mkdir()
        except FileExistsError:
            return self.task.run(report)
        (self.folder / "stopped").write_text(node_here())
        time.sleep(600)
        raise AssertionError("nobody has killed it")


class StoppingEngine(RayEngine):
    """An engine of which one task stops, in a folder that is set."""

    folder: ClassVar[Path]

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        for outcome in super().run([Stopping(task, self.folder) for task in tasks], report):
            task = outcome.task
            assert isinstance(task, Stopping)
            yield Outcome(task.task, outcome.result, outcome.error, outcome.traceback)


@contextmanager
def taken_away(cluster: Nodes, folder: Path) -> Iterator[None]:
    """Take away the node on which the next task stops, in the middle of it; then bring another."""
    folder.mkdir()
    StoppingEngine.folder = folder
    errors: list[Exception] = []

    def watch() -> None:
        try:
            wait_until((folder / "stopped").exists)
            wait_until((folder / "stopped").read_text)
            cluster.remove((folder / "stopped").read_text())
        except Exception as error:  # noqa: BLE001 (the thread of the test raises it)
            errors.append(error)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        watcher.join()
    assert not errors, errors
    assert (folder / "stopped").exists(), "no task was stopped"
    cluster.add()


def marked(mark: str) -> list[int]:
    """The worker processes that have a mark in their environment."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid, command, environment in _processes() if wanted in environment and _WORKER in command]


def _processes() -> Iterator[tuple[int, bytes, set[bytes]]]:
    """All processes: number, command, environment."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            yield int(place.name), (place / "cmdline").read_bytes(), {*(place / "environ").read_bytes().split(b"\0")}


def wait_until(condition: Callable[[], Any]) -> Any:
    """Wait until something is true, and return it."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while not (found := condition()):
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)
    return found
