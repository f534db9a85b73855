"""All settings of a crawl, as typed classes; `crawl.toml` has them in full."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from gristmill.errors import UsageError
from gristmill.parts import Part
from gristmill.settings import Sections

NAME = "crawl.toml"
"""The file of a crawl that has its settings, and by which its folder is known."""
STRATEGIES = ("yield", "breadth-first", "given")


@dataclass(frozen=True, slots=True)
class ScopeConfig:
    """Which addresses belong to the crawl."""

    languages: tuple[str, ...] = ()
    """ISO 639 codes of the languages whose text is wanted; any language if empty."""
    domains: tuple[str, ...] = ()
    """Hosts must be one of these or below it: `.cz`, `example.org`; any host if empty."""
    sites: tuple[str, ...] = ()
    """Set by `--same-site`: the hosts of the seeds. Others are left out but for their `www.` forms and names below."""
    forbid: tuple[str, ...] = ()
    """Hosts and domains that are never visited."""
    max_distance: int = 50
    """Links between a seed and a page, at most."""
    part: str = ""
    """Which part of a crawl by many processes this one is: `3/16`. Hosts are divided among the parts by a hash."""


@dataclass(frozen=True, slots=True)
class StopConfig:
    """When the crawl stops by itself; 0 is never. It also stops when nothing is left to fetch."""

    pages: int = 0
    words: int = 0
    """Words of clean text in the wanted languages."""
    megabytes: int = 0
    hours: float = 0.0


@dataclass(frozen=True, slots=True)
class StrategyConfig:
    """In which order pages are fetched, and when a host is left."""

    name: str = "yield"
    """`yield`: hosts by the clean text they give for their bytes. `breadth-first`: in the order of discovery. `given`:
    the seeds, and nothing that they link to."""
    threshold: float = 0.01
    """A host is left if its yield is below this, times log10 of its documents less one."""
    min_documents: int = 20
    """No host is judged on fewer documents."""
    min_bytes: int = 262_144
    """No host is judged on fewer bytes."""
    max_queued: int = 200
    """Addresses that wait for one host, at most, or as many as it gave pages with text if that is more; 0: no limit."""
    method: str = "mill"
    """The cleaning method by which yield is measured."""


@dataclass(frozen=True, slots=True)
class MannersConfig:
    """How servers are treated."""

    contact: str = ""
    """An address of e-mail or of a page about the crawl; it is sent with every request."""
    delay: float = 20.0
    """Seconds between two requests to a host, from the end of one to the beginning of the next."""
    ip_delay: float = 1.0
    """Seconds between two requests to an IP address."""
    answer_delay: float = 10.0
    """The delay is at least so many times the time that the server took to answer."""
    max_delay: float = 300.0
    """Longest delay in seconds that is taken from the answer time or from Crawl-delay."""
    robots: bool = True
    """Whether robots.txt is obeyed."""
    robots_hours: float = 24.0
    robots_tags: bool = True
    """Whether `noindex` and `nofollow` in pages, links and `X-Robots-Tag` are obeyed."""
    pages_per_host: int = 0
    """Most pages that are fetched from a host; 0: no limit."""
    retries: int = 2
    """How often a request is tried again that failed for a reason that may pass."""
    back_off: float = 60.0
    """Seconds that a host is left alone which failed; twice as many after each further failure, up to an hour."""
    host_failures: int = 5
    """After so many failures in a row, a host is left."""


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """What is downloaded, and within which limits."""

    min_bytes: int = 5_000
    """Shorter pages are left out, but seeds; of compressed ones, the length after decompression counts."""
    max_bytes: int = 2_000_000
    """Longer pages are left out, and not read to their end."""
    types: tuple[str, ...] = ("text/html", "application/xhtml+xml")
    """Media types that are fetched."""
    head_bytes: int = 65_536
    """Largest head of a response."""
    connections: int = 256
    """Requests at a time, to all hosts."""
    connect_seconds: float = 15.0
    read_seconds: float = 30.0
    """Longest pause between two pieces of a response."""
    total_seconds: float = 120.0
    """Longest time for a whole response."""
    min_rate: int = 500
    """Bytes a second below which a server is cut off, after the first 20 seconds."""
    max_redirects: int = 5
    sitemaps: bool = True
    """Whether sitemaps that robots.txt names are read for addresses."""
    networks: tuple[str, ...] = ()
    """Networks that may be connected to though they are private or reserved: `127.0.0.0/8`."""
    hosts_file: str = ""
    """A file like /etc/hosts, also with ports, which names are looked up in first: `127.0.0.1:8080 example.org`."""
    warc_bytes: int = 1_000_000_000
    """A WARC file is closed when it has grown to this size."""


@dataclass(frozen=True, slots=True)
class TrapsConfig:
    """Rules against addresses without end."""

    max_length: int = 1_000
    """Characters of an address."""
    max_depth: int = 16
    """Segments of its path."""
    max_repeats: int = 3
    """How often a segment may come again in a path."""
    max_parameters: int = 5
    """Parameters in its query."""
    pattern_pages: int = 20
    """A pattern of addresses on a host is left if so many pages of it gave hardly any new text..."""
    pattern_yield: float = 0.005
    """...that is, less of it per byte than this."""


@dataclass(frozen=True, slots=True)
class CrawlConfig(Sections):
    """All settings of a crawl."""

    scope: ScopeConfig = field(default_factory=ScopeConfig)
    stop: StopConfig = field(default_factory=StopConfig)
    strategy: StrategyConfig = field(default_factory=StrategyConfig)
    manners: MannersConfig = field(default_factory=MannersConfig)
    fetch: FetchConfig = field(default_factory=FetchConfig)
    traps: TrapsConfig = field(default_factory=TrapsConfig)

    def __post_init__(self) -> None:
        if self.strategy.name not in STRATEGIES:
            raise UsageError(f"there is no strategy {self.strategy.name!r} (there are: {', '.join(STRATEGIES)})")
        if self.fetch.min_bytes > self.fetch.max_bytes:
            raise UsageError("min_bytes is more than max_bytes: no page would be fetched")
        for section in dataclasses.fields(self):
            _refuse_negative(getattr(self, section.name), section.name)
        if self.fetch.connections < 1:
            raise UsageError("[fetch] connections must be at least 1")
        self.own_part  # noqa: B018 (raises if it is not right)

    @property
    def measures_text(self) -> bool:
        """Whether pages are cleaned while the crawl runs; a breadth-first crawl of any language needs no text."""
        return self.strategy.name == "yield" or bool(self.scope.languages or self.stop.words)

    @property
    def max_distance(self) -> int:
        """Links between a seed and a page, at most: none if nothing but the seeds is wanted."""
        return 0 if self.strategy.name == "given" else self.scope.max_distance

    @property
    def own_part(self) -> tuple[int, int]:
        """Which part of how many this crawl is: (3, 16) of `3/16`, and (1, 1) if it is not divided."""
        part = Part.parse(self.scope.part or "1/1")
        return part.number, part.count


def _refuse_negative(section: Any, name: str) -> None:
    for key, value in dataclasses.asdict(section).items():
        if isinstance(value, int | float) and not value >= 0:  # also not a number
            raise UsageError(f"[{name}] {key} must not be {value}")
