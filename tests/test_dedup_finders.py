"""All finders of duplicate n-grams find what a plain count finds, in whatever memory, and say so when they can't."""

from __future__ import annotations

import errno
import io
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.arrays.hashing import mix
from gristmill.dedup.onion import runs, spex, suffix
from gristmill.dedup.onion.finders import FINDERS, Finder
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.errors import GristmillError

Corpus = list[list[list[int]]]
"""Batches of documents of words."""

ENOUGH = 1 << 24
MEBIBYTE = 1 << 20
ONE_BATCH = MEBIBYTE // 2

corpora = st.lists(st.lists(st.lists(st.integers(0, 4), max_size=25), max_size=6), max_size=4)


def batch(documents: list[list[int]]) -> Tokens:
    words = np.array([word for document in documents for word in document], np.uint64)
    return Tokens(mix(words), np.append(0, np.cumsum([len(document) for document in documents], dtype=np.int64)))


def reader(corpus: Corpus) -> Callable[[], Iterator[Tokens]]:
    return lambda: map(batch, corpus)


def count(corpus: Corpus, n: int) -> Counter[tuple[int, ...]]:
    documents = [document for documents in corpus for document in documents]
    return Counter(tuple(document[at : at + n]) for document in documents for at in range(len(document) - n + 1))


def expected(corpus: Corpus, n: int) -> list[int]:
    again = [list(gram) for gram, times in count(corpus, n).items() if times > 1]
    return sorted(shingle(batch(again), n).hashes.tolist())


def random_tokens(words: int, vocabulary: int, document: int = 500, seed: int = 1) -> Tokens:
    numbers = np.random.default_rng(seed).zipf(1.2, words) % vocabulary
    return Tokens(mix(numbers.astype(np.uint64)), np.append(np.arange(0, words, document), words))


def slices(tokens: Tokens, documents: int) -> Callable[[], Iterator[Tokens]]:
    """Read tokens so many documents at a time."""

    def read() -> Iterator[Tokens]:
        for at in range(0, len(tokens.starts) - 1, documents):
            starts = tokens.starts[at : at + documents + 1]
            yield Tokens(tokens.hashes[starts[0] : starts[-1]], starts - starts[0])

    return read


@pytest.fixture(params=["spex", "suffix"])
def finder(request: pytest.FixtureRequest) -> Finder:
    return FINDERS[request.param]


NASCENT, EFFORT, IS, A, MILL = range(5)
BY_HAND = [[[NASCENT, EFFORT, IS, A, MILL]], [[A, MILL, IS, EFFORT]]]
"""Thesis, 3.4.1: "nascent effort" can only be repeated if both of its words are, and here "nascent" is not."""


def test_spex_by_hand() -> None:
    """The columns of Table 3.1: n-grams that occur once, those pruned, repeated ones, how often, and those in memory.

    Words: nascent occurs once, the four others twice. Pairs: a mill occurs twice, five others once, of which nascent
    effort is pruned; in memory are a mill, the four that are left, and the four repeated words.
    """
    found = list(spex.iterations(reader(BY_HAND), 2, ENOUGH))
    assert found == [spex.Iteration(1, 1, 0, 4, 8, 5), spex.Iteration(2, 5, 1, 1, 2, 9)]


def test_repeated_pairs_by_hand(finder: Finder, tmp_path: Path) -> None:
    assert finder(reader(BY_HAND), 2, ENOUGH, tmp_path).tolist() == shingle(batch([[A, MILL]]), 2).hashes.tolist()


@given(corpus=corpora, n=st.integers(1, 7))
def test_against_a_plain_count(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, n: int) -> None:
    work = tmp_path_factory.getbasetemp()
    for name, find in FINDERS.items():
        assert find(reader(corpus), n, ENOUGH, work).tolist() == expected(corpus, n), name


@given(corpus=corpora, n=st.integers(1, 5), words=st.integers(1, 20))
def test_suffix_in_chunks_of_few_words(
    tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, n: int, words: int
) -> None:
    memory = suffix.BYTES_PER_WORD * words * 4 // 3 + 400
    assert suffix.find(reader(corpus), n, memory, tmp_path_factory.getbasetemp()).tolist() == expected(corpus, n)


@given(corpus=corpora, n=st.integers(1, 6))
def test_iterations_count_as_a_plain_count_does(corpus: Corpus, n: int) -> None:
    types_before = 0
    for iteration in spex.iterations(reader(corpus), n, ENOUGH):
        times = count(corpus, iteration.n)
        again = {gram for gram, number in times.items() if number > 1}
        before = {gram for gram, number in count(corpus, iteration.n - 1).items() if number > 1}
        pruned = sum(1 for gram in times if iteration.n > 1 and not {gram[1:], gram[:-1]} <= before)
        unique = len(times) - len(again)
        assert iteration == spex.Iteration(
            iteration.n, unique, pruned, len(again), times.total() - unique, len(again) + unique - pruned + types_before
        )
        types_before = len(again)


def test_spex_sorts_in_many_small_lots(tmp_path: Path) -> None:
    tokens = random_tokens(30_000, 3_000)
    lots = spex.find(slices(tokens, 2), 3, 600_000, tmp_path)
    hashes, times = np.unique(shingle(tokens, 3).hashes, return_counts=True)
    assert lots.tolist() == hashes[times > 1].tolist()


def test_suffix_merges_in_several_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suffix, "_MAX_MERGED_RUNS", 3)
    tokens = random_tokens(20_000, 3_000)
    found = suffix.find(slices(tokens, 7), 3, 250_000, tmp_path)
    hashes, times = np.unique(shingle(tokens, 3).hashes, return_counts=True)
    assert found.tolist() == hashes[times > 1].tolist()


def test_one_text_over_and_over(finder: Finder, tmp_path: Path) -> None:
    tokens = Tokens(np.tile(random_tokens(5_000, 2_000).hashes, 8), np.arange(0, 40_001, 5_000))
    found = finder(slices(tokens, 3), 10, ENOUGH, tmp_path)
    assert found.tolist() == np.unique(shingle(tokens, 10).hashes).tolist()


def test_one_word_over_and_over(finder: Finder, tmp_path: Path) -> None:
    tokens = Tokens(np.full(100_000, 7, np.uint64), np.array([0, 100_000]))
    assert len(finder(slices(tokens, 1), 10, ENOUGH, tmp_path)) == 1


def test_nothing_to_find(finder: Finder, tmp_path: Path) -> None:
    nothing: list[Corpus] = [[], [[]], [[[], []]], [[[1, 2]]], [[[1, 2, 3]], [[1, 2, 4]]]]
    for corpus in nothing:
        assert finder(reader(corpus), 3, ENOUGH, tmp_path).tolist() == []


def test_long_n_grams(finder: Finder, tmp_path: Path) -> None:
    document = list(range(160))
    assert len(finder(reader([[document, document[1:]], [document[:-1]]]), 100, ENOUGH, tmp_path)) == 61


@pytest.mark.parametrize("copies", [1, 8])
def test_suffix_stays_within_memory(copies: int, tmp_path: Path) -> None:
    tokens = Tokens(np.tile(random_tokens(80_000 // copies, 10_000).hashes, copies), np.arange(0, 80_001, 1_000))
    assert peak(lambda: suffix.find(slices(tokens, 2), 10, 2 * MEBIBYTE, tmp_path)) < 2 * MEBIBYTE + ONE_BATCH


def test_spex_stays_within_memory_or_raises(tmp_path: Path) -> None:
    tokens = random_tokens(40_000, 10_000)
    most = max(iteration.stored for iteration in spex.iterations(slices(tokens, 2), 3, ENOUGH))
    enough = most * spex.BYTES_PER_SHINGLE * 4 // 3 + 1
    assert peak(lambda: spex.find(slices(tokens, 2), 3, enough, tmp_path)) < enough + ONE_BATCH
    with pytest.raises(GristmillError, match=r"more [23]-grams have to be held, at 9 bytes each.*`buckets`"):
        spex.find(slices(tokens, 2), 3, enough * 3 // 4, tmp_path)


def peak(work: Callable[[], object]) -> int:
    """The most memory that it takes at a time, in bytes."""
    shingle(random_tokens(100, 10), 1)  # has tables made that all texts share
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_too_many_different_words(tmp_path: Path) -> None:
    with pytest.raises(GristmillError, match=r"2,000 or more different words.*`buckets`"):
        suffix.find(reader([[list(range(2_000))]]), 3, 100_000, tmp_path)


def test_no_file_is_left(finder: Finder, tmp_path: Path) -> None:
    finder(reader([[[1, 2, 3, 1, 2, 3]]]), 2, ENOUGH, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_full_disk(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def flush(self) -> NoReturn:
            raise OSError(number, "full")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir: Full())  # noqa: A006, ARG005
    with pytest.raises(GristmillError, match=f"no space left in {tmp_path}"):
        suffix.find(reader([[[1, 2, 3, 1, 2, 3]]]), 2, ENOUGH, tmp_path)


def test_other_errors_of_the_disk_stay(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        suffix.find(reader([[[1, 2]]]), 2, ENOUGH, tmp_path / "not there")


@given(
    st.sets(st.tuples(*[st.sampled_from([1, 2, 255, 256, 65535, 65536, 1 << 24, (1 << 32) - 1])] * 3)),
    st.integers(1, 9),
    st.data(),
)
def test_runs_give_back_what_was_written(grams: set[tuple[int, ...]], most: int, data: st.DataObject) -> None:
    rows = np.array([(*gram, data.draw(st.integers(0, 1))) for gram in sorted(grams)], np.uint32).reshape(-1, 4)
    run = runs.write(io.BytesIO(), [rows], most)
    assert np.concatenate([np.empty((0, 4), np.uint32), *run.blocks(3)]).tolist() == rows.tolist()


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 6), st.integers(3, 1 << 31))
def test_suffixes_are_sorted(words: list[int], n: int, largest: int) -> None:
    chunk = np.array([*words, *[0] * (n + 1)], np.uint32)
    order, ranks = suffix.sort_suffixes(chunk, n, largest)
    windows = [tuple(chunk[at : at + n].tolist()) for at in range(len(words) + 1)]
    assert sorted(order.tolist()) == list(range(len(words) + 1))
    assert [windows[at] for at in order] == sorted(windows)
    whole = [at for at in range(len(words) + 1) if 0 not in windows[at]]
    assert [ranks[at] for at in whole] == [sorted(windows).index(windows[at]) for at in whole]
