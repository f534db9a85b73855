"""Hofmann and Weerkamp: each way by an example worked by hand, and the tree and the expression that are learned."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.errors import UsageError
from gristmill.literature.cleaning import hofmann_title
from gristmill.literature.cleaning.hofmann import WAYS, Parameters, hofmann
from gristmill.literature.cleaning.hofmann_genetic import Expression, written
from gristmill.literature.cleaning.hofmann_tree import NAMES, chances, features
from gristmill.literature.training import cart, genetic

SENTENCE = "The mill by the river has ground the grain of three villages since before anyone thought of writing. "


def page(html: str) -> Features:
    return Features(segment(html))


def test_heuristic() -> None:
    """Two characters are too few; more than 10 words of more than 3 characters on average are a paragraph."""
    html = f"<p>ab<p>{'word ' * 11}<p>{'abc ' * 11}<p>{'word ' * 10}<p>abc"
    found = hofmann(page(html), "", Parameters(by="heuristic"))
    assert list(found.labels) == ["n", "p", "h", "h", "h"]
    assert found.values.tolist() == [1, 0, 0, 0, 0]


def test_baseline() -> None:
    assert clean("<h1>a<p>b<li>c", method="hofmann:by=baseline").text == "a\nb\nc"


def test_line_breaks_are_paragraph_breaks() -> None:
    """Baisa (2009), 1.2: "converting <br> into paragraph break"; the heuristic looks at lines of the plain text."""
    html = "<div>The <b>old</b> mill<br>ab<br>stands<p>still</div>"
    assert clean(html, method="hofmann:by=baseline").text == "The old mill\nab\nstands\nstill"
    assert clean(html, method="hofmann:by=heuristic").text == "The old mill\nstands\nstill"


def test_title_by_hand() -> None:
    """The example of `gains`: 1/3 in the element, 5/21 on the page; and (0 + 3) / (6 + 11) = 3/17 in the other."""
    found = page("<title>Mill</title><div>a mill of mill</div><p>six other words stand here now")
    assert np.allclose(hofmann_title.gains(found, 11), [log(7 / 5), log(63 / 85)])
    assert list(hofmann(found, "", Parameters(by="title", smoothing=11)).labels) == ["p", "n"]


def test_an_element_lends_its_relevance_to_what_it_holds() -> None:
    found = page("<title>mill</title><div><p>mill mill mill<p>wood</div><div>other words and more of these</div>")
    assert (hofmann_title.gains(found, 11)[:2] > 0).all()
    assert hofmann_title.gains(found, 11)[2] < 0


def test_an_element_around_the_whole_page_is_no_better_than_the_page() -> None:
    """What a wrapper holds is what the page holds: it must not make everything as good as the page."""
    html = "<title>mill</title>{}<p>mill mill mill</p><p>other words and more of these</p>"
    bare, wrapped = (page(html.format(start)) for start in ("", "<div><div>"))
    assert hofmann_title.gains(wrapped, 11).tolist() == hofmann_title.gains(bare, 11).tolist()
    assert list(hofmann(wrapped, "", Parameters(by="title", smoothing=11)).labels) == ["p", "n"]


def test_titles_in_a_script_without_spaces() -> None:
    """Characters are words there: of the text 水车 is the title's, of the menu nothing."""
    found = page("<title>水车</title><ul><li>首页新闻联系我们</ul><p>河边的水车又开了，水车很老。")
    assert list(hofmann(found, "", Parameters(by="title", smoothing=11)).labels) == ["n", "p"]


def test_without_titles_all_is_kept() -> None:
    assert clean("<p>one<p>two", method="hofmann:by=title").text == "one\ntwo"


def test_features_of_the_tree() -> None:
    """Six words, of which two begin with a capital; two marks, of which one is the last; a link of two words."""
    table = features(page("<div><p>The mill, <a href=x>by the</a> River Ouse.</p></div>"))
    found = dict(zip(NAMES, table[0].tolist(), strict=True))
    assert found["words"] == 6
    assert found["words per capitalised word"] == 2
    assert found["words per punctuation mark"] == 3
    assert found["words in links"] == pytest.approx(1 / 3)
    assert found["ends with a punctuation mark"] == 1
    assert found["tag.p"] == found["parent.div"] == 1
    assert sum(table[0, 6:]) == 2


def test_a_tree_by_hand() -> None:
    """Of four rows with the values 0, 0, 0, 1 and the classes 1, 1, 1, 0 the best question is whether it is above 0."""
    rows = np.array([[0, 5], [0, 6], [0, 5], [1, 6]], np.float32)
    tree = cart.grow(rows, np.array([1, 1, 1, 0]), np.ones(4), 2, cart.Settings(min_rows=1))
    assert tree.columns[0] == 0
    assert tree.borders[0] == 0
    found = chances(rows, tree.arrays("tree"))
    assert np.allclose(found, [[1 / 5, 4 / 5]] * 3 + [[2 / 3, 1 / 3]])  # shares of 0/3 and 1/1, each class 1 more


def test_pages_as_expressions_read_them() -> None:
    """The example of `written`, and what expressions keep of it: an item is dropped, a text in a `p` kept."""
    found = page(f"<div><p>{SENTENCE}</p></div><ul><li><a href=x>Home</a></ul>{SENTENCE}")
    signs = written(found)
    assert len(signs) == 3 + 8
    for words, kept in (
        ("keep <p> long15 end", [True, False, False]),
        (r"keep \w*? end", [True, True, True]),
        ("or drop <li> . end keep plain end end", [True, False, True]),
        ("keep <div> <.*?>+ \\w*? drop <.*?>+ linked end end", [True, False, False]),
        ("keep end", [False, False, False]),
    ):
        assert Expression.of(words.split()).kept(signs, 3).tolist() == kept, words


@pytest.mark.parametrize("words", ["keep", "end", "keep <p", "or <p> " * 500])
def test_damaged_expressions_are_refused(words: str) -> None:
    with pytest.raises(UsageError, match="expression"):
        Expression.of(words.split())


def test_points() -> None:
    """Two points for each of 17 words of the text that are kept, and one less for each of the other 2."""
    found = page(f"<p>{SENTENCE}</p><p>Home page</p>")
    example = genetic.Example.of(written(found), found.words.astype(float), np.array([1.0, 0.0]))
    assert found.words.tolist() == [18, 2]
    assert genetic.points([r"keep", r"\w*?", "end"], [example]) == 2 * 18 - 2
    assert genetic.points(["keep", "long15", "end"], [example]) == 2 * 18
    assert genetic.points(["drop", "long15", "end"], [example]) == 0


def test_breeding_finds_what_is_easy_and_the_same_twice() -> None:
    found = page(f"<ul><li><a href=x>Home</a><li><a href=y>Contact us</a></ul><p>{SENTENCE}<p>{SENTENCE}")
    example = genetic.Example.of(written(found), found.words.astype(float), np.array([0.0, 0.0, 1.0, 1.0]))
    settings = genetic.Settings(population=20, generations=8)
    bred = genetic.breed([example], settings, 1)
    assert genetic.points(bred, [example]) == 2 * 36
    assert bred == genetic.breed([example], settings, 1)


def test_unknown_ways_are_told() -> None:
    with pytest.raises(UsageError, match="by must be one of tree, heuristic"):
        clean("<p>a", method="hofmann:by=magic")
    with pytest.raises(UsageError, match="smoothing must be above 0"):
        clean("<p>a", method="hofmann:smoothing=0")


def test_the_tree_that_ships() -> None:
    html = f"<ul><li><a href=x>Home</a><li><a href=y>Contact</a></ul><p>{SENTENCE * 3}<p>{SENTENCE * 2}"
    assert clean(html, method="hofmann").text == f"{(SENTENCE * 3).strip()}\n{(SENTENCE * 2).strip()}"


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("html", ["", "<p>a", "<div>" * 3000 + "deep", "<title>a</title>", "<p>…</p>" * 50])
def test_any_page(by: str, html: str) -> None:
    found = hofmann(page(html), "", Parameters(by=by))
    assert len(found.values) == len(found.labels) == len(page(html))
    assert ((found.values >= 0) & (found.values <= 1)).all()


def test_time_grows_with_the_page_alone() -> None:
    """What makes other expressions slow: a long run that fits, without what should follow."""
    expression = Expression.of([*["or", "keep", "plain+", "plain+", "<h1>", "end"] * 3, "end", "end", "end"])
    found = page("<p>a" * 20_000)
    assert not expression.kept(written(found), len(found)).any()
