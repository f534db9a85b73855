"""Lists of words: which words they hold, and how often documents that differ in some words have one in common."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gristmill.dedup.tokens import Tokens, tokenise
from gristmill.literature.dedup.pugh import Pugh, acceptance

PAIRS = 2000


def found(method: Pugh, texts: list[str]) -> dict[tuple[int, int], float]:
    pairs = method.match(method.sketch(tokenise(texts)))
    return dict(zip(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True), pairs.scores.tolist(), strict=True))


def test_lists_of_the_example() -> None:
    """Words go into the same list wherever they stand, so a changed word changes one list or two, and order counts."""
    text = "eat to live but do not live to eat"
    method = Pugh(lists=3, least=1)
    assert found(method, [text, text]) == {(0, 1): 1.0}
    changed = found(method, [text, text.replace("but", "and")])
    assert list(changed) == [(0, 1)]
    assert changed[0, 1] in (1 / 3, 1 / 2, 2 / 3)
    assert not found(Pugh(lists=1, least=1), ["one two three", "three two one"])


@pytest.mark.parametrize(("n", "p", "k"), [(4, 0.1, 5), (8, 0.2, 10), (10, 0.5, 2), (3, 0.05, 40)])
def test_acceptance(n: int, p: float, k: int) -> None:
    words = np.random.default_rng(k).integers(0, 2**64, (PAIRS, 200 + k), dtype=np.uint64)
    hashes = np.concatenate([words, words[:, :200]], axis=1)  # the last k words are left out of the second document
    starts = np.append(0, np.cumsum(np.tile([200 + k, 200], PAIRS)))
    method = Pugh(lists=n, p=p, least=1)
    pairs = method.match(method.sketch(Tokens(hashes.ravel(), starts)))
    share = acceptance(n, p, k)
    assert (pairs.first % 2 == 0).all()
    assert (pairs.second == pairs.first + 1).all()
    assert len(pairs.first) / PAIRS == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / PAIRS))


def test_short_lists_are_left_out() -> None:
    texts = ["the mill", "the mill"]
    assert not found(Pugh(), texts)
    assert found(Pugh(lists=1, least=2), texts) == {(0, 1): 1.0}


def test_more_equal_lists() -> None:
    words = [f"w{number}" for number in range(300)]
    texts = [" ".join(words), " ".join([*words[:150], "x", *words[151:]])]
    assert found(Pugh(equal=8), texts)[0, 1] >= 0.8
    assert not found(Pugh(equal=10), texts)


def test_long_documents_have_shorter_lists() -> None:
    """With p = 0.2 and adapt = 100 it is 0.2 up to 199 words, 0.1 from 200, 0.05 from 400."""
    method = Pugh(p=0.2, adapt=100)
    assert method.probabilities(np.array([0, 1, 199, 200, 399, 400, 1600])).tolist() == [
        0.2, 0.2, 0.2, 0.1, 0.1, 0.05, 0.0125,
    ]  # fmt: skip
    assert Pugh(p=0.2).probabilities(np.array([0, 5000])).tolist() == [0.2, 0.2]


def test_length_makes_documents_more_alike() -> None:
    """With ten lists, pairs that differ in ten words are found as often as p says, which is an eighth at 800 words."""
    k, short, long = 10, 150, 900
    assert acceptance(10, 0.2, k) == pytest.approx(0.678, abs=0.001)
    assert acceptance(10, 0.2 / 8, k) == pytest.approx(1.0, abs=0.001)
    method = Pugh(lists=10, p=0.2, adapt=100, least=1)
    for length, p in ((short, 0.2), (long, 0.2 / 8)):
        words = np.random.default_rng(length).integers(0, 2**64, (300, length), dtype=np.uint64)
        hashes = np.concatenate([words, words[:, :-k]], axis=1)
        starts = np.append(0, np.cumsum(np.tile([length, length - k], 300)))
        found_pairs = len(method.match(method.sketch(Tokens(hashes.ravel(), starts))).first)
        share = acceptance(10, p, k)
        assert found_pairs / 300 == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 300) + 0.01)
