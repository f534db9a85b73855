"""Chakrabarti: isotonic smoothing by hand and against all solutions, the features of subtrees, and whole pages."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.chakrabarti import NAMES, Parameters, chakrabarti, features, parents_of
from gristmill.literature.cleaning.isotonic import smooth

SENTENCE = "The mill by the river has ground the grain of three villages since before anyone thought of writing. "


def page(html: str) -> Features:
    return Features(segment(html))


def test_smoothing_by_hand() -> None:
    """A template in text: the root gets the lowest score of its children, and these keep theirs; it costs 0.6."""
    assert smooth(np.array([0.8, 0.2, 0.6]), np.array([0, 0, 0])).tolist() == [0.2, 0.2, 0.6]


def test_text_in_a_template_becomes_template_if_that_is_cheaper() -> None:
    """Three nodes of 0.9 above one of 0.1: to raise the one costs 0.8, to lower the three would cost 2.4."""
    assert smooth(np.array([0.9, 0.9, 0.9, 0.1]), np.array([0, 0, 1, 2])).tolist() == [0.9] * 4


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(0, 5)), min_size=1, max_size=6))
def test_no_other_scores_are_nearer(nodes: list[tuple[int, int]]) -> None:
    scores = np.array([score / 10 for score, _ in nodes])
    parents = np.array([above % max(1, at) for at, (_, above) in enumerate(nodes)])
    found = smooth(scores, parents)
    assert (found >= found[parents]).all()
    all_others = itertools.product(sorted(set(scores.tolist())), repeat=len(scores))
    least = min(
        float(np.abs(np.array(other) - scores).sum())
        for other in all_others
        if all(other[at] >= other[above] for at, above in enumerate(parents.tolist()))
    )
    assert np.abs(found - scores).sum() == pytest.approx(least)


def test_smoothing_of_large_trees() -> None:
    number = 50_000
    chain = smooth(np.linspace(1, 0, number), np.maximum(0, np.arange(number) - 1))
    assert (np.diff(chain) >= 0).all()
    star = smooth(np.linspace(1, 0, number), np.zeros(number, np.int64))
    assert star[0] == 0


def test_features_by_hand() -> None:
    """The nodes are body, div, p and h1, then the three blocks; the div has 4 of 8 words, 2 of them in links."""
    found = page("<div><p>aa <a href=x>bb cc</a></p>dd</div><h1>ee ff gg hh</h1>")
    assert parents_of(found).tolist() == [0, 0, 1, 0, 2, 1, 3]
    table = features(found)
    values = dict(zip(NAMES, table[1].tolist(), strict=True))
    assert values["share of words"] == 0.5
    assert values["link density"] == 0.5
    assert values["links per word"] == 0.25
    assert values["before"] == 0
    assert values["behind"] == pytest.approx(11 / 21)  # of 8, 2 and 11 characters
    assert values["margin"] == 0
    assert table[2].tolist() == table[4].tolist()  # a `p` of one block is like its block


def test_a_page() -> None:
    menu = "".join(f"<li><a href=/{at}>Item {at}</a>" for at in range(12))
    html = f"<ul>{menu}</ul><div><p>{SENTENCE * 3}<p>{SENTENCE * 2}<p>{SENTENCE * 4}</div><ul>{menu}</ul>"
    kept = clean(html, method="chakrabarti").text
    assert kept.count("villages") == 9
    assert "Item" not in kept
    assert clean(html, method="chakrabarti:threshold=0").text == ""
    assert clean(html, method="chakrabarti:smoothing=no").text == kept


@pytest.mark.parametrize("html", ["", "<p>a", "<div>" * 3000 + "deep", "<p>  </p>", "<p>…</p>" * 50])
def test_any_page(html: str) -> None:
    found = chakrabarti(page(html), "", Parameters())
    assert len(found.values) == len(found.labels) == len(page(html))
    assert ((found.values >= 0) & (found.values <= 1)).all()
