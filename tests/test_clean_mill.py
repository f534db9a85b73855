"""mill: two kinds of block apart on pages written for it, in any script, and trees that are what they say."""

from __future__ import annotations

import json
import re
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods import mill as mill_method
from gristmill.cleaning.methods.mill import NameValues, Phrases, Weights, mill, threshold
from gristmill.cleaning.methods.mill_features import describe, name_words
from gristmill.cleaning.methods.trees import Trees, probability
from gristmill.cleaning.segmentation import segment
from gristmill.columns import Coded
from gristmill.errors import GristmillError
from gristmill.evaluation.training.boosting import Settings, boost
from gristmill.evaluation.training.mill import ONLY_TESTED_ON, TRAINED_ON
from gristmill.kernel.mill_columns import FEATURES, ROWS
from gristmill.kernel.names import words_of_name

MENU = "".join(
    f'<li><a href="/{name}">{name}</a></li>' for name in ("Home", "News", "Sport", "Weather", "About us", "Contact")
)
PARAGRAPHS = {
    "en": (
        "The miller of the lower mill said that the river had not been so low for thirty years, and that he would "
        "wait for rain."
    ),
    "ru": "Мельник нижней мельницы сказал, что река уже тридцать лет не была такой мелкой, и что он подождёт дождя.",
    "el": (
        "Ο μυλωνάς του κάτω μύλου είπε ότι το ποτάμι είχε τριάντα χρόνια να κατεβεί τόσο χαμηλά, και ότι θα περίμενε "
        "τη βροχή."
    ),
    "zh": "下游磨坊的磨坊主说，三十年来河水从未这样低过，他要等下雨之后才会重新开始磨面，村里的人也都同意再等一等。",
    "ka": (
        "ქვედა წისქვილის მეწისქვილემ თქვა, რომ მდინარე ოცდაათი წელია ასე დაბალი არ ყოფილა და რომ ის წვიმას დაელოდება."
    ),
}


def page(paragraph: str) -> str:
    text = "".join(f"<p>{paragraph} {number}.</p>" for number in range(6))
    return (
        f'<html><body><div class="nav menu"><ul>{MENU}</ul></div><div id="content" '
        f'class="article-body"><h1>Mill</h1>{text}</div>'
        f'<div class="sidebar related"><h3>More</h3><ul>{MENU}</ul></div><div class="footer"><p>© 2026 The Lower '
        f"Mill</p></div>"
    )


@pytest.mark.parametrize("lang", PARAGRAPHS)
def test_text_and_menus_in_any_script(lang: str) -> None:
    document = gristmill.clean(page(PARAGRAPHS[lang]), lang=lang, method="mill")
    kept = [block.text for block in document.kept()]
    assert [text for text in kept if text.startswith(PARAGRAPHS[lang][:20])] == [
        f"{PARAGRAPHS[lang]} {number}." for number in range(6)
    ]
    assert not {"Home", "Weather", "© 2026 The Lower Mill"} & set(kept)


def test_the_language_does_not_matter() -> None:
    html = page(PARAGRAPHS["ru"])
    first, second = (gristmill.clean(html, lang=lang, method="mill") for lang in ("ru", "und"))
    assert [block.score for block in first.blocks] == [block.score for block in second.blocks]


def test_labels_say_what_is_conspicuous() -> None:
    document = gristmill.clean(page(PARAGRAPHS["en"]), method="mill")
    labels = {block.text: block.label for block in document.blocks}
    assert labels["Weather"] == "boilerplate: links"
    assert labels[f"{PARAGRAPHS['en']} 3."] == "text"
    for block in document.blocks:
        assert block.label.startswith("text" if block.score <= 0.5 else "boilerplate")


def test_a_higher_threshold_keeps_no_less() -> None:
    document = gristmill.clean(page(PARAGRAPHS["en"]), method="mill", roles="all")
    kept = [len(document.kept(threshold / 20)) for threshold in range(21)]
    assert kept == sorted(kept)
    assert kept[-1] == len(document.blocks)


def test_a_page_without_blocks() -> None:
    assert list(mill(Features(segment("<p></p>")), "en").labels) == []


@given(st.text(max_size=60))
def test_any_page_has_finite_features(text: str) -> None:
    features = Features(segment(f"<div class=a><p>{text}</p><ul><li>{text}<li><a href=x>{text}</a></ul></div>{text}"))
    if features.blocks:
        table = describe(features).with_words(np.zeros(len(features.page.elements.names.values)))
        assert table.shape == (len(FEATURES), len(features))
        assert np.isfinite(table).all()


def test_features_are_found_by_name() -> None:
    features = Features(segment("<title>The lower mill</title><nav><p>Home</nav><h1>The lower mill</h1><p>It grinds."))
    table = describe(features).with_words(np.zeros(len(features.page.elements.names.values)))
    expected: dict[str, list[float]] = {
        "own.is_heading": [0, 1, 0],
        "own.is_in_title": [0, 1, 0],
        "own.ends_sentence": [0, 0, 1],
        "own.begins_with_capital": [1, 1, 1],
        "holder.h1": [0, 1, 0],
        "holder.p": [1, 0, 1],
        "around.nav": [1, 0, 0],
        "before1.exists": [0, 1, 1],
        "before1.is_heading": [0, 0, 1],
        "behind2.exists": [1, 0, 0],
        "position.share_of_blocks": [0, 1 / 3, 2 / 3],
        "position.same_parent_behind": [0, 1, 0],
        "page.headings": [1 / 3] * 3,
    }
    assert {name: table[ROWS[name]].tolist() for name in expected} == {
        name: np.array(values, np.float32).tolist() for name, values in expected.items()
    }


def test_a_model_with_other_features_is_refused() -> None:
    stored = dict(models.load("mill"))
    names = list(FEATURES)
    assert Weights.of(stored).names
    stored["features"] = models.of_names([*names[:-1], "names.colour"])
    with pytest.raises(GristmillError, match=r"with names\.colour, unknown here; .* without phrases\.behind\."):
        Weights.of(stored)
    stored["features"] = models.of_names([names[1], names[0], *names[2:]])
    with pytest.raises(GristmillError, match="another order"):
        Weights.of(stored)
    del stored["features"]
    with pytest.raises(GristmillError, match=r"trained without own\.log_words"):
        Weights.of(stored)


def test_words_of_names() -> None:
    assert list(name_words("post-navLinks foo_bar2 NAV x")) == ["post", "nav", "links", "foo", "bar"]
    assert list(name_words("sideBar")) == ["side", "bar"]


@given(st.text("aBcDEfÄß-_ 1\0\U0001f600", max_size=40))
def test_words_of_names_are_the_same_by_loops_and_by_a_pattern(name: str) -> None:
    expected = [*dict.fromkeys(part.lower() for part in re.findall("[A-Z]?[a-z]{2,}|[A-Z]{2,}", name))]
    assert list(name_words(name)) == words_of_name(name) == expected


def test_what_names_say_adds_up_within_limits() -> None:
    values = NameValues({"post": 1.5, "body": 3.5, "nav": -2.0})
    names = Coded.of(["", "post", "post-body", "nav", "unknown"])
    for _ in range(2):
        assert values.of(names).tolist() == [0.0, 1.5, 4.0, -2.0, 0.0]
    assert len(values) == 5


def test_names_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mill_method, "_MAX_KNOWN_NAMES", 2)
    values = NameValues({"post": 1.5})
    assert values.of(Coded.of(["", "post", "nav", "posts", "post"])).tolist() == [0.0, 1.5, 0.0, 0.0]
    assert len(values) <= 2


NAME_ROWS = [*(f"level{level}.names" for level in range(1, 6)), "names.sum", "names.most", "names.least"]


def test_names_of_all_elements_above_are_seen() -> None:
    features = Features(segment("<div class=nav><div><p class=post>x</p></div></div><p>y</p>"))
    values = NameValues({"nav": -2.0, "post": 1.0}).of(features.page.elements.names)
    table = describe(features).with_words(values)
    inner, outer = table[[ROWS[name] for name in NAME_ROWS]].T.tolist()
    assert inner == [1.0, 0.0, -2.0, 0.0, 0.0, -1.0, 1.0, -2.0]
    assert outer == [0.0] * 8


@given(st.integers(0, 2**32 - 1))
def test_trees_equal_a_walk_through_each(seed: int) -> None:
    random = np.random.default_rng(seed)
    trees = Trees(
        random.integers(0, 5, 12, np.int32),
        random.normal(size=12).astype(np.float32),
        random.normal(size=(4, 8)).astype(np.float32),
        0.25,
    )
    rows = random.normal(size=(7, 5)).astype(np.float32)
    for row, odds in zip(rows, trees.odds(rows.T.copy()), strict=True):
        expected = 0.25
        for tree in range(4):
            questions = range(3 * tree, 3 * tree + 3)
            answers = [row[trees.columns[at]] > trees.borders[at] for at in questions]
            expected += trees.leaves[tree, sum(answer << bit for bit, answer in enumerate(answers))]
        assert odds == pytest.approx(expected, abs=1e-5)


def test_many_rows_go_through_trees_in_parts() -> None:
    random = np.random.default_rng(2)
    trees = Trees(
        np.array([0, 1], np.int32), np.zeros(2, np.float32), random.normal(size=(1, 4)).astype(np.float32), 0.0
    )
    table = random.normal(size=(2, 2500)).astype(np.float32)
    alone = [odds for column in table.T for odds in trees.odds(column[:, None].copy()).tolist()]
    assert trees.odds(table).tolist() == trees.odds_by_arrays(table).tolist() == alone


def test_stored_trees_are_the_same() -> None:
    random = np.random.default_rng(1)
    leaves = random.normal(size=(2, 4)).astype(np.float16).astype(np.float32)
    weights = Weights(
        {"nav": -1.5, "body": 0.5},
        Phrases(np.array([3, 70_000], np.uint32), np.array([0.5, -2.0], np.float32)),
        Trees(np.array([0, 3, 2, 1], np.int32), random.normal(size=4).astype(np.float32), leaves, -0.5),
    )
    again = Trees.of(weights.arrays(), "trees")
    table = random.normal(size=(4, 9)).astype(np.float32)
    assert again.odds(table).tolist() == weights.trees.odds(table).tolist()


def test_boosting_learns_what_no_single_column_tells() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(4000, 6)).astype(np.float32)
    target = (rows[:, 1] > 0) ^ (rows[:, 4] > 0.5)
    settings = Settings(trees=60, depth=3, rows=0.5, columns=1.0)
    trees = boost(rows[:3000], target[:3000], np.ones(3000), settings, 0)
    assert np.mean((trees.odds(rows[3000:].T.copy()) > 0) == target[3000:]) > 0.95
    again = boost(rows[:3000], target[:3000], np.ones(3000), settings, 0)
    assert again.leaves.tobytes() == trees.leaves.tobytes()


def test_the_threshold_of_a_page_is_low_where_little_is_sure() -> None:
    words = np.array([50, 50, 5, 5], np.int32)
    sure = threshold(np.array([0.99, 0.98, 0.02, 0.01]), words)
    unsure = threshold(np.array([0.4, 0.3, 0.2, 0.1]), words)
    assert 0.45 < sure < 0.5
    assert 0.1 < unsure < 0.2
    # Two blocks of equal length, 0.8 and 0.4: both have an expected F1 of 2 * 1.2 / (2 + 1.2), one alone less.
    assert threshold(np.array([0.8, 0.4]), np.array([9, 9], np.int32)) == pytest.approx(0.75**2 / 2)
    assert threshold(np.zeros(2), np.zeros(2, np.int32)) == 0.02


def test_pages_of_short_texts_keep_some() -> None:
    offers = "".join(
        f"<div class=item><h3>Mill {number}</h3><p>Stone, {number} sacks a day</p></div>" for number in range(30)
    )
    document = gristmill.clean(f"<title>Mills for sale</title><h1>Mills for sale</h1>{offers}", roles="all")
    assert document.words > 100


def test_probability_is_that_of_odds() -> None:
    assert probability(np.array([-1e9, 0.0, np.log(3), 1e9])) == pytest.approx([0, 0.5, 0.75, 1])


def test_the_card_says_from_what_it_was_trained_and_what_guidelines_count() -> None:
    folder = resources.files("gristmill.cleaning.models")
    card = json.loads((folder / "mill.card.json").read_text("utf-8"))
    assert [file["file"] for file in card["trained_on"]] == [f"{name}.parquet" for name in TRAINED_ON]
    assert not set(ONLY_TESTED_ON) & set(card["guidelines"])
    assert card["guidelines"]["andy-a"]["title"] < 0.1  # its gold texts are bodies of articles
    assert card["guidelines"]["cleaneval"]["title"] > 0.7
    assert card["phrases"] == len(models.load("mill")["phrases"])
    assert len((folder / "mill.npz").read_bytes()) < 3_000_000
