"""Methods whose features are shingles, against all pairs of documents: resemblance, containment, winnow and wacky."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.dedup.documents import Pairs, Sketches
from gristmill.dedup.documents.frequent import drop_frequent
from gristmill.dedup.documents.pairs import overlaps
from gristmill.dedup.tokens import Tokens, shingle, tokenise
from gristmill.literature.dedup.containment import Containment
from gristmill.literature.dedup.resemblance import Resemblance
from gristmill.literature.dedup.wacky import Wacky
from gristmill.literature.dedup.winnow import Winnow, fingerprints

Set = frozenset[int]
Found = dict[tuple[int, int], float]

sets = st.lists(st.frozensets(st.integers(0, 25), max_size=12), max_size=14)
shares = st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 1.0])


def sketches(features: list[Set]) -> Sketches:
    flat = [feature for one in features for feature in sorted(one)]
    starts = np.append(0, np.cumsum([len(one) for one in features])).astype(np.int64)
    return Sketches(np.array(flat, np.uint64), starts, np.diff(starts))


def rows(
    values: np.ndarray[tuple[int], np.dtype[np.uint64]], starts: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> list[list[int]]:
    return [values[start:end].tolist() for start, end in pairwise(starts.tolist())]


def found(pairs: Pairs) -> Found:
    ends = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    return dict(zip(ends, pairs.scores.tolist(), strict=True))


def expected(features: list[Set], score: Callable[[Set, Set], float], least: float) -> Found:
    """All pairs; of documents with the same features only the first is paired with others, and it with each of them."""
    first = [features.index(one) for one in features]
    scores = {}
    for one, other in combinations(range(len(features)), 2):
        if features[one] & features[other] and first[one] == one and first[other] in (one, other):
            scores[one, other] = score(features[one], features[other])
    return {pair: value for pair, value in scores.items() if value >= least}


def resemblance(one: Set, other: Set) -> float:
    return len(one & other) / len(one | other)


def containment(one: Set, other: Set) -> float:
    return len(one & other) / min(len(one), len(other))


@given(sets, shares)
def test_resemblance_against_all_pairs(features: list[Set], threshold: float) -> None:
    pairs = Resemblance(threshold=threshold).match(sketches(features))
    assert found(pairs) == expected(features, resemblance, threshold)


@given(sets, shares)
def test_containment_against_all_pairs(features: list[Set], threshold: float) -> None:
    wanted = expected(features, containment, threshold)
    assert found(Containment(threshold=threshold, least=1).match(sketches(features))) == wanted
    assert found(Winnow(threshold=threshold).match(sketches(features))) == wanted
    shared = {pair: value for pair, value in wanted.items() if len(features[pair[0]] & features[pair[1]]) >= 4}
    assert found(Containment(threshold=threshold, least=4).match(sketches(features))) == shared


@given(sets, st.integers(1, 4))
def test_wacky_against_all_pairs(features: list[Set], least: int) -> None:
    wanted = expected(features, containment, 0.0)
    shared = {pair: value for pair, value in wanted.items() if len(features[pair[0]] & features[pair[1]]) >= least}
    assert found(Wacky(least=least).match(sketches(features))) == shared


@given(sets, st.integers(1, 5), st.booleans())
def test_crowds_give_fewer_pairs_but_no_wrong_ones(features: list[Set], reach: int, both: bool) -> None:
    need = np.array([max(len(one) // 2, 1) for one in features], np.int64)
    less, more = (overlaps(sketches(features), need, width, both=both) for width in (reach, 100))
    shared = dict(zip(zip(more.first.tolist(), more.second.tolist(), strict=True), more.shared.tolist(), strict=True))
    for pair, count in zip(
        zip(less.first.tolist(), less.second.tolist(), strict=True), less.shared.tolist(), strict=True
    ):
        assert shared[pair] == count == len(features[pair[0]] & features[pair[1]])


def test_resemblance_of_texts() -> None:
    words = [f"w{number}" for number in range(40)]
    texts = [" ".join(words), " ".join(words[:39]), "; ".join(words) + "!", " ".join(words[20:])]
    method = Resemblance(threshold=0.3)
    pairs = found(method.match(method.sketch(tokenise(texts, punctuation=method.punctuation))))
    assert pairs == {(0, 1): 30 / 31, (0, 2): 1.0, (0, 3): 11 / 31, (1, 3): 10 / 31}


def test_containment_finds_an_article_in_an_index() -> None:
    words = [f"w{number}" for number in range(3000)]
    articles = [" ".join(words[start : start + 600]) for start in range(0, 3000, 600)]
    tokens = tokenise([*articles, " ".join(words)])
    method = Containment()
    assert found(method.match(method.sketch(tokens))) == {(number, 5): 1.0 for number in range(5)}
    assert not found(Resemblance(threshold=0.5).match(Resemblance().sketch(tokens)))


def test_containment_sample_is_one_in_m() -> None:
    tokens = Tokens(np.random.default_rng(1).integers(0, 2**64, 200_000, dtype=np.uint64), np.array([0, 200_000]))
    sampled, everything = Containment().sketch(tokens).features, Containment(m=1).sketch(tokens).features
    assert np.isin(sampled, everything).all()
    assert len(sampled) == pytest.approx(len(everything) / 25, rel=0.05)


@given(st.lists(st.lists(st.integers(0, 9), max_size=40), max_size=6), st.integers(1, 9))
def test_winnowing_against_a_plain_loop(values: list[list[int]], window: int) -> None:
    starts = np.append(0, np.cumsum([len(row) for row in values])).astype(np.int64)
    chosen = fingerprints(np.array([value for row in values for value in row], np.uint64), starts, window)
    plain = [
        sorted({min(row[start : start + window]) for start in range(max(len(row) - window + 1, 1))}) if row else []
        for row in values
    ]
    assert rows(*chosen) == plain


@given(st.lists(st.integers(0, 5), min_size=12, max_size=40), st.lists(st.integers(0, 5), max_size=30), st.data())
def test_winnowing_guarantee(words: list[int], others: list[int], data: st.DataObject) -> None:
    """A run of window + n - 1 tokens gives both documents a fingerprint in common, wherever it stands."""
    method = Winnow(n=data.draw(st.integers(1, 6)), window=data.draw(st.integers(1, 7)))
    start = data.draw(st.integers(0, len(words) - 12))
    run = words[start : start + method.window + method.n - 1]
    place = data.draw(st.integers(0, len(others)))
    texts = [" ".join(map(str, text)) for text in (words, others[:place] + run + others[place:])]
    made = method.sketch(tokenise(texts))
    assert set.intersection(*map(set, rows(made.features, made.starts)))


def test_winnowing_by_hand() -> None:
    """The example of Schleimer et al. 2003, Figure 2, with windows of 4 hashes: 17, 17, 8, 39, 17 are selected.

    The first five windows have 17 as their smallest hash, the next four 8, the next three 39, the last two 17.
    """
    hashes = np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], np.uint64)
    assert rows(*fingerprints(hashes, np.array([0, 17]), 4)) == [[8, 17, 39]]


def test_winnowing_density() -> None:
    tokens = Tokens(np.random.default_rng(2).integers(0, 2**64, 300_000, dtype=np.uint64), np.array([0, 300_000]))
    for window in (5, 20, 100):
        density = len(Winnow(window=window).sketch(tokens).features) / 300_000
        assert density == pytest.approx(2 / (window + 1), rel=0.02)


def test_wacky_draws_the_same_from_copies() -> None:
    words = np.random.default_rng(3).integers(0, 2**64, 2000, dtype=np.uint64)
    changed = words.copy()
    changed[::50] = 1
    made = Wacky().sketch(
        Tokens(np.concatenate([words, changed, words[:8], words[:1]]), np.array([0, 2000, 4000, 4008, 4009]))
    )
    drawn = rows(made.features, made.starts)
    assert list(map(len, drawn)) == [25, 25, 4, 1]
    assert set(drawn[0]) <= set(shingle(Tokens(words, np.array([0, 2000])), 5).hashes.tolist())
    pairs = found(Wacky().match(made))
    assert list(pairs) == [(0, 1)]
    assert pairs[0, 1] == pytest.approx(0.9 / 1.1, abs=0.2)


@given(sets, st.floats(0, 1))
def test_frequent_shingles_are_dropped(features: list[Set], share: float) -> None:
    counts = {feature: sum(feature in one for one in features) for one in features for feature in one}
    kept = drop_frequent(sketches(features), share)
    left = {feature for row in rows(kept.features, kept.starts) for feature in row}
    gone = set(counts) - left
    assert len(gone) <= share * len(counts)
    assert all(counts[feature] > counts[other] for feature in gone for other in left)
    at_limit = max((counts[feature] for feature in left), default=0)
    ties = sum(counts[feature] == at_limit for feature in left)
    assert len(gone) + ties > int(share * len(counts)) or not left
    assert rows(kept.features, kept.starts) == [sorted(one & left) for one in features]


def test_frequent_shingles_do_not_count() -> None:
    features = [frozenset({0, 1, 2, 3}), frozenset({0, 4, 5, 6}), frozenset({0, 7, 8, 9}), frozenset({0, 1, 2, 7})]
    assert found(Resemblance(threshold=0.4).match(sketches(features))) == {(0, 3): 3 / 5}
    assert found(Resemblance(threshold=0.4, drop_frequent=0.1).match(sketches(features))) == {(0, 3): 2 / 4}
