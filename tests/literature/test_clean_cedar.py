"""CEDAR's content extraction: its blocks, features and both classifiers by hand, and whole pages."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.errors import UsageError
from gristmill.literature.cleaning.cedar import WAYS, Parameters, by_field, by_words, cedar
from gristmill.literature.cleaning.cedar_features import BASES, EDGES, NAMES, Values, bags, features

SENTENCE = "The mill by the river has ground the grain of three villages since before anyone thought of writing. "


def page(html: str) -> Features:
    return Features(segment(html, "non-inline"))


def column(html: str, name: str) -> list[int]:
    values: Values = features(page(html), "en")
    found: list[int] = values[:, NAMES.index(name)].tolist()
    return found


def test_blocks_are_what_is_shown_without_a_line_break() -> None:
    """Section 5.1: `b` and `a` are among the tags that end no block, `br` and `td` are not."""
    found = page("<td>one <b>two</b> <a href=x>three</a><br>four<td>five")
    assert found.texts == ["one two three", "four", "five"]


def test_features_by_hand() -> None:
    html = "<div><p>In Rome, Paul met Ann. They <a href=x>spoke of</a> 3 mills.</p></div><ul><li>Home</ul>"
    assert column(html, "tokens") == [np.searchsorted(EDGES["tokens"], 10, "right"), 0]
    assert column(html, "names") == [3, 0]  # Rome, Paul and Ann; "In" and "They" begin sentences
    assert column(html, "numbers") == [1, 0]
    assert column(html, "sentences") == [2, 0]
    assert column(html, "ends as a sentence") == [1, 0]
    assert column(html, "tokens in anchors") == [np.searchsorted(EDGES["tokens in anchors"], 0.2, "right"), 0]
    assert column(html, "tag") == [1, 3]  # p, li
    assert column(html, "tag around") == [2, 4]  # div, ul
    assert column(html, "tag around that") == [16, 16]  # body
    assert column(html, "position") == [0, 5]


def test_tags_in_a_block() -> None:
    """Section 5.2: "tags in and around the block", each by its name, in the block that it is in."""
    html = "<p><b>one</b> <i>two</i> <a href=x>three</a><p>four<p><font size=1>five <b>six</b></font>"
    found = {name: column(html, f"has {name}") for name in ("b", "i", "a", "font", "span")}
    assert found == {"b": [1, 0, 1], "i": [1, 0, 0], "a": [1, 0, 0], "font": [0, 0, 1], "span": [0, 0, 0]}
    assert column("<p>one<p><img src=y>two", "has img") == [0, 1]


def test_words_are_counted_by_block() -> None:
    found = bags(page("<p>The mill, the river.<p>A mill."), {"the": 0, "mill": 1})
    assert [part.tolist() for part in found] == [[0, 0, 1], [0, 1, 1], [2, 1, 1]]


def test_maximum_entropy_by_hand() -> None:
    """The bias is 1, "mill" takes 2 off and "home" adds 1: log-odds of -1, 2 and 1."""
    found = bags(page("<p>mill mill<p>home<p>other"), {"mill": 0, "home": 1})
    arrays = {"maxent": np.array([-2.0, 1.0]), "maxent_bias": np.array(1.0)}
    assert np.allclose(by_words(found, 3, arrays), 1 / (1 + np.exp([1.0, -2.0, -1.0])))


def test_the_field_by_hand() -> None:
    """Two blocks with the log-odds -2 (twice "mill") and 1, and 1.5 for two blocks of one label.

    The four labellings have the weights e^1.5, e^1, e^-2 and e^(1.5 - 1): both CONTENT, only the second NOTCONTENT...
    """
    values = np.zeros((2, len(NAMES)), np.int16)
    words = bags(page("<p>mill mill<p>home"), {"mill": 0, "home": 1})
    arrays = {
        "states": np.zeros(int(BASES[-1])),
        "word_states": np.array([-1.0, 1.0]),
        "transitions": np.array([[1.5, 0.0], [0.0, 1.5]]),
    }
    both, second, first, none = np.exp([1.5, 1.0, -2.0, 0.5])
    total = both + second + first + none
    assert np.allclose(by_field(values, words, arrays), [(first + none) / total, (second + none) / total])


@pytest.mark.parametrize("by", WAYS)
def test_a_page(by: str) -> None:
    menu = "".join(f"<li><a href=/{at}>{name}</a>" for at, name in enumerate("Home Contact Login Search".split()))
    html = f"<ul>{menu}</ul><div><p>{SENTENCE * 3}<p>{SENTENCE * 2}</div><p>All rights reserved. Copyright 2008"
    kept = clean(html, lang="en", method=f"cedar:by={by}").text
    assert kept.count("villages") == 5
    assert "Contact" not in kept


def test_unknown_ways_are_told() -> None:
    with pytest.raises(UsageError, match="by must be one of crf, maxent"):
        clean("<p>a", method="cedar:by=svm")


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("html", ["", "<p>a", "<div>" * 3000 + "deep", "<p>  </p>", "<p>…</p>" * 50, "<p>机器磨面粉。"])
def test_any_page(by: str, html: str) -> None:
    found = cedar(page(html), "", Parameters(by=by))
    assert len(found.values) == len(found.labels) == len(page(html))
    assert ((found.values >= 0) & (found.values <= 1)).all()
