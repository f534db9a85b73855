"""What a reader passes on in place of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True)
class Skip:
    """A record that holds no page: `broken` (unreadable), `revisit` (the body stands elsewhere), or `other` (requests, metadata...)."""

    reason: Literal["broken", "revisit", "other"]
    source: str
    offset: int
    url: str = ""
    detail: str = ""
    behind: bool = False
    """The offset is that of the record before it: the place itself is not known."""
