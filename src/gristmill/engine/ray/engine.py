"""`RayEngine`: hands tasks to workers on the nodes of a Ray cluster, and runs those again whose worker or node died."""

from __future__ import annotations

import logging
import pickle
import re
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from gristmill.engine.limits import limit_memory
from gristmill.engine.local import Order, packed
from gristmill.engine.ray.cluster import Cluster, no_room
from gristmill.engine.ray.crew import Crew, Worker
from gristmill.engine.ray.member import BUSY, DONE
from gristmill.engine.ray.settings import RaySettings
from gristmill.engine.task import ClusterEngine, Outcome, Report, Task, in_words, trace_of
from gristmill.errors import GristmillError

_log = logging.getLogger(__name__)
_LOOK_SECONDS = 5.0  # between two looks at the nodes that there are
_PATIENCE_SECONDS = 30.0  # that a task waits for a worker on another node which is being started
_SECONDS_BETWEEN_NEWS = 0.5  # of a task, at least; of a thousand tasks, that is 500 messages a second from each second
_NEWS_PER_SECOND = 500
_MAX_FAILED_STARTS = 10


class RayEngine(ClusterEngine):
    """Runs tasks on a Ray cluster: as many at a time as have room there, or `workers`.

    Workers end with the run, or, within `with RayEngine(...) as engine`, stay for the next one, and so does the
    connection to the cluster.
    """

    def __init__(self, settings: RaySettings | None = None, workers: int | None = None) -> None:
        self.settings = settings or RaySettings()
        self._max_workers = workers
        self._shared = _Shared()

    @property
    def takes_small_work(self) -> bool:
        """Whether it is to be given work, too, that this process could do faster by itself."""
        return self.settings.all

    @property
    def memory(self) -> int:
        """Bytes that each task may use; 0 if that is not bounded."""
        return self.settings.memory_bytes

    @property
    def workers(self) -> int:
        """How many tasks run at a time, if nobody else uses the cluster."""
        with self:
            slots = max(1, self._crew().slots())
        return slots if self._max_workers is None else min(slots, self._max_workers)

    def at_most(self, workers: int) -> RayEngine:
        """Make an engine with fewer workers at a time, which uses those of this one."""
        if self._max_workers is not None and workers >= self._max_workers:
            return self
        fewer = type(self)(self.settings, workers)
        fewer._shared = self._shared  # noqa: SLF001 (it is of the same class)
        return fewer

    @contextmanager
    def seeing(self, file: Path) -> Iterator[None]:
        """Let only nodes work meanwhile that see this file: what they write is seen here then."""
        self._shared.seen.append(file)
        try:
            yield
        finally:
            self._shared.seen.remove(file)

    def __enter__(self) -> Self:
        self._shared.depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self._shared.depth -= 1
        if not self._shared.depth:
            self._shared.close()

    def _crew(self) -> Crew:
        """The workers; connects to the cluster if that is not done."""
        if self._shared.crew is None:
            self._shared.crew = Crew(Cluster(self.settings), self.settings)
        return self._shared.crew

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        """Run tasks, and yield their outcomes as they end; if the caller stops listening, their workers are ended."""
        if not tasks:
            return
        with self:
            yield from _Run(self._crew(), self.settings, self._max_workers, self._shared.seen, tasks, report).outcomes()


@dataclass(slots=True)
class _Shared:
    """What engines share that were made of one."""

    crew: Crew | None = None
    depth: int = 0
    """How many have entered."""
    seen: list[Path] = field(default_factory=list)

    def close(self) -> None:
        crew, self.crew = self.crew, None
        if crew:
            try:
                crew.dismiss([*crew.starting, *crew.idle, *crew.busy])
            finally:
                crew.cluster.close()


@dataclass(frozen=True, slots=True)
class _Bounded:
    """An order that may use so much memory."""

    order: Order
    memory: int

    def run(self, report: Report) -> Any:
        """Do the task."""
        limit_memory(self.memory)
        return self.order.run(report)


@dataclass(eq=False, slots=True)
class _Attempts:
    """A task, and how the workers ended that it was given to."""

    task: Task
    deaths: list[str] = field(default_factory=list)
    avoid: set[str] = field(default_factory=set)
    """The nodes on which they did."""
    begun: float = 0.0
    done: int = 0
    """How much of its work is done in this attempt."""
    reported: int = 0
    """The most that was done in any."""

    @property
    def in_words(self) -> str:
        """How its workers ended."""
        ends = [said if count == 1 else f"{said} ({count} times)" for said, count in Counter(self.deaths).items()]
        return f"it was run {len(self.deaths)} times, and given up: {'; '.join(ends)}" if self.deaths[1:] else ends[0]


class _Run:
    """One run of some tasks by a crew."""

    def __init__(
        self,
        crew: Crew,
        settings: RaySettings,
        max_workers: int | None,
        seen: Sequence[Path],
        tasks: Sequence[Task],
        report: Report,
    ) -> None:
        self._crew, self._settings, self._max_workers, self._seen = crew, settings, max_workers, seen
        self._report = report
        # The longest first, so that none is left alone at the end.
        self._todo = deque(_Attempts(task) for task in sorted(tasks, key=lambda task: -task.cost))
        self._left = len(tasks)
        self._slots = 0
        self._looked = self._waiting = float("-inf")
        self._failed_starts = 0

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcomes of all tasks."""
        self._check_room()
        try:
            while self._left:
                self._hire()
                for outcome in (*self._hand_out(), *self._listen()):
                    self._left -= 1
                    yield outcome
        finally:
            if self._crew.busy:
                self._crew.dismiss([*self._crew.busy])

    def _check_room(self) -> None:
        """Raise if no node is large enough for a task, and none comes while one waits."""
        end = time.monotonic() + self._settings.wait
        while not self._crew.has_room():
            if time.monotonic() >= end:
                raise no_room(self._settings, self._crew.cluster.nodes)
            if not self._crew.size:
                _log.warning("waiting for a node of the Ray cluster that has %g CPUs", self._settings.cpus)
                self._crew.start(self._seen)  # so that one is started, where that is done on demand
            time.sleep(0.5)

    def _hire(self) -> None:
        """Start workers, as many as there are tasks and room for; nodes may have come or gone."""
        if time.monotonic() > self._looked + _LOOK_SECONDS:
            self._looked = time.monotonic()
            self._crew.leave_dead_nodes()
            self._slots = self._crew.slots()
        wanted = min(len(self._crew.busy) + len(self._todo), max(self._slots, 1), self._max_workers or sys.maxsize)
        for _ in range(wanted - self._crew.size):
            avoid = self._todo[0].avoid if self._todo else ()
            self._crew.start(self._seen, sorted(avoid))

    def _hand_out(self) -> Iterator[Outcome]:
        """Give tasks to workers that have none; yields the outcomes of tasks that can't be sent."""
        crew = self._crew
        for worker in [*crew.idle] if self._todo else ():
            while worker in crew.idle and len(crew.busy) < (self._max_workers or sys.maxsize):
                chosen = self._next_for(worker)
                if chosen is None:
                    break
                try:
                    order = packed(_Bounded(Order.of(chosen.task), self._settings.memory_bytes))
                except Exception as error:  # noqa: BLE001 (what pickling calls may raise anything)
                    said = f"it can't be sent to a worker process: {type(error).__name__}: {error}"
                    yield Outcome(chosen.task, error=said, traceback=trace_of(error))
                    continue
                chosen.begun = time.monotonic()
                crew.idle.remove(worker)
                crew.busy[worker] = chosen
                crew.call(worker, "run", order, self._seconds_between_news)

    @property
    def _seconds_between_news(self) -> float:
        return max(_SECONDS_BETWEEN_NEWS, len(self._crew.busy) / _NEWS_PER_SECOND)

    def _next_for(self, worker: Worker) -> _Attempts | None:
        """Take the next task for a worker: not one that died on its node, if there are or will be workers on others."""
        for attempts in self._todo:
            if worker.node not in attempts.avoid or not self._has_other(attempts.avoid):
                self._todo.remove(attempts)
                return attempts
        return None

    def _has_other(self, avoid: set[str]) -> bool:
        """Tell whether there is a worker on another node, or may be soon."""
        latest = time.monotonic() - _PATIENCE_SECONDS
        return bool(self._crew.nodes - avoid) or any(worker.begun > latest for worker in self._crew.starting)

    def _listen(self) -> Iterator[Outcome]:
        """Take the next answer of a worker; yields an outcome, if it is the end of a task."""
        answer = self._crew.answer(1.0)
        if answer is None:
            self._say_waiting()
            return
        worker, done = answer
        if worker in self._crew.starting:
            self._welcome(worker, done)
            return
        attempts: _Attempts = self._crew.busy[worker]
        error = done.exception()
        if error is not None:
            said = self._how_lost(worker, error)
            self._crew.dismiss([worker])
            yield from self._try_again(worker, attempts, said)
            return
        messages, state = done.result()
        outcome = None
        for message in messages:
            outcome = self._take(attempts, message) or outcome
        if state == BUSY:
            self._crew.call(worker, "more", self._seconds_between_news)
        elif state == DONE:
            self._free(worker)
            assert outcome  # the last message is what made it done
            yield outcome
        else:
            self._free(worker)  # it will start another process
            yield from self._try_again(worker, attempts, f"its worker process {state}")

    def _free(self, worker: Worker) -> None:
        """Take note that a worker has nothing to do."""
        del self._crew.busy[worker]
        self._crew.idle.add(worker)

    def _say_waiting(self) -> None:
        """Say from time to time that the cluster has no room for any task."""
        if not self._crew.busy and self._todo and time.monotonic() > self._waiting + _PATIENCE_SECONDS:
            if self._waiting != float("-inf"):
                _log.warning("waiting for room on the Ray cluster: %d tasks are to be done", len(self._todo))
            self._waiting = time.monotonic()

    def _welcome(self, worker: Worker, done: Future[Any]) -> None:
        """Take note that a worker is there, or could not be started."""
        error = done.exception()
        if error is not None:
            self._crew.dismiss([worker])
            self._looked = float("-inf")
            self._failed_starts += 1
            if self._failed_starts >= _MAX_FAILED_STARTS or _is_of_code(error):
                raise GristmillError(f"no worker can be started on the Ray cluster: {_last_line(error)}") from error
            return
        self._failed_starts = 0
        place = done.result()
        if place["fault"]:
            self._crew.dismiss([worker])
            raise GristmillError(f"the node {place['host']} of the Ray cluster {place['fault']}")
        worker.node, worker.host = place["node"], place["host"]
        self._crew.starting.remove(worker)
        self._crew.idle.add(worker)
        _log.debug("a worker is ready on the node %s (%s)", worker.host, worker.node)

    def _take(self, attempts: _Attempts, message: bytes) -> Outcome | None:
        """Take a message of a worker process; gives the outcome, if it is the end of the task."""
        try:
            kind, value = pickle.loads(message)  # noqa: S301 (both ends are ours)
        except Exception as error:  # noqa: BLE001 (what unpickling calls may raise anything)
            said = f"its result can't be read: {in_words(error)}"
            return Outcome(attempts.task, error=said, traceback=trace_of(error))
        if kind == "result":
            return Outcome(attempts.task, value, seconds=time.monotonic() - attempts.begun)
        if kind == "error":
            return Outcome(attempts.task, error=value[0], traceback=value[1])
        if kind == "log":
            logging.getLogger(value.name).handle(value)
        else:
            attempts.done += value
            if attempts.done > attempts.reported:
                self._report(attempts.done - attempts.reported)
                attempts.reported = attempts.done
        return None

    def _how_lost(self, worker: Worker, error: BaseException) -> str:
        """Say how a worker was lost of which Ray has no answer."""
        if not self._crew.is_alive(worker.node):
            return "its node was lost"
        if getattr(error, "preempted", False):
            return "its node was taken away"
        if type(error).__name__ == "ActorUnavailableError":
            return "its worker could not be reached any more"
        return f"its worker was lost ({_last_line(error)})"

    def _try_again(self, worker: Worker, attempts: _Attempts, said: str) -> Iterator[Outcome]:
        """Have a task run again whose worker died, elsewhere if possible; yields the last failure."""
        self._looked = float("-inf")
        attempts.deaths.append(f"{said} on {worker.host}")
        attempts.avoid.add(worker.node)
        attempts.done = 0
        if len(attempts.deaths) > self._settings.retries:
            yield Outcome(attempts.task, error=attempts.in_words)
            return
        _log.warning("%s: %s; it is tried again", attempts.task.name, attempts.deaths[-1])
        self._todo.appendleft(attempts)
        elsewhere = {node.id for node in self._crew.has_room()} - attempts.avoid
        if elsewhere and not elsewhere & self._crew.nodes:
            if worker in self._crew.idle:
                self._crew.dismiss([worker])
            self._crew.start(self._seen, sorted(attempts.avoid))


def _is_of_code(error: BaseException) -> bool:
    """Whether a worker could not be started for an error in what it does, which will be there the next time, too."""
    return bool(getattr(error, "actor_init_failed", False)) or type(error).__name__.startswith("RayTaskError")


def _last_line(error: BaseException) -> str:
    """Give the last line of what Ray says of an error: the ones before name the actor, or are a traceback.

    Of how a process ended, the detail is enough.
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    last = lines[-1] if lines else type(error).__name__
    detail = re.search(r"exit detail: (.+?)\.( |$)", last)
    return detail[1] if detail else last
