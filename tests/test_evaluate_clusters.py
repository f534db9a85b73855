"""Agreement of clusters and scored pairs with the truth, against going through all pairs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.evaluation.clusters import Agreement, Labels, ScoredPairs, au_roc, b_cubed, linked_au_roc, pairwise

SCORES = [0.0, 0.25, 0.5, 1.0]


@st.composite
def two_labellings(draw: st.DrawFn) -> tuple[Labels, Labels]:
    count = draw(st.integers(1, 9))
    labels = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    return np.array(draw(labels)), np.array(draw(labels))


@st.composite
def labels_and_scores(draw: st.DrawFn) -> tuple[Labels, dict[tuple[int, int], float]]:
    true = np.array(draw(st.lists(st.integers(0, 2), min_size=2, max_size=7)))
    pairs = list(combinations(range(len(true)), 2))
    scores = draw(st.lists(st.sampled_from(SCORES), min_size=len(pairs), max_size=len(pairs)))
    return true, dict(zip(pairs, scores, strict=True))


def together(labels: Labels) -> set[tuple[int, int]]:
    return {(one, other) for one, other in combinations(range(len(labels)), 2) if labels[one] == labels[other]}


def slow_area(true: Labels, scores: dict[tuple[int, int], float]) -> float | None:
    wanted = together(true)
    others = scores.keys() - wanted
    if not wanted or not others:
        return None
    wins = sum(
        Fraction((scores[one] > scores[other]) * 2 + (scores[one] == scores[other]), 2)
        for one in wanted
        for other in others
    )
    return float(wins / len(wanted) / len(others))


def scored(scores: dict[tuple[int, int], float]) -> ScoredPairs:
    first, second = zip(*scores, strict=True)
    return ScoredPairs.of(first, second, list(scores.values()))


@given(two_labellings())
def test_pairwise_counts_pairs(labels: tuple[Labels, Labels]) -> None:
    found, true = map(together, labels)
    agreement = pairwise(*labels)
    assert agreement.precision == pytest.approx(len(found & true) / len(found) if found else 1)
    assert agreement.recall == pytest.approx(len(found & true) / len(true) if true else 1)


@given(two_labellings())
def test_b_cubed_is_the_mean_over_documents(labels: tuple[Labels, Labels]) -> None:
    found, true = labels
    common = [int(((found == found[at]) & (true == true[at])).sum()) for at in range(len(found))]
    agreement = b_cubed(found, true)
    assert agreement.precision == pytest.approx(
        np.mean([count / (found == found[at]).sum() for at, count in enumerate(common)])
    )
    assert agreement.recall == pytest.approx(
        np.mean([count / (true == true[at]).sum() for at, count in enumerate(common)])
    )


@given(labels_and_scores())
def test_au_roc_is_the_chance_that_a_true_pair_scores_higher(
    drawn: tuple[Labels, dict[tuple[int, int], float]],
) -> None:
    true, scores = drawn
    area = slow_area(true, scores)
    assert au_roc([scored(scores)], true) == (None if area is None else pytest.approx(area))


@given(labels_and_scores())
def test_linked_scores_are_those_of_the_weakest_link_of_the_best_chain(
    drawn: tuple[Labels, dict[tuple[int, int], float]],
) -> None:
    true, scores = drawn
    best = dict(scores)
    for middle in range(len(true)):
        for (one, other), score in best.items():
            links = [best.get((min(end, middle), max(end, middle)), 0.0) for end in (one, other)]
            best[one, other] = max(score, min(links))
    area = slow_area(true, best)
    assert linked_au_roc(scored(scores), true) == (None if area is None else pytest.approx(area))


def test_labels_may_be_names() -> None:
    found, true = np.array(["x", "x", "y"]), np.array(["a", "a", "a"])
    assert pairwise(found, true) == Agreement(1.0, 1 / 3)
    assert b_cubed(found, true).recall == pytest.approx(5 / 9)


def test_no_documents_and_nothing_to_find() -> None:
    nothing = np.empty(0, np.int64)
    assert pairwise(nothing, nothing) == b_cubed(nothing, nothing) == Agreement(1.0, 1.0)
    assert linked_au_roc(ScoredPairs.of([], [], []), nothing) is None
    assert au_roc([ScoredPairs.of([], [], [])], np.array([1, 2, 3])) is None
    assert Agreement(0.0, 0.0).f1 == 0


def test_a_pair_counts_once_with_its_best_score() -> None:
    pairs = ScoredPairs.of([1, 0, 2, 3], [0, 1, 2, 4], [0.2, 0.7, 1.0, 0.0])
    assert (pairs.first.tolist(), pairs.second.tolist(), pairs.scores.tolist()) == ([0], [1], [0.7])
    assert not len(pairs.above(0.7).first)


def test_many_documents_take_no_time_in_their_square() -> None:
    count = 50_000
    true = np.arange(count) // 2
    pairs = ScoredPairs.of(np.arange(0, count, 2), np.arange(1, count, 2), np.full(count // 2, 0.5))
    assert au_roc([pairs], true) == linked_au_roc(pairs, true) == 1
    assert pairwise(np.zeros(count, np.int64), true).precision == pytest.approx(1 / (count - 1))
