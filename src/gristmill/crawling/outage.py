"""Tell a network that is gone from hosts that are gone.

When the connection of this machine fails, every host seems dead, and a crawl would soon have given up all of them. So a
failure to reach a host is held until another request succeeds, which shows that it was the host's own. If many hosts
that have answered before fail in a row, it is the network: then all addresses go back to their queues, and the crawl
waits. Hosts that have never answered prove nothing, unless nothing has.

The same goes for name servers: while none answers, hosts whose addresses are known are visited still.
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
MIN_NAMES = 20
"""So many names in a row that no name server answers for, for the first time, mean that all name servers are gone."""
HELD_SECONDS = 1.0
"""A host is not asked again so long while it is not known why it was not reached."""
_FIRST_WAIT_SECONDS = 5.0
_MAX_WAIT_SECONDS = 60.0
_MAX_HOURS = 24.0
_MAX_HOURS_OF_FEW = 1.0  # if there are fewer hosts, they may as well be gone

Held = tuple[Host, Entry, Failure]


@dataclass(slots=True)
class Outage:
    """What is known of the network."""

    names: bool = False
    """Whether this is about name servers."""
    held: list[Held] = field(default_factory=list)
    """Failures of which is not known whose they are."""
    since: float = 0.0
    """When the network went away; 0 if it is there."""
    wait: float = 0.0
    """Seconds between two tries."""
    until: float = 0.0
    """When the next try is."""
    few: bool = False
    """Whether there were only few hosts to conclude from that the network is gone."""
    answered: bool = False
    """Whether any host has answered in this run."""

    def failure(self, held: Held, now: float) -> list[Held]:
        """Note that a host was not reached; returns what is to be tried again if the network is gone."""
        self.held.append(held)
        return self.begin(now) if self.since or self._is_plain() else []

    def _is_plain(self) -> bool:
        """Tell whether many hosts in a row were not reached."""
        hosts = set(self.unreached())
        if self.names:
            return sum(not host.failures for host in hosts) >= MIN_NAMES
        return sum(host.bytes > 0 or not self.answered for host in hosts) >= MIN_HOSTS

    @property
    def is_likely(self) -> bool:
        """Whether the hosts that were not reached are more likely to be cut off than gone, if no others are left.

        They have given pages, and have not failed before; or no name was ever resolved.
        """
        if self.names:
            return not self.answered
        hosts = self.unreached()
        return self.answered and bool(hosts) and all(host.pages and not host.failures for host in hosts)

    def unreached(self) -> list[Host]:
        """Return the hosts that could not be reached; others had failures that may come of a network that went away."""
        return [host for host, _, failure in self.held if failure.reason in UNREACHED]

    def begin(self, now: float) -> list[Held]:
        """Wait for the network, longer after each try; returns what is to be tried again."""
        if not self.since:
            self.since, self.few = now, not self._is_plain()
        if now >= self.until:
            self.wait = min(2 * self.wait or _FIRST_WAIT_SECONDS, _MAX_WAIT_SECONDS)
            self.until = now + self.wait
        return self.take()

    def is_too_long(self, now: float) -> bool:
        """Tell whether the network was gone for so long that the crawl is to end."""
        return bool(self.since) and now - self.since > 3600 * (_MAX_HOURS_OF_FEW if self.few else _MAX_HOURS)

    def answer(self) -> list[Held]:
        """Note that a host answered; returns the failures that were the hosts' own."""
        self.answered = True
        self.since = self.wait = self.until = 0.0
        return self.take() if self.held else self.held

    def take(self) -> list[Held]:
        """Hand out the failures that were held."""
        held, self.held = self.held, []
        return held
