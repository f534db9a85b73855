"""The scheduler: which host may be visited now. No host and no IP address gets two requests at once or too soon.

It has the best hosts in memory, at most `MAX_ACTIVE_HOSTS`; the others wait in the frontier. A host is in one of these
places:

    later     its delay is not over
    ready     it may be visited; the host of the lowest rank comes first
    parked    another host at the same IP address is being visited, or was a moment ago
    taken     it is being visited

Hosts at one IP address take turns: the one that has stood in line for longest comes first. Else one without a delay,
which never runs out of addresses, would keep all others there from being visited. Among all hosts, those of an IP
address have the rank of the best of them that waits.

Each costs the logarithm of the hosts in memory, so the cost of a page does not depend on the size of the crawl.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from gristmill.crawling.hosts import Host

MAX_ACTIVE_HOSTS = 10_000
"""With the usual delay of 20 seconds, so many hosts give up to 500 pages a second."""

_MAX_STALE_RANKS = 100  # of an IP address, and as many as there are valid ones
_Entry = tuple[float, int, Host]


@dataclass(slots=True)
class _Lane:
    """An IP address: one request at a time, with a pause behind each."""

    next: float = 0.0
    busy: bool = False
    called: bool = False
    """Whether its next host is to be called to the ready ones when it is free."""
    parked: list[tuple[int, Host]] = field(default_factory=list)
    """By how long they have stood in line, as their tokens tell; also the one that is called, until it is visited."""
    ranks: list[_Entry] = field(default_factory=list)
    """The same hosts by rank."""

    def park(self, host: Host) -> None:
        """Let a host wait until it is called."""
        heappush(self.parked, (host.token, host))
        if len(self.ranks) > 2 * len(self.parked) + _MAX_STALE_RANKS:
            self.ranks = [entry for entry in self.ranks if entry[2].token == entry[1]]
            heapify(self.ranks)
        heappush(self.ranks, (host.rank, host.token, host))

    @property
    def first(self) -> Host | None:
        """The host whose turn it is, of those that are parked and were not dropped meanwhile."""
        while self.parked and self.parked[0][1].token != self.parked[0][0]:
            heappop(self.parked)
        return self.parked[0][1] if self.parked else None

    @property
    def rank(self) -> float:
        """That of the best host that is parked."""
        while self.ranks and self.ranks[0][2].token != self.ranks[0][1]:
            heappop(self.ranks)
        return self.ranks[0][0] if self.ranks else math.inf


class Scheduler:
    """The hosts that are visited at present, in their order. Times are given by the caller, in seconds."""

    def __init__(self, max_active: int = MAX_ACTIVE_HOSTS) -> None:
        self.max_active = max_active
        self.active: set[Host] = set()
        self._later: list[_Entry] = []
        self._ready: list[_Entry] = []
        self._lanes: dict[str, _Lane] = {}
        self._calls: list[tuple[float, int, str]] = []
        self._numbers = itertools.count(1)

    @property
    def has_room(self) -> bool:
        """Whether more hosts may come in."""
        return len(self.active) < self.max_active

    def put(self, host: Host, now: float) -> None:
        """Let a host in, or let it stand in line again: ready if its time has come, else later."""
        host.active = True
        host.waiting = False
        self.active.add(host)
        host.token = next(self._numbers)
        if host.next > now:
            self._pass_on(host)
            heappush(self._later, (host.next, host.token, host))
        else:
            heappush(self._ready, (host.rank, host.token, host))

    def drop(self, host: Host) -> None:
        """Let a host out."""
        host.active = False
        host.token = 0
        self.active.discard(host)
        self._pass_on(host)

    def _pass_on(self, host: Host) -> None:
        """Call the hosts that are parked at the same IP address, if this one was called there and does not come."""
        lane = self._lanes.get(host.ip) if host.ip else None
        if lane and lane.parked and not lane.busy:
            self._call(host.ip, lane)

    def take(self, now: float, worst: float = math.inf) -> Host | None:
        """Take the best host that may be visited now, of at most the rank `worst`, or one at its IP address before it.

        Its IP address is then taken, too, if it is known.
        """
        self._move(now)
        while self._ready and self._ready[0][0] <= worst:
            _, token, host = heappop(self._ready)
            if host.token != token:
                continue
            if host.ip:
                lane = self._lanes.setdefault(host.ip, _Lane())
                if lane.first is not host:
                    lane.park(host)
                if lane.busy or lane.next > now:
                    if not lane.busy:
                        self._call(host.ip, lane)
                    continue
                host, lane.busy = lane.first or host, True
            host.token = 0
            return host
        return None

    def seize(self, ip: str, now: float) -> bool:
        """Take an IP address without a host; false if it is not free now."""
        lane = self._lanes.setdefault(ip, _Lane())
        if lane.busy or lane.next > now:
            return False
        lane.busy = True
        return True

    def release(self, ip: str, now: float, pause: float) -> None:
        """Give an IP address free again that was taken with a host, after a pause."""
        lane = self._lanes.get(ip)
        if lane:
            lane.busy = False
            lane.next = now + pause
            self._call(ip, lane)

    def wake_time(self) -> float | None:
        """Tell when the next host or IP address is due; None if none is, whatever the time."""
        times = [heap[0][0] for heap in (self._later, self._calls) if heap]
        return min(times) if times else None

    def _call(self, ip: str, lane: _Lane) -> None:
        if not lane.called:
            lane.called = True
            heappush(self._calls, (lane.next, next(self._numbers), ip))

    def _move(self, now: float) -> None:
        """Move hosts to the ready ones: those whose delay is over, and the first one parked at each free IP address."""
        while self._later and self._later[0][0] <= now:
            _, token, host = heappop(self._later)
            if host.token == token:
                heappush(self._ready, (host.rank, token, host))
        while self._calls and self._calls[0][0] <= now:
            ip = heappop(self._calls)[2]
            lane = self._lanes[ip]
            lane.called = False
            if lane.busy:
                continue  # its end calls again
            if lane.next > now:
                self._call(ip, lane)
            elif first := lane.first:  # others that are parked behind it are called when it was visited, or dropped
                heappush(self._ready, (lane.rank, first.token, first))
            else:
                del self._lanes[ip]

    def idle(self) -> Iterator[Host]:
        """Go through the hosts that are not being visited."""
        return (host for host in self.active if host.token)
