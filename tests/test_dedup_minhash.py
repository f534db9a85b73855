"""Sketches estimate resemblance without bias, and super-shingles accept pairs as often as equation 3.1 says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.dedup.documents.minhash import MinHash, acceptance, minima
from gristmill.dedup.tokens import Tokens

PAIRS = 3000


def pairs_of(resemblance: float, size: int, seed: int) -> Tokens:
    """Documents of which each two in a row share that many of their words."""
    words = np.random.default_rng(seed).integers(0, 2**64, (PAIRS, size), dtype=np.uint64)
    shared = round(resemblance * size)
    middle = (size + shared) // 2
    first, second = words[:, :middle], np.concatenate([words[:, :shared], words[:, middle:]], axis=1)
    starts = np.cumsum(np.tile([first.shape[1], second.shape[1]], PAIRS))
    return Tokens(np.concatenate([first, second], axis=1).ravel(), np.append(0, starts))


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20), max_size=6), st.integers(1, 5))
def test_minima_against_a_plain_loop(values: list[list[int]], count: int) -> None:
    starts = np.append(0, np.cumsum([len(row) for row in values])).astype(np.int64)[:-1]
    found = minima(np.array([value for row in values for value in row], np.uint64), starts, count)
    factors = [int(factor) for factor in minima(np.ones(1, np.uint64), np.zeros(1, np.int64), count)[0]]
    assert all(factor % 2 for factor in factors)
    assert len(set(factors)) == count
    assert found.tolist() == [[min(value * factor % 2**64 for value in row) for factor in factors] for row in values]


def test_minima_of_a_document_longer_than_a_piece() -> None:
    values = np.random.default_rng(1).integers(0, 2**64, 100_000, dtype=np.uint64)
    whole = minima(values, np.array([0, 3, 90_000, 90_001]), 4)
    for start, end, row in zip([0, 3, 90_000, 90_001], [3, 90_000, 90_001, 100_000], whole, strict=True):
        assert np.array_equal(minima(values[start:end], np.zeros(1, np.int64), 4)[0], row)


@pytest.mark.parametrize(("resemblance", "size"), [(0.5, 20), (0.9, 20), (0.2, 200), (0.9, 200), (0.97, 200)])
def test_estimate_and_acceptance(resemblance: float, size: int) -> None:
    method = MinHash(n=1)
    tokens = pairs_of(resemblance, size, seed=size)
    rows = method.sketch(tokens).features.reshape(PAIRS, 2, method.length)
    equal = rows[:, 0] == rows[:, 1]
    estimates = equal.mean(axis=1)
    deviation = math.sqrt(resemblance * (1 - resemblance) / method.length)
    assert estimates.mean() == pytest.approx(resemblance, abs=4 * deviation / math.sqrt(PAIRS))
    assert estimates.std() == pytest.approx(deviation, rel=0.1)
    for k, s, r in [(6, 14, 2), (6, 14, 1), (14, 6, 1), (14, 6, 4), (84, 1, 43)]:
        share = acceptance(resemblance, k, s, r)
        accepted = equal.reshape(PAIRS, k, s).all(axis=2).sum(axis=1) >= r
        assert accepted.mean() == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / PAIRS) + 1e-3)
        pairs = MinHash(n=1, k=k, s=s, r=r).match(method.sketch(tokens))
        assert np.array_equal(pairs.first, 2 * np.flatnonzero(accepted))
        assert np.array_equal(pairs.second, pairs.first + 1)
        assert np.array_equal(pairs.scores, estimates[accepted])


def test_acceptance() -> None:
    assert acceptance(0.0, 6, 14, 2) == 0
    assert acceptance(1.0, 6, 14, 2) == 1
    assert acceptance(0.9, 20, 5, 1) == pytest.approx(1 - (1 - 0.9**5) ** 20)
    assert acceptance(0.5, 3, 1, 2) == pytest.approx(0.5)
    curve = [acceptance(step / 20, 6, 14, 2) for step in range(21)]
    assert curve == sorted(curve)


def test_acceptance_by_hand() -> None:
    """Two of AltaVista's six super-shingles of 14, at a resemblance of 0.9 (thesis, equation 3.1).

    One is equal with 0.9**14 = 0.22877. None of six is with 0.77123**6 = 0.21043, just one with 6 * 0.22877 *
    0.77123**5 = 0.37452, so two or more are with 0.41506.
    """
    assert acceptance(0.9, 6, 14, 2) == pytest.approx(0.41506, abs=2e-5)


def test_threshold() -> None:
    sketches = MinHash(n=1).sketch(pairs_of(0.9, 100, seed=3))
    loose, strict = MinHash(n=1).match(sketches), MinHash(n=1, threshold=0.9).match(sketches)
    assert np.array_equal(strict.scores, loose.scores[loose.scores >= 0.9])
    assert 0 < len(strict.scores) < len(loose.scores)
