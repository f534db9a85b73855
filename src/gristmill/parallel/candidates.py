"""Candidates: pairs of pages of a site that may be translations, without comparing all pages with all.

They come from what pages declare, from the patterns of addresses, and from rare terms that two pages share. Each page
has a bounded number of them from each, so that the work is linear in the number of pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.parallel.addresses import AddressPatterns, Parts, address_key, numbers_key, parts_of
from gristmill.parallel.outline import Outline

MAX_DECLARED = 8
"""Translations into a language that a page may declare."""
MAX_DECLARING = 16
"""Pages that may declare the same translation, unless it declares them as well: others are lists, or lie."""
MAX_ALIKE = 4
"""Pages of a language whose addresses may be alike but for the language."""
SAME_ADDRESS = 0.5
"""The trust if two pages have the same address, as on sites that ask a cookie for the language."""


@dataclass(slots=True)
class Candidates:
    """Pairs of pages, by their numbers in the source and the target, with what is known of them."""

    declared: dict[tuple[int, int], float] = field(default_factory=dict)
    """How far the pages declare each other, from 0 to 1: both ways and no others is 1, one way is 0.5."""
    address: dict[tuple[int, int], float] = field(default_factory=dict)
    """The trust in the pattern by which their addresses are alike."""
    ids: dict[tuple[int, int], float] = field(default_factory=dict)
    """1 for pairs whose addresses have the same numbers."""
    shared: set[tuple[int, int]] = field(default_factory=set)
    """Pairs that share rare terms."""

    def pairs(self) -> tuple[Ints, Ints]:
        """Return all pairs, in their order."""
        found = np.array(sorted({*self.declared, *self.address, *self.ids, *self.shared}), np.int64).reshape(-1, 2)
        return found[:, 0].copy(), found[:, 1].copy()

    def column(self, values: Mapping[tuple[int, int], float], ours: Ints, theirs: Ints) -> Floats:
        """Return what is known of pairs as a column; 0 for others."""
        pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
        return np.fromiter((values.get(pair, 0.0) for pair in pairs), np.float64, len(ours))


def declared_pairs(source: Sequence[Outline], target: Sequence[Outline]) -> tuple[dict[tuple[int, int], float], int]:
    """Find the pairs that pages declare, and how far; and how many declarations were left out.

    A translation that many pages declare, such as the home page, is that of none of them, unless it declares one of
    them itself. A page that declares itself, or one that is not in the other language, declares nothing.
    """
    forward, left = _declarations(source, target)
    backward, more = _declarations(target, source)
    back = {(theirs, ours) for theirs, ours in backward}
    both = {(ours, theirs) for ours, theirs in forward if (theirs, ours) in back}
    mutual = Counter(ours for ours, _ in both), Counter(theirs for _, theirs in both)
    found: dict[tuple[int, int], float] = {}
    for pairs, is_forward in ((forward, True), (backward, False)):
        giving, taking = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
        for one, other in pairs:
            pair = (one, other) if is_forward else (other, one)
            if taking[other] > MAX_DECLARING and pair not in both:
                left += 1
                continue
            found[pair] = found.get(pair, 0.0) + 0.5 / max(giving[one], taking[other])
    for pair in both:
        if mutual[0][pair[0]] == mutual[1][pair[1]] == 1:
            found[pair] = 1.0
    return found, left + more


def _declarations(pages: Sequence[Outline], others: Sequence[Outline]) -> tuple[list[tuple[int, int]], int]:
    """Return which pages declare which others to be their translations, and how many declarations were left out."""
    places = _places(address_key(outline.url) for outline in others)
    langs = {outline.lang.partition("-")[0] for outline in others}
    found: list[tuple[int, int]] = []
    left = 0
    for number, outline in enumerate(pages):
        named = [item for item in outline.alternates if item.lang.partition("-")[0] in langs]
        known = dict.fromkeys(places[key] for key in map(address_key, (item.url for item in named)) if key in places)
        left += max(len(known) - MAX_DECLARED, 0)
        found.extend((number, other) for other in list(known)[:MAX_DECLARED])
    return found, left


def _places(keys: Iterator[int]) -> dict[int, int]:
    """Return the number of the first page of each address."""
    found: dict[int, int] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, number)
    return found


def address_pairs(
    source: Sequence[Outline], target: Sequence[Outline], languages: tuple[str, str]
) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float], AddressPatterns]:
    """Find the pairs whose addresses are alike by the patterns of the site, and those that have the same numbers."""
    ours, theirs = ([parts_of(outline.url) for outline in pages] for pages in (source, target))
    patterns = AddressPatterns.learned(ours, theirs, languages)
    common = (
        [patterns.common(parts, is_source=True) for parts in ours],
        [patterns.common(parts, is_source=False) for parts in theirs],
    )
    alike: dict[tuple[int, int], float] = {}
    for one, other in _same([key for key, _ in common[0]], [key for key, _ in common[1]]):
        trust = min(common[0][one][1], common[1][other][1])
        alike[one, other] = trust if trust < 1 else SAME_ADDRESS
    ids = dict.fromkeys(_same(list(map(numbers_key, ours)), list(map(numbers_key, theirs))), 1.0)
    return alike, ids, patterns


def _same(ours: Sequence[str | Parts], theirs: Sequence[str | Parts]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places with the same key, of keys that are not empty and that few have."""
    places: tuple[dict[str | Parts, list[int]], dict[str | Parts, list[int]]] = (defaultdict(list), defaultdict(list))
    for side, keys in enumerate((ours, theirs)):
        for number, key in enumerate(keys):
            if key and len(places[side][key]) <= MAX_ALIKE:
                places[side][key].append(number)
    for key, some in places[0].items():
        others = places[1].get(key, [])
        if len(some) <= MAX_ALIKE and len(others) <= MAX_ALIKE:
            yield from ((one, other) for one in some for other in others)
