"""The best run of blocks, against all runs tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.literature.cleaning.subsequence import by_block, score_best_run

Page = list[tuple[int, int, bool]]
"""For each block its value, the gap before it, and whether a run may begin or end with it."""


def total(page: Page, first: int, last: int) -> int:
    """As the definition has it: the blocks of a run, and the gaps between them."""
    return sum(value for value, _, _ in page[first : last + 1]) - sum(gap for _, gap, _ in page[first + 1 : last + 1])


def naive(page: Page) -> list[float]:
    """The scores by trying all runs, in cubic time."""
    runs = {
        (first, last): total(page, first, last)
        for last in range(len(page))
        for first in range(last + 1)
        if page[first][2] and page[last][2]
    }
    best = max(runs.values(), default=0)
    if best <= 0:
        return [1.0] * len(page)
    chosen = min((run for run in runs if runs[run] == best), key=lambda run: (run[1], run[0]))
    scores = []
    for at in range(len(page)):
        through = max([0, *(value for (first, last), value in runs.items() if first <= at <= last)])
        past = max([0, *(value for (first, last), value in runs.items() if not first <= at <= last)])
        inside = chosen[0] <= at <= chosen[1]
        scores.append(past / best / 2 if inside else max(1 - through / best / 2, float(np.nextafter(0.5, 1))))
    return scores


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9), st.booleans()), max_size=12))
def test_any_page(page: Page) -> None:
    values, gaps, edges = (np.array([block[column] for block in page]) for column in range(3))
    found = score_best_run(values.astype(float), gaps.astype(float), edges.astype(np.bool_))
    assert found.values.tolist() == naive(page)
    assert found.labels == ["text" if score <= 0.5 else "boilerplate" for score in naive(page)]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9), st.just(True)), max_size=12))
def test_without_edges_a_run_may_begin_anywhere(page: Page) -> None:
    values, gaps = (np.array([block[column] for block in page], float) for column in range(2))
    assert score_best_run(values, gaps).values.tolist() == naive(page)


def test_scores_by_hand() -> None:
    """The best run is the second to fourth block: 8 - 1 + 2 - 1 + 4 = 12."""
    found = score_best_run(np.array([3.0, 8, 2, 4, 1]), np.array([9.0, 5, 1, 1, 3]))
    assert found.labels == ["boilerplate", "text", "text", "text", "boilerplate"]
    # Through the first block there is a run of 3 - 5 + 12 = 10; without the second 2 - 1 + 4 = 5 is left; without the
    # third 8; without the fourth 8 - 1 + 2 = 9; with the fifth 12 - 3 + 1 = 10.
    assert found.values == pytest.approx([1 - 5 / 12, 5 / 24, 8 / 24, 9 / 24, 1 - 5 / 12])


def test_of_equal_runs_there_is_one() -> None:
    found = score_best_run(np.array([2.0, 2.0]), np.array([0.0, 5.0]))
    assert found.labels == ["text", "boilerplate"]
    assert found.values[0] == 0.5
    assert 0.5 < found.values[1] < 0.500001


def test_nothing_of_worth() -> None:
    assert score_best_run(np.array([-1.0, 0.0]), np.zeros(2)).values.tolist() == [1, 1]
    assert score_best_run(np.zeros(0), np.zeros(0)).labels == []


def test_a_block_by_its_parts() -> None:
    """As in the docstring: 30, 20 and 40 characters with 0.1, 0.2 and 0.9 are (3 + 4) / 50; alone, 40 have 0.9."""
    found = by_block(np.array([0.1, 0.2, 0.9, 0.9]), np.array([0, 0, 0, 1]), np.array([30, 20, 40, 40]))
    assert found.values == pytest.approx([0.14, 0.9])
    assert found.labels == ["text", "boilerplate"]
