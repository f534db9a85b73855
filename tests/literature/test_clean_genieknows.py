"""GenieKnows: semantic blocks, the nine features, and the smoothing by similarity, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.genieknows import FEATURES, Parameters, features, genieknows, similar, smoothed
from gristmill.literature.cleaning.genieknows_blocks import semantic_blocks

SENTENCE = "They carried what was left of the grain down to the river, and waited there for the miller and his boat. "


def boxes(x: list[float], y: list[float], width: list[float], height: list[float]) -> Boxes:
    number = len(x)
    left, top, wide, high = (np.array(values, float) for values in (x, y, width, height))
    return Boxes(
        left, top, wide, high, np.full(number, 16.0), np.full(number, 400.0), np.ones(number), np.zeros(number)
    )


def test_large_elements_are_divided() -> None:
    page = segment("<div><p>a<p>b</div><p>c")
    found = boxes([0, 0, 0], [0, 10, 20], [100] * 3, [10, 10, 80])
    assert semantic_blocks(page, found, 0.2).tolist() == [0, 2]
    assert semantic_blocks(page, found, 0.1).tolist() == [0, 1, 2]
    assert semantic_blocks(page, found, 1.0).tolist() == [0]


def test_elements_with_a_line_or_two_colours_are_divided() -> None:
    """VIPS as the thesis tells it (2.4.1): blocks that contain `<hr>` are split, and so are those of two colours."""
    page = segment("<div><p>a<hr><p>b</div><div><p>c<p>d</div><div>e<hr>f</div>")
    found = boxes([0] * 6, [0, 10, 20, 30, 40, 50], [100] * 6, [10] * 6)
    assert semantic_blocks(page, found, 1.0).tolist() == [0, 1, 2, 4, 5]
    coloured = replace(found, background=np.array([0.0, 0, 0, 1, 1, 1]))
    assert semantic_blocks(page, coloured, 1.0).tolist() == [0, 1, 2, 3, 4, 5]
    plain = segment("<div><p>a<p>b</div><p>c")
    boxes_of_three = boxes([0] * 3, [0, 10, 20], [100] * 3, [10] * 3)
    assert semantic_blocks(plain, replace(boxes_of_three, background=np.array([1.0, 1, 2])), 1.0).tolist() == [0, 2]


def test_features_by_hand() -> None:
    page = Features(segment('<p>One. Two here.</p><p><a href="/">a link</a> to it now</p>'))
    found = boxes([0, 256], [0, 50], [1024, 512], [50, 50])
    values = features(page, np.array([0, 1]), found)
    columns = dict(zip(FEATURES, values.T.tolist(), strict=True))
    assert columns["horizontal_position"] == [1, 1]  # both are centred
    assert np.allclose(columns["vertical_position"], [0.5, 0.5])  # the middles are at 25 and 75 of 100
    assert columns["width"] == [1, 0.5]
    assert np.allclose(columns["area"], np.sqrt([0.5, 0.25]))
    assert columns["font_size"] == [1, 1]
    assert np.allclose(columns["text_length"], np.sqrt([14 / 30, 16 / 30]))
    assert np.allclose(columns["links"], [1, 4 / 5])
    assert np.allclose(columns["link_text"], [1, 3 / 5])
    assert columns["sentences"] == [1, 0]


def test_similarity_by_hand() -> None:
    found = boxes([0, 0, 512], [0, 350, 350], [1024, 1024, 512], [50, 50, 50])
    alike = similar(np.array([[0.5], [0.5], [0.25]]), found)
    # The first two are 300 pixels apart and else alike. The third stands beside the second: half of the page to the
    # right, half as wide, and its feature differs by 0.25.
    assert alike[0] == pytest.approx([np.exp(-1), np.exp(-(0 + 4 * 0.5 + 4 * 0.5 + 2 * 0.25)), 0])
    assert alike[1] == pytest.approx([np.exp(-(1 + 2 + 2 + 0.5)), 0, 0])


def test_importances_become_similar() -> None:
    importance = np.array([1.0, 0.0])
    assert smoothed(importance, np.array([[0.5, 0.0]]), 1.0) == pytest.approx([2 / 3, 1 / 3])
    assert smoothed(importance, np.array([[0.5, 0.0]]), 0.0) == pytest.approx([1, 0])
    # Three in a row, of which the middle one is as the others: (0 + 1 + 1) / 3, and (1 + 0) / 2 at the ends.
    assert smoothed(np.array([1.0, 0, 1]), np.array([[1.0, 1, 0]]), 1.0) == pytest.approx([0.5, 2 / 3, 0.5])


def test_the_importance_is_the_sum_of_weighted_features() -> None:
    page = Features(segment("<p>one two three"))
    weights = Parameters()
    # One block, as wide as its text, 13 characters of 8 pixels, at the left of 1024, on the only line.
    width = 104 / 1024
    values = [width, 1, width, np.sqrt(width), 1, 1, 1, 1, 0]
    importance = float(np.dot(values, [0.2, 0.2, 0.2, 0.05, 0.05, 0.05, 0.35, 0.45, 0.1])) / 1.65
    [score] = genieknows(page, "en", weights).values
    assert score == pytest.approx(1 / (1 + np.exp(20 * (importance - weights.threshold))))
    kept = genieknows(page, "en", Parameters(threshold=importance - 0.01))
    assert kept.labels == ["important"]
    assert genieknows(page, "en", Parameters(threshold=importance + 0.01)).labels == ["unimportant"]


def test_text_and_menu() -> None:
    menu = "".join(f'<li><a href="/x{at}">Item {at}</a></li>' for at in range(12))
    page = f"<ul>{menu}</ul><div><p>{SENTENCE * 4}</p><p>{SENTENCE * 5}</p><p>{SENTENCE * 3}</p></div>"
    text = clean(page, lang="en", method="genieknows").text
    assert text.count(SENTENCE.strip()) == 12
    assert "Item 3" not in text
    assert clean(page, lang="en", method="genieknows:threshold=0").text.count("Item") == 12


def test_odd_pages() -> None:
    assert genieknows(Features(segment("")), "en", Parameters()).labels == []
    table = "<table><tr><td>" * 300 + "a"
    for html in ("x", "<p>\U0001f600", "<div>" * 3000 + "a", table, "<td>a<td>b<tr>c", "<p>中文没有空格的一段文字。"):
        page = Features(segment(html))
        values = genieknows(page, "zh", Parameters()).values
        assert len(values) == len(page)
        assert ((values >= 0) & (values <= 1)).all()
