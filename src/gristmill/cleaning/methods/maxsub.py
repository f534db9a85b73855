"""The method `maxsub` (maximum subsequence segmentation), independent of language.

Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation (2009). Every token has
a value, and the article is the run of tokens with the largest sum. This is the authors' base version, which needs no
training: a word is worth 1, a tag -3.25. (In their supervised version, which is not here, a naive Bayes classifier of
token trigrams gives the values.) Values are added up by block, so that whole blocks are kept or removed.
"""

from __future__ import annotations

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.subsequence import score_best_run

_WORDS_PER_TAG = 3.25  # that a tag costs


@page_method("maxsub")
def maxsub(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by how much they add to the best run, or would take from it."""
    inside = _WORDS_PER_TAG * page.tags.astype(float)
    before = _WORDS_PER_TAG * page.page.tags_before.astype(float)
    return score_best_run(page.words - inside, before)
