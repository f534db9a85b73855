"""FIASCO: target nodes and features worked by hand, the support vector machine, and what it makes of pages."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.models import load, names_of, of_names
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.segmentation import segment
from gristmill.errors import GristmillError, UsageError
from gristmill.literature.cleaning.fiasco import LABELS, Parameters, fiasco, probabilities, with_model
from gristmill.literature.cleaning.fiasco_features import (
    ALL_NAMES,
    NAMES_WITHOUT_VISUAL,
    VISUAL,
    features,
    visual_features,
    words_of,
)
from gristmill.literature.cleaning.fiasco_targets import find_targets
from gristmill.literature.training.svm import fit_slope, fit_svm

SENTENCE = "They carried what was left of the grain down to the river, and waited there for the miller and his boat. "


def described(html: str) -> Features:
    return Features(segment(html, "text-node"))


def targets(html: str) -> list[str]:
    """The text of each target node; what is in none has brackets around it."""
    page = described(html)
    found = find_targets(page.page, page.characters)
    texts = [
        " ".join(page.texts[first:end]) for first, end in zip(found.first.tolist(), found.end.tolist(), strict=True)
    ]
    return [text if is_target else f"({text})" for text, is_target in zip(texts, found.is_target.tolist(), strict=True)]


def test_a_tenth_of_the_text_in_own_text_nodes() -> None:
    # The div has 2 of 20 characters itself, which is 10%; with 21 it would be 2 of 21, less than 10%.
    assert targets(f"<div>ab<p>{'x' * 18}</p></div>") == ["ab " + "x" * 18]
    assert targets(f"<div>ab<p>{'x' * 19}</p></div>") == ["(ab)", "x" * 19]


def test_the_outermost_targets_count() -> None:
    html = "<table><tr><td><p>one <b>two</b></p><p>three</p></td><td>four <i>five</i></td></tr></table>"
    assert targets(html) == ["one two", "three", "four five"]
    assert targets("<ul><li><a href=/>Home</a><li><a href=/b>News</a> of today</ul>") == ["Home", "News of today"]


def test_links_with_bars_between_them_are_targets_of_their_own() -> None:
    assert targets("<div><a href=/1>long link text</a> | <a href=/2>long link text</a></div>") == [
        "long link text",
        "(|)",
        "long link text",
    ]


def test_line_breaks_become_paragraphs() -> None:
    assert targets("<p>one<br>two <b>three</b><br>four</p>") == ["one", "two three", "four"]
    line = "a line of text that is long enough"
    # The td has only its first line itself, 1 of 103 characters: so each line is a target.
    assert targets(f"<td>x<br>{line}<br>{line}<br>{line}</td>") == ["(x)", line, line, line]
    assert targets(f"<td><font>x<br>{line}<br>{line}</font></td>") == ["(x)", line, line]


def test_features_by_hand() -> None:
    page = described('<h1>All rights reserved!</h1><div><p>It is. It was.</p><ul><li><a href="/">a home</a></ul></div>')
    found = find_targets(page.page, page.characters)
    values = features(page, found, frozenset({"rights", "home"}))
    columns = dict(zip(NAMES_WITHOUT_VISUAL, values.T.tolist(), strict=True))
    assert words_of(page, found) == [["all", "rights", "reserved"], ["it", "is", "it", "was"], ["a", "home"]]
    assert np.allclose(columns["log_words"], np.log1p([3, 4, 2]))
    assert np.allclose(columns["log_types"], np.log1p([3, 3, 2]))
    assert np.allclose(columns["types_per_word"], [1, 3 / 4, 1])
    assert np.allclose(columns["log_sentences"], np.log1p([1, 2, 0]))
    assert np.allclose(columns["log_sentence_length"], np.log1p([3, 2, 2]))
    assert np.allclose(columns["keyword_share"], [1 / 3, 0, 1 / 2])
    assert np.allclose(columns["symbol_share"], [1 / 20, 2 / 14, 0])
    assert columns["depth"] == [1, 2, 4]  # the last is the link, in li, ul and div
    assert columns["is_heading"] == [1, 0, 0]
    assert columns["is_paragraph"] == [0, 1, 0]
    assert np.allclose(columns["link_share"], [0, 0, 1])
    assert np.allclose(columns["links_per_word"], [0, 0, 1 / 2])


def test_visual_features_by_hand() -> None:
    page = described("<p>one <b>two</b></p><p>three</p>")
    found = find_targets(page.page, page.characters)
    boxes = Boxes(
        x=np.array([0.0, 100, 512]),
        y=np.array([0.0, 0, 100]),
        width=np.array([100.0, 412, 512]),
        height=np.array([50.0, 50, 100]),
        font_size=np.array([16.0, 16, 32]),
        weight=np.array([400.0, 400, 700]),
        contrast=np.ones(3),
        background=np.zeros(3),
    )
    columns = dict(zip(VISUAL, visual_features(boxes, found).T.tolist(), strict=True))
    assert np.allclose(columns["width_share"], [0.5, 0.5])
    assert np.allclose(columns["log_height"], np.log1p([50, 100]))
    assert np.allclose(columns["left"], [0, 0.5])
    assert np.allclose(columns["centre_distance"], [0.25, 0.25])
    assert np.allclose(columns["bottom"], [0.25, 1])
    assert columns["is_bold"] == [0, 1]


def test_the_machine_separates_with_the_widest_margin() -> None:
    inputs = np.array([[0.0, 0], [0, 1], [2, 0], [2, 1]])
    weights = fit_svm(inputs, np.array([-1.0, -1, 1, 1]), cost=1e6)
    assert np.allclose(weights, [1, 0, -1], atol=1e-3)  # the border is at x = 1, and the margins are 1


def test_the_machine_is_that_of_its_loss() -> None:
    rng = np.random.default_rng(2)
    inputs = rng.normal(size=(200, 3))
    inputs = (inputs - inputs.mean(0)) / inputs.std(0)
    sides = np.where(inputs @ [1.0, -2, 0] + rng.normal(size=200) > 0.3, 1.0, -1.0)

    def loss(weights: np.ndarray) -> float:
        short = np.maximum(0, 1 - sides * (inputs @ weights[:-1] + weights[-1]))
        return float(weights[:-1] @ weights[:-1] / 2 + short @ short)

    weights = fit_svm(inputs, sides)
    near = [loss(weights + change) for change in rng.normal(size=(50, 4)) * 0.01]
    assert loss(weights) <= min(near)


def test_the_slope_is_that_of_probabilities() -> None:
    rng = np.random.default_rng(1)
    margins = rng.normal(size=20_000)
    sides = np.where(rng.random(20_000) < 1 / (1 + np.exp(-3 * margins)), 1.0, -1.0)
    assert fit_slope(margins, sides) == pytest.approx(3, rel=0.05)


def test_scores_are_half_on_the_border() -> None:
    weights = np.zeros(len(NAMES_WITHOUT_VISUAL) + 1)
    weights[0], weights[-1] = 1, -2  # the border is at log_characters = 2
    values = np.zeros((3, len(NAMES_WITHOUT_VISUAL)))
    values[:, 0] = [2, 3, 1]
    found = probabilities(values, {"weights": weights, "slope": np.array(2.0)})
    assert np.allclose(found, [0.5, 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(2))])


def test_text_and_menu() -> None:
    menu = "".join(f'<li><a href="/x{at}">Item {at}</a></li>' for at in range(12))
    footer = "<p>Copyright. All rights reserved. <a href=/p>Privacy</a></p>"
    page = f"<ul>{menu}</ul><div><p>{SENTENCE * 4}</p><p>{SENTENCE * 5}</p><p>{SENTENCE}</p></div>{footer}"
    document = clean(page, lang="en", method="fiasco")
    assert document.text.count(SENTENCE.strip()) == 10
    assert "Item 3" not in document.text
    assert "reserved" not in document.text
    assert {block.label for block in document.blocks} <= set(LABELS)


def test_text_in_no_target_stays() -> None:
    document = clean(f"<div>ab<p>{SENTENCE * 4}</p></div>", lang="en", method="fiasco")
    assert [(block.text, block.score, block.label) for block in document.blocks][:1] == [("ab", 0.5, "no target node")]
    assert document.text.startswith("ab")


def test_odd_pages() -> None:
    assert fiasco(described(""), "en", Parameters()).labels == []
    deep = "<div>" * 3000 + "a" + "<b>" * 500 + "b"
    for html in ("x", "<br>x", "<p>\U0001f600", deep, "<br>" * 2000 + "a", "<p>中文没有空格的一段文字。</p><td>b<br>"):
        page = described(html)
        values = fiasco(page, "zh", Parameters()).values
        assert len(values) == len(page)
        assert ((values >= 0) & (values <= 1)).all()


def test_models() -> None:
    model = dict(load("fiasco"))
    assert {"copyright", "privacy"} <= set(names_of(model["keywords"]))
    page = described("<p>x")
    assert with_model(model, Parameters())(page, "en").values == pytest.approx(fiasco(page, "en", Parameters()).values)
    with pytest.raises(GristmillError, match="trained with nothing"):
        with_model(model | {"features": of_names(["nothing"])}, Parameters())
    without = {name: array for name, array in model.items() if not name.startswith("visual.")}
    with pytest.raises(UsageError, match="trained without rendering"):
        with_model(without, Parameters(render=True))(page, "en")
    assert len(model["visual.weights"]) == len(ALL_NAMES) + 1
