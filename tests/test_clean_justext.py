"""jusText as the thesis has it: the two algorithms, line by line, against a literal copy of their rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.cleaning import clean_page
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.chosen import method_named
from gristmill.cleaning.methods.justext import (
    BAD,
    GOOD,
    NEAR_GOOD,
    SHORT,
    Thresholds,
    are_good_in_context,
    classify,
    justext,
)
from gristmill.cleaning.segmentation import segment
from gristmill.document import Page

NAMES = {"bad": BAD, "short": SHORT, "near-good": NEAR_GOOD, "good": GOOD}


def block(stop: int, other: int, link_words: int = 0, extra: str = "", tag: str = "p") -> str:
    """A page of one block; the link stands at the end, among the other words."""
    return f"<{tag}>{'the ' * stop}{'mill ' * (other - link_words)}<a href=x>{'mill ' * link_words}</a>{extra}"


def own_classes(page: str, lang: str = "en", limits: Thresholds = Thresholds()) -> list[int]:  # noqa: B008 - frozen
    return [int(own) for own in classify(Features(segment(page)), lang, limits)]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (block(20, 20), "good"),
        (block(20, 20, link_words=8), "good"),  # a density of exactly 0.2 is not above the limit
        (block(20, 20, link_words=9), "bad"),
        (block(5, 4), "short"),
        (block(5, 4, link_words=1), "bad"),
        (block(5, 5), "near-good"),  # ten words are not short
        (block(16, 14), "near-good"),  # thirty words are not long
        (block(16, 15), "good"),
        (block(8, 17), "near-good"),  # exactly 0.32 is not above it
        (block(31, 69), "near-good"),  # between the two densities, however long
        (block(30, 70), "bad"),
        (block(0, 50), "bad"),
        (block(20, 20, extra=" ©"), "bad"),
        (block(5, 4, tag="select><option"), "bad"),
    ],
)
def test_algorithm_2_2(page: str, expected: str) -> None:
    assert own_classes(page) == [NAMES[expected]]


def test_words_are_alphabetic_runs_and_case_counts() -> None:
    """Of "THE", "of-the", "the", "The" and six mills, two are stop words."""
    page = "<p>THE of-the 12 the, (The) " + "mill " * 6
    assert own_classes(page, limits=Thresholds(stopwords_low=0.19, stopwords_high=0.9)) == [NEAR_GOOD]
    assert own_classes(page, limits=Thresholds(stopwords_low=0.20, stopwords_high=0.9)) == [BAD]


def test_without_a_stop_list_length_decides() -> None:
    assert own_classes(block(0, 50), "und") == [GOOD]
    assert own_classes(block(0, 20), "und") == [NEAR_GOOD]


def test_the_presets() -> None:
    """Table 2.7, by blocks that A and another preset see differently, with good blocks around near-good ones."""
    for stop, other, labels in [
        (1, 3, ["short, good", "bad", "short, good", "short, good"]),  # B has no short blocks
        (2, 2, ["short, good", "near-good, good", "short, good", "short, good"]),
        (14, 13, ["near-good, good", "good", "good", "good"]),  # 27 words
        (13, 13, ["near-good, good", "near-good, good", "good", "good"]),  # 26
        (13, 12, ["near-good, good", "near-good, good", "near-good, good", "good"]),  # 25
        (11, 10, ["near-good, good", "near-good, good", "near-good, good", "good"]),  # 21
        (10, 10, ["near-good, good"] * 4),  # 20
        (31, 69, ["near-good, good", "near-good, good", "good", "good"]),
        (26, 74, ["bad", "bad", "good", "good"]),
        (25, 75, ["bad", "bad", "bad", "near-good, good"]),
        (20, 80, ["bad"] * 4),
    ]:
        good = "<p>" + "the " * 40
        page = Features(segment(f"{good}<p>{'the ' * stop}{'mill ' * other}{good}"))
        names = "justext", "justext-b", "justext-c", "justext-d"
        assert [method_named(name).score(page, "en").labels[1] for name in names] == labels, (stop, other)


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("justext", "bad"),  # 9 of 30 words are stop words: 0.30 is not above the lower threshold
        ("justext:stopwords_low=0.29", "near-good, good"),
        ("justext:stopwords_low=0.2,stopwords_high=0.29", "near-good, good"),  # 30 words are not long
        ("justext:stopwords_low=0.2,stopwords_high=0.29,length_high=29", "good"),
        ("justext:length_low=31", "short, good"),
        ("justext-d:length_low=31", "short, good"),
    ],
)
def test_parameters(spec: str, label: str) -> None:
    good = "<p>" + "the " * 40
    page = Features(segment(f"{good}<p>{'the ' * 9}{'mill ' * 21}{good}"))
    assert method_named(spec).score(page, "en").labels[1] == label


def test_the_density_of_links_is_a_parameter() -> None:
    page = Features(segment(block(20, 20, link_words=12)))
    assert justext(page, "en").labels == ["bad"]
    assert method_named("justext:max_link_density=0.3").score(page, "en").labels == ["good"]


def test_the_number_of_stop_words() -> None:
    """ "The" is the most frequent word of English, "of" is not; the first 319 have "of" too, but no "mill"."""
    page = Features(segment(f"<p>{'the mill ' * 20}<p>{'of mill ' * 20}"))
    assert method_named("justext:stop_words=1").score(page, "en").labels == ["good", "bad"]
    assert method_named("justext:stop_words=319").score(page, "en").labels == ["good", "good"]
    assert len({word.lower() for word in page.models.stop_list("en", 319)}) == 319
    assert page.models.stop_list("af", 3) == page.models.stop_list("af")  # function words have no order


def test_what_is_removed_is_no_neighbour() -> None:
    """A short block between a good block and `<select>` is bad by that; without it, the next good block counts."""
    good = "<p>" + "the " * 40
    page = Features(segment(f"{good}<p>short<select><option>x</select>{good}"))
    assert justext(page, "en").labels == ["good", "short, bad", "bad", "good"]
    removing = method_named("justext:remove_select=yes").score(page, "en")
    assert removing.labels == ["good", "short, good", "bad", "good"]
    assert removing.values.tolist() == [0, 0.4, 1, 0]


def settled(classes: list[str]) -> list[bool]:
    return [good == 1 for good in are_good_in_context(np.array([NAMES[name] for name in classes], np.int8))]


def sequential(classes: list[str]) -> list[bool]:
    """Algorithm 2.3 as printed, with its helper functions spelled out."""

    def nearest(at: int, step: int, wanted: set[str]) -> str:
        at += step
        while 0 <= at < len(classes):
            if classes[at] in wanted:
                return classes[at]
            at += step
        return "bad"

    result = []
    for at, own in enumerate(classes):
        before, after = (nearest(at, step, {"good", "bad"}) for step in (-1, 1))
        if own in {"good", "bad"}:
            result.append(own == "good")
        elif own == "near-good":
            result.append("good" in {before, after})
        elif before == after:
            result.append(before == "good")
        else:
            step = -1 if before == "bad" else 1
            result.append(nearest(at, step, {"good", "bad", "near-good"}) == "near-good")
    return result


@given(st.lists(st.sampled_from(["good", "bad", "short", "near-good"])))
def test_algorithm_2_3(classes: list[str]) -> None:
    assert settled(classes) == sequential(classes)


def test_the_example_of_the_figure() -> None:
    """Short blocks between good and bad ones are kept up to the near-good block that is closest to the bad side."""
    classes: list[str] = ["bad", "short", "near-good", "short", "good", "short", "bad"]
    assert settled(classes) == [False, False, True, True, True, False, False]


def test_scores_say_what_labels_say(sample_pages: dict[str, Page]) -> None:
    for page in list(sample_pages.values())[:30]:
        for found in clean_page(page, method="justext").blocks:
            assert (found.score < 0.5) == found.label.endswith("good")
            assert found.label != ""


def test_quality_on_the_sample(sample_pages: dict[str, Page], truth: dict[str, dict[str, Any]]) -> None:
    """A floor under the word F1 on running-text pages, so that a change for the worse is seen."""
    hit = found = wanted = 0
    for url, page in sample_pages.items():
        if truth[url]["type"] not in {"article", "blog", "documentation"}:
            continue
        for block_found, block_true in zip(
            clean_page(page, method="justext").blocks, truth[url]["blocks"], strict=True
        ):
            kept, text = block_found.score <= 0.5, block_true["role"] != "boilerplate"
            hit += block_found.words * (kept and text)
            found += block_found.words * kept
            wanted += block_found.words * text
    precision, recall = hit / found, hit / wanted
    assert 2 * precision * recall / (precision + recall) > 0.80


def test_a_page_without_blocks() -> None:
    assert justext(Features(segment("")), "en").labels == []


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(gristmill.UsageError, match="there is no cleaning method 'jusText'; did you mean 'justext'"):
        gristmill.clean("<p>x", method="jusText")
