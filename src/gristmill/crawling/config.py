"""All settings of a crawl, each declared once; `crawl.toml` has them in full."""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.errors import UsageError
from gristmill.parts import Part
from gristmill.settings import MORE, Sections, setting

NAME = "crawl.toml"
"""The file of a crawl that has its settings, and by which its folder is known."""
WHAT, STOP, MANNERS, LIMITS = "What is crawled", "When it stops", "Manners", "What is fetched"
"""Groups of options in the help."""


@dataclass(frozen=True, slots=True)
class ScopeConfig:
    """Which addresses belong to the crawl."""

    languages: tuple[str, ...] = setting(
        "Languages whose text is wanted, by ISO 639: cs or cs,sk [any].",
        default=(),
        kind="lang",
        group=WHAT,
        option="lang",
        fixed=True,
    )
    domains: tuple[str, ...] = setting(
        "Only hosts below this: .cz or example.org [any].",
        default=(),
        kind="names",
        group=WHAT,
        option="domain",
        fixed=True,
    )
    sites: tuple[str, ...] = setting(
        "Only these hosts, their `www.` forms and names below them; `--same-site` sets the hosts of the seeds.",
        default=(),
        kind="names",
        fixed=True,
    )
    forbid: tuple[str, ...] = setting(
        "Never visit this host or domain, or those in a file.", default=(), kind="names", group=WHAT, metavar="NAME"
    )
    max_distance: int = setting(
        "Links between a seed and a page, at most; pages of sitemaps are two links away.",
        default=50,
        group=WHAT,
        option="distance",
    )
    part: str = setting(
        "One of several processes or machines: 3/16. Hosts are divided among them by a hash.",
        default="",
        group=MORE,
        metavar="K/N",
        fixed=True,
    )


@dataclass(frozen=True, slots=True)
class StopConfig:
    """When the crawl stops by itself; 0 is never. It also stops when nothing is left to fetch."""

    pages: int = setting("Pages that are stored.", default=0, group=STOP)
    words: int = setting("Words of clean text in the wanted languages.", default=0, group=STOP)
    megabytes: int = setting("Megabytes that are downloaded.", default=0, group=STOP)
    hours: float = setting("Hours of crawling, without the time between two runs.", default=0.0, group=STOP)


@dataclass(frozen=True, slots=True)
class StrategyConfig:
    """In which order pages are fetched, and when a host is left."""

    name: str = setting(
        "yield: hosts by the clean text they give for their bytes. breadth-first: in the order of discovery. given: "
        "the seeds, where they redirect to, and nothing that they link to.",
        default="yield",
        choices=("yield", "breadth-first", "given"),
        group=WHAT,
        option="strategy",
        fixed=True,
    )
    threshold: float = setting(
        "A host is left if its yield is below this, times log10 of its documents less one.", default=0.01
    )
    min_documents: int = setting("No host is judged on fewer documents.", default=20)
    min_bytes: int = setting("No host is judged on fewer bytes.", default=262_144)
    max_queued: int = setting(
        "Addresses that wait for a host, at most, or as many as it gave pages with text if that is more; 0: no limit.",
        default=200,
    )
    method: str = setting("The cleaning method by which yield is measured.", default="mill")


@dataclass(frozen=True, slots=True)
class MannersConfig:
    """How servers are treated."""

    contact: str = setting(
        "E-mail or page by which owners of sites reach you, sent with every request. Without it only this machine is "
        "crawled.",
        default="",
        group=MANNERS,
        metavar="ADDRESS",
        environment="GRISTMILL_CONTACT",
    )
    delay: float = setting(
        "Seconds between requests to a host, from the end of one to the beginning of the next.",
        default=20.0,
        group=MANNERS,
    )
    ip_delay: float = setting("Seconds between requests to an IP address.", default=1.0, group=MANNERS)
    answer_delay: float = setting(
        "The delay is at least so many times the time that the server took to answer.", default=10.0
    )
    max_delay: float = setting(
        "Longest delay in seconds that is taken from the answer time or from `Crawl-delay`.", default=300.0
    )
    robots: bool = setting("Whether robots.txt is obeyed.", default=True)
    robots_hours: float = setting("Hours after which robots.txt is asked for again.", default=24.0)
    robots_tags: bool = setting(
        "Whether `noindex` and `nofollow` in pages, links and `X-Robots-Tag` are obeyed.", default=True
    )
    pages_per_host: int = setting("Most pages from a host; 0: no limit.", default=0, group=MANNERS)
    retries: int = setting("How often a request is tried again that failed for a reason that may pass.", default=2)
    back_off: float = setting(
        "Seconds that a host is left alone which failed; twice as many after each further failure, up to an hour.",
        default=60.0,
    )
    host_failures: int = setting("After so many failures in a row, a host is left.", default=5)


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """What is downloaded, and within which limits."""

    min_bytes: int = setting(
        "Leave out shorter pages, but seeds; of compressed ones, the length after decompression counts.",
        default=5_000,
        group=LIMITS,
    )
    max_bytes: int = setting(
        "Leave out longer pages, and don't read them to their end.", default=2_000_000, minimum=1, group=LIMITS
    )
    types: tuple[str, ...] = setting("Media types that are fetched.", default=("text/html", "application/xhtml+xml"))
    head_bytes: int = setting("Largest head of an answer.", default=65_536)
    connections: int = setting("Requests at a time, to all hosts.", default=256, minimum=1, group=MANNERS)
    connect_seconds: float = setting("Longest time to get a connection.", default=15.0)
    read_seconds: float = setting("Longest pause between two pieces of an answer.", default=30.0)
    total_seconds: float = setting("Longest time for a whole answer.", default=120.0)
    min_rate: int = setting("Bytes a second below which a server is cut off, after the first 20 seconds.", default=500)
    max_redirects: int = setting("Redirects in a row.", default=5)
    sitemaps: bool = setting("Whether sitemaps that robots.txt names are read for addresses.", default=True)
    networks: tuple[str, ...] = setting(
        "Private or reserved networks that may be crawled: 127.0.0.0/8.",
        default=(),
        kind="names",
        group=LIMITS,
        option="allow-network",
        metavar="NETWORK",
    )
    hosts_file: str = setting(
        "Look up names here first, as in /etc/hosts; also with ports: 127.0.0.1:8080 example.org.",
        default="",
        kind="path",
        group=LIMITS,
        option="hosts",
    )
    warc_bytes: int = setting("An archive is closed when it has grown to this size.", default=1_000_000_000)


@dataclass(frozen=True, slots=True)
class TrapsConfig:
    """Rules against addresses without end."""

    max_length: int = setting("Characters of an address.", default=1_000)
    max_depth: int = setting("Folders in its path.", default=16)
    max_repeats: int = setting("How often a folder may come again in a path.", default=3)
    max_parameters: int = setting("Parameters in its query.", default=5)
    pattern_pages: int = setting(
        "Addresses of one shape on a host are left if so many pages of it gave hardly any new text...", default=20
    )
    pattern_yield: float = setting("...that is, less of it per byte than this.", default=0.005)


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
        Sections.__post_init__(self)
        if self.fetch.min_bytes > self.fetch.max_bytes:
            raise UsageError("min_bytes is more than max_bytes: no page would be fetched")
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
