"""Manners: how long a host is left alone between two requests, and what its robots.txt allows."""

from __future__ import annotations

from collections import OrderedDict

from gristmill.crawling.config import MannersConfig
from gristmill.crawling.frontier import Frontier
from gristmill.crawling.hosts import Host
from gristmill.fetching.robots import Robots

_MAX_ROBOTS_IN_MEMORY = 5_000
_MAX_BACK_OFF_SECONDS = 3_600.0
MAX_WAIT_SECONDS = 86_400.0
"""Longest time for which a host is left alone, whatever it asks for."""


class Manners:
    """The rules of all hosts, those in use in memory."""

    def __init__(self, config: MannersConfig, frontier: Frontier) -> None:
        self._config = config
        self._frontier = frontier
        self._robots: OrderedDict[str, tuple[float, Robots]] = OrderedDict()

    def robots(self, origin: str, now: float) -> Robots | None:
        """Return the rules of an origin, or None if they are to be fetched."""
        if not self._config.robots:
            return Robots()
        found = self._robots.get(origin) or self._stored(origin)
        if found is None or abs(now - found[0]) > self._config.robots_hours * 3600:  # the clock may have gone back
            return None
        self._robots.move_to_end(origin)
        return found[1]

    def _stored(self, origin: str) -> tuple[float, Robots] | None:
        row = self._frontier.robots(origin)
        return self._keep(origin, row[0], Robots.from_bytes(row[1])) if row else None

    def _keep(self, origin: str, fetched: float, robots: Robots) -> tuple[float, Robots]:
        self._robots[origin] = (fetched, robots)
        if len(self._robots) > _MAX_ROBOTS_IN_MEMORY:
            self._robots.popitem(last=False)
        return fetched, robots

    def learn(self, origin: str, robots: Robots, now: float) -> None:
        """Keep the rules of an origin that were just fetched."""
        self._keep(origin, now, robots)
        self._frontier.set_robots(origin, now, robots.to_bytes())

    def rest(self, host: Host, seconds: float, robots: Robots | None, now: float, stretch: float = 1.0) -> None:
        """Leave a host alone for its delay, which depends on how long it took to answer and on its own wish.

        A host that is worth less has a multiple of it.
        """
        wish = robots.delay or 0.0 if robots else 0.0
        longest = max(self._config.max_delay, self._config.delay)
        host.delay = max(self._config.delay, min(max(self._config.answer_delay * seconds, wish), longest))
        host.next = max(host.next, now + host.delay * stretch)

    def back_off(self, host: Host, now: float, wish: float | None = None) -> None:
        """Leave a host alone that asks for it or fails, the longer the more often it failed."""
        back_off = min(self._config.back_off * 2 ** min(max(host.failures - 1, 0), 10), _MAX_BACK_OFF_SECONDS)
        wait = back_off if wish is None else min(wish, MAX_WAIT_SECONDS)
        host.next = max(host.next, now + max(wait, self._config.delay))
