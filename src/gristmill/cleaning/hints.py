"""Scores of blocks corrected by what is known of an article from elsewhere: its headline and its summary.

Feeds have both for each item (Fairon et al. 2008). The headline tells where the text begins, and which of several posts
on a page is the one that is meant. The summary, mostly the beginning of the text or a standfirst above it, tells
whether that is the right place. Nothing is taken from a page: scores and labels of blocks change. If the headline is
not found, or what it says is not credible, nothing changes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.methods import Scores
from gristmill.cleaning.segmented import Segmented
from gristmill.columns import KINDS
from gristmill.text.scripts import KANA, UNIFIED_IDEOGRAPHS

HEADLINE, SUMMARY = "headline", "summary"
"""The attributes of a page that have the hints."""
LABELS = ("headline", "summary", "before-headline", "other-article", "teaser")
"""The labels that blocks get by hints."""

_WORD = re.compile(rf"[{UNIFIED_IDEOGRAPHS}{KANA}]|\w+")
_SEPARATOR = re.compile(r"\s+[-|–—:·•»/]+\s+|:\s+")  # between a headline and the name of a site
_MAX_HINT_CHARACTERS = 2_000
_MIN_PART_WORDS = 3  # of a part of a headline that stands for all of it
_MIN_PART = 0.4  # of the words of the headline
_MIN_LIKENESS = 0.8
_MUCH_THE_SAME = 0.1  # difference between two blocks that are like a headline
_MIN_SUMMARY_PAIRS = 4  # of neighbouring words; fewer tell nothing
_IN_SUMMARY = 0.6  # of the pairs of words of a block that is (part of) the summary
_MIN_SUMMARY_WORDS = 5  # of such a block
_FOUND_SUMMARY = 0.5  # of the pairs of the summary, to say that it was found
_OWN_SHARE = 0.4  # of the text up to the next headline that an element must hold to be that of the article
_SUPPORT = 0.9  # of the text behind the best supported headline; of several alike, the last with so much is taken
_MAX_TEASER_WORDS = 150
_MIN_OWN_WORDS = 100  # of an article that has teasers of others; else these may be sections of the article
_LEVELS_UP = 3  # from the headline of a teaser to the element around the teaser


def hinted(scores: Scores, page: Segmented, hints: Mapping[str, str], max_boilerplate: float = 0.5) -> Scores:
    """Correct the scores of a page by the attributes `headline` and `summary` of the page, if it has a headline."""
    headline = words(hints.get(HEADLINE, "")[:_MAX_HINT_CHARACTERS])
    if not headline or not len(page):
        return scores
    view = _View(page, scores.values <= max_boilerplate, _pairs(words(hints.get(SUMMARY, "")[:_MAX_HINT_CHARACTERS])))
    at = _find_headline(view, hints[HEADLINE][:_MAX_HINT_CHARACTERS])
    if at is None:
        return scores
    first, end = at, _end_of_article(view, at)
    if not _is_credible(view, first, end):
        return scores
    return _corrected(scores, view, first, end)


def words(text: str) -> list[str]:
    """Return the words of a text as they are compared: folded, no punctuation, Chinese and Japanese by character."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _pairs(found: Sequence[str]) -> frozenset[tuple[str, str]]:
    pairs = frozenset(pairwise(found))
    return pairs if len(pairs) >= _MIN_SUMMARY_PAIRS else frozenset()


class _View:
    """A page with what is asked of it again and again."""

    def __init__(self, page: Segmented, kept: Flags, summary: frozenset[tuple[str, str]]) -> None:
        columns = page.columns
        self.page = page
        self.kept = kept
        self.linked = columns.link_words >= columns.words
        self.is_heading = columns.kind.codes == KINDS.index("h")
        self.kept_up_to: Ints = starts_of(np.where(kept & ~self.linked, columns.words, 0))
        self.summary = summary
        self.found: list[frozenset[tuple[str, str]]] = [frozenset()] * len(page)
        self.in_summary: Floats = np.zeros(len(page))
        """Share of the pairs of words of each block that are in the summary."""
        if summary:
            for at, text in enumerate(page.texts):
                pairs = list(pairwise(words(text)))
                self.found[at] = summary.intersection(pairs)
                if len(pairs) >= _MIN_SUMMARY_WORDS - 1:
                    self.in_summary[at] = sum(pair in summary for pair in pairs) / len(pairs)

    def text_words(self, first: int, end: int) -> int:
        """Count the words of the text in some blocks, without links."""
        return int(self.kept_up_to[end] - self.kept_up_to[first])

    def coverage(self, first: int, end: int, *, only_kept: bool = False) -> float:
        """Tell how much of the summary stands in some blocks, of which only text and what is all summary counts."""
        if not self.summary:
            return 0.0
        counts = self.kept if only_kept else self.kept | ((self.in_summary >= _IN_SUMMARY) & ~self.linked)
        some = frozenset[tuple[str, str]]().union(*(self.found[at] for at in range(first, end) if counts[at]))
        return len(some) / len(self.summary)


def _find_headline(view: _View, headline: str) -> int | None:
    """Find the block with the headline above the article; there may be others in menus, and in lists of what is new."""
    candidates = _likely_headlines(view, headline)
    if not candidates:
        return None
    best = max(quality for _, quality in candidates)
    places = [at for at, quality in candidates if quality > best - _MUCH_THE_SAME]
    support = [view.text_words(at, len(view.kept)) for at in places]
    return max(at for at, size in zip(places, support, strict=True) if size >= _SUPPORT * max(support))


def _likely_headlines(view: _View, headline: str) -> list[tuple[int, float]]:
    """Find blocks that are like the headline; how good each is depends on whether it is a heading, and not a link."""
    variants = [Counter(variant) for variant in _variants(headline)]
    longest = 3 * len(headline) + 20
    tags, holders = view.page.elements.tags, view.page.holders.tolist()
    found = []
    for at, text in enumerate(view.page.texts):
        if len(text) > longest:
            continue
        likeness = _likeness(Counter(words(text)), variants if view.is_heading[at] else variants[:1])
        if likeness >= _MIN_LIKENESS:
            bonus = 0.3 if tags[holders[at]] == "h1" else 0.2 if view.is_heading[at] else 0.0
            found.append((at, likeness + bonus - 0.1 * bool(view.linked[at])))
    return found


def _variants(headline: str) -> list[list[str]]:
    """Return the words of a headline, and of what is left of it without the name of a site in front or at the end."""
    whole = words(headline)
    cuts = list(_SEPARATOR.finditer(headline))
    parts = [headline[: cuts[-1].start()], headline[cuts[0].end() :], headline[: cuts[0].start()]] if cuts else []
    least = max(_MIN_PART_WORDS, _MIN_PART * len(whole))
    return [whole, *(variant for variant in map(words, parts) if len(variant) >= least)]


def _likeness(block: Counter[str], variants: Sequence[Counter[str]]) -> float:
    """Return how many words a block has in common with the most similar variant (Dice coefficient)."""
    size = block.total()
    return max((2 * (block & variant).total() / (size + variant.total()) for variant in variants), default=0.0)


def _end_of_article(view: _View, at: int) -> int:
    """Find the first block behind an article: that of the next post or article on the page, or the end of the page.

    Other headlines are in elements of the same name and class. The article is then what the largest element holds that
    has its headline, but no other one.
    """
    last = len(view.kept)
    same = _like_headline(view, at)
    following = np.flatnonzero(same[at + 1 :])
    if not len(following):
        return last
    following_at = at + 1 + int(following[0])
    elements = view.page.elements
    up_to = starts_of(same)
    element, own = int(view.page.holders[at]), 0
    while element:
        if up_to[elements.end[element]] - up_to[elements.first[element]] > 1:
            break
        own = element
        element = int(elements.parents[element])
    end = int(elements.end[own]) if own else last
    text = view.text_words(at, following_at)
    if own and view.text_words(at, end) >= max(_OWN_SHARE * text, 1):
        return end
    return following_at if view.linked[following_at] and text else last


def _like_headline(view: _View, at: int) -> Flags:
    """Tell which blocks are headlines like that of the article: their elements have the same names and classes."""
    elements, holders = view.page.elements, view.page.holders
    codes, names = elements.codes[holders], elements.names.codes[holders]
    same: Flags = (codes == codes[at]) & (names == names[at])
    is_first = np.concatenate(([True], holders[1:] != holders[:-1]))  # of the blocks of an element
    return np.asarray(same & is_first & view.is_heading) if view.is_heading[at] else np.arange(len(same)) == at


def _is_credible(view: _View, first: int, end: int) -> bool:
    """Tell whether what is between two blocks can be the article: it has most of the text, or the summary is there."""
    inside, everything = view.text_words(first, end), view.text_words(0, len(view.kept))
    if inside > everything - inside:
        return True
    coverage = view.coverage(first, end)
    return coverage >= _FOUND_SUMMARY and coverage >= view.coverage(0, first)


def _corrected(scores: Scores, view: _View, first: int, end: int) -> Scores:
    values, labels = scores.values.copy(), list(scores.labels)

    def label(places: Ints, name: str, score: float) -> None:
        values[places] = score
        for at in places.tolist():
            labels[at] = name

    places = np.arange(len(values))
    is_summary = view.in_summary >= _IN_SUMMARY
    label(np.flatnonzero(view.kept & (places < first) & ~is_summary), "before-headline", 1.0)
    label(np.flatnonzero(view.kept & (places >= end)), "other-article", 1.0)
    label(np.flatnonzero(view.kept & _teasers(view, first, end)), "teaser", 1.0)
    if view.coverage(first, end, only_kept=True) < _FOUND_SUMMARY:
        inside = (places > first) & (places < end)
        label(np.flatnonzero(~view.kept & is_summary & ~view.linked & inside), "summary", 0.0)
    label(np.array([first]), "headline", 0.0)
    return Scores(values, labels)


def _teasers(view: _View, first: int, end: int) -> Flags:
    """Tell which blocks within an article are teasers of others: they stand in an element with a linked heading."""
    elements = view.page.elements
    whole = view.text_words(first, end)
    summary_up_to = starts_of(view.in_summary >= _IN_SUMMARY)
    steps = np.zeros(len(view.kept) + 1, np.intp)  # 1 where a teaser begins, -1 behind it
    headings = np.flatnonzero(view.is_heading & view.linked)
    for at in headings[(headings > first) & (headings < end)].tolist():
        element = int(view.page.holders[at])
        for _ in range(_LEVELS_UP):
            element = int(elements.parents[element])
            begin, behind = int(elements.first[element]), int(elements.end[element])
            size = view.text_words(begin, behind)
            if begin <= first or not element or size > min(_MAX_TEASER_WORDS, whole / 2):
                break
            if size:
                if summary_up_to[begin] == summary_up_to[behind]:
                    steps[begin] += 1
                    steps[behind] -= 1
                break
    flags: Flags = np.cumsum(steps[:-1]) > 0
    own = whole - int(np.diff(view.kept_up_to)[flags].sum())
    return flags if own >= min(_MIN_OWN_WORDS, whole / 2) else np.zeros_like(flags)
