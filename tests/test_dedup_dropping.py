"""Which document of a pair is dropped, where pairs make no clusters: the examples of ukWaC, and containment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from dedup_corpora import document, found, write
from hypothesis import given
from hypothesis import strategies as st

from gristmill import dedup
from gristmill.dedup.documents import Pairs
from gristmill.dedup.documents.reducing import merged, reduced
from gristmill.document import Document
from gristmill.errors import UsageError


def kept(count: int, pairs: Sequence[tuple[int, int]], first_goes: Sequence[bool], settled: int = 0) -> list[int]:
    """For each document one that is kept; rows are numbers of documents, and settled ones are no copies."""
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    made = Pairs(first, second, np.ones(len(first)), np.array(first_goes, np.bool_))
    copies, _ = merged([reduced(made, np.arange(count), 0, settled)], lambda rows: rows, settled)
    heads = np.arange(count)
    heads[copies.rows] = copies.heads
    return heads.tolist()


def test_the_examples_of_ukwac() -> None:
    """Ferraresi et al. 2008, section 2.3: with A-B, B-C and C-D only A is kept; with A-C and B-C, A and B are."""
    a, b, c, d = range(4)
    assert kept(4, [(a, b), (b, c), (c, d)], [False] * 3) == [a, a, a, a]
    assert kept(3, [(a, c), (b, c)], [False] * 2) == [a, b, a]


def test_what_is_contained_may_come_first() -> None:
    """1 is in 0 and in 3, 2 is in 1, and 3 is in 4: 0 and 4 are kept."""
    assert kept(5, [(0, 1), (1, 3), (1, 2), (3, 4)], [False, True, False, True]) == [0, 0, 0, 4, 4]


def test_settled_documents_stay() -> None:
    assert kept(4, [(0, 1), (0, 3), (1, 2)], [False, True, True], settled=2) == [0, 1, 2, 3]
    assert kept(4, [(0, 2), (1, 2), (2, 3)], [False] * 3, settled=2) == [0, 1, 0, 0]


@given(st.integers(1, 12), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20), st.integers(0, 6))
def test_the_second_of_each_pair_goes(count: int, drawn: set[tuple[int, int]], settled: int) -> None:
    pairs = sorted({(min(pair), max(pair)) for pair in drawn if pair[0] != pair[1] and max(pair) < count})
    heads = kept(count, pairs, [False] * len(pairs), settled)
    gone = {second for _, second in pairs if second >= settled}
    assert {number for number in range(count) if heads[number] != number} == gone
    assert not {heads[number] for number in gone} & gone


def page(*words: range) -> Document:
    return document([([f"w{word}" for part in words for word in part], True)])


def copies(folder: Path, documents: list[Document], method: str) -> list[str]:
    shards = write(folder, [documents])
    dedup.run(method, shards, folder / "work")
    return [row["copy_of"][-1:] for row in found(shards)]


def test_wacky_of_two_documents_that_share_with_a_third(tmp_path: Path) -> None:
    """C shares n-grams with A and with B, which share none: A and B are kept, or as a cluster A alone."""
    documents = [page(range(10)), page(range(20, 30)), page(range(10), range(20, 30))]
    assert copies(tmp_path / "pairs", documents, "wacky") == ["", "", "0"]
    assert copies(tmp_path / "cluster", documents, "wacky:clusters=true") == ["", "0", "0"]


def test_the_article_goes_and_the_page_that_contains_it_stays(tmp_path: Path) -> None:
    articles = [page(range(start, start + 100)) for start in (0, 100, 200)]
    documents = [articles[0], page(range(300)), *articles[1:]]
    assert copies(tmp_path / "pairs", documents, "containment:m=1") == ["1", "", "1", "1"]
    assert copies(tmp_path / "cluster", documents, "containment:m=1,clusters=true") == ["", "0", "0", "0"]


def test_of_equal_documents_the_first_contains_the_second(tmp_path: Path) -> None:
    assert copies(tmp_path, [page(range(50)), page(range(50))], "containment:m=1") == ["", "0"]


# ---- pages with exact copies ----


def fetched(words: range, body: str) -> Document:
    made = page(words)
    made.page_digest = body.encode().ljust(16, b"\0")
    return made


def test_pages_with_exact_copies_go_before_others_are_compared(tmp_path: Path) -> None:
    """Of pages that were the same none is kept (ukWaC, section 2.2); so the third is like no other any more."""
    documents = [fetched(range(20), "a"), fetched(range(20), "a"), fetched(range(19), "b"), fetched(range(40, 60), "c")]
    assert copies(tmp_path / "all", documents, "wacky:perfect=true") == ["1", "0", "", ""]
    assert copies(tmp_path / "without", documents, "wacky") == ["", "0", "0", ""]
    assert copies(tmp_path / "page", documents, "exact:of=page,keep=none") == ["1", "0", "", ""]
    assert copies(tmp_path / "first", documents, "exact:of=page") == ["", "0", "", ""]


def test_what_is_not_known_is_no_copy(tmp_path: Path) -> None:
    assert copies(tmp_path, [page(range(9)), page(range(9))], "exact:of=page") == ["", ""]


def test_settled_pages_with_exact_copies(tmp_path: Path) -> None:
    """A settled page stays when a copy is added, which goes; with what was dropped as a copy nothing is compared."""
    first = [fetched(range(20), "a"), fetched(range(20), "a"), fetched(range(40, 60), "b")]
    added = [fetched(range(40, 60), "b"), fetched(range(20), "a"), fetched(range(19), "c"), fetched(range(41, 60), "d")]
    shards = write(tmp_path, [first, added])
    method = dedup.parse("wacky:perfect=true")
    method.run(dedup.Job(tuple(shards[:1]), tmp_path / "work"))
    method.run(dedup.Job(tuple(shards[1:]), tmp_path / "work", settled=tuple(shards[:1])))
    zero = "00000-00000"
    assert [row["copy_of"] for row in found(shards)] == [
        f"{zero}1", f"{zero}0", "", f"{zero}2", f"{zero}0", "", f"{zero}2",
    ]  # fmt: skip


def test_wrong_choice() -> None:
    with pytest.raises(UsageError, match="of must be one of text, page"):
        dedup.parse("exact:of=words")
