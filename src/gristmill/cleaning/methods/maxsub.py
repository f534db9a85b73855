"""Maximum subsequence segmentation: Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation (2009).

Every token has a value, and the article is the stretch of tokens with the largest sum. This is the authors' base
version, which needs no training and no knowledge of the language: a word is worth 1, a tag -3.25. (Their supervised
version has a naive Bayes classifier of token trigrams give the values; it is not here.) Values are added up by block,
so that whole blocks are taken or left.
"""

from __future__ import annotations

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.subsequence import score_best_run

_TAG = 3.25  # words that a tag costs


@page_method("maxsub")
def maxsub(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by how much the best stretch owes to them, or would lose by them."""
    inside, before = _TAG * page.tags.astype(float), _TAG * page.page.tags_before.astype(float)
    return score_best_run(page.words - inside, before)
