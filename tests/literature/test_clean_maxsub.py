"""Maximum subsequence segmentation: the trained version by hand, and the one in which a tag costs 3.25 words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.chosen import method_named
from gristmill.cleaning.segmentation import segment
from gristmill.errors import UsageError
from gristmill.kernel.elements import CODES
from gristmill.literature.cleaning.maxsub import Classifier, Parameters, maxsub, score_by, with_model
from gristmill.literature.cleaning.maxsub_tokens import CONTEXTS, TAG_CONTEXT, tokens_of

LONG = "word " * 30
BASE = Parameters(trained=False)


def page(html: str) -> Features:
    return Features(segment(html, "text-node"))


def test_a_tag_costs_3_25_words() -> None:
    """Between the texts stand `</p>` and `<p>`: six words are not worth them, seven are."""
    for words, labels in ((6, ["text", "boilerplate"]), (7, ["text", "text"])):
        assert maxsub(page(f"<p>{LONG}</p><p>{'word ' * words}</p>"), "en", BASE).labels == labels


def test_tags_inside_a_line_count_too() -> None:
    """Behind the first text, 4 words cost 2 tags, `two` one more, and `more` another: never worth it."""
    found = maxsub(page(f"<p>{LONG}</p><p>four words and then <b>two</b> more</p>"), "en", BASE)
    assert found.labels == ["text", *["boilerplate"] * 3]


def test_scores_by_hand() -> None:
    found = maxsub(page(f"<p>{LONG}</p><p>{LONG}</p>"), "en", BASE)
    total = 30 - 2 * 3.25 + 30
    assert found.values == pytest.approx([30 / total / 2] * 2)
    assert maxsub(page(""), "en", BASE).labels == []
    assert method_named("maxsub:trained=no").score(page(f"<p>{LONG}</p><p>six</p>"), "en").labels[1] == "boilerplate"


def test_tokens() -> None:
    """Words, symbols and tags in their order; the comment is none, and tags behind the last text do not matter."""
    found = tokens_of(page("<p>A mill, 1901.<!-- x --></p><div>B</div>"), words=True)
    assert found.is_tag.tolist() == [True, *[False] * 5, True, True, False]
    assert found.blocks.tolist() == [0] * 6 + [1] * 3
    in_p, in_div = CODES["p"], CODES["div"]
    assert found.contexts.tolist() == [TAG_CONTEXT, *[in_p] * 5, TAG_CONTEXT, TAG_CONTEXT, in_div]


@pytest.mark.parametrize(
    ("one", "other", "same", "same_shape"),
    [
        ("the mill stands", "THE Mill stands", True, False),  # case does not count, but is part of the shape
        ("in 1901 it", "in 1876 it", True, True),
        ("the mill stands", "the wood stands", False, True),
        ("the mill stands", "mill the stands", False, False),  # 3 and 4 letters are of different lengths
    ],
)
def test_which_trigrams_are_the_same(one: str, other: str, same: bool, same_shape: bool) -> None:
    for words, expected in ((True, same), (False, same_shape)):
        first, second = (tokens_of(page(text), words=words).trigrams[0] for text in (one, other))
        assert bool(first == second) is expected


def test_the_trained_version_by_hand() -> None:
    """A word has the odds 3 : 1 for text, a tag 1 : 3; but the trigram `log in now` has 1 : 9 beside its 3 : 1.

    So words are worth 0.75 - 0.5 = 0.25, tags -0.25, and `log`, with odds of 1 : 3 in all, -0.25. The texts have
    4 * 0.25 = 1 and -0.25 + 2 * 0.25 = 0.25, and two tags lie between them, which take 0.5. The second is left out.
    """
    both = page("<p>four words of text</p><p>log in now</p>")
    tokens = tokens_of(both, words=True)
    of_contexts = np.zeros(CONTEXTS)
    of_contexts[TAG_CONTEXT] = -2 * math.log(3)
    log_in_now = tokens.trigrams[7:8]
    classifier = Classifier(math.log(3), log_in_now, np.array([-math.log(9)]), of_contexts)
    assert classifier.values(tokens) == pytest.approx([-0.25, *[0.25] * 4, -0.25, -0.25, -0.25, 0.25, 0.25])
    found = score_by(both, tokens, classifier)
    assert found.labels == ["text", "boilerplate"]
    # Without one of the four words, 0.75, 0.5, 0.5 and 0.75 are left of 1. With any word of the second, 1 - 0.5 + 0.25.
    assert found.values == pytest.approx([(0.75 + 0.5 + 0.5 + 0.75) / 4 / 2, 1 - 0.75 / 2])


@pytest.mark.parametrize(
    ("words", "labels", "scores"),
    [("log in now", ["text"], [0.25]), ("log log log in now", ["boilerplate"], [(0.75 + 1 + 1) / 3])],
)
def test_the_best_run_may_begin_inside_a_text_node(words: str, labels: list[str], scores: list[float]) -> None:
    """Thesis, 2.6.5: the run is of tokens. `log` is worth -0.25, `in` and `now` 0.25, so the run is `in now` with 0.5.

    That is two of three tokens, or two of five. Each token in the run scores half of the 0.25 that are left without it.
    """
    one = page(f"<p>{words}")
    tokens = tokens_of(one, words=True)
    known = np.sort(tokens.trigrams[1:-2])
    of_contexts = np.zeros(CONTEXTS)
    of_contexts[TAG_CONTEXT] = -2 * math.log(3)
    found = score_by(one, tokens, Classifier(math.log(3), known, np.full(len(known), -math.log(9)), of_contexts))
    assert found.labels == labels
    assert found.values == pytest.approx(scores)


def test_values_lie_between_minus_and_plus_a_half() -> None:
    tokens = tokens_of(page("<p>word"), words=True)
    for odds, value in ((800.0, 0.5), (-700.0, -0.5)):
        none = np.zeros(CONTEXTS)
        assert Classifier(odds, tokens.trigrams[:1], np.zeros(1), none).values(tokens) == pytest.approx([value] * 2)


@pytest.mark.parametrize("lang", ["en", "pl", ""])
def test_the_shipped_model(lang: str) -> None:
    menu = "<ul>" + "<li><a href=/>Home</a><li><a href=/a>Contact us</a>" * 4 + "</ul>"
    text = (
        "The mill stands where the river leaves the wood, and it has stood there for as long as anyone remembers. " * 3
    )
    found = maxsub(page(f"{menu}<h1>Of mills</h1><p>{text}</p><p>{text}</p>{menu}"), lang)
    assert found.labels == ["boilerplate"] * 8 + ["text"] * 3 + ["boilerplate"] * 8


def test_a_text_without_spaces_counts_by_its_words() -> None:
    text = "河边有一座很老的磨坊，磨坊里住着一个老人。" * 4
    menu = "<ul>" + "<li><a href=/>主页</a>" * 9 + "</ul>"
    found = maxsub(page(f"{menu}<p>{text}</p><p>{text}</p>{menu}"), "zh")
    assert found.labels == ["boilerplate"] * 9 + ["text"] * 2 + ["boilerplate"] * 9


def test_the_base_version_takes_no_model() -> None:
    with pytest.raises(UsageError, match="with trained=no, maxsub has no model"):
        with_model({}, BASE)


@pytest.mark.parametrize(
    "html", ["", "word", "<p>\ud800 x", "<div>" * 5_000 + "x", "<!-- x -->a</x>b", "<p>—<p>\u2028y"]
)
def test_hostile_pages(html: str) -> None:
    for lang in ("en", "zh"):
        assert len(maxsub(page(html), lang).labels) == len(page(html))
