"""Henzinger's combination: pairs by super-shingles, of which those stay whose random projections agree."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill.dedup.documents import Pairs
from gristmill.dedup.documents.minhash import MinHash
from gristmill.dedup.tokens import Tokens
from gristmill.literature.dedup.henzinger import Henzinger

_WORDS = np.random.default_rng(1).integers(0, 2**64, 1200, dtype=np.uint64)


def found(pairs: Pairs) -> dict[tuple[int, int], float]:
    ends = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return dict(zip(ends, pairs.scores.tolist(), strict=True))


def documents(*texts: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> Tokens:
    return Tokens(np.concatenate(texts), np.append(0, np.cumsum([len(text) for text in texts])).astype(np.int64))


def test_sketches_have_48_bytes_of_each_method() -> None:
    made = Henzinger().sketch(documents(_WORDS, _WORDS[:0], _WORDS[:3]))
    assert np.diff(made.starts).tolist() == [6 + 6, 0, 6 + 6]
    assert (6 * 8, 384 // 8) == (48, 48)


def test_a_pair_that_agrees_in_too_few_bits_is_left_out() -> None:
    """The second has the same shingles as the first, one of them a thousand times, which takes the bits over.

    As CEDAR's paper tells it (3.1): two super-shingles of the first step, then 355 of 384 bits.
    The third has one word in 600 changed: most bits are the same, and each is half if nothing is in common.
    """
    changed = _WORDS.copy()
    changed[600] = 7
    tokens = documents(_WORDS, np.concatenate([_WORDS, np.tile(_WORDS[:1], 1000)]), changed)
    assert (Henzinger().r, Henzinger().agree, Henzinger().bits) == (2, 355, 384)
    by_shingles = MinHash(n=8)
    assert set(found(by_shingles.match(by_shingles.sketch(tokens)))) == {(0, 1), (0, 2)}
    method = Henzinger()
    scores = found(method.match(method.sketch(tokens)))
    assert list(scores) == [(0, 2)]
    assert scores[0, 2] >= 355 / 384
    everything = Henzinger(agree=1)
    scores = found(everything.match(everything.sketch(tokens)))
    assert set(scores) == {(0, 1), (0, 2)}
    assert scores[0, 1] < 300 / 384


def test_score_is_the_share_of_equal_bits() -> None:
    method = Henzinger(agree=1)
    made = method.sketch(documents(_WORDS, np.append(_WORDS, _WORDS[:1])))
    one, other = made.features.reshape(2, 12).tolist()
    equal = 384 - sum((left ^ right).bit_count() for left, right in zip(one[6:], other[6:], strict=True))
    assert found(method.match(made)) == {(0, 1): pytest.approx(equal / 384)}
    assert [found(part) for part in method.all_scores(made)] == [{(0, 1): pytest.approx(equal / 384)}]
