"""jusText as the thesis has it: the two algorithms, line by line, against a literal copy of their rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.clean import clean_page
from gristmill.clean.methods.justext import Class, Thresholds, classify, settle
from gristmill.document import Block, Page

STOP_WORDS = frozenset({"the", "The", "of"})


def block(stop: int, other: int, link_words: int = 0, extra: str = "", path: str = "html/body/p") -> Block:
    text = " ".join(["the"] * stop + ["mill"] * other) + extra
    return Block(text, "p", path, 0, 0, stop + other, link_words, int(link_words > 0), 0)


@pytest.mark.parametrize(
    ("given_block", "expected"),
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
        (block(5, 4, path="html/body/select/option"), "bad"),
    ],
)
def test_algorithm_2_2(given_block: Block, expected: str) -> None:
    assert classify(given_block, STOP_WORDS, Thresholds()) == expected


def test_words_are_alphabetic_runs_and_case_counts() -> None:
    text = "THE of-the 12 the, (The) " + "mill " * 6
    words = Block(text.strip(), "p", "", 0, 0, 11, 0, 0, 0)
    # of "THE", "of-the", "the", "The" and six mills, two are stop words
    assert classify(words, STOP_WORDS, Thresholds(stopwords_low=0.19, stopwords_high=0.9)) == "near-good"
    assert classify(words, STOP_WORDS, Thresholds(stopwords_low=0.20, stopwords_high=0.9)) == "bad"


def test_without_a_stop_list_length_decides() -> None:
    assert classify(block(0, 50), frozenset(), Thresholds()) == "good"
    assert classify(block(0, 20), frozenset(), Thresholds()) == "near-good"


def sequential(classes: list[Class]) -> list[bool]:
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
def test_algorithm_2_3(classes: list[Class]) -> None:
    assert settle(classes) == sequential(classes)


def test_the_example_of_the_figure() -> None:
    """Short blocks between good and bad ones are kept up to the near-good block that is closest to the bad side."""
    classes: list[Class] = ["bad", "short", "near-good", "short", "good", "short", "bad"]
    assert settle(classes) == [False, False, True, True, True, False, False]


def test_scores_say_what_labels_say(sample_pages: dict[str, Page]) -> None:
    for page in list(sample_pages.values())[:30]:
        for found in clean_page(page).blocks:
            assert (found.score < 0.5) == found.label.endswith("good")
            assert found.label != ""


def test_quality_on_the_sample(sample_pages: dict[str, Page], truth: dict[str, dict[str, Any]]) -> None:
    """A floor under the word F1 on running-text pages, so that a change for the worse is seen."""
    hit = found = wanted = 0
    for url, page in sample_pages.items():
        if truth[url]["type"] not in {"article", "blog", "documentation"}:
            continue
        for block_found, block_true in zip(clean_page(page).blocks, truth[url]["blocks"], strict=True):
            kept, text = block_found.score <= 0.5, block_true["role"] != "boilerplate"
            hit += block_found.words * (kept and text)
            found += block_found.words * kept
            wanted += block_found.words * text
    precision, recall = hit / found, hit / wanted
    assert 2 * precision * recall / (precision + recall) > 0.80


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(gristmill.UsageError, match="there is no cleaning method 'jusText'; did you mean 'justext'"):
        gristmill.clean("<p>x", method="jusText")
