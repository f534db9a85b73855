"""All settings of fetching from archives, as typed classes; `commoncrawl.toml` has them in full."""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.commoncrawl.servers import Pace, Servers
from gristmill.commoncrawl.wanted import Wanted
from gristmill.errors import UsageError
from gristmill.settings import Sections

INDEXES = ("columnar", "cdx", "wayback")
KEEPS = ("latest", "yearly", "all")


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """Which archive is asked, and by what."""

    index: str = "columnar"
    """`columnar`: files that are read by range, for any question. `cdx`: a server, for single sites. `wayback`: the
    Wayback Machine, for single sites."""
    crawls: tuple[str, ...] = ()
    """Crawls of Common Crawl: `CC-MAIN-2026-42`; the latest if empty."""
    latest: int = 1
    """So many of the latest crawls, if none is named."""
    files: str = ""
    """No index is asked, but whole files are fetched: `warc` or `wet` of the crawls, or a list of paths."""


@dataclass(frozen=True, slots=True)
class TakeConfig:
    """What is taken of that which the index has."""

    pages: int = 0
    """Most pages, or most files, in the order of the index; 0: no limit."""
    sample: int = 0
    """So many of all, at random; 0: all."""
    seed: int = 1
    """The seed of the random sample."""
    keep: str = "latest"
    """Of the captures of a page: `latest`, the latest of each year (`yearly`), or `all`."""
    duplicates: bool = False
    """Whether captures are fetched whose content another one has, too."""
    warc_bytes: int = 1_000_000_000
    """A WARC file is closed when it has grown to this size."""


@dataclass(frozen=True, slots=True)
class ArchiveConfig(Sections):
    """All settings of fetching from archives."""

    wanted: Wanted = field(default_factory=Wanted)
    source: SourceConfig = field(default_factory=SourceConfig)
    take: TakeConfig = field(default_factory=TakeConfig)
    servers: Servers = field(default_factory=Servers)
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        self.wanted.check()
        for value, known, name in ((self.source.index, INDEXES, "index"), (self.take.keep, KEEPS, "way to keep")):
            if value not in known:
                raise UsageError(f"there is no {name} {value!r} (there are: {', '.join(known)})")
        if self.source.index == "wayback" and self.wanted.languages:
            raise UsageError("the Wayback Machine knows no languages: leave them out here, and give them to `build`")
        numbers = [self.take.pages, self.take.sample, self.source.latest - 1, self.take.warc_bytes - 1]
        if min(*numbers, self.pace.parallel - 1, self.pace.retries - 1) < 0:
            raise UsageError("[source] latest, [pace] parallel and retries must be at least 1, and no limit below 0")
        if min(self.pace.rate, self.pace.delay, self.pace.back_off) < 0:
            raise UsageError("[pace] rate, delay and back_off must not be below 0")
