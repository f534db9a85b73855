"""Similarity hashes against a plain sum of signs, and the search for near ones against all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.arrays.dtypes import Hashes
from gristmill.dedup.documents import Sketches
from gristmill.dedup.tokens import tokenise
from gristmill.literature.dedup.simhash import SimHash, block_count, signs

hashes = st.integers(0, 2**64 - 1)


def sketches(values: Hashes) -> Sketches:
    return Sketches(values, np.arange(len(values) + 1), np.ones(len(values), np.int64))


def near(values: list[int], distance: int) -> dict[tuple[int, int], float]:
    """All pairs within the distance; of equal ones only the first is paired with others, and it with each of them."""
    first = [values.index(value) for value in values]
    pairs = {}
    for one, other in combinations(range(len(values)), 2):
        differing = (values[one] ^ values[other]).bit_count()
        if differing <= distance and first[one] == one and first[other] in (one, other):
            pairs[one, other] = 1 - differing / 64
    return pairs


def test_three_words_by_hand() -> None:
    """Charikar (2002): each bit is the sign of a sum of +1 and -1, one for each word (thesis, 3.2.2).

    Words 0b0110, 0b0011 and 0b0111 have, from bit 3 on, the sums -3, +1, +3 and +1: the hash is 0b0111. With 0b0100 for
    the last, they are -3, +1, +1 and -1: 0b0110. These two differ in one of 64 bits, so that the score is 63/64.
    """
    words = np.array([0b0110, 0b0011, 0b0111, 0b0110, 0b0011, 0b0100], np.uint64)
    found = signs(words, np.array([0, 3, 6]))
    assert found.tolist() == [0b0111, 0b0110]
    pairs = SimHash(distance=1).match(sketches(found))
    assert (pairs.first.tolist(), pairs.second.tolist(), pairs.scores.tolist()) == ([0], [1], [63 / 64])


@given(st.lists(st.lists(hashes, min_size=1, max_size=9), max_size=6), st.sampled_from([1, 60, 300]))
def test_signs_against_a_plain_sum(drawn: list[list[int]], times: int) -> None:
    rows = [row * times for row in drawn]
    starts = np.append(0, np.cumsum([len(row) for row in rows])).astype(np.int64)
    found = signs(np.array([value for row in rows for value in row], np.uint64), starts)
    sums = [[sum(1 if value >> bit & 1 else -1 for value in row) for bit in range(64)] for row in drawn]
    assert found.tolist() == [sum(1 << bit for bit in range(64) if row[bit] >= 0) for row in sums]


@given(st.data(), st.integers(0, 6))
def test_search_against_all_pairs(data: st.DataObject, distance: int) -> None:
    flips = st.sets(st.integers(0, 63), max_size=8).map(lambda bits: sum(1 << bit for bit in bits))
    bases = data.draw(st.lists(hashes, min_size=1, max_size=3))
    values = data.draw(
        st.lists(st.tuples(st.sampled_from(bases), flips).map(lambda drawn: drawn[0] ^ drawn[1]), max_size=25)
    )
    pairs = SimHash(distance=distance).match(sketches(np.array(values, np.uint64)))
    found = dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.scores.tolist(), strict=True))
    assert found == near(values, distance)


@pytest.mark.parametrize("distance", [0, 1, 3, 5])
def test_search_among_many(distance: int) -> None:
    random = np.random.default_rng(distance)
    values = random.integers(0, 2**64, 30_000, dtype=np.uint64)
    changed = values[:2000].copy()
    for _ in range(4):
        changed ^= np.uint64(1) << random.integers(0, 64, 2000, dtype=np.uint64)
    differing = np.bitwise_count(changed ^ values[:2000])
    pairs = SimHash(distance=distance).match(sketches(np.concatenate([values, changed])))
    assert np.array_equal(pairs.first, np.flatnonzero(differing <= distance))
    assert np.array_equal(pairs.second, pairs.first + 30_000)


def test_more_hashes_more_tables() -> None:
    assert block_count(1000, 3) == 4
    counts = [block_count(10**exponent, 3) for exponent in range(10)]
    assert counts == sorted(counts)
    assert counts[-1] > 4
    assert block_count(10**6, 63) == 64


def test_similar_texts() -> None:
    words = [f"w{number}" for number in np.random.default_rng(4).integers(0, 400, 1000)]
    method = SimHash()
    made = method.sketch(
        tokenise([" ".join(words), " ".join(words[:995]), " ".join(reversed(words)), "quite another text", ""])
    )
    pairs = method.match(made)
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [(0, 1), (0, 2)]
    assert pairs.scores[0] < 1
    assert pairs.scores[1] == 1


@given(st.lists(st.one_of(st.none(), hashes), max_size=8))
def test_scores_of_all_pairs(values: list[int | None]) -> None:
    """Each pair once, near or not; a document without words has no hash, and no score."""
    counts = np.array([value is not None for value in values], np.int64)
    made = Sketches(
        np.array([value for value in values if value is not None], np.uint64), np.append(0, np.cumsum(counts)), counts
    )
    found = {
        (one, other): score
        for part in SimHash().all_scores(made)
        for one, other, score in zip(part.first.tolist(), part.second.tolist(), part.scores.tolist(), strict=True)
    }
    assert found == {
        (one, other): 1 - (first ^ second).bit_count() / 64
        for (one, first), (other, second) in combinations(enumerate(values), 2)
        if first is not None and second is not None
    }
