"""texrex: features by hand, the perceptron, and what it makes of pages."""

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.features import Features
from gristmill.cleaning.markup import Tags
from gristmill.cleaning.methods.chosen import method_named
from gristmill.cleaning.models import load
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.cleaning.uncompiled.blocks import segment_markup as segment_on_arrays
from gristmill.cleaning.uncompiled.markup import scan
from gristmill.errors import UsageError
from gristmill.literature.cleaning.texrex import FEATURES, Network, features, network, output, texrex
from gristmill.text.characters import Characters

SENTENCE = (
    "The mill by the river has ground the grain of three villages since before anyone thought of writing it down. "
)


def columns(html: str) -> dict[str, list[float]]:
    page = Features(segment(html, "container"))
    return {name: column.round(4).tolist() for name, column in zip(FEATURES, features(page).T, strict=True)}


def test_there_are_37_features() -> None:
    assert len(FEATURES) == 37 == features(Features(segment("<p>a"))).shape[1]


def test_features_of_characters() -> None:
    # 21 characters count as 20; without 5 spaces they are 15; of 11 letters 3 are capitals.
    found = columns("<p>Ab Cd, 12 efg. Hi jk!</p>")
    assert found["Length"] == [0.02]
    assert found["PunctProp"] == [round(3 / 20, 4)]
    assert found["LetterProp"] == [round(11 / 15, 4)]
    assert found["NumberProp"] == [round(2 / 15, 4)]
    assert found["UpperProp"] == [round(3 / 11, 4)]
    assert found["SentBogus"] == [0]
    assert found["SentCount"] == [0.2]
    assert found["SentLength"] == [0.1]
    assert found["EndsPunct"] == [1]
    assert found["Copy"] == [0]


def test_what_is_clamped() -> None:
    found = columns(f"<p>{SENTENCE * 12}</p><p>{'x' * 300}</p>")
    assert found["Length"] == [1.0, 0.299]
    assert found["SentCount"] == [1.0, 0.1]
    assert found["SentLength"] == [1.0, 1.0]
    assert found["SentBogus"] == [0, 1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("write to a.b@mill.example", "EmailProp"),
        ("see http://mill.example/x", "UriProp"),
        ("see www.mill.example now.", "UriProp"),
        ("this is about #flour now.", "HashProp"),
        ("a &lt;b&gt;tag&lt;/b&gt; or 2", "TagProp"),
        ("since 2014 and in 2023, 1", "YearProp"),
        ("all rights © by the mill.", "Copy"),
    ],
)
def test_marks(text: str, name: str) -> None:
    found = columns(f"<p>{text}</p><p>none of it is here at all</p>")
    assert found[name][0] > 0
    assert found[name][1] == 0
    others = {"EmailProp", "UriProp", "HashProp", "TagProp", "YearProp", "Copy"} - {name}
    assert all(found[other][0] == 0 for other in others)


def test_a_year_needs_something_before_it_and_no_digit_around() -> None:
    assert columns("<p>2014</p><p>in 20145</p><p>12014 x</p><p>2039 or 1999</p>")["YearProp"] == [0, 0, 0, 0]


def test_places() -> None:
    found = columns("<p>abcde</p><p>abcde</p><p>abcde</p><p>abcde</p>")
    assert found["PercDiv"] == [1, 0.5, 0, 0.5]
    assert found["PercText"] == [0.75, 0.25, 0.25, 0.75]
    assert found["PageProp"] == [0.25] * 4


def test_containers() -> None:
    found = columns(
        "<div>a<p>b</p>c</div><ul><li>d</li></ul><h3>e</h3><table><tr><td>f</td></tr></table><blockquote>g</blockquote>"
    )
    names = [[name for name in FEATURES[24:32] if found[name][at]] for at in range(7)]
    assert names == [["ContDiv"], ["ContP"], ["ContP"], ["ContLi"], ["ContH"], ["ContTd"], ["ContBlock"]]
    assert found["ContClose"] == [0, 0, 1, 0, 0, 0, 0]


def test_empty_blocks_before_a_block() -> None:
    found = columns("<div>a</div><div></div><div></div><div>b</div><p>c</p>")
    # Before a: the beginning of the body, and <div>. Between a and b stand </div>, which ends a, four tags of empty
    # blocks, and <div>: five twentieths.
    assert found["SkippedDivs"] == [0.1, 0.25, 0.05]


EXAMPLE = "<div><p>One</p>\n<div></div><a href=/><img src=i></a><!-- x -->\n<ul><li>Two</ul><p>"


def test_the_example_of_the_docstring() -> None:
    found = columns(EXAMPLE)
    # `One</p>` has 7 characters and `Two</ul><p>` 11. The last letter of a text does not count.
    assert found["MarkupProp"] == [round((7 - 2) / 7, 4), round((11 - 2) / 11, 4)]
    assert found["OpenProp"] == [round(2 / 3, 4), 0.7]
    assert found["SkippedDivs"] == [0.15, 0.15]
    assert found["AnchorProp"] == [0, 0.5]
    assert found["DocMarkupProp"] == [round(4 / len(EXAMPLE), 4)] * 2


def test_blocks_end_at_the_tags_of_his_footnote_and_at_no_other() -> None:
    page = segment("<p>a<br><br>b</p><dl><dt>c<dd>d</dl><h2>e</h2>f<hr>g<td>h", "container")
    assert page.texts == ["a b", "c d", "e", "f g", "h"]


@pytest.mark.parametrize(
    ("declared", "flags"),
    [
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/x.dtd">', [1, 0, 0]),
        ('<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">', [0, 1, 0]),
        ("<!-- a --><!DOCTYPE html>", [0, 0, 1]),
        ("<!DOCTYPE html >", [0, 0, 1]),
        ("<!DOCTYPE other>", [0, 0, 0]),
        ("", [0, 0, 0]),
    ],
)
def test_doctypes(declared: str, flags: list[int]) -> None:
    found = columns(f"{declared}<html><body><p>a</p><p>b</p>")
    for name, flag in zip(("DtXhtml", "DtHtml4", "DtHtml5"), flags, strict=True):
        assert found[name] == [flag, flag]


@pytest.mark.parametrize("text", ["a", "ä&auml;€"])
def test_arrays_give_the_same_features(text: str) -> None:
    html = (
        f"<!DOCTYPE html><title>{text}</title><body><!-- {text} --><script>'<p>{text}'</script><p class='>{text}'>"
        f"{text}<style>{text}</style><a href=x>{text}</a><div><form>{text}</form><td>{text}<p>{text}<textarea><b>{text}"
    )
    found = features(Features(segment(html, "container")))
    markup, length = scan(html.encode()), len(html)
    assert not isinstance(markup, Tags)
    page = segment_on_arrays(markup, length, "container")
    page.markup = markup
    assert np.allclose(found, features(Features(page)))


def test_plain_text_has_no_markup() -> None:
    found = features(Features(segment_text("One line.\nAnother line.")))
    names = ("MarkupProp", "OpenProp", "ContClose", "ContP", "DtHtml5", "AnchorProp")
    assert not found[:, [FEATURES.index(name) for name in names]].any()


def test_links_are_markup() -> None:
    found = columns('<p>plain words here</p><p><a href="http://mill.example/a/long/address">linked words</a></p>')
    assert found["AnchorProp"][0] == 0
    assert found["AnchorProp"][1] == round(1 / 10, 4)
    assert found["MarkupProp"][0] < 0.4 < found["MarkupProp"][1]


def test_windows() -> None:
    page = "".join(f"<p>{'word ' * 20}</p>" + f"<p>{'<b>x</b>' * at}</p>" for at in range(1, 5))
    found = columns(page)
    own = np.pad(np.array(found["MarkupProp"]), 2, mode="edge")
    near = [own[at + 1 : at + 4].mean() for at in range(8)]
    wide = [own[at : at + 5].mean() for at in range(8)]
    assert np.allclose(found["Window1"], near, atol=1e-3)
    assert np.allclose(found["Window2"], wide, atol=1e-3)


def test_open_tags_balance() -> None:
    assert columns("<ul><li><b>a</b></li><li><b>b</b></li><li><b>c</b></li></ul>")["OpenProp"][1] == 0.5


def test_all_finite_whatever_the_page() -> None:
    for html in (
        "x",
        "<p>.</p>",
        "<p>\U0001f600</p><p>日本語。</p>",
        "<div>" * 500 + "a" + "</div>b" * 500,
        "<p>a</p>" * 3 + "<table>b",
    ):
        assert np.isfinite(features(Features(segment(html, "container")))).all()


def test_the_perceptron_by_hand() -> None:
    """Section 3.1: symmetric Gaussian hidden units, 2 exp(-x²) - 1, and a linear output that is bounded.

    The sums of the first block are 0.3 + 0.1 and -0.6. Far from 0 on either side, a Gaussian is -1, a sigmoid -1 or 1.
    """
    hidden, bias, out = np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.1, 0.0]), np.array([0.5, 0.25])
    inputs = np.array([[0.3, 0.6], [5.0, -9.0], [-9.0, 9.0], [-0.1, 0.0]])
    first = (2 * np.exp(-0.16) - 1) * 0.5 + (2 * np.exp(-0.36) - 1) * 0.25 + 0.2
    assert output(inputs, Network(hidden, bias, out, np.array(0.2))) == pytest.approx([first, 0.0, 0.0, 0.95])
    first = np.tanh(0.4) * 0.5 + np.tanh(-0.6) * 0.25 + 0.2
    found = output(inputs, Network(hidden, bias, out, np.array(0.2), "sigmoid"))
    assert found == pytest.approx([first, 0.95, 0.0, 0.2], abs=1e-3)


def test_units_are_chosen() -> None:
    page = Features(segment(f"<p>{SENTENCE * 2}</p><p>Home</p>", "container"))
    gaussian, sigmoid = (method_named(name).score(page, "en").values for name in ("texrex", "texrex:units=sigmoid"))
    assert not np.array_equal(gaussian, sigmoid)
    with pytest.raises(UsageError, match="gaussian or sigmoid, not 'step'"):
        method_named("texrex:units=step")


def test_a_language_has_its_network_or_that_of_all() -> None:
    weights = load("texrex")
    shapes = [part.shape for part in network(weights, "en")[:4]]
    assert shapes == [(37, 18), (18,), (18,), ()]
    assert not np.array_equal(network(weights, "en").hidden, network(weights, "de").hidden)
    assert np.array_equal(network(weights, "cs").hidden, weights["gaussian.all.hidden"].astype(np.float64))


def test_text_and_menu() -> None:
    menu = "".join(f'<li><a href="/category/number-{at}.html">Item {at}</a></li>' for at in range(12))
    page = f"<ul>{menu}</ul><div><p>{SENTENCE * 4}</p><p>{SENTENCE * 5}</p><p>{SENTENCE * 3}</p></div><ul>{menu}</ul>"
    for lang in ("en", "de", "cs"):
        text = clean(page, lang=lang, method="texrex").text
        assert SENTENCE.strip() in text, lang
        assert "Item 3" not in text, lang


def test_no_blocks() -> None:
    assert texrex(Features(segment("<script>x</script>")), "en").labels == []


def test_characters_count_as_python_does() -> None:
    texts = ["Grüße, Ä!", "", "\U0001f600a\U0001f600", "  x\u00a0y", "日本1"]
    characters = Characters(texts)
    assert characters.count(characters.are("Lu")).tolist() == [2, 0, 0, 0, 0]
    assert characters.count(characters.are("L")).tolist() == [6, 0, 1, 2, 2]
    assert characters.count(characters.are("Z")).tolist() == [1, 0, 0, 3, 0]
    assert characters.count(characters.among("1!")).tolist() == [1, 0, 0, 0, 1]
    assert characters.lengths.tolist() == [9, 0, 5, 5, 3]


def test_scripts_without_spaces() -> None:
    found = columns(
        "<p>河边有一座很老的磨坊，里面住着一个老人。</p>"
    )  # 20 characters, of which 18 are letters; no case and no spaces
    assert found["LetterProp"] == [round(18 / 19, 4)]
    assert found["UpperProp"] == [0]
    assert found["SentBogus"] == [0]
    assert found["EndsPunct"] == [1]
    assert found["Length"][0] > 0.04
    text = "河边有一座很老的磨坊，里面住着一个老人，他每天早上都要到河边去看水，然后回来磨面。"
    menu = "".join(f'<li><a href="/category/number-{at}.html">首页</a></li>' for at in range(12))
    page = f"<ul>{menu}</ul><div><p>{text * 3}</p><p>{text * 4}</p><p>{text * 3}</p></div><ul>{menu}</ul>"
    document = clean(page, lang="zh", method="texrex")
    assert text in document.text
    assert "首页" not in document.text
