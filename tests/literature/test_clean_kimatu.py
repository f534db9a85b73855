"""Kimatu: groups, ratios worked by hand, what is removed and what is found around candidates."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.kimatu import Parameters, groups, kimatu, quotations, ratios, repeated

TEXT = "It grinds, and it turns, all the day"  # 36 characters, 2 marks
PAGE = (
    "<ul><li><a href=x>Home page</a><li><a href=y>Site maps</a></ul><h2>Of mills</h2>"
    f"<p class=t>{TEXT}</p><p class=t>{TEXT}</p>"
)


def page(html: str) -> Features:
    return Features(segment(html))


def test_ratios_worked_by_hand() -> None:
    """The groups are two items of 9 characters with 2 links, a heading of 8, two paragraphs of 36 with 4 marks.

    Relative to the largest (72 characters, 36 on average, 4 marks, 2 links) and with weights of a quarter, items have
    (18/72 + 9/36 + 0 - 1) / 4, the heading (8/72 + 8/36) / 4, and paragraphs (1 + 1 + 1) / 4.
    """
    found = ratios(page(PAGE), Parameters())
    assert np.allclose(found, [-0.125, -0.125, 1 / 12, 0.75, 0.75])


def test_candidates_and_the_headline_near_them() -> None:
    """Paragraphs pass the threshold by (0.75 - 0.15) / (0.75 + 0.15) = 2/3; the heading is below it, but near them."""
    scores = kimatu(page(PAGE), "en", Parameters())
    assert np.allclose(scores.values, [1, 1, 0.5, 1 / 6, 1 / 6])
    assert list(scores.labels) == ["boilerplate", "boilerplate", "h", "p", "p"]
    assert clean(PAGE, method="kimatu").text == f"Of mills\n{TEXT}\n{TEXT}"
    assert clean(PAGE, method="kimatu:near=0").text == f"{TEXT}\n{TEXT}"


def test_groups_look_alike_and_stand_near() -> None:
    found = page("<p>a</p><p>b</p><div class=x>c</div><p>d</p>" + "<div class=y>e</div>" * 3 + "<p>f</p>")
    assert groups(found, 1).tolist() == [2, 2, 0, 2, 1, 1, 1, 3]  # by look: div.x, div.y, p
    assert len(set(groups(found, 0).tolist())) == 5
    assert groups(found, 3).tolist()[-1] == 2


def test_functional_pieces_are_removed() -> None:
    posts = "".join(f"<p>{TEXT * 2}.<p>Posted by {name}" for name in ("Ann", "Bob", "Eve"))
    assert repeated(page(posts), Parameters()).tolist() == [False, True] * 3
    assert "Posted" not in clean(posts, method="kimatu").text
    assert "Posted" in clean(posts, method="kimatu:repeats=4").text


def test_quotations_are_removed() -> None:
    found = page(f"<p>{TEXT}, says the miller, and so it was as long as we know.<p>“it turns, all the day”<p>new")
    assert quotations(found, np.array([True, True, True]), Parameters()).tolist() == [False, True, False]


@pytest.mark.parametrize("html", ["", "<p>a", "<div>" * 3000 + "deep", "<p>  </p>", "<p>…</p>" * 50])
def test_any_page(html: str) -> None:
    found = kimatu(page(html), "", Parameters())
    assert len(found.values) == len(found.labels) == len(page(html))
    assert ((found.values >= 0) & (found.values <= 1)).all()
