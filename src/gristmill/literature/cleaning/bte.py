"""The method `bte` (body text extraction), independent of language.

Finn, Kushmerick and Smyth, Fact or fiction: content classification for digital libraries (2001); Pomikálek (2011),
2.6.1. Of all runs of tokens in a page, the body text is the one with the most words inside and tags outside. Tags
outside are all tags less those inside, so this is the run with the most words less tags, which is found in linear time.
The best run of tokens consists of whole text nodes (2.9.6): cutting one at an edge would lose words. So the blocks are
text nodes.
"""

from __future__ import annotations

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.literature.cleaning.subsequence import score_best_run
from gristmill.registry import part


@part("cleaning method", "bte", segmentation="text-node")
def bte(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by how much they add to the best run, or would take from it."""
    return score_best_run((page.words - page.tags).astype(float), page.page.tags_before.astype(float))
