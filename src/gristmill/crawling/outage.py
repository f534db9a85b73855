"""Tell a network that is gone from hosts that are gone.

When the connection of this machine fails, every host seems dead, and a crawl would soon have given up all of them. So a
failure to reach a host is held until another request succeeds, which shows that it was the host's own. If many hosts
that have answered before fail in a row, it is the network: then all addresses go back to their queues, and the crawl
waits. Hosts that have never answered prove nothing, unless nothing has.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.crawling.frontier import Entry
from gristmill.crawling.hosts import Host
from gristmill.fetching.exchange import Failure

UNREACHED = frozenset(["dns-failure", "connect"])
"""Reasons of failures that a network which is gone would cause, too."""
MIN_HOSTS = 5
"""So many hosts in a row that can't be reached any more mean that the network is gone."""
_FIRST_WAIT_SECONDS = 5.0
_MAX_WAIT_SECONDS = 60.0

Held = tuple[Host, Entry, Failure]


@dataclass(slots=True)
class Outage:
    """What is known of the network."""

    held: list[Held] = field(default_factory=list)
    """Failures of which is not known whose they are."""
    since: float = 0.0
    """When the network went away; 0 if it is there."""
    wait: float = 0.0
    """Seconds until the next try."""
    answered: bool = False
    """Whether any host has answered in this run."""

    def failure(self, held: Held, now: float) -> list[Held]:
        """Note that a host was not reached; returns what is to be tried again if the network is gone."""
        self.held.append(held)
        if not self.since and len({host.name for host, _, _ in self.held if self._counts(host)}) < MIN_HOSTS:
            return []
        self.since = self.since or now
        self.wait = min(2 * self.wait or _FIRST_WAIT_SECONDS, _MAX_WAIT_SECONDS)
        return self.take()

    def _counts(self, host: Host) -> bool:
        return host.bytes > 0 or not self.answered

    def answer(self) -> list[Held]:
        """Note that a host answered; returns the failures that were the hosts' own."""
        self.answered = True
        self.since = self.wait = 0.0
        return self.take() if self.held else self.held

    def take(self) -> list[Held]:
        """Hand out the failures that were held."""
        held, self.held = self.held, []
        return held
