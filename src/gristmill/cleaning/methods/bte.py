"""BTE: Finn, Kushmerick and Smyth, Fact or fiction: content classification for digital libraries (2001); Pomikálek (2011), 2.6.1.

Of all stretches of a page, the body text is the one with the most words inside and tags outside. Tags outside are all
tags less those inside, so this is the stretch with the most words less tags, which is found in linear time. Words and
tags are counted by block: what is cut off at either end are whole blocks, where on tokens it could be a part of one.
Needs no knowledge of the language.
"""

from __future__ import annotations

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.subsequence import score_best_run


@page_method("bte")
def bte(page: Features, lang: str) -> Scores:  # noqa: ARG001
    """Score blocks by how much the best stretch owes to them, or would lose by them."""
    return score_best_run((page.words - page.tags).astype(float), page.page.tags_before.astype(float))
