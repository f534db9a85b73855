"""A feed and its items, whatever format they came in, and an item that is new to a corpus."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Item:
    """An item of a feed. All texts are plain text but `content`; addresses are absolute and of the web, or empty."""

    id: str = ""
    """What the feed says that it is known by (`guid`, `id`)."""
    link: str = ""
    title: str = ""
    description: str = ""
    """A summary, or the beginning of the text."""
    content: str = ""
    """The whole text as HTML, if the feed has it."""
    published: str = ""
    """In ISO 8601, UTC: `2026-11-17T05:40:40Z`; empty if it is not known."""
    updated: str = ""
    author: str = ""

    @property
    def says_something(self) -> bool:
        """Whether there is anything by which it could be known."""
        return bool(self.id or self.link or self.title or self.description or self.content)


@dataclass(slots=True)
class Feed:
    """A feed as it was read."""

    title: str = ""
    link: str = ""
    """The page that it belongs to."""
    items: list[Item] = field(default_factory=list)
    """In the order of the feed."""
    ttl_minutes: int = 0
    """How long it asks to be left alone; 0 if it does not say."""
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day, in UTC, in which nobody needs to ask."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, 0 is Monday."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item, or a corrected version of one, that a corpus does not have yet."""

    key: str
    """By which the corpus knows the item in all its versions, and which is the attribute `item` of its documents."""
    version: int
    """1, and one more for each correction."""
    feed: str
    """The address of the feed."""
    item: Item
