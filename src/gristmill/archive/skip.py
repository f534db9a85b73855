"""The record of something that was not read as a page; readers give it in place of a page, and reports count it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Skip:
    """A record or a file that gives no page.

    It is `broken` (damaged), a `revisit` (the body stands elsewhere), `unreadable` (of a kind that can't be read, such
    as a picture), or `other` (requests, metadata...).
    """

    reason: Literal["broken", "revisit", "unreadable", "other"]
    source: str
    offset: int
    url: str = ""
    detail: str = ""
    behind: bool = False
    """Whether the offset is that of the record before it, because its own is not known."""
