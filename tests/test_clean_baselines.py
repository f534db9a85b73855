"""The two yardsticks: everything, and length with stop words."""

from __future__ import annotations

import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.baselines import keep_all
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.thesis import length_and_stop_words


def page(*stop_and_other: tuple[int, int]) -> Features:
    return Features(segment("".join("<p>" + "the " * stop + "mill " * other for stop, other in stop_and_other)))


def test_all_keeps_all() -> None:
    found = keep_all(page((0, 1), (30, 30)), "en")
    assert found.values.tolist() == [0, 0]
    assert found.labels == ["text", "text"]


def test_both_thresholds_belong_to_text() -> None:
    found = length_and_stop_words(page((6, 14), (5, 15), (19, 0), (20, 0), (0, 99)), "en")
    assert found.labels == ["text", "boilerplate", "boilerplate", "text", "boilerplate"]
    assert [value <= 0.5 for value in found.values] == [True, False, False, True, False]


def test_the_score_is_the_smaller_margin() -> None:
    found = length_and_stop_words(page((40, 0), (80, 320)), "en")
    assert found.values == pytest.approx([0.5 - (40 - 20) / (40 + 20) / 2, 0.5 - (0.2 - 0.3) / (0.2 + 0.3) / 2])


@pytest.mark.parametrize("text", ["mill " * 20, "水车磨坊" * 10])
def test_without_stop_words_length_decides(text: str) -> None:
    found = length_and_stop_words(Features(segment(f"<p>{text}<p>{text[:8]}")), "zh")
    assert found.labels == ["text", "boilerplate"]


def test_a_page_without_blocks() -> None:
    assert keep_all(page(), "en").labels == []
    assert length_and_stop_words(page(), "en").labels == []
