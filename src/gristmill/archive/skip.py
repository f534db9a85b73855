"""What a reader passes on in place of a page."""

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
    """The offset is that of the record before it: the place itself is not known."""
