"""The method `site-pagelets`: remove pagelets that linked pages of a site share. Independent of language.

Bar-Yossef and Rajagopalan, Template detection via data mining and its applications (2002), as Pomikálek (2011) tells it
in sections 2.3 and 2.4.1.

1. A page is cut into pagelets. If a child of an element has at least k = 3 links in it, each of its children is cut in
   the same way; if none has, the element with all that is in it is one pagelet.
2. Each pagelet gets a fingerprint by Broder's shingling (section 3.2.1), and pagelets with the same one are a group.
3. The pages that have a pagelet of a group are a graph, with an edge where one links to the other. In each component of
   more than one page, the pagelets of the group are template.

Where the text leaves it open: a fingerprint is of the minima of the shingles under some permutations, all of which have
to be the same, so that two pagelets of resemblance r have the same one with a probability of r to the power of their
number. Shingles are runs of some words; a pagelet of fewer words is one shingle. Their number and length are our own
values. Addresses are compared without scheme, `www.`, fragment and last slash. The address of a page that came without
one is what it declares itself (`<link rel=canonical>`). Copies of a page are pages, too, but don't link to each other.

**Pages without links between them** have no template by this definition. **A site of one page** has nothing to compare
with: its page is cleaned by `density`, for the reason that `site-text` gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Hashes, Ints
from gristmill.arrays.hashing import mix, prefix_sums
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.metadata import absolute_links
from gristmill.cleaning.methods.registry import Scores
from gristmill.literature.cleaning.addresses import without_form
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.outline import Outline
from gristmill.literature.cleaning.repeats import first_copies
from gristmill.literature.cleaning.site_text import hashed_words
from gristmill.registry import part

_LABELS = ("own", "template")


@dataclass(frozen=True)
class Parameters:
    """How pages are cut into pagelets, and how these are compared."""

    links: int = 3
    """The k of the paper: an element with a child that has so many links is cut further."""
    shingle: int = 4
    """Words of a shingle; our own value."""
    permutations: int = 4
    """Minima that must be the same in two pagelets; our own value."""


@part("cleaning method", "site-pagelets", alone=density, parameters=Parameters())
def site_pagelets(pages: Sequence[Features], parameters: Parameters | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    parameters = parameters or Parameters()
    if first_copies(pages).sum() < 2:
        return [density(page, "") for page in pages]
    neighbours = _neighbours(pages)
    spans = [pagelets(page, parameters.links) for page in pages]
    groups: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, (page, (first, end)) in enumerate(zip(pages, spans, strict=True)):
        for at, fingerprint in enumerate(_fingerprints(page.texts, first, end, parameters).tolist()):
            groups[fingerprint].setdefault(number, []).append(at)
    templates = [np.zeros(len(page), np.bool_) for page in pages]
    components: dict[tuple[int, ...], list[int]] = {}
    for group in groups.values():
        members = tuple(group)
        if len(members) < 2:
            continue
        if members not in components:
            components[members] = _linked(members, neighbours)
        for number in components[members]:
            _mark(templates[number], spans[number], group[number])
    return [Scores(found.astype(np.float64), [_LABELS[own] for own in found.tolist()]) for found in templates]


def _mark(template: Flags, spans: tuple[Ints, Ints], chosen: Sequence[int]) -> None:
    for at in chosen:
        template[spans[0][at] : spans[1][at]] = True


def pagelets(page: Features, min_links: int) -> tuple[Ints, Ints]:
    """Cut a page into pagelets: the first block of each, and the first behind it.

    An element is cut if a child has enough links, and all elements around it are. So a node is a pagelet if its parent
    is cut, and it is not cut itself. Parents stand before their children: on the way through the nodes, it is known of
    each parent whether it is cut.
    """
    outline = Outline.of(page)
    if not len(page):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    before = starts_of(page.links)
    links = before[outline.end] - before[outline.first]
    parents = outline.parents
    has_rich_child = np.zeros(parents.size, np.bool_)
    rich = np.flatnonzero(links >= min_links)
    has_rich_child[parents[rich[rich > 0]]] = True
    cut = has_rich_child.tolist()
    above = parents.tolist()
    for node in range(1, len(cut)):
        cut[node] = cut[node] and cut[above[node]]
    is_cut = np.array(cut, np.bool_)
    is_pagelet = ~is_cut & is_cut[parents]
    is_pagelet[0] = not cut[0]
    return outline.first[is_pagelet], outline.end[is_pagelet]


def _fingerprints(texts: Sequence[str], first: Ints, end: Ints, parameters: Parameters) -> Hashes:
    """Hash the minima of the shingles of each pagelet.

    The words of a pagelet are a run of those of the page. Its shingles are the runs of so many words that lie in it;
    one that would reach beyond its end is cut there, and counts only as the first one of the pagelet.
    """
    words, blocks = hashed_words(texts)
    if not first.size:
        return np.zeros(0, np.uint64)
    behind = np.searchsorted(blocks, np.arange(len(texts) + 1))
    starts, ends = behind[first], behind[end]
    sums, inverses = prefix_sums(words)
    owner_end = np.repeat(ends, ends - starts)  # pagelets don't overlap, and cover all words
    places = np.arange(words.size)
    stops = np.minimum(places + max(parameters.shingle, 1), owner_end)
    shingles = (sums[stops] - sums[places]) * inverses[places]
    is_first = np.zeros(words.size, np.bool_)
    is_first[starts[ends > starts]] = True
    is_whole = is_first | (places + parameters.shingle <= owner_end)
    found = np.zeros(first.size, np.uint64)
    filled = np.flatnonzero(ends > starts)
    seeds = mix(np.arange(1, max(parameters.permutations, 1) + 1).astype(np.uint64))
    for seed in seeds:
        permuted = np.where(is_whole, mix(shingles + seed), np.uint64(2**64 - 1))
        if filled.size:
            found[filled] = mix(found[filled] ^ np.minimum.reduceat(permuted, starts[filled]))
    return found


def _neighbours(pages: Sequence[Features]) -> list[set[int]]:
    """Find for each page which pages it links to, and which link to it."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        if page.url:
            numbers[without_form(page.url)].append(number)
    found: list[set[int]] = [set() for _ in pages]
    for number, page in enumerate(pages):
        own = without_form(page.url)
        for address in map(without_form, absolute_links(page.page.links, page.url).tolist()):
            if address != own:
                for other in numbers.get(address, ()):
                    found[number].add(other)
                    found[other].add(number)
    return found


def _linked(members: Sequence[int], neighbours: Sequence[set[int]]) -> list[int]:
    """Find the pages that are in a component of more than one page: those that have a link to another of them."""
    among = set(members)
    return [number for number in members if not among.isdisjoint(neighbours[number])]
