"""The method `kimatu`, independent of language.

Saralegi and Leturia, Kimatu, a tool for cleaning non-content text parts from HTML docs (2007), as described by Baisa
(2009), 1.2. Pieces of a page that look alike and stand near each other are one group: Kimatu's block. Groups get a
ratio, a linear combination of their length, average length, punctuation marks and links, each relative to the group of
the page that has most of it. Groups with a high ratio are candidates. Of these, repeated functional pieces ("posted by
x") and quotations are removed: short pieces behind a candidate that repeat words of it. At last pieces around
candidates are looked at, for headlines have low ratios.

The weights and thresholds are not in that description, nor what "near" and "short" mean: all weights are the same here,
and the thresholds were chosen on CleanEval. A headline is a heading, or a short piece without links.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part
from gristmill.text.characters import Characters

_BOILERPLATE, _HEADLINE, _REPEATED, _QUOTATION = "boilerplate", "h", "repeated", "quotation"
_LABELS = np.array(["p", _HEADLINE, "l"])
_JUST_ABOVE, _JUST_BELOW = 0.5, 0.6  # scores of headlines, and of what is removed
_MAX_COMPARED = 10  # pieces behind a candidate that may quote it


@dataclass(frozen=True)
class Parameters:
    """The weights and thresholds of Kimatu."""

    threshold: float = 0.15
    """The ratio from which a group is a candidate."""
    length: float = 0.25
    """The weight of the length of a group, relative to the longest."""
    average: float = 0.25
    """The weight of the average length of its pieces, relative to the largest average."""
    punctuation: float = 0.25
    """The weight of its punctuation marks, relative to the group with most."""
    links: float = 0.25
    """What is taken off for its links, relative to the group with most."""
    gap: int = 5
    """Groups go on over at most so many pieces of another look."""
    short: int = 10
    """Headlines, functional pieces and quotations have at most so many words."""
    repeats: int = 3
    """Short pieces that begin alike are functional if there are so many of them."""
    near: int = 2
    """Headlines stand at most so many pieces before or behind a candidate."""


@part("cleaning method", "kimatu", parameters=Parameters())
def kimatu(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score by how clearly the group of a block is a candidate; headlines near candidates score 0.5."""
    del lang
    if not len(page):
        return Scores(np.zeros(0), [])
    margins = margin(np.maximum(ratios(page, parameters), 0), parameters.threshold)
    values = 0.5 - margins / 2
    candidates = margins >= 0
    labels = np.where(candidates, _LABELS[page.columns.kind.codes], _BOILERPLATE).astype(object)
    functional = repeated(page, parameters)
    quoting = quotations(page, candidates, parameters)
    labels[candidates & functional], labels[candidates & quoting] = _REPEATED, _QUOTATION
    removed = functional | quoting
    values[removed] = np.maximum(values[removed], _JUST_BELOW)
    headlines = _headlines(page, candidates & ~removed, parameters) & ~removed & ~candidates
    values[headlines], labels[headlines] = _JUST_ABOVE, _HEADLINE
    return Scores(values, labels.tolist())


def ratios(page: Features, parameters: Parameters) -> Floats:
    """Combine the four features of the group of each block."""
    group = groups(page, parameters.gap)
    marks = Characters(page.texts)
    length = np.bincount(group, page.characters)
    average = length / np.bincount(group)
    punctuation = np.bincount(group, marks.count(marks.are("P")))
    links = np.bincount(group, page.links)
    ratio = (
        parameters.length * _relative(length)
        + parameters.average * _relative(average)
        + parameters.punctuation * _relative(punctuation)
        - parameters.links * _relative(links)
    )
    return ratio[group]


def groups(page: Features, gap: int) -> Ints:
    """Number the groups: blocks whose elements have the same name and classes, at most `gap` other blocks apart.

    Blocks of the looks [p, p, a, p] are sorted by look and place, p at 0, 1, 3 and a at 2. With a gap of 0 a new group
    begins where the look changes or places have a distance of more than 1: the groups are [0, 0, 2, 1].
    """
    holders, elements = page.page.holders, page.page.elements
    look = elements.codes[holders] * np.int64(len(elements.names.values)) + elements.names.codes[holders]
    order = np.argsort(look, kind="stable")
    begins = (np.diff(look[order]) != 0) | (np.diff(order) > gap + 1)
    numbers = np.zeros(len(order), np.int64)
    numbers[order[1:]] = np.cumsum(begins)
    return numbers


def repeated(page: Features, parameters: Parameters) -> Flags:
    """Tell which blocks are short and begin with the same two words as others, as "posted by x" does."""
    found = np.zeros(len(page), np.bool_)
    short = np.flatnonzero((page.words <= parameters.short) & (page.words > 1)).tolist()
    texts = page.texts
    beginnings = [" ".join(texts[at].split(None, 2)[:2]).lower() for at in short]
    counts = Counter(beginnings)
    for at, beginning in zip(short, beginnings, strict=True):
        found[at] = counts[beginning] >= parameters.repeats
    return found


def quotations(page: Features, candidates: Flags, parameters: Parameters) -> Flags:
    """Tell which blocks are short and stand word for word in a longer candidate a little before them."""
    found = np.zeros(len(page), np.bool_)
    short = page.words <= parameters.short
    for at in np.flatnonzero(candidates & ~short).tolist():
        text = page.texts[at].lower()
        for behind in range(at + 1, min(at + 1 + _MAX_COMPARED, len(page))):
            if not short[behind]:
                break
            words = page.texts[behind].lower().strip(" \"'“”„«»…")
            found[behind] |= page.words[behind] > 1 and words in text
    return found


def _headlines(page: Features, candidates: Flags, parameters: Parameters) -> Flags:
    """Tell which blocks near candidates are headings, or short and without links."""
    around = np.zeros(len(page), np.int64)
    for at in range(1, parameters.near + 1):
        around[:-at] += candidates[at:]
        around[at:] += candidates[:-at]
    heading = page.columns.kind.codes == 1
    plain = (page.words <= parameters.short) & (page.links == 0)
    near: Flags = (around > 0) & (heading | plain)
    return near


def _relative(values: Floats | Ints) -> Floats:
    """Give values as shares of the largest."""
    return values / max(float(values.max()), 1.0)
