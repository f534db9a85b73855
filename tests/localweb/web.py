"""The local web: which sites there are, how they link to each other, and what is true of all of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Protocol
from urllib.parse import urlsplit

from localweb.answer import Answer, moved
from localweb.articles import ArticleSite
from localweb.robots import ElsewhereRobotsSite
from localweb.roster import CLASSES, ROSTER, Entry
from localweb.site import Plan, Site
from localweb.traps import MirrorSite, SubdomainSite

UNTOUCHABLE_IP = "127.99.0.1"
"""Where the names resolve to that must not be connected to, even if `127.0.0.0/16` may."""
UNTOUCHABLE = ("vnitrni-001.cz", "intranet-001.cz")
_SHARED_IP = 3  # every so many sites share an address with another one
_MIN_BYTES, _MAX_BYTES = 5_000, 2_000_000
_LINKS_OUT = 7


class Served(Protocol):
    """What a server needs to know of a web."""

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        """The answer of a host to a path with its query; None if there is no such host."""

    @property
    def spec(self) -> str:
        """Its kind and numbers, from which it can be made again in another process."""

    @property
    def hosts(self) -> dict[str, str]:
        """The IP address of every host."""

    @property
    def names(self) -> dict[str, str]:
        """The IP address of every name that is written into a hosts file; `*.example.org` is all names below it."""

    @property
    def faulty_tls(self) -> dict[str, str]:
        """What is wrong with the certificates of some hosts."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of an address."""

    url: str
    site: str
    """The kind of site."""
    kind: str
    """The kind of page."""
    status: int
    size: int
    """Bytes of its body on the wire."""
    lang: str
    words: int
    """Words of its clean text in the wanted language that can be had: not of pages of odd size or with noindex."""
    clean_bytes: int
    text_key: str
    """The same for copies and near-copies of a text; empty if there is no wanted text."""
    forbidden: str
    """Why it must not be requested: `robots`, `nofollow`; empty if it may."""
    trap: str
    """The trap that it is in; empty if it is in none."""


@dataclass(frozen=True, slots=True)
class Totals:
    """What there is in all that links lead to, but for traps and what is forbidden."""

    pages: int
    size: int
    """Bytes of all bodies."""
    wanted_size: int
    """Bytes of the bodies of pages with wanted text."""
    words: int
    """Words of wanted clean text; copies are counted once."""
    clean_bytes: int


class LocalWeb:
    """A web of more than 200 sites that is made from a seed; `scale` multiplies the number of pages of its sites."""

    def __init__(self, seed: int = 1, scale: float = 1.0, wanted: str = "cs") -> None:
        self.seed = seed
        self.scale = scale
        self.wanted = wanted
        self.sites: dict[str, Site] = {}
        entries = list(_numbered(ROSTER))
        plans = [self._plan(entry, number) for entry, number in entries]
        self._link(plans)
        for plan in plans:
            self.sites[plan.host] = CLASSES[plan.kind](plan)
        self._pair()

    def _plan(self, entry: Entry, number: int) -> Plan:
        random = Random(f"{self.seed}/{entry.kind}/{entry.variant}/{entry.lang}/{number}")
        host = f"{random.choice(entry.stems)}-{number:03}.{random.choice(entry.domains)}"
        pages = entry.pages * (random.lognormvariate(-0.2, 0.65) if entry.varied else 1)
        pages = min(max(3, round(pages * self.scale)), max(3, entry.pages * 6))
        scheme = entry.scheme or ("https" if random.random() < 0.4 else "http")
        return Plan(self.seed, host, entry.kind, entry.variant, entry.lang, scheme, pages)

    def _link(self, plans: list[Plan]) -> None:
        """Give each site links to others, mostly to its like; to each there is one from a sound site."""
        random = Random(f"{self.seed}/links")
        good = [plan for plan in plans if plan.kind == "text"]
        sound = [plan for plan in plans if plan.kind in {"text", "mixed", "language", "shop", "listing", "gallery"}]
        farms = [plan for plan in plans if plan.kind == "farm"]
        reached = _mixed_seeds(plans)
        self.seeds = [_front(plan) for plan in reached]
        rest = [plan for plan in plans if plan not in reached]
        random.shuffle(rest)
        for plan in rest:
            like = [other for other in reached if other in good]
            any_of = [other for other in reached if other in sound]
            parents = like if plan in good and random.random() < 0.8 else any_of
            random.choice(parents).outward.append(_front(plan))
            reached.append(plan)
        for plan in plans:
            if plan.kind == "farm":
                plan.outward += [
                    _front(other) for other in random.sample(farms, min(8, len(farms))) if other is not plan
                ]
                continue
            for _ in range(_LINKS_OUT):
                near = good if plan.kind in {"text", "encoding", "robots", "mixed"} else plans
                pool = near if random.random() < 0.75 else plans
                same = [other for other in sound if other.lang == plan.lang] if plan.kind == "language" else pool
                other = random.choice(same if random.random() < 0.75 else plans)
                if other is not plan:
                    plan.outward.append(_front(other))
            random.shuffle(plan.outward)
        for plan in good[:4]:
            plan.outward += [f"http://{host}/" for host in UNTOUCHABLE]

    def _pair(self) -> None:
        """Give mirrors their originals, and a robots.txt that is elsewhere its place."""
        originals = [site for site in self.sites.values() if isinstance(site, ArticleSite) and site.plan.kind == "text"]
        mirrors = [site for site in self.sites.values() if isinstance(site, MirrorSite)]
        originals.sort(key=lambda site: site.articles)
        for at, mirror in enumerate(mirrors):
            mirror.original = originals[len(originals) // 3 + at // 3]
        partial = next(
            site for site in self.sites.values() if site.plan.kind == "robots" and site.plan.variant == "partial"
        )
        for site in self.sites.values():
            if isinstance(site, ElsewhereRobotsSite):
                site.elsewhere = f"{partial.origin}/robots.txt"

    @property
    def spec(self) -> str:
        """Its kind and numbers, from which it can be made again in another process."""
        return f"local,{self.seed},{self.scale}"

    @cached_property
    def hosts(self) -> dict[str, str]:
        """The IP address of every host; some share one. Names below a host with endless names are not all here."""
        result: dict[str, str] = {}
        number = 0
        for at, host in enumerate(self.sites):
            if at == 0 or at % _SHARED_IP:
                number += 1
            result[host] = f"127.0.{number // 200}.{number % 200 + 1}"
        return result | dict.fromkeys(UNTOUCHABLE, UNTOUCHABLE_IP)

    @cached_property
    def endless_hosts(self) -> list[str]:
        """Hosts with endlessly many names below them."""
        return [host for host, site in self.sites.items() if isinstance(site, SubdomainSite)]

    @cached_property
    def faulty_tls(self) -> dict[str, str]:
        """What is wrong with the certificates of some hosts: `untrusted`, `expired`, `name`."""
        return {host: site.plan.variant for host, site in self.sites.items() if site.plan.kind == "tls"}

    def resolve(self, host: str) -> str | None:
        """The IP address of a host; None if there is no such host."""
        address = self.hosts.get(host)
        if address is None:
            parent = host.partition(".")[2]
            return self.hosts[parent] if parent in self.endless_hosts else None
        return address

    @property
    def names(self) -> dict[str, str]:
        """The IP address of every name and pattern; other names have one that must not be connected to."""
        below = {f"*.{parent}": self.hosts[parent] for parent in self.endless_hosts}
        return {**self.hosts, **below, "*": UNTOUCHABLE_IP}

    def site(self, host: str) -> Site | None:
        """The site on a host."""
        site = self.sites.get(host)
        if site is None:
            name, _, parent = host.partition(".")
            if parent in self.endless_hosts:
                return SubdomainSite(self.sites[parent].plan, name)
        return site

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        """The answer of a host to a path with its query; None if there is no such host."""
        del port
        if host in UNTOUCHABLE:
            return Answer(b"internal", kind="untouchable")
        site = self.site(host)
        if site is None:
            return None
        if scheme != site.plan.scheme and site.plan.kind != "tls" and target != "/robots.txt":
            return moved(f"{site.origin}{target}")
        return site.answer(target)

    def truth(self, url: str) -> Truth | None:
        """What is true of an address; None if there is no such host."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        answer, site = self.answer(host, target, parts.scheme), self.site(host)
        return None if answer is None or site is None else self._truth(url, site, target, answer)

    def _truth(self, url: str, site: Site, target: str, answer: Answer) -> Truth:
        odd = answer.noindex or not _MIN_BYTES <= len(answer.body) <= _MAX_BYTES or answer.status != 200
        forbidden = site.forbidden(target)
        wanted = answer.lang == self.wanted and bool(answer.text) and not (odd or answer.behaviour or forbidden)
        text = answer.text if wanted else ()
        return Truth(
            url=url,
            site=site.plan.kind,
            kind=answer.kind,
            status=answer.status,
            size=len(answer.payload),
            lang=answer.lang,
            words=answer.words if wanted else 0,
            clean_bytes=sum(len(paragraph.encode()) for paragraph in text),
            text_key=answer.text_key if wanted else "",
            forbidden=forbidden,
            trap=site.trap(target),
        )

    def plain(self, url: str) -> str:
        """The address of the same page without session ids and the like."""
        parts = urlsplit(url)
        site = self.site(parts.hostname or "")
        if site is None:
            return url
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return f"{parts.scheme}://{parts.netloc}{site.plain(target)}"

    def walk(self, seeds: Iterable[str] = ()) -> Iterator[Truth]:
        """All addresses that links lead to, breadth first, but for traps and what is forbidden."""
        waiting = deque(map(self.plain, seeds or self.seeds))
        seen = set(waiting)
        while waiting:
            url = waiting.popleft()
            parts = urlsplit(url)
            site = self.site(parts.hostname or "")
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            if site is None or parts.hostname in UNTOUCHABLE or site.forbidden(target) or site.trap(target):
                continue
            if site.plan.kind == "tls" or site.plan.variant.startswith("!"):
                continue
            answer = self.answer(parts.hostname or "", target, parts.scheme)
            if answer is None:
                continue
            yield self._truth(url, site, target, answer)
            found = site.unlinked() if target == "/" else []
            for link in map(self.plain, [*answer.links, *found]):
                if link not in seen:
                    seen.add(link)
                    waiting.append(link)

    @cached_property
    def totals(self) -> Totals:
        """What there is in all; makes every page once, which takes some seconds for a web of full size."""
        pages = size = wanted = 0
        texts: dict[str, tuple[int, int]] = {}
        for truth in self.walk():
            pages += 1
            size += truth.size
            wanted += truth.size if truth.text_key else 0
            if truth.text_key:
                texts.setdefault(truth.text_key, (truth.words, truth.clean_bytes))
        words, clean = (sum(column) for column in zip(*texts.values(), strict=True))
        return Totals(pages, size, wanted, words, clean)


def _numbered(roster: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    number = 0
    for entry in roster:
        for _ in range(entry.count):
            number += 1
            yield entry, number


def _front(plan: Plan) -> str:
    return f"{plan.scheme}://{plan.host}/"


def _mixed_seeds(plans: list[Plan]) -> list[Plan]:
    """A handful of sites to begin with: some with wanted text, and others."""
    result: list[Plan] = []
    for kind, count in (("text", 4), ("mixed", 1), ("listing", 1), ("shop", 1), ("language", 1)):
        result += [plan for plan in plans if plan.kind == kind][:count]
    return result
