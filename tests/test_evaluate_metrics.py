"""Scores against values computed by hand, and what must hold of any texts."""

from __future__ import annotations

import itertools
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill import Block, Document, UsageError
from gristmill.evaluation import Counts, align, by_alignment, by_bag, by_cleaneval, f_score
from gristmill.evaluation.bootstrap import interval, means, micro_f1
from gristmill.evaluation.fragments import fragments
from gristmill.evaluation.words import bag, marked_words, words

TEXTS = st.text(alphabet="abc .\n\x00é水", max_size=60)


def block(text: str, kind: str = "p", score: float = 0.0) -> Block:
    return Block(text, kind, "html/body", 0, 0, len(text.split()), 0, 0, 0, score)  # type: ignore[arg-type]


def test_aligned_words() -> None:
    counts = by_alignment("the mill grinds slow corn", "a mill grinds corn daily now")
    assert counts == Counts(right=3, found=5, wanted=6)
    assert (counts.precision, counts.recall) == (3 / 5, 3 / 6)
    assert counts.f() == pytest.approx(6 / 11)
    assert counts.f(0.5) == pytest.approx(1.25 * 0.6 * 0.5 / (0.25 * 0.6 + 0.5))


def test_f_of_the_thesis() -> None:
    """Table 2.5: jusText A at a reliability of 100 has P 99.41, R 96.99, F1 98.18, F0.5 98.91."""
    assert f_score(0.9941, 0.9699) == pytest.approx(0.9818, abs=1e-4)
    assert f_score(0.9941, 0.9699, 0.5) == pytest.approx(0.9891, abs=1e-4)
    assert f_score(0, 0) == 0


def test_order_matters_to_the_alignment_but_not_to_the_bag() -> None:
    assert by_alignment("b a", "a b").right == 1
    assert by_bag("b a", "a b") == (1, 1, 1)


def test_bag() -> None:
    assert by_bag("Mill, mill: corn!", "mill corn corn flour") == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert by_bag("", "a") == (0, 0, 0)
    assert by_bag("b", "a") == (0, 0, 0)
    assert by_bag("a", " .") is None
    assert bag("水車 mill") == {"水": 1, "車": 1, "mill": 1}


def test_words_as_cleaneval_has_them() -> None:
    assert words("Mill,\x01 mill\u00a0“é”\n") == ["Mill,", "mill", "“é”"]
    assert words("Mill,\x01 mill\u00a0“é” caf“é”\n", "en") == ["Mill,", "mill", "caf"]
    assert words("水車 mill") == ["水", "車", "mill"]
    assert marked_words("URL: http://a.example/\n\n<H>Head <p>text<l>item") == [
        "<h>",
        "Head",
        "<p>",
        "text",
        "<l>",
        "item",
    ]


def test_cleaneval() -> None:
    document = Document(blocks=[block("Menu", "l", 1.0), block("Head", "h"), block("one two three"), block("four")])
    gold = "<h>Head\n<p>one two three\n<l>four five"
    scores = by_cleaneval(document, by_alignment(document.text, "Head one two three four five"), gold)
    assert scores.text_only == pytest.approx(5 / 6)
    assert scores.text_and_markup == pytest.approx(
        7 / 10
    )  # seven words and tags agree; <p> four against <l> four five: 1 + 2 do not
    assert scores.tags == Counts(right=2, found=3, wanted=3)
    assert by_cleaneval(document, Counts(1, 1, 1)).text_and_markup is None


def test_nothing_at_all() -> None:
    assert by_alignment("", "") == Counts()
    assert (Counts().precision, Counts().recall, Counts().f()) == (1, 1, 1)
    assert (Counts(0, 0, 3).precision, Counts(0, 3, 0).recall) == (0, 0)
    assert by_cleaneval(Document(), Counts(), "").text_and_markup == 1


def test_fragments() -> None:
    kept, dropped = 0.0, 1.0
    document = Document(blocks=[block("abc", score=s) for s in (dropped, kept, kept, dropped, kept)])
    assert fragments(document) == [7, 3]
    assert fragments(Document(blocks=[block("abc", score=dropped)])) == []


@given(TEXTS, TEXTS, st.sampled_from([None, "en"]))
def test_scores_are_between_0_and_1(text: str, gold: str, lang: str | None) -> None:
    counts = by_alignment(text, gold, lang)
    assert 0 <= counts.right <= min(counts.found, counts.wanted)
    assert all(0 <= value <= 1 for value in (counts.precision, counts.recall, counts.f(), counts.f(0.5)))
    assert all(0 <= value <= 1 + 1e-12 for value in by_bag(text, gold) or ())
    back = by_alignment(gold, text, lang)
    assert back.right == counts.right
    assert back.f() == pytest.approx(counts.f())


@given(TEXTS)
def test_identical_texts_give_1(text: str) -> None:
    assert by_alignment(text, text).f() == 1
    assert by_bag(text, text) in (None, (1, 1, 1))


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_the_alignment_is_a_longest_common_subsequence(left: list[str], right: list[str]) -> None:
    found = align.pairs(left, right)
    assert len(found) == align.common(left, right) == longest(left, right)
    assert all(left[at] == right[other] for at, other in found)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in itertools.pairwise(found))


def longest(left: list[str], right: list[str]) -> int:
    row = [0] * (len(right) + 1)
    for word in left:
        before = row
        row = [0]
        for at, other in enumerate(right):
            row.append(before[at] + 1 if word == other else max(before[at + 1], row[at]))
    return row[-1]


@given(st.lists(st.sampled_from("abc"), max_size=30), st.randoms())
def test_the_bag_knows_no_order(items: list[str], random: object) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert by_bag(" ".join(shuffled), " ".join(items)) in (None, (1, 1, 1))


def test_giant_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(align, "MAX_WORDS", 10)
    monkeypatch.setattr(align, "MAX_ALIGNED_WORDS", 5)
    assert align.common(["a"] * 100, ["a"] * 100) == 10
    assert len(align.pairs(["a"] * 100, ["a"] * 100)) == 5


def test_without_rapidfuzz(monkeypatch: pytest.MonkeyPatch) -> None:
    align.lcs.cache_clear()
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    with pytest.raises(UsageError, match=r"pip install 'gristmill\[evaluate\]'"):
        align.common(["a"], ["a"])
    monkeypatch.undo()
    assert align.common(["a"], ["a"]) == 1


def test_intervals() -> None:
    values = [0.0, 1.0] * 50
    assert interval(means(values, seed=1)) == pytest.approx(
        (0.4, 0.6), abs=0.03
    )  # twice the standard error of 0.05 around 0.5
    assert (means(values, seed=1) == means(values, seed=1)).all()
    assert (means(values, seed=1) != means(values, seed=2)).any()
    assert interval(means([0.5] * 9)) == (0.5, 0.5)
    assert interval(means([])) is None
    assert interval(micro_f1([Counts(1, 2, 2)] * 5)) == (0.5, 0.5)
