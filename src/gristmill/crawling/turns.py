"""Whose turn it is: brings hosts from the frontier into the scheduler and back, the best ones first."""

from __future__ import annotations

import math

from gristmill.crawling.frontier import Frontier
from gristmill.crawling.hosts import Host
from gristmill.crawling.scheduler import Scheduler
from gristmill.crawling.strategy import Strategy

_EXCHANGED_SHARE = 0.1  # of the hosts in the scheduler may be exchanged for better ones at a time


class Turns:
    """The hosts in the scheduler, and those that wait in the frontier since it is full."""

    def __init__(self, frontier: Frontier, strategy: Strategy, scheduler: Scheduler | None = None) -> None:
        self._frontier = frontier
        self._strategy = strategy
        self.scheduler = scheduler or Scheduler()
        self.waiting = frontier.waiting_hosts()
        """Hosts that wait in the frontier, about; `count` makes it exact."""

    def admit(self, host: Host, now: float) -> None:
        """Let a host into the scheduler if it has addresses, or have it wait in the frontier if that is full."""
        if host.active or host.reserved:
            return
        if host.dead or not host.has_more:
            if host.waiting:
                host.waiting = False
                self._frontier.change(host)
            return
        if self._strategy.ranks_by_address:
            host.rank = self._strategy.host_rank(host, self._frontier.first(host))
        if self.scheduler.has_room:
            self.scheduler.put(host, now)
        elif not host.waiting:
            host.waiting = True
            self.waiting += 1
        self._frontier.change(host)

    def end_visit(self, host: Host, now: float) -> None:
        """Let a host stand in line again after a visit, or out if there is nothing more to visit."""
        self.scheduler.drop(host)
        self.admit(host, now)

    def next(self, now: float, worst: float = math.inf) -> Host | None:
        """Take the host whose turn it is, if there is one now, of at most the rank `worst`."""
        if self.waiting and len(self.scheduler.active) <= self.scheduler.max_active // 2:
            self._refill(now)
        return self.scheduler.take(now, worst)

    def _refill(self, now: float) -> None:
        hosts = self._frontier.waiting(self.scheduler.max_active - len(self.scheduler.active), now)
        for host in hosts:
            self.admit(host, now)
        self.waiting = max(self.waiting - len(hosts), 0) if hosts else 0  # those that are left have to wait longer

    def exchange(self, now: float) -> None:
        """Exchange the worst hosts in the scheduler for better ones that wait."""
        self.count()
        if self.scheduler.has_room or not self.waiting:
            return
        most = int(self.scheduler.max_active * _EXCHANGED_SHARE) + 1
        worst = sorted(self.scheduler.idle(), key=lambda host: -host.rank)[:most]
        for out, into in zip(worst, self._frontier.waiting(len(worst), now), strict=False):
            if into.rank >= out.rank:
                break
            self.scheduler.drop(out)
            out.waiting = True
            self._frontier.change(out)
            self.admit(into, now)

    def count(self) -> None:
        """Count the hosts that wait."""
        self.waiting = self._frontier.waiting_hosts()

    @property
    def are_over(self) -> bool:
        """Whether no host has an address that could be fetched now or later."""
        if self.scheduler.active:
            return False
        self.count()  # those that wait may be there whose time had not come when they were asked for
        return not self.waiting
