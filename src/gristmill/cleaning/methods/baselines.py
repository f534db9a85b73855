"""Two baselines: keep everything, and a filter by length and stop words (Pomikálek 2011, 2.9.3 and Table 2.5)."""

from __future__ import annotations

import numpy as np

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores
from gristmill.registry import part

_MIN_WORDS = 20
_MIN_STOP_WORD_SHARE = 0.30


@part("cleaning method", "all")
def keep_all(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score everything that a reader sees as text: the baseline of Tables 2.5, 2.6, 2.8 and 2.9."""
    return Scores(np.zeros(len(page)), ["text"] * len(page))


@part("cleaning method", "filter")
def length_and_stop_words(page: Features, lang: str) -> Scores:
    """Score a block of 20 words or more of which 30% or more are stop words as text, by the smaller of the two margins.

    Without a stop list, and in scripts without spaces, length alone decides.
    """
    density = page.stop_word_density(lang)
    density = np.where(np.isnan(density), 1.0, density)
    margins = np.minimum(margin(page.words, _MIN_WORDS), margin(density, _MIN_STOP_WORD_SHARE))
    return Scores(0.5 - margins / 2, np.where(margins >= 0, "text", "boilerplate").tolist())
