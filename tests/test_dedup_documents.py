"""What holds for all methods that compare whole documents, and for clusters of documents."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill.dedup import METHODS, parse
from gristmill.dedup.documents import DocumentMethod, Pairs, Sketches, best_scores, clusters, join
from gristmill.dedup.documents.intervals import Intervals
from gristmill.dedup.documents.neighbours import neighbours
from gristmill.dedup.tokens import Tokens, tokenise
from gristmill.errors import UsageError

MANY = 100_000

DOCUMENT_METHODS = {name: kind for name, kind in METHODS.items() if issubclass(kind, DocumentMethod)}
_MADE = {name: made() for name, made in DOCUMENT_METHODS.items()}
_MADE["sif"] = parse("sif:m=4")  # type: ignore[assignment]  # one in 256 leaves short documents without a hash
methods = pytest.mark.parametrize("method", list(_MADE.values()), ids=list(_MADE))
texts = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=60).map(" ".join), max_size=12)


def tokens(documents: list[str]) -> Tokens:
    return tokenise(documents, punctuation=False)


def prose(seed: int, words: int) -> str:
    return " ".join(f"w{number}" for number in np.random.default_rng(seed).integers(0, 5000, words))


def pairs_of(*pairs: tuple[int, int]) -> Pairs:
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    return Pairs(first, second, np.ones(len(pairs)))


def assert_sound(pairs: Pairs) -> None:
    assert (pairs.first < pairs.second).all()
    keys = list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert keys == sorted(set(keys))
    assert ((pairs.scores > 0) & (pairs.scores <= 1)).all()


def same(one: Sketches, other: Sketches) -> bool:
    arrays = ((one.features, other.features), (one.starts, other.starts), (one.sizes, other.sizes))
    return all(left.dtype == right.dtype and np.array_equal(left, right) for left, right in arrays)


@methods
@settings(max_examples=30)
@given(documents=texts, cut=st.integers(0, 12))
def test_sketches_do_not_depend_on_batches(method: DocumentMethod, documents: list[str], cut: int) -> None:
    whole = method.sketch(tokens(documents))
    assert same(whole, join([method.sketch(tokens(documents[:cut])), method.sketch(tokens(documents[cut:]))]))
    assert same(whole, join([method.sketch(tokens([document])) for document in documents]))
    assert_sound(method.match(whole))


@methods
def test_no_documents(method: DocumentMethod) -> None:
    for sketches in (join([]), method.sketch(tokens([]))):
        pairs = method.match(sketches)
        assert len(pairs.first) == len(pairs.second) == len(pairs.scores) == 0
        assert len(clusters(0, pairs)) == 0


@methods
def test_empty_documents_are_like_no_other(method: DocumentMethod) -> None:
    pairs = method.match(method.sketch(tokens(["", "", prose(1, 200), "", prose(1, 200), ""])))
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.scores.tolist(), strict=True)) == [(2, 4, 1.0)]
    assert len(method.match(method.sketch(tokens(["", "", ""]))).first) == 0


@pytest.mark.parametrize("name", ["minhash", "simhash", "henzinger", "heintze", "winnow", "resemblance"])
def test_copies_of_documents_shorter_than_a_shingle(name: str) -> None:
    method = DOCUMENT_METHODS[name]()
    pairs = method.match(method.sketch(tokens(["no such page", "one", "no such page", "no such", "such page"])))
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)) == [(0, 2)]


def _fewer(method: DocumentMethod, count: int) -> int:
    """So many documents, or a tenth for the method that goes through the whole text of each pair."""
    return count // 10 if isinstance(method, Intervals) else count


@methods
def test_all_documents_identical(method: DocumentMethod) -> None:
    one = method.sketch(tokens([prose(2, 100)]))
    count, many = len(one.features), _fewer(method, MANY)
    sketches = Sketches(np.tile(one.features, many), np.arange(many + 1) * count, np.repeat(one.sizes, many))
    start = time.process_time()
    pairs = method.match(sketches)
    assert not clusters(many, pairs).any()
    assert (pairs.scores == 1).all()
    assert len(pairs.first) == many - 1
    assert time.process_time() - start < 60


@methods
def test_many_variants_of_a_document(method: DocumentMethod) -> None:
    """More of them share every feature than are compared with each other; still they are one cluster, or nearly."""
    count = _fewer(method, 1000)
    words = np.tile(tokens([prose(3, 400)]).hashes, (count, 1))
    words[:, 200] = np.arange(count)
    method = dataclasses.replace(method, reach=20)
    pairs = method.match(method.sketch(Tokens(words.ravel(), np.arange(count + 1) * 400)))
    assert_sound(pairs)
    assert len(np.unique(clusters(count, pairs))) <= max(0.02 * count, 4)
    assert len(pairs.first) <= 2 * count * method.reach


@methods
def test_result_does_not_depend_on_the_order_of_unlike_documents(method: DocumentMethod) -> None:
    base = [prose(seed, 300) for seed in range(30)]
    documents = base + [document + " " + prose(100, 1) for document in base[:10]]
    order = np.random.default_rng(5).permutation(len(documents))
    straight = clusters(len(documents), method.match(method.sketch(tokens(documents))))
    shuffled = clusters(len(documents), method.match(method.sketch(tokens([documents[number] for number in order]))))
    together = straight[:, None] == straight[None, :]
    assert np.array_equal(together[np.ix_(order, order)], shuffled[:, None] == shuffled[None, :])


@pytest.mark.parametrize(
    "make",
    [
        lambda: DOCUMENT_METHODS["minhash"](k=0),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["minhash"](r=7),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["simhash"](distance=64),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["pugh"](p=1.5),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["pugh"](lists=2, equal=3),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["pugh"](adapt=100),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["henzinger"](bits=100),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["henzinger"](agree=385),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["henzinger"](r=7),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["sif"](bits=65),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["sif"](stop_words=False),
        lambda: DOCUMENT_METHODS["heintze"](choose="best"),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["heintze"](choose="rarest", n=4),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["winnow"](window=-1),  # type: ignore[call-arg]
        lambda: DOCUMENT_METHODS["wacky"](min_block=-1),
        lambda: DOCUMENT_METHODS["resemblance"](threshold=-0.1),  # type: ignore[call-arg]
    ],
)
def test_wrong_parameters(make: Callable[[], DocumentMethod]) -> None:
    with pytest.raises(UsageError, match="must be"):
        make()


@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=40))
def test_clusters_against_a_plain_search(count: int, drawn: list[tuple[int, int]]) -> None:
    edges = sorted({(min(pair), max(pair)) for pair in drawn if pair[0] != pair[1] and max(pair) < count})
    heads = list(range(count))
    for _ in range(count):
        for one, other in edges:
            heads[one] = heads[other] = min(heads[one], heads[other])
    found = clusters(count, pairs_of(*edges))
    assert found.tolist() == heads
    assert found.dtype == np.int64


def test_clusters_of_a_long_chain() -> None:
    count = 300_000
    order = np.random.default_rng(8).permutation(count)
    ends = np.stack([order[1:], order[:-1]])
    for chain in (np.stack([np.arange(count - 1), np.arange(1, count)]), np.sort(ends, axis=0)):
        assert not clusters(count, Pairs(chain[0], chain[1], np.ones(count - 1))).any()


def test_best_scores() -> None:
    pairs = Pairs(np.array([0, 0, 2]), np.array([1, 2, 4]), np.array([0.5, 0.75, 0.6]))
    assert best_scores(5, pairs).tolist() == [0.75, 0.5, 0.75, 0, 0.6]


@given(st.lists(st.integers(1, 12), max_size=8), st.integers(1, 12))
def test_neighbours(sizes: list[int], reach: int) -> None:
    bounds = np.append(0, np.cumsum(sizes)).astype(np.int64)
    found = [
        pair for left, right in neighbours(bounds, reach) for pair in zip(left.tolist(), right.tolist(), strict=True)
    ]
    expected = {
        (one, other)
        for start, end in zip(bounds.tolist(), bounds.tolist()[1:], strict=False)
        for one in range(start, end)
        for other in range(one + 1, end)
        if other - one <= reach or one == start or other == end - 1
    }
    assert len(found) == len(set(found))
    assert set(found) == expected
