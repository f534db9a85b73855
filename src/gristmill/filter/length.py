"""The filter `length`: how much text is left of a page."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.document import Document
from gristmill.filter.registry import DocumentFilter, Finding, above, below, check_order, counted, finding
from gristmill.registry import part


@part("filter", "length")
@dataclass(frozen=True)
class Length(DocumentFilter):
    """Keeps documents of `min` to `max` characters (Basque collector, 5.1: 1,000 to 100,000).

    Less is hardly text, more is hardly one page.
    """

    min: int = 200
    max: int = 1_000_000

    def check(self) -> None:
        """Check that the limits are in order."""
        check_order(self, "length")

    def judge(self, document: Document) -> Finding:
        """Find the number of characters."""
        what, length = "characters of text", document.length
        return finding(counted(length, what), below(length, self.min, what), above(length, self.max, what))
