"""Repetition within a site: which hashes occur often enough on its pages. Used by `site-text` and `site-dom`.

Gibson, Punera and Tomkins, The volume and evolution of web page templates (2005), as in Pomikálek (2011), section 2.3:
"the number of occurrences of each hash was counted for the whole website. The HTML parts correspondent to hashes with
the count within some lower and upper thresholds are then marked as boilerplate." The upper one is against tiny pieces
that are everywhere. The values of both are our own, as the literature gives none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.cleaning.features import Features
from gristmill.errors import UsageError
from gristmill.registry import a_share

OCCURRENCES, PAGES = "occurrences", "pages"


@dataclass(frozen=True)
class Often:
    """How often something has to occur to belong to the template.

    The lower threshold is a share of the site's pages, within bounds: at least three, since an article and its teaser
    on another page make two; but not more than half of a small site, and never one. At most so many that the menu of
    one part of a large site is found. The upper threshold is a number for each page of the site.
    """

    share: float = a_share(0.1)
    least: int = 3
    most: int = 20
    upper: float = 3.0
    """What occurs more often than so many times the number of pages is no template; 0 is for no such threshold."""
    count: str = OCCURRENCES
    """What is counted: all occurrences, as the authors do, or `pages`, so that a page counts once."""

    def __post_init__(self) -> None:
        """Raise if it is not known what is to be counted."""
        if self.count not in {OCCURRENCES, PAGES}:
            raise UsageError(f"count is {self.count!r}: give {OCCURRENCES} or {PAGES}")

    def pages(self, site: int) -> int:
        """Return the number of occurrences that are enough for a site of `site` pages."""
        enough = max(self.least, min(self.most, math.ceil(self.share * site)))
        return max(2, min(enough, math.ceil(site / 2)))


def first_copies(pages: Sequence[Features]) -> Flags:
    """Tell for each page whether no page before it has the same blocks.

    A page that was fetched twice is no evidence of a template.
    """
    seen: set[bytes] = set()
    first = np.zeros(len(pages), np.bool_)
    for at, page in enumerate(pages):
        digest = xxhash.xxh3_128_digest("\n".join(page.texts).encode("utf-8", "surrogatepass"))
        first[at] = digest not in seen
        seen.add(digest)
    return first


def repeated(hashes: Sequence[Hashes], counted: Flags, often: Often, step: int = 1) -> list[Flags]:
    """Tell for each page which of its hashes occur often enough on the counted pages, and not too often.

    With a `step`, only each so many-th hash of a page is counted (the sampling of Gibson et al.); all are looked up.
    Takes 8 bytes of memory per hash, three times that while they are sorted.
    """
    sampled = [own[::step] for own, counts in zip(hashes, counted, strict=True) if counts]
    of_site = [np.unique(own) for own in sampled] if often.count == PAGES else sampled
    values, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *of_site]), return_counts=True)
    is_template = times >= often.pages(len(of_site))
    if often.upper:
        is_template &= times <= often.upper * len(of_site)
    template = values[is_template]
    return [_among(own, template) for own in hashes]


def _among(hashes: Hashes, sorted_values: Hashes) -> Flags:
    """Tell which hashes are among the values."""
    if not sorted_values.size:
        return np.zeros(hashes.size, np.bool_)
    at = np.minimum(np.searchsorted(sorted_values, hashes), sorted_values.size - 1)
    found: Flags = sorted_values[at] == hashes
    return found
