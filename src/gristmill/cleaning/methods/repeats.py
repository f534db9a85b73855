"""Repetition within a site: which hashes are on enough of its pages. Used by `site-text` and `site-dom`.

Gibson, Punera and Tomkins, The volume and evolution of web page templates (2005), as in Pomikálek (2011), section 2.3.
They count occurrences, and need an upper threshold against tiny pieces such as `<br>` that are everywhere. Here pages
are counted, and only pieces with text, so that no upper threshold is needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.cleaning.features import Features


@dataclass(frozen=True, slots=True)
class Often:
    """On how many pages something has to be to belong to the template: a share of the site's pages, within bounds.

    At least three pages, since an article and its teaser on another page make two; but not more than half of a small
    site, and never one page. At most so many that the menu of one part of a large site is found. The literature gives
    no figures: these are our own.
    """

    share: float = 0.1
    least: int = 3
    """Pages."""
    most: int = 20
    """Pages."""

    def pages(self, site: int) -> int:
        """Return the number of pages that are enough for a site of `site` pages."""
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


def repeated(hashes: Sequence[Hashes], counted: Flags, often: Often) -> list[Flags]:
    """Tell for each page which of its hashes are on enough of the counted pages.

    Takes 8 bytes of memory per hash, three times that while they are sorted.
    """
    of_site = [np.unique(own) for own, counts in zip(hashes, counted, strict=True) if counts]
    values, pages = np.unique(np.concatenate([np.zeros(0, np.uint64), *of_site]), return_counts=True)
    template = values[pages >= often.pages(len(of_site))]
    return [_among(own, template) for own in hashes]


def _among(hashes: Hashes, sorted_values: Hashes) -> Flags:
    """Tell which hashes are among the values."""
    if not sorted_values.size:
        return np.zeros(hashes.size, np.bool_)
    at = np.minimum(np.searchsorted(sorted_values, hashes), sorted_values.size - 1)
    found: Flags = sorted_values[at] == hashes
    return found
