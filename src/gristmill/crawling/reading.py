"""What is found out about a page that was fetched: its links, its text, and whether it may be kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Link(NamedTuple):
    """An address that a page links to, normalised, within the scope of the crawl."""

    key: int
    """A 64-bit hash of the address, signed, as SQLite has integers."""
    host: str
    url: str
    lang: str = ""
    """The language that `hreflang` names."""


@dataclass(slots=True)
class Reading:
    """What was read from one page."""

    record: bytes = b""
    """Its WARC records, compressed and ready to be appended; empty if the page is not to be stored."""
    refused: str = ""
    """Why it is not stored: `noindex`, `too-short`, `too-long`, `type`; empty if it is."""
    links: list[Link] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    """How many links were left out, by reason: `scope`, `suffix`, `nofollow`, `trap-depth`..."""
    size: int = 0
    """Bytes of its body, without transfer and content encodings."""
    lang: str = ""
    clean_bytes: int = 0
    """Bytes of its clean text in the wanted languages."""
    words: int = 0
    """Words of that text."""
    sketch: tuple[int, ...] = ()
    """64-bit hashes, signed, that near-duplicates of its clean text share, most of all or at least one; empty if it has
    too little text to compare."""
    canonical: str = ""
    """The address that the page wants to be known by, normalised, if it is another one."""
    pattern: str = ""
    """The shape of its address: pages that a program makes of the same template mostly have the same."""
    error: str = ""
    """What went wrong in reading it; the page is stored all the same."""
