"""The kernel of the tagger `own`: the same compiled and not, and what the algorithms are meant to compute."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest
from fuzzing.kernel import KERNEL, PYTHON, _calls_of_taggers, outcome, plain
from numpy.typing import NDArray

from gristmill.annotation.tagging.training import _role_keys
from gristmill.arrays.dtypes import Array

WORDS = b"The mills of G\xc3\xb6ttingen are not the miller's: 3,50 a mill! \xe6\xb0\xb4\xe8\xbb\x8a e-mail XIV"


@pytest.mark.parametrize("seed", range(6))
def test_compiled_and_not(seed: int) -> None:
    random = Random(seed)
    for call in _calls_of_taggers(WORDS, random):
        found, expected = plain(outcome(KERNEL, call, 1)), plain(outcome(PYTHON, call, 2))
        assert found == expected, call[0]
        assert not isinstance(found, type), f"{call[0]} raised {found}"


MISFITS = {
    "find_tags": [0, 1, 2, 3, 4],
    "find_bundles": [0, 1, 2, 3, 4, 5, 6, 7],
    "learn_tags": [0, 1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 14, 15],
    "learn_values": [0, 1, 2, 3, 4, 7, 8, 10, 11, 12, 13, 14],
}
"""Which arguments of a function must have the length that they have."""


@pytest.mark.parametrize("kernel", [KERNEL, PYTHON], ids=["kernel", "python"])
def test_arrays_that_do_not_fit(kernel: Any) -> None:
    for name, given in _calls_of_taggers(WORDS, Random(1)):
        for at in MISFITS.get(name, ()):
            changed: list[Any] = list(given)
            changed[at] = np.ascontiguousarray(changed[at][:0])
            with pytest.raises(ValueError, match=r"."):
                getattr(kernel, name)(*changed)
            if given[at].dtype == np.int32 and (name, at) != ("find_tags", 4):  # steps may be of any size
                changed[at] = np.full_like(given[at], 1 << 20)
                with pytest.raises(ValueError, match=r"."):
                    getattr(kernel, name)(*changed)
                changed[at] = np.full_like(given[at], -9)
                if (name, at) != ("learn_values", 11):  # where it says that nothing is known
                    with pytest.raises(ValueError, match=r"."):
                        getattr(kernel, name)(*changed)


def test_numbers_that_do_not_fit() -> None:
    calls = dict(_calls_of_taggers(WORDS, Random(2)))
    for name, at, value in (
        ("find_bundles", 2, 255),
        ("find_bundles", 3, 2),
        ("learn_tags", 11, 200),
        ("learn_values", 11, 9),
    ):
        changed: list[Any] = list(calls[name])
        changed[at] = np.full_like(changed[at], value)
        with pytest.raises(ValueError, match="there is no such"):
            getattr(KERNEL, name)(*changed)


def score(tags: tuple[int, ...], types: list[int], caseless: Array, scores: Array, steps: Array) -> int:
    """The score of some tags of a sentence, added up as the module says."""
    padded = [0, 0, *types, 1, 1]
    total = int(steps[-1, tags[0]]) + sum(int(steps[one, other]) for one, other in pairwise(tags))
    for at, tag in enumerate(tags):
        for role, place in ((int(caseless[at]), 2), (2, 1), (3, 3), (4, 0), (5, 4)):
            total += int(scores[padded[at + place], role, tag])
    return total


@pytest.mark.parametrize("kernel", [KERNEL, PYTHON], ids=["kernel", "python"])
def test_the_best_of_all_ways_to_tag(kernel: Any) -> None:
    numbers = np.random.default_rng(0)
    for large in [3, 100, 32767] * 4:
        words, labels = 6, 3
        scores = numbers.integers(-large, large + 1, (words, 6, labels)).astype(np.int16)
        steps = numbers.integers(-large, large + 1, (labels + 1, labels)).astype(np.int32)
        traits = numbers.integers(0, 8, words).astype(np.uint8)
        types = numbers.integers(0, words, 10).astype(np.int32)
        starts = np.array([0, 5, 5, 6, 10], np.int32)
        tags, caseless = kernel.find_tags(types, starts, traits, scores, steps)
        for first, last in pairwise(starts.tolist()):
            if first < last:
                given = types[first:last].tolist(), caseless[first:last], scores, steps
                every = [score(way, *given) for way in product(range(labels), repeat=last - first)]
                assert score(tuple(tags[first:last].tolist()), *given) == max(every)


def test_the_best_bundles() -> None:
    numbers = np.random.default_rng(1)
    scores = numbers.integers(-9, 10, (5, 4, 4)).astype(np.int16)
    types, starts = np.array([2, 3, 4, 2], np.int32), np.array([0, 3, 4], np.int32)
    tags, caseless = np.array([0, 1, 0, 1], np.uint8), np.array([1, 0, 0, 1], np.uint8)
    bundle_starts, value_starts = np.array([0, 2, 5], np.int32), np.array([0, 1, 3, 3, 4, 6], np.int32)
    values = np.array([0, 1, 2, 3, 0, 3], np.int32)
    found = KERNEL.find_bundles(
        types, starts, tags, caseless, np.zeros(5, np.uint8), scores, bundle_starts, value_starts, values
    )
    around = [(0, 2, 3), (2, 3, 4), (3, 4, 1), (0, 2, 1)]
    for at, (before, own, behind) in enumerate(around):
        sums = scores[own, caseless[at]].astype(int) + scores[before, 2] + scores[behind, 3]
        low, high = bundle_starts[tags[at]], bundle_starts[tags[at] + 1]
        of_bundles = [int(sums[values[value_starts[one] : value_starts[one + 1]]].sum()) for one in range(low, high)]
        assert found[at] == low + of_bundles.index(max(of_bundles))


def learn(weights: Array, steps: Array, rate: float, rounds: int = 1) -> tuple[float, Array, Array]:
    """Learn the tags of two sentences of three word types without leaving out features; one feature for each role."""
    types, starts = np.array([2, 3, 4, 3, 2], np.int32), np.array([0, 3, 5], np.int32)
    of_roles = np.ascontiguousarray(
        np.tile(np.arange(6, dtype=np.int32), (4, 1)) + np.array([[0], [5], [10], [15]], "i4")
    )
    rows = KERNEL.Rows if hasattr(KERNEL, "Rows") else None
    assert rows is not None
    given = (of_roles, np.arange(20, dtype=np.int32), np.zeros(20, np.uint8), np.array([0, -1, 1], np.int32))
    gold, caseless = np.array([0, 1, 2, 2, 0], np.uint8), np.array([1, 0, 0, 1, 0], np.uint8)
    squares, step_squares = np.full_like(weights, 1e-8), np.full_like(steps, 1e-8)
    order = np.array([0, 1], np.int32)
    rest = types, starts, order, caseless, gold, weights, squares, steps, step_squares, rate
    loss = 0.0
    for _ in range(rounds):
        loss = KERNEL.learn_tags(*given, np.zeros(5, np.float32), 0.0, 1, *rest)
    return loss, squares, step_squares


def test_learning_lowers_the_loss() -> None:
    weights, steps = np.zeros((20, 3), np.float32), np.zeros((4, 3), np.float32)
    first, _, _ = learn(weights, steps, 0.1)
    assert first == pytest.approx(5 * np.log(3), rel=0.3)
    last, _, _ = learn(weights, steps, 0.1, rounds=30)
    assert last < first / 20


def lattice_of(scores: NDArray[np.float64], steps: NDArray[np.float32]) -> Any:
    made = PYTHON.Lattice(*scores.shape)
    made.scores[:] = scores
    made.spread(steps, len(scores))
    return made


def log_probability(tags: list[int], scores: NDArray[np.float64], steps: NDArray[np.float32]) -> float:
    """The probability of some tags, by adding up all ways to tag."""

    def of(way: tuple[int, ...]) -> float:
        between = steps[-1, way[0]] + sum(float(steps[one, other]) for one, other in pairwise(way))
        return float(between + sum(scores[at, tag] for at, tag in enumerate(way)))

    every = [of(way) for way in product(range(scores.shape[1]), repeat=len(scores))]
    return of(tuple(tags)) - float(np.logaddexp.reduce(every))


def test_derivatives_are_those_by_differences() -> None:
    numbers = np.random.default_rng(3)
    scores, steps = numbers.normal(size=(4, 3)), numbers.normal(size=(4, 3)).astype(np.float32)
    tags, small = [0, 2, 1, 1], 1e-4
    lattice = lattice_of(scores, steps)
    for at, tag in enumerate(tags):
        lattice.expect(at, tags[at - 1] if at else 3, tag)
    for place in np.ndindex(scores.shape):
        moved = scores.copy()
        moved[place] += small
        slope = (log_probability(tags, moved, steps) - log_probability(tags, scores, steps)) / small
        assert -lattice.derivatives[place] == pytest.approx(slope, abs=1e-3)
    for place in np.ndindex(steps.shape):
        wider = steps.astype(np.float64)
        wider[place] += small
        exact = steps.astype(np.float64)
        slope = (log_probability(tags, scores, wider) - log_probability(tags, scores, exact)) / small  # type: ignore[arg-type]
        assert -lattice.expected[place] == pytest.approx(slope, abs=1e-3)


def test_roles_have_the_keys_that_training_gives_them() -> None:
    keys = np.random.default_rng(4).integers(0, 1 << 32, 200, np.uint32)
    for role in range(6):
        expected = [PYTHON.role_key(key, role) for key in keys.tolist()]
        assert _role_keys(keys, role).tolist() == expected
