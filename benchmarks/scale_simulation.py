"""Simulate a cluster that runs the rounds of a job: how far from ideal is it, with stragglers and failures of nodes.

A job is a list of rounds. The tasks of a round do not depend on each other; the next round begins when all have ended
and the driver has done its part. Tasks are handed out longest first, by what they are expected to take. How long one
really takes is that times a factor of its own and one of its node, both log-normal with median 1. Nodes fail at random:
what runs there is lost, which is noticed after a while, and is run again elsewhere; what has ended is safe, since files
are on a shared file system; the node comes back later. With speculation, a task that takes much longer than expected is
started a second time on another node when there are free slots and nothing else to do; the first copy to end counts.

All is decided by the seed, so that the same job on the same cluster always takes the same time.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SPECULATE_AFTER = 1.5
"""A task is late if it has run for so many times what was expected."""


class Round(NamedTuple):
    """Tasks between two barriers: the seconds that each is expected to take, and those of the driver before them."""

    tasks: Sequence[float]
    driver: float = 0.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """Nodes, how uneven they and their tasks are, and how often they fail."""

    nodes: int
    slots: int
    """Tasks that a node runs at a time."""
    node_sigma: float = 0.1
    """Spread of the speed of nodes: with 0.1, one in forty is slower by a fifth or more."""
    task_sigma: float = 0.2
    """Spread of what tasks take beyond what is expected: with 0.2, one in forty takes half as long again."""
    failures_an_hour: float = 0.01
    """Share of nodes that fail in an hour."""
    detection: float = 60.0
    """Seconds until it is noticed that a node has failed."""
    repair: float = 900.0
    """Seconds until a node that has failed takes tasks again."""


@dataclass(slots=True)
class Outcome:
    """What became of a job."""

    seconds: float = 0.0
    """From its beginning to its end."""
    ideal: float = 0.0
    """What it would take if all slots were busy all the time, and nothing was slow or lost."""
    driver: float = 0.0
    """Seconds in which all wait for the driver."""
    failures: int = 0
    lost: float = 0.0
    """Seconds of work on nodes that failed meanwhile."""
    copies: int = 0
    """Tasks that were started a second time because they were late."""

    @property
    def ratio(self) -> float:
        """How many times the ideal it took."""
        return self.seconds / self.ideal if self.ideal else 1.0


def simulate(rounds: Sequence[Round], cluster: Cluster, *, seed: int = 0, speculate: bool = False) -> Outcome:
    """Run a job on a cluster."""
    return _Simulation(cluster, random.Random(seed), speculate=speculate).run(rounds)


class _Attempt(NamedTuple):
    """A task, by its number, that runs on a node since a time; the epoch changes when the node fails."""

    task: int
    node: int
    epoch: int
    begun: float


@dataclass(slots=True)
class _Round:
    """The state of a round."""

    expected: Sequence[float]
    waiting: deque[int]
    left: int
    running: dict[int, list[_Attempt]] = field(default_factory=dict)
    late: deque[int] = field(default_factory=deque)


class _Simulation:
    """A cluster as time goes by."""

    def __init__(self, cluster: Cluster, chance: random.Random, *, speculate: bool) -> None:
        self._cluster, self._chance, self._speculate = cluster, chance, speculate
        self._now = 0.0
        self._count = 0
        self._events: list[tuple[float, int, str, int, int]] = []
        """Time, a number that keeps their order, what happens, and to which node or task, with an epoch or a round."""
        self._slowness = [chance.lognormvariate(0.0, cluster.node_sigma) for _ in range(cluster.nodes)]
        self._epochs = [0] * cluster.nodes
        self._free = deque((node, 0) for _ in range(cluster.slots) for node in range(cluster.nodes))
        """Free slots, by node, with its epoch: those of nodes that have failed since do not count."""
        self._outcome = Outcome()
        self._number = 0
        self._round = _Round((), deque(), 0)
        self._ends: dict[int, _Attempt] = {}
        if cluster.failures_an_hour:
            for node in range(cluster.nodes):
                self._plan_failure(node)

    def run(self, rounds: Sequence[Round]) -> Outcome:
        """Run all rounds, one after the other."""
        outcome = self._outcome
        for number, one in enumerate(rounds):
            self._number = number
            outcome.driver += one.driver
            outcome.ideal += sum(one.tasks) / (self._cluster.nodes * self._cluster.slots)
            self._wait_until(self._now + one.driver)
            self._run(one)
        outcome.seconds = self._now
        return outcome

    def _run(self, one: Round) -> None:
        order = sorted(range(len(one.tasks)), key=lambda task: -one.tasks[task])
        self._round = _Round(one.tasks, deque(order), len(order))
        self._hand_out()
        while self._round.left:
            self._step()

    def _wait_until(self, time: float) -> None:
        """Let time pass in which no tasks run; nodes may fail in it."""
        while self._events and self._events[0][0] <= time:
            self._step()
        self._now = time

    def _step(self) -> None:
        self._now, count, what, number, other = heapq.heappop(self._events)
        if what == "end":
            self._end(self._ends.pop(count))
        elif what == "late" and other == self._number:
            self._note_late(number)
        elif what == "fail":
            self._fail(number)
        elif what == "noticed" and other == self._number:
            self._round.waiting.appendleft(number)
        elif what == "repaired":
            self._free.extend([(number, self._epochs[number])] * self._cluster.slots)
            self._plan_failure(number)
        self._hand_out()

    def _plan(self, after: float, what: str, number: int, other: int = 0) -> int:
        self._count += 1
        heapq.heappush(self._events, (self._now + after, self._count, what, number, other))
        return self._count

    def _plan_failure(self, node: int) -> None:
        self._plan(self._chance.expovariate(self._cluster.failures_an_hour / 3600), "fail", node)

    def _hand_out(self) -> None:
        """Give free slots the tasks that wait, and then copies of late ones."""
        current = self._round
        while current.waiting and self._has_free():
            node, _ = self._free.popleft()
            self._start(current.waiting.popleft(), node)
        while current.late and not current.waiting and self._has_free():
            task = current.late.popleft()
            attempts = current.running.get(task, [])
            if len(attempts) != 1:  # it has ended, or was lost and is run again anyway
                continue
            slot = self._free.popleft()
            if slot[0] == attempts[0].node and len(self._free):
                self._free.append(slot)
                if not self._has_free():
                    return
                slot = self._free.popleft()
            self._outcome.copies += 1
            self._start(task, slot[0])

    def _has_free(self) -> bool:
        """Tell whether there is a free slot; those of nodes that have failed are forgotten on the way."""
        free = self._free
        while free and free[0][1] != self._epochs[free[0][0]]:
            free.popleft()
        return bool(free)

    def _start(self, task: int, node: int) -> None:
        current, cluster = self._round, self._cluster
        attempt = _Attempt(task, node, self._epochs[node], self._now)
        current.running.setdefault(task, []).append(attempt)
        expected = current.expected[task]
        seconds = expected * self._slowness[node] * self._chance.lognormvariate(0.0, cluster.task_sigma)
        self._ends[self._plan(seconds, "end", task)] = attempt
        if self._speculate and len(current.running[task]) == 1:
            self._plan(expected * SPECULATE_AFTER, "late", task, self._number)

    def _end(self, attempt: _Attempt) -> None:
        """Take note of the end of a task; other copies of it are stopped."""
        if attempt.epoch != self._epochs[attempt.node] or attempt not in self._round.running.get(attempt.task, ()):
            return
        for copy in self._round.running.pop(attempt.task):
            self._free.append((copy.node, copy.epoch))
        self._round.left -= 1

    def _note_late(self, task: int) -> None:
        if task in self._round.running:
            self._round.late.append(task)

    def _fail(self, node: int) -> None:
        """Lose a node and what runs on it."""
        self._outcome.failures += 1
        self._epochs[node] += 1
        for task, attempts in list(self._round.running.items()):
            stay = [attempt for attempt in attempts if attempt.node != node]
            if len(stay) == len(attempts):
                continue
            self._outcome.lost += sum(self._now - attempt.begun for attempt in attempts if attempt.node == node)
            if stay:
                self._round.running[task] = stay
            else:
                del self._round.running[task]
                self._plan(self._cluster.detection, "noticed", task, self._number)
        self._plan(self._cluster.repair, "repaired", node)
