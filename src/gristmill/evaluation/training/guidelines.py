"""Find out what the guideline of a gold standard counts as text, from its gold texts.

People who make a gold standard decide whether headlines, bylines, captions and comments are text, and they decide
differently. From the blocks of such a role no method can learn what text is, only what a guideline says. So the trees
of `mill` don't learn from blocks of a role that the guideline of their set leaves out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.columns import Int32
from gristmill.roles import ROLES

GUIDELINE_ROLES = ("title", "byline", "caption", "comment")
"""The roles on which guidelines differ."""
MIN_SHARE = 0.5
"""Of the words of a role that stand in the gold texts, if the guideline counts it as text."""


class Labelled(Protocol):
    """A gold page with the role and the words of each block, and the share of it that stands in the gold text."""

    @property
    def gold_set(self) -> str:
        """The gold standard that the page is from."""

    @property
    def roles(self) -> Int32:
        """The number of the role of each block."""

    @property
    def words(self) -> Floats:
        """The words of each block."""

    @property
    def shares(self) -> Floats:
        """The share of each block that stands in the gold text."""


def shares_of_roles(pages: Iterable[Labelled]) -> dict[str, dict[str, float]]:
    """For each gold standard and role, the share of its words that is in the gold texts, as a mean over pages."""
    found: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        is_text = page.shares >= 0.5
        words = np.bincount(page.roles, page.words, len(ROLES))
        text = np.bincount(page.roles, page.words * is_text, len(ROLES))
        for role, whole, part in zip(ROLES, words.tolist(), text.tolist(), strict=True):
            if whole:
                found[page.gold_set][role].append(part / whole)
    return {
        name: {role: float(np.mean(roles[role])) for role in ROLES if role in roles}
        for name, roles in sorted(found.items())
    }


def counted_blocks(roles: Int32, shares: dict[str, float]) -> Flags:
    """Tell from which blocks of a page something can be learned, given the shares of its gold standard."""
    left_out = [ROLES.index(role) for role in GUIDELINE_ROLES if shares.get(role, 0.0) < MIN_SHARE]
    return np.isin(roles, left_out, invert=True)
