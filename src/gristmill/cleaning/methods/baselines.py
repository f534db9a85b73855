"""Two yardsticks: to keep everything, and a filter by length and stop words (Pomikálek 2011, 2.9.3 and Table 2.5)."""

from __future__ import annotations

import numpy as np

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.margin import margin
from gristmill.cleaning.methods.registry import Scores, page_method

_WORDS = 20
_STOP_WORDS = 0.30


@page_method("all")
def keep_all(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Everything that a reader sees is text: the baseline of Tables 2.5, 2.6, 2.8 and 2.9."""
    return Scores(np.zeros(len(page.blocks)), ["text"] * len(page.blocks))


@page_method("filter")
def length_and_stop_words(page: Features, lang: str) -> Scores:
    """Text is a block of 20 words or more of which 30% or more are stop words; the score is the smaller margin of the two.

    Where stop words can't be told (no list, a script without spaces), length alone decides.
    """
    density = page.stop_word_density(lang)
    margins = np.minimum(margin(page.words, _WORDS), margin(np.where(np.isnan(density), 1.0, density), _STOP_WORDS))
    return Scores(0.5 - margins / 2, np.where(margins >= 0, "text", "boilerplate").tolist())
