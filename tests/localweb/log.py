"""The servers' own log of all requests, and what in it goes against manners."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

from localweb.oddities import UNTOUCHABLE_TARGETS
from localweb.web import UNTOUCHABLE_IP, LocalWeb

_NOTED_LATE_SECONDS = 0.25
_HEARD_LATE = 500_000_000
"""Nanoseconds after which a server that is busy hears that a client has left."""
_SECOND = 1_000_000_000


@dataclass(slots=True)
class Visit:
    """A request, and what was sent for it."""

    began: int
    """Monotonic nanoseconds at which the head of the request was there."""
    ended: int
    """At which the last byte of the answer was given to the system, or the client had left."""
    scheme: str
    host: str
    ip: str
    peer: str
    method: str
    target: str
    head: str
    """The headers of the request."""
    status: int
    sent: int
    """Bytes of the answer, head and body."""
    whole: bool
    """Whether all of it was sent."""

    def line(self) -> str:
        """The visit as a line of the log."""
        return json.dumps(asdict(self), separators=(",", ":")) + "\n"

    @property
    def url(self) -> str:
        """The address that was asked for."""
        return f"{self.scheme}://{self.host}{self.target}"

    @property
    def file(self) -> bool:
        """Whether it was for robots.txt or a sitemap, and not for a page."""
        return self.target == "/robots.txt" or self.target.endswith((".xml", ".xml.gz", "/mapa.txt"))

    def header(self, name: str) -> str:
        """The value of a header of the request; empty if it has none."""
        for line in self.head.split("\r\n"):
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return ""


def read_log(path: Path) -> list[Visit]:
    """All visits, in the order in which they began."""
    with path.open(encoding="utf-8") as lines:
        return sorted((Visit(**json.loads(line)) for line in lines), key=attrgetter("began"))


def _grouped(visits: Iterable[Visit], key: Callable[[Visit], str]) -> Iterable[list[Visit]]:
    groups: dict[str, list[Visit]] = defaultdict(list)
    for visit in visits:
        groups[key(visit)].append(visit)
    return groups.values()


def forbidden(web: LocalWeb, visits: Iterable[Visit]) -> list[str]:
    """Requests of addresses that robots.txt or nofollow forbid."""
    result = []
    for visit in visits:
        site = web.site(visit.host)
        reason = site.forbidden(visit.target) if site and visit.target != "/robots.txt" else ""
        if reason:
            result.append(f"{reason}: {visit.url}")
    return result


def untouchable(web: LocalWeb, visits: Iterable[Visit]) -> list[str]:
    """Requests to hosts and addresses that must not be contacted, or in spite of a bad certificate."""
    result = []
    for visit in visits:
        stranger = web.site(visit.host) is None
        if stranger or visit.ip == UNTOUCHABLE_IP or visit.host in web.faulty_tls or visit.url in UNTOUCHABLE_TARGETS:
            result.append(f"{visit.url} on {visit.ip}")
    return result


def at_once(visits: Iterable[Visit], key: Callable[[Visit], str], slack: float = 0.0) -> list[str]:
    """Requests that began before the one before them had ended, by more than `slack` seconds."""
    return short_gaps(visits, key, -slack)


def short_gaps(visits: Iterable[Visit], key: Callable[[Visit], str], seconds: float) -> list[str]:
    """Requests that began less than so many seconds after the end of the one before, of the same host or IP address."""
    result = []
    for group in _grouped(visits, key):
        last = 0
        for before, after in pairwise(sorted(group, key=attrgetter("began"))):
            # That a client has left, the server hears when it comes to it: the client's next request may be earlier.
            last = max(last, before.ended if before.whole else before.ended - _HEARD_LATE)
            gap = (after.began - last) / _SECOND
            if gap < seconds:
                result.append(f"{gap:.3f} s between {before.url} and {after.url}")
    return result


def repeated(visits: Iterable[Visit]) -> list[str]:
    """Pages that were asked for again though they had been sent as a whole."""
    done: Counter[str] = Counter()
    result = []
    for visit in sorted(visits, key=attrgetter("began")):
        if done[visit.url] and not visit.file:
            result.append(visit.url)
        done[visit.url] += visit.whole and 0 < visit.status < 500 and visit.status != 429
    return result


def trapped(web: LocalWeb, visits: Iterable[Visit]) -> Counter[tuple[str, str]]:
    """How many requests were made within each trap: by host (of endless names, the name above them) and trap."""
    result: Counter[tuple[str, str]] = Counter()
    for visit in visits:
        site = web.site(visit.host)
        name = site.trap(visit.target) if site else ""
        if site and name:
            result[site.plan.host, name] += 1
    return result


def violations(
    web: LocalWeb, visits: list[Visit], *, delay: float = 0.0, ip_delay: float = 0.0, slack: float = 0.05
) -> dict[str, list[str]]:
    """All that goes against manners, by kind; kinds without any are left out.

    Two requests are at once if they overlap by more than a quarter of a second: a busy server may note the end of an
    answer a moment after its client has it.
    """
    found = {
        "forbidden": forbidden(web, visits),
        "untouchable": untouchable(web, visits),
        "host at once": at_once(visits, attrgetter("host"), _NOTED_LATE_SECONDS),
        "IP at once": at_once(visits, attrgetter("ip"), _NOTED_LATE_SECONDS),
        "host delay": short_gaps(visits, attrgetter("host"), delay - slack) if delay else [],
        "IP delay": short_gaps(visits, attrgetter("ip"), ip_delay - slack) if ip_delay else [],
        "repeated": repeated(visits),
    }
    return {kind: cases for kind, cases in found.items() if cases}
