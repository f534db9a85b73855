"""All settings of fetching from archives, each declared once; `commoncrawl.toml` has them in full."""

from __future__ import annotations

from dataclasses import dataclass, field

from gristmill.commoncrawl.servers import WHERE, Pace, Servers
from gristmill.commoncrawl.wanted import Wanted
from gristmill.errors import UsageError
from gristmill.settings import Sections, setting

MANY = "How many"
"""A group of options in the help."""


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """Which archive is asked, and by what."""

    index: str = setting(
        "columnar: files that are read by range, for any question. cdx: a server, for single sites. wayback: the "
        "Wayback Machine, for single sites.",
        default="columnar",
        choices=("columnar", "cdx", "wayback"),
        group=WHERE,
    )
    crawls: tuple[str, ...] = setting(
        "A crawl of Common Crawl: CC-MAIN-2026-42 [the latest].",
        default=(),
        group=WHERE,
        option="crawl",
        metavar="NAME",
    )
    latest: int = setting("So many of the latest crawls, if none is named.", default=1, minimum=1, group=WHERE)
    files: str = setting(
        "No index is asked, but whole files are fetched: warc or wet of the crawls, or a list of paths.",
        default="",
        group=WHERE,
        metavar="LIST",
    )


@dataclass(frozen=True, slots=True)
class TakeConfig:
    """What is taken of that which the index has."""

    pages: int = setting("Most pages, or most files, in the order of the index; 0: no limit.", default=0, group=MANY)
    sample: int = setting("So many at random, of all in the index; 0: all.", default=0, group=MANY)
    seed: int = setting("Seed of the random sample.", default=1, minimum=None, group=MANY)
    keep: str = setting(
        "Captures of a page: the latest, the latest of each year (yearly), or all.",
        default="latest",
        choices=("latest", "yearly", "all"),
        group=MANY,
        metavar="WHICH",
    )
    duplicates: bool = setting("Also pages with the same content as another.", default=False, group=MANY)
    warc_bytes: int = setting("A WARC file is closed when it has grown to this size.", default=1_000_000_000, minimum=1)


@dataclass(frozen=True, slots=True)
class ArchiveConfig(Sections):
    """All settings of fetching from archives."""

    wanted: Wanted = field(default_factory=Wanted)
    source: SourceConfig = field(default_factory=SourceConfig)
    take: TakeConfig = field(default_factory=TakeConfig)
    servers: Servers = field(default_factory=Servers)
    pace: Pace = field(default_factory=Pace)

    def __post_init__(self) -> None:
        Sections.__post_init__(self)
        self.wanted.check()
        if self.source.index == "wayback" and self.wanted.languages:
            raise UsageError("the Wayback Machine knows no languages: leave them out here, and give them to `build`")
