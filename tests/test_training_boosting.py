"""Boosting: compiled and by operations on arrays it is the same, and it goes on from where it is told."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.evaluation.training.boosting import Settings, add_up, add_up_by_arrays, boost
from gristmill.kernel import boosting as loops

SETTINGS = Settings(trees=30, depth=3, rows=0.5, columns=1.0)


def example(seed: int, number: int = 2000) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Rows whose answer is in two columns together."""
    rows = np.random.default_rng(seed).random((number, 4), np.float32)
    return rows, (rows[:, 1] > 0.5) != (rows[:, 3] > 0.3)


def correct(odds: Floats, is_text: npt.NDArray[np.bool_]) -> float:
    return float(np.mean((odds > 0) == is_text))


@given(st.integers(0, 2**32), st.integers(0, 7), st.sampled_from([1, 2, 64]), st.sampled_from([1, 3, 32, 256]))
def test_all_ways_of_adding_up_are_the_same(seed: int, columns: int, leaves: int, bins: int) -> None:
    random = np.random.default_rng(seed)
    number = int(random.integers(0, 300))
    table = random.integers(0, bins, (columns, number), np.uint8)
    places = random.integers(0, leaves, number, np.uint8)
    derivatives = random.normal(size=(number, 2))
    found = add_up(table, places, derivatives, leaves, bins)
    assert found.shape == (columns, leaves, bins, 2)
    for way in (loops.add_derivatives, add_up_by_arrays):
        assert (found == way(table, places, derivatives, leaves, bins)).all()


def test_more_rows_than_fit_at_once() -> None:
    random = np.random.default_rng(0)
    table, places = random.integers(0, 32, (4, 20_000), np.uint8), random.integers(0, 8, 20_000, np.uint8)
    derivatives = random.normal(size=(20_000, 2))
    expected = add_up_by_arrays(table, places, derivatives, 8, 32)
    assert (add_up(table, places, derivatives, 8, 32) == expected).all()


@pytest.mark.parametrize("add", [kernel.add_derivatives, loops.add_derivatives])
@pytest.mark.parametrize(
    ("leaves", "bins", "rows", "message"),
    [(2, 2, 3, "bin that"), (1, 3, 3, "leaf that"), (2, 3, 2, "numbers of rows"), (0, 3, 3, "1 to 256"),
     (2, 257, 3, "1 to 256")],
)  # fmt: skip
def test_what_does_not_fit_is_refused(add: object, leaves: int, bins: int, rows: int, message: str) -> None:
    table, places = np.array([[0, 1, 2]], np.uint8), np.array([0, 1, 0], np.uint8)
    with pytest.raises(ValueError, match=message):
        add(table, places, np.ones((rows, 2)), leaves, bins)  # type: ignore[operator]


def test_rows_of_weight_zero_are_left_out() -> None:
    rows, is_text = example(0)
    wrong = np.arange(len(rows)) % 3 == 0
    trees = boost(rows, is_text ^ wrong, np.where(wrong, 0.0, 1.5), SETTINGS, 0)
    alone = boost(rows[~wrong], is_text[~wrong], np.full(int((~wrong).sum()), 1.5), SETTINGS, 0)
    assert trees.leaves.tobytes() == alone.leaves.tobytes()
    assert trees.borders.tobytes() == alone.borders.tobytes()


def test_weights_say_how_much_a_row_counts() -> None:
    rows, is_text = example(0)
    is_new = np.arange(len(rows)) % 2 == 0  # these say the opposite, and count more
    trees = boost(rows, is_text ^ is_new, np.where(is_new, 1.9, 0.1), SETTINGS, 0)
    assert correct(trees.odds(rows.T.copy()), ~is_text) > 0.9


def test_boosting_goes_on() -> None:
    rows, is_text = example(0)
    first = boost(rows, is_text, np.ones(len(rows)), Settings(trees=1, depth=1, rows=0.5, columns=1.0), 0)
    before = first.odds(rows.T.copy())
    more = boost(rows, is_text, np.ones(len(rows)), SETTINGS, 1, before)
    assert more.start == 0
    assert correct(before, is_text) < correct(before + more.odds(rows.T.copy()), is_text)
    sure = np.where(is_text, 20.0, -20.0)
    assert np.abs(boost(rows, is_text, np.ones(len(rows)), SETTINGS, 1, sure).leaves).max() < 1e-4
