"""Divide gold pages into folds for cross-validation, so that no site is in two of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage


def by_site(pages: Sequence[GoldPage]) -> dict[str, list[GoldPage]]:
    """Group the pages by site, sites and pages in their order."""
    groups: defaultdict[str, list[GoldPage]] = defaultdict(list)
    for page in pages:
        groups[page.site].append(page)
    return dict(groups)


def folds(pages: Sequence[GoldPage], k: int, seed: int = 0) -> list[list[GoldPage]]:
    """Deal the pages into `k` folds of about the same size, all pages of a site into the same one.

    Pages of one site look alike, so a method that was trained on some of them would be tested on what it has seen.
    """
    groups = list(by_site(pages).values())
    if not 1 <= k <= len(groups):
        raise UsageError(f"{len(groups)} sites can't be dealt into {k} folds")
    random.Random(seed).shuffle(groups)
    groups.sort(key=len, reverse=True)  # the largest first, so that the small ones level them out
    dealt: list[list[GoldPage]] = [[] for _ in range(k)]
    for group in groups:
        min(dealt, key=len).extend(group)
    return dealt
