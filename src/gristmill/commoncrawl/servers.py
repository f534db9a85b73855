"""Where archives and their indexes are, and how many requests are sent to them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Servers:
    """Where archives and their indexes are."""

    data: str = "https://data.commoncrawl.org/"
    """The files of Common Crawl: an address of the web, or a bucket such as `s3://commoncrawl/`."""
    index: str = "https://index.commoncrawl.org/"
    wayback: str = "https://web.archive.org/"


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests are sent."""

    parallel: int = 8
    """Requests at a time to the server of files."""
    rate: float = 20.0
    """Most requests a second to it; 0: no limit."""
    delay: float = 1.5
    """Seconds between two requests to an index server, or to the Wayback Machine."""
    back_off: float = 2.0
    """Seconds without requests after one was refused; twice as many after each further one."""
    retries: int = 5
    """How often a request is sent, at most, that is refused or gets no answer."""
