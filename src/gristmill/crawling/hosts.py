"""A host of a crawl: what it gave so far, and when it may be visited again."""

from __future__ import annotations

from dataclasses import dataclass, field

STORED = (
    "name", "rank", "waiting", "queued", "next", "dead", "prior", "pages", "texts", "copies", "bytes", "clean", "words",
    "failures", "delay",
)  # fmt: skip
"""The fields that the frontier stores, in the order of its columns behind the id."""


@dataclass(slots=True, eq=False)
class Host:
    """A host; the columns of the table `host` in the frontier say what its first fields are."""

    id: int
    name: str
    rank: float = 0.0
    waiting: bool = False
    queued: int = 0
    next: float = 0.0
    dead: str = ""
    prior: float = 0.0
    pages: int = 0
    texts: int = 0
    copies: int = 0
    bytes: int = 0
    clean: int = 0
    words: int = 0
    failures: int = 0
    delay: float = 0.0
    active: bool = False
    """Whether the scheduler has it in memory."""
    token: int = 0
    """The number of its valid entry in the heaps of the scheduler; 0 if it has none."""
    reserved: bool = False
    """Whether it is being visited for another host, whose robots.txt has moved here."""
    away: bool = False
    """Whether its visit goes on at another host, to which its robots.txt has moved."""
    ip: str = ""
    """The address that it was resolved to; empty if that is not known."""
    ip_until: float = 0.0
    """When it is to be resolved again."""
    ip_port: dict[int, int] = field(default_factory=dict)
    """The port to connect to for each port of an address, where a hosts file says another one."""
    pending: set[int] = field(default_factory=set)
    """Keys of addresses that were taken from the queue and are not accounted for yet."""

    @property
    def is_asked(self) -> bool:
        """Whether a request to it is being sent or answered."""
        return self.reserved or (self.active and not self.token and not self.away)

    @property
    def text_yield(self) -> float:
        """Bytes of clean text for each byte downloaded."""
        return self.clean / self.bytes if self.bytes else 0.0

    @property
    def has_more(self) -> bool:
        """Whether addresses are in its queue that are not being fetched."""
        return self.queued > len(self.pending)
