"""The kinds of pairs that there are to judge, and the orders in which they come."""

from __future__ import annotations

STRATA = {
    "copy": "called a copy as a whole",
    "high": "more than three quarters alike",
    "above": "alike, not far above the threshold",
    "below": "alike in part, not far below the threshold",
    "low": "a little text in common",
    "title": "only the title in common",
}
"""The kinds of candidates, and what they are in words."""
FOUND = ("copy", "high", "above")
"""Those that de-duplication calls duplicates."""
ORDERS = {
    "random": "random, each kind alike",
    "unsure": "least sure first",
    "similar": "most similar first",
    "below": "just below the threshold",
    "title": "same title, not found",
}
"""The orders in which pairs can be judged."""
