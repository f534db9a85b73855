"""The filter `personal`: documents with much personal data, such as lists of members and addresses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gristmill.document import Document
from gristmill.filter.registry import DocumentFilter, Finding, check_positive, counted, finding
from gristmill.personal import KINDS, check_kinds, find_personal
from gristmill.registry import part


@part("filter", "personal")
@dataclass(frozen=True)
class Personal(DocumentFilter):
    """Drops documents with more than `max` e-mail addresses, phone numbers and public IP addresses per 1,000 words.

    Fewer than `least` in all are never too many.
    """

    max: float = 20.0
    least: int = 3
    kinds: tuple[str, ...] = KINDS

    def check(self) -> None:
        """Check that the kinds are known."""
        check_kinds(self.kinds)
        check_positive("personal", least=self.least)

    def judge(self, document: Document) -> Finding:
        """Find personal data."""
        counts = Counter(one.kind for one in find_personal(document.text, self.kinds))
        total = counts.total()
        rate = 1000 * total / max(document.words, 1)
        kinds = ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS if counts[kind])
        found = f"{counted(total, 'items')} of personal data{f' ({kinds})' if kinds else ''}, {rate:.1f} in 1,000 words"
        return finding(found, f"{found}, more than {self.max:g}" if total >= self.least and rate > self.max else "")
