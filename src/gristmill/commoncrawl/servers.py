"""Where archives and their indexes are, and how many requests are sent to them."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.crawling.config import MANNERS
from gristmill.settings import setting

WHERE = "Which archive"
"""A group of options in the help."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Where archives and their indexes are."""

    data: str = setting(
        "The files of Common Crawl: an address of the web, or a bucket such as s3://commoncrawl/.",
        default="https://data.commoncrawl.org/",
        group=WHERE,
        metavar="ADDRESS",
    )
    index: str = setting("Its index, for `cdx`.", default="https://index.commoncrawl.org/")
    wayback: str = setting("The Wayback Machine.", default="https://web.archive.org/")


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests are sent."""

    parallel: int = setting("Requests at a time to the server of files.", default=8, minimum=1, group=MANNERS)
    rate: float = setting("Most requests a second to it; 0: no limit.", default=20.0, group=MANNERS)
    delay: float = setting(
        "Seconds between requests to an index server, or to the Wayback Machine.", default=1.5, group=MANNERS
    )
    back_off: float = setting(
        "Seconds without requests after one was refused; twice as many after each further one.", default=2.0
    )
    retries: int = setting(
        "How often a request is sent, at most, that is refused or gets no answer.", default=5, minimum=1
    )
