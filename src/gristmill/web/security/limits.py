"""How much one client may ask: so many requests a minute, so many at once.

A client is a session where people log in, so that a class behind one address can work; else an address.
"""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

MAX_HEAD_BYTES = 65_536
"""Bytes of a request's first line and headers that are waited for."""
MAX_HEADERS, MAX_HEADER_BYTES, MAX_ADDRESS_BYTES = 100, 32_768, 32_768
TOO_LONG = {
    414: f"an address may have {MAX_ADDRESS_BYTES:,} bytes",
    431: f"the request has too many headers, or too long ones: up to {MAX_HEADERS}, of {MAX_HEADER_BYTES:,} bytes",
}
"""What is answered, by status, where the head of a request is too long."""
_MAX_CLIENTS = 20_000
_IPV6_HOST_BITS = 64  # that one client chooses freely


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a minute, and so many at a stroke after a pause."""

    per_minute: float
    burst: float


class Buckets:
    """A bucket for each client: an act takes one out of it, and it fills again with time (a token bucket)."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How full a bucket was, and when; those that were used last are at the end."""

    def wait(self, client: str) -> float:
        """Tell how many seconds it takes until the client may act, 0 if now."""
        level = self._level(client, time.monotonic())
        return 0.0 if level >= 1 else (1 - level) * 60 / self._rate.per_minute

    def take(self, client: str) -> float:
        """Let the client act, if it may; returns the seconds that it has to wait else."""
        now = time.monotonic()
        level = self._level(client, now)
        if level < 1:
            return (1 - level) * 60 / self._rate.per_minute
        self._levels[client] = level - 1, now
        self._levels.move_to_end(client)
        if len(self._levels) > _MAX_CLIENTS:
            self._levels.popitem(last=False)
        return 0.0

    def give_back(self, client: str) -> None:
        """Undo an act, as it turned out to be none that counts."""
        now = time.monotonic()
        self._levels[client] = min(self._level(client, now) + 1, self._rate.burst), now

    def _level(self, client: str, now: float) -> float:
        level, since = self._levels.get(client, (self._rate.burst, now))
        return min(level + (now - since) * self._rate.per_minute / 60, self._rate.burst)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may ask."""

    requests: Rate
    at_once: int
    """Requests that are answered at once."""
    connections: int
    """Connections of one address."""


LOCAL = Limits(Rate(60_000, 5_000), at_once=200, connections=900)
"""For a server that only this machine reaches: its programs are the user's own."""
SHARED = Limits(Rate(900, 300), at_once=12, connections=600)
"""For a server that others reach: more than a browser asks, as it has 6 connections to a server."""
LOGINS = Rate(10, 60)
"""Wrong passwords of an address; a class may mistype them at once."""
LOGINS_OF_NAME = Rate(6, 10)
"""Wrong passwords of an address for one name."""


class Meter:
    """Counts what clients do, and tells them when it is too much."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._requests = Buckets(limits.requests)
        self._now: Counter[str] = Counter()

    def wait(self, client: str) -> int:
        """Count a request; returns the seconds after which the client may ask again if it is one too many, else 0."""
        if self._now[client] >= self.limits.at_once:
            return 1
        return math.ceil(self._requests.take(client))

    @contextmanager
    def answering(self, client: str) -> Iterator[None]:
        """Count a request as long as it is answered."""
        self._now[client] += 1
        try:
            yield
        finally:
            self._now[client] -= 1
            if not self._now[client]:
                del self._now[client]


def network_of(address: str) -> str:
    """Return what stands for a client's address: itself, or for IPv6 the network, in which it can choose any."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return f"{IPv6Address(int(found) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS)}/64"
    return str(found)
