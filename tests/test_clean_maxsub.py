"""Maximum subsequence segmentation: a tag costs more words than with BTE."""

from __future__ import annotations

import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.bte import bte
from gristmill.cleaning.methods.maxsub import maxsub
from gristmill.cleaning.segmentation import segment

LONG = "word " * 30


def test_a_tag_costs_3_25_words() -> None:
    """Between the texts stand `</p>` and `<p>`: six words are not worth them, seven are."""
    for words, labels in ((6, ["text", "boilerplate"]), (7, ["text", "text"])):
        page = Features(segment(f"<p>{LONG}</p><p>{'word ' * words}</p>"))
        assert maxsub(page, "en").labels == labels
        assert bte(page, "en").labels == ["text", "text"]


def test_tags_inside_a_block_count_too() -> None:
    page = Features(segment(f"<p>{LONG}</p><p>seven words and then <b>two</b> more</p>"))
    assert maxsub(page, "en").labels == ["text", "boilerplate"]


def test_scores_by_hand() -> None:
    found = maxsub(Features(segment(f"<p>{LONG}</p><p>{LONG}</p>")), "en")
    total = 30 - 2 * 3.25 + 30
    assert found.values == pytest.approx([30 / total / 2] * 2)
    assert maxsub(Features(segment("")), "en").labels == []
