"""The method `justext`, jusText A: Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora (2011).

Section 2.7. Algorithm 2.2 classifies each block by its own properties as good, bad, short or near-good. Algorithm 2.3
then decides on the short and near-good blocks by the good and bad blocks around them. The thresholds are in Table 2.7.

Both algorithms are as printed. Three things around them are not. The stop list of the thesis, 319 English function
words, is not published with it: lists here are the most frequent words that make up 60% of running text, or as many as
`stop_words` says. Blocks also end at the elements of HTML5, which is younger than the list of footnote 15, and at
`<ol>`, `<address>` and a few others that browsers show as blocks. Section 2.7.1 removes the contents of "the `<header>`
tag"; that is taken for `<head>`, which section 2.9 names in its place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.cleaning.stopwords import stop_word_densities
from gristmill.registry import a_share, part

_Classes = npt.NDArray[np.int8]
BAD, SHORT, NEAR_GOOD, GOOD = range(4)

# Label and score by a block's own class, first of blocks that are bad in the end, then of those that are good. A class
# that a block has by itself counts for more than one by its neighbours. A bad block never becomes good, nor a good one
# bad: these combinations have no label.
_VERDICTS = [("bad", 1.0), ("short, bad", 0.8), ("near-good, bad", 0.6), ("", 0.0)]
_VERDICTS += [("", 0.0), ("short, good", 0.4), ("near-good, good", 0.2), ("good", 0.0)]
_LABELS = [label for label, _ in _VERDICTS]
_SCORES = np.array([score for _, score in _VERDICTS])


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The five thresholds of Algorithm 2.2, and what the thesis leaves to choose; the defaults are jusText A."""

    max_link_density: float = a_share(0.2)
    length_low: int = 10
    length_high: int = 30
    stopwords_low: float = a_share(0.30)
    stopwords_high: float = a_share(0.32)
    stop_words: int = 0
    """So many of the most frequent words of a language are its stop words; with 0, those of its stop list."""
    remove_select: bool = False
    """Whether the contents of `<select>` are removed, as in Victor, so that they are no neighbours of other blocks."""


_DEFAULTS = Thresholds()


@part("cleaning method", "justext", parameters=_DEFAULTS)
def justext(page: Features, lang: str, parameters: Thresholds = _DEFAULTS) -> Scores:
    """Classify the blocks by both algorithms, and score them by both results; good blocks score 0.4 or less."""
    removed = _in_select(page) if parameters.remove_select else np.zeros(len(page), np.bool_)
    classes = classify(page, lang, parameters)
    good = np.zeros_like(classes)
    good[~removed] = are_good_in_context(classes[~removed])
    verdicts = classes + 4 * good
    return Scores(_SCORES[verdicts], list(map(_LABELS.__getitem__, verdicts.tolist())))


def _in_select(page: Features) -> Flags:
    """Tell which blocks stand inside `<select>`."""
    paths = page.columns.path
    found: Flags = np.array(["/select" in path for path in paths.values], np.bool_)[paths.codes]
    return found


def classify(page: Features, lang: str, limits: Thresholds) -> _Classes:
    """Classify blocks without their context (Algorithm 2.2).

    A block inside `<select>` or with a copyright sign is bad (2.7.1). Where there is no stop list for a language, and
    in scripts without spaces, length decides instead of stop words.
    """
    words, links = page.words, page.link_density
    is_bad = np.array(["©" in text for text in page.texts], np.bool_)
    is_bad |= _in_select(page)
    is_bad |= links > limits.max_link_density
    is_short = words < limits.length_low
    classes: _Classes = np.where(is_bad | (links > 0), BAD, SHORT).astype(np.int8)
    rest = np.flatnonzero(~is_bad & ~is_short)
    # Most blocks of most pages are decided by now; stop words are only counted in the others.
    stop_words = page.models.stop_list(lang, limits.stop_words)
    density = np.array(stop_word_densities([page.texts[at] for at in rest.tolist()], stop_words), np.float64)
    density[np.isnan(density)] = 1.0
    classes[rest] = np.where(density > limits.stopwords_low, NEAR_GOOD, BAD)
    classes[rest[(density > limits.stopwords_high) & (words[rest] > limits.length_high)]] = GOOD
    return classes


def are_good_in_context(classes: _Classes) -> _Classes:
    """Decide by the context of blocks whether each is good (1) or bad (0) in the end (Algorithm 2.3)."""
    left, left_not_short = _nearest(classes)
    right, right_not_short = (nearest[::-1] for nearest in _nearest(classes[::-1]))
    towards_bad = np.where(left == BAD, left_not_short, right_not_short)
    good: _Classes = np.where(left == right, left == GOOD, (classes == NEAR_GOOD) | (towards_bad == NEAR_GOOD)).astype(
        np.int8
    )
    good[classes == GOOD], good[classes == BAD] = 1, 0
    return good


def _nearest(classes: _Classes) -> tuple[_Classes, _Classes]:
    """Return for each block the class of the nearest earlier block that is good or bad, and of the nearest not short.

    The edges of the page count as bad blocks. The running maximum of the places of such blocks is the last one so far:
    if the blocks 0, 1 and 4 of six are good or bad, that is [0, 1, 1, 1, 4, 4].
    """
    padded = np.append(np.int8(BAD), classes)
    places = np.arange(len(padded))
    decided = np.maximum.accumulate(np.where((padded == BAD) | (padded == GOOD), places, 0))
    not_short = np.maximum.accumulate(np.where(padded != SHORT, places, 0))
    return padded[decided[:-1]], padded[not_short[:-1]]
