"""Variants of methods that the thesis compares (Pomikálek 2011): other thresholds, another tree, and a plain filter.

`justext-b` is jusText without short blocks, so that the stop words of every block count; `justext-c` and `justext-d`
keep more (Table 2.7). `boilerpipe-canola` is the CanolaExtractor, a tree that was learned from Canola (2.6.4). The
thesis names it without its rules; they are those of the boilerpipe library. `filter` is a baseline (2.9.3, Table 2.5).
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.boilerpipe import neighbours, scores_of
from gristmill.cleaning.methods.justext import Thresholds, justext
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part

_MIN_WORDS = 20
_MIN_STOP_WORD_SHARE = 0.30

part("cleaning method", "justext-b", parameters=Thresholds(length_low=0, length_high=26))(justext)
part("cleaning method", "justext-c", parameters=Thresholds(length_high=25, stopwords_low=0.25, stopwords_high=0.25))(
    justext
)
part("cleaning method", "justext-d", parameters=Thresholds(length_high=20, stopwords_low=0.20, stopwords_high=0.25))(
    justext
)


@part("cleaning method", "filter")
def length_and_stop_words(page: Features, lang: str) -> Scores:
    """Score a block of 20 words or more of which 30% or more are stop words as text, by the smaller of the two margins.

    Without a stop list, and in scripts without spaces, length alone decides.
    """
    density = page.stop_word_density(lang)
    density = np.where(np.isnan(density), 1.0, density)
    margins = np.minimum(margin(page.words, _MIN_WORDS), margin(density, _MIN_STOP_WORD_SHARE))
    return Scores(0.5 - margins / 2, np.where(margins >= 0, "text", "boilerplate").tolist())


@part("cleaning method", "boilerpipe-canola", segmentation="all-but-links")
def boilerpipe_canola(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by the tree of the CanolaExtractor, with margins for its tests."""
    return scores_of(_canola_margins(page.words, page.link_density))


def _canola_margins(words: Ints, link_density: Floats) -> Floats:
    """Compute the tree of the CanolaExtractor in the same way; "no link" and "a link" are as clear as can be.

    Content is a block with a link before more than 11 words; or one of more than 19 words; or one beside blocks
    without links, the next of more than 6 words, if it has more than 6 words itself, the one before has more than 7, or
    the next has more than 19.
    """
    before, after = neighbours(words.astype(float))
    links_before, links_after = neighbours(link_density)
    linked = np.minimum(np.where(link_density > 0, 1.0, -1.0), margin(after, 11.5))
    long = np.maximum(np.maximum(margin(words, 6.5), margin(before, 7.5)), margin(after, 19.5))
    beside = np.where((links_before == 0) & (links_after == 0), 1.0, -1.0)
    beside = np.minimum(np.minimum(beside, margin(after, 6.5)), long)
    return np.maximum(np.maximum(linked, margin(words, 19.5)), beside)
