"""The crew of an engine: its workers on the nodes of a cluster, seen from the driver."""

from __future__ import annotations

import fnmatch
import logging
import os
import queue
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gristmill.engine.ray import member
from gristmill.engine.ray.cluster import Cluster, Node
from gristmill.engine.ray.settings import RaySettings
from gristmill.engine.ray.versions import versions_here

_log = logging.getLogger(__name__)
_STOP_SECONDS = 5.0  # for a worker to end; a node that is gone won't say that it did
_OWN_VARIABLES = "GRISTMILL_*"


@dataclass(eq=False, slots=True)
class Worker:
    """A worker on some node, or one that waits for room there."""

    actor: Any
    begun: float = field(default_factory=time.monotonic)
    node: str = ""
    """The id of its node; empty while it is being started."""
    host: str = ""


class Crew:
    """Workers that stay from one run of tasks to the next. Each is starting, idle or busy, or else was dismissed."""

    def __init__(self, cluster: Cluster, settings: RaySettings) -> None:
        self.cluster, self._settings = cluster, settings
        self.starting: set[Worker] = set()
        self.idle: set[Worker] = set()
        self.busy: dict[Worker, Any] = {}
        """What each of them is doing."""
        self._answers: queue.SimpleQueue[tuple[Worker, Future[Any]]] = queue.SimpleQueue()
        ray = cluster.ray
        ray.cloudpickle.cloudpickle.register_pickle_by_value(member)  # nodes may not have it: see there
        self._class = ray.remote(member.Member)

    @property
    def nodes(self) -> set[str]:
        """The nodes on which there are workers."""
        return {worker.node for worker in (*self.idle, *self.busy)}

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self.starting) + len(self.idle) + len(self.busy)

    def start(self, seen: Iterable[Path], avoid: Sequence[str] = ()) -> None:
        """Start a worker, elsewhere than on the nodes to avoid if there is room; it answers when it is there.

        `seen` are files that it must see.
        """
        from ray.util.scheduling_strategies import NodeLabelSchedulingStrategy, NotIn  # noqa: PLC0415 (lazily)

        elsewhere = NodeLabelSchedulingStrategy(hard={}, soft={"ray.io/node-id": NotIn(*avoid)}) if avoid else "SPREAD"
        actor = self._class.options(
            num_cpus=self._settings.cpus,
            memory=self._settings.memory_bytes or None,
            max_concurrency=2,  # that it can be stopped while it waits
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=elsewhere,
        ).remote([place for place in sys.path if place], self._environment(), str(Path.cwd()))
        worker = Worker(actor)
        self.starting.add(worker)
        self.call(worker, "open", versions_here(), [str(path) for path in seen])

    def _environment(self) -> dict[str, str]:
        """The environment variables that workers get."""
        patterns = (_OWN_VARIABLES, *self._settings.env)
        return {
            name: value
            for name, value in os.environ.items()
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        }

    def call(self, worker: Worker, method: str, *arguments: Any) -> None:
        """Call a method of a worker; what it returns will be among the answers."""
        future = getattr(worker.actor, method).remote(*arguments).future()
        future.add_done_callback(lambda done: self._answers.put((worker, done)))

    def answer(self, seconds: float) -> tuple[Worker, Future[Any]] | None:
        """Wait for an answer of a worker that was not dismissed meanwhile; None if there is none within the time."""
        end = time.monotonic() + seconds
        while True:
            try:
                worker, done = self._answers.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return None
            if worker in self.busy or worker in self.starting:
                return worker, done

    def dismiss(self, workers: Sequence[Worker]) -> None:
        """End workers, whatever they are doing; when this returns none runs any more, on nodes that can be reached."""
        ray = self.cluster.ray
        for worker in workers:
            self.starting.discard(worker)
            self.idle.discard(worker)
            self.busy.pop(worker, None)
        if not ray.is_initialized():
            return
        stopping = [worker.actor.stop.remote() for worker in workers if worker.node]
        if stopping:
            ray.wait(stopping, num_returns=len(stopping), timeout=_STOP_SECONDS)
        for worker in workers:
            ray.kill(worker.actor)

    def leave_dead_nodes(self) -> None:
        """Forget workers that have nothing to do on nodes that are gone: what they were given would fail at once."""
        alive = {node.id for node in self.cluster.nodes}
        gone = [worker for worker in self.idle if worker.node not in alive]
        if gone:
            self.dismiss(gone)

    def is_alive(self, node: str) -> bool:
        """Tell whether a node is alive."""
        return any(found.id == node for found in self.cluster.nodes)

    def has_room(self) -> list[Node]:
        """The nodes that are large enough for a task."""
        return [node for node in self.cluster.nodes if node.slots(self._settings)]

    def slots(self) -> int:
        """Count the tasks that have room on all nodes at a time, if nobody else uses them."""
        return sum(node.slots(self._settings) for node in self.cluster.nodes)
