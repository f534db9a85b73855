"""Sentence alignment: right, complete, the same every time, and quick on hostile texts."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from aligned import Gold, as_lists, f1, pair, sentences
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.alignment import METHODS, Beads, Dictionary, Sentences, align, bands, by_words
from gristmill.alignment.cognates import find_cognates, plain
from gristmill.alignment.evidence import weigh
from gristmill.alignment.known_pairs import known_pairs
from gristmill.alignment.vocabulary import fold
from gristmill.errors import UsageError

BOTH = pytest.mark.parametrize("method", ["words", "gale-church"])
_WORDS = st.lists(st.text(max_size=6), max_size=5)


def check_complete(beads: Beads, source: Sentences, target: Sentences) -> None:
    """Beads have every sentence of both texts once, in order, and scores from 0 to 1."""
    found = as_lists(beads)
    assert [number for one, _ in found for number in one] == list(range(len(source)))
    assert [number for _, other in found for number in other] == list(range(len(target)))
    assert all(one or other for one, other in found)
    assert np.all((beads.score >= 0) & (beads.score <= 1))
    assert all(score == 0 for (one, other), score in zip(found, beads.score, strict=True) if not one or not other)


@pytest.mark.parametrize("seed", range(3))
def test_made_up_texts(seed: int) -> None:
    source, target, gold = pair(400, seed)
    beads = align(source, target)
    check_complete(beads, source, target)
    strict, lax = f1(as_lists(beads), gold)
    assert strict > 0.9
    assert lax > 0.97


def test_words_are_better_than_lengths() -> None:
    source, target, gold = pair(300, 9, drop=0.15)
    by_word, by_length = (
        f1(as_lists(align(source, target, method=name)), gold)[0] for name in ("words", "gale-church")
    )
    assert by_word > by_length + 0.1


def test_long_passages_without_translation() -> None:
    source, target, gold = pair(1500, 4, drop=0, merge=0)
    cut = sentences_of(target, [*range(200), *range(700, 1500)])
    beads = align(source, cut)
    right = [([n], [n if n < 200 else n - 500]) for n in range(1500) if not 200 <= n < 700]
    assert len(gold) == 1500
    assert f1(as_lists(beads), right)[0] > 0.95


def test_borders_of_blocks() -> None:
    words = [["one", "two"], ["three", "four"], ["five", "six"], ["seven", "eight"]]
    others = [["eins", "zwei"], ["drei", "vier"], ["fünf", "sechs"], ["sieben", "acht"]]
    # Three sentences in the first block of one side, two in that of the other: the borders must still meet.
    beads = align(sentences(words, [0, 0, 0, 1]), sentences([others[0], others[1] + others[2], others[3]], [0, 0, 1]))
    assert as_lists(beads)[-1] == ([3], [2])


def test_dictionary_helps() -> None:
    source, target, gold = pair(60, 5, drop=0.2, shared=0)
    alone = f1(as_lists(align(source, target)), gold)[0]
    words = [
        (one, other, 0.6, 0.6)
        for ones, others in gold
        for number in ones
        for other_number in others
        for one, other in zip(sorted(words_of(source, number)), sorted(words_of(target, other_number)), strict=False)
        if len(ones) == len(others) == 1
    ]
    assert f1(as_lists(align(source, target, dictionary=Dictionary.of(words))), gold)[0] >= alone


@BOTH
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ([], []),
        ([], [["a"]]),
        ([["a"]], []),
        ([["a"]], [["a"]]),
        ([[], []], [[]]),
        ([["a"] * 100_000], [["b"] * 100_000, ["c"]]),
        ([["\ud800", "\0", "𝕏" * 100, "١٢", "½", "a\u0300" * 300]] * 20, [["ﬁ", "İ", "ẞ", "\udfff", ""]] * 30),
    ],
    ids=["nothing", "no source", "no target", "one", "no words", "long", "unicode"],
)
def test_hostile_texts(method: str, source: list[list[str]], target: list[list[str]]) -> None:
    texts = sentences(source), sentences(target)
    check_complete(align(*texts, method=method), *texts)


@BOTH
@given(source=st.lists(_WORDS, max_size=12), target=st.lists(_WORDS, max_size=12))
def test_any_text(method: str, source: list[list[str]], target: list[list[str]]) -> None:
    texts = sentences(source), sentences(target)
    check_complete(align(*texts, method=method), *texts)


@BOTH
def test_equal_sentences_take_linear_time(method: str) -> None:
    def seconds(size: int) -> float:
        text = sentences([["the", "mill", "."]] * size)
        start = time.process_time()
        beads = align(text, text, method=method)
        assert len(beads) == size
        return time.process_time() - start

    seconds(500)
    assert seconds(10_000) < 20 * max(seconds(2_000), 0.02)


@BOTH
def test_identical_texts(method: str) -> None:
    source, _, _ = pair(300, 2)
    assert as_lists(align(source, source, method=method)) == [([n], [n]) for n in range(len(source))]


@given(st.integers(0, 10_000), st.integers(5, 40), st.integers(1, 4))
def test_band_finds_what_the_whole_table_has(seed: int, size: int, width: int) -> None:
    """A narrow band along the diagonal, widened where its border is touched, gives the best path of all."""
    source, target, _ = pair(size, seed, drop=0.3)
    left, right = by_words._side(source), by_words._side(target)
    fit = by_words.Fit(1.0, 7.0, None)
    evidence = weigh(left.encoded, right.encoded, known_pairs(left.encoded.forms, right.encoded.forms, None), None)
    texts = by_words.make_texts(left, right, evidence, fit)
    shape = len(source), len(target)
    best = by_words.search(texts, bands.whole(*shape), shape, tolerated=0)
    diagonal = np.arange(shape[0] + 1) * shape[1] // max(shape[0], 1)
    narrow = bands.tidied(diagonal - width, diagonal + width, shape[1])
    found = by_words.search(texts, narrow, shape, tolerated=0)
    touched = bands.touched_rows(bands.whole(*shape), *found, shape[1])
    assert not len(touched)
    # The path may be another one that is as good; mostly it is the same.
    if not all(map(np.array_equal, best, found)):
        common = set(zip(*map(list, best), strict=True)) & set(zip(*map(list, found), strict=True))
        assert len(common) > 1


def test_bands_are_never_broken() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        size = int(random.integers(1, 50)), int(random.integers(1, 50))
        count = int(random.integers(0, min(size)))
        anchors = np.stack([np.sort(random.choice(side, count, replace=False)) for side in size], axis=1)
        band = bands.band_of(anchors, *size)
        assert band.lows[0] == 0
        assert band.highs[-1] == size[1]
        assert np.all(np.diff(band.lows) >= 0)
        assert np.all(np.diff(band.highs) >= 0)
        assert np.all(band.lows[1:] <= band.highs[:-1])
        for row, column in anchors:
            assert band.lows[row] <= column <= band.highs[row]


def test_the_same_compiled_or_not() -> None:
    script = (
        "from aligned import pair; from gristmill.alignment import align; import hashlib\n"
        "for seed in range(2):\n"
        "    source, target, _ = pair(60, seed)\n"
        "    beads = align(source, target)\n"
        "    columns = beads.source_start, beads.source_end, beads.target_start, beads.target_end, beads.score\n"
        "    print(hashlib.sha1(b''.join(column.tobytes() for column in columns)).hexdigest())\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "GRISTMILL_KERNEL": kernel, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parent,
            capture_output=True,
            check=True,
        ).stdout
        for kernel, seed in (("", "1"), ("python", "2"))
    }
    assert len(printed) == 1


def test_methods() -> None:
    assert list(METHODS) == ["words", "embeddings", "gale-church"]
    with pytest.raises(UsageError, match="there is no alignment method 'hunalign'"):
        align(sentences([]), sentences([]), method="hunalign")


def test_gale_church_by_lengths_alone() -> None:
    lengths = [87, 51, 153, 158], [49, 108, 196, 158]
    texts = [dataclasses.replace(sentences([["x"]] * 4), characters=np.array(side, np.int64)) for side in lengths]
    found = as_lists(align(*texts, method="gale-church"))
    assert found[-1] == ([3], [3])
    assert sum(len(one) for one, _ in found) == 4


def test_sentences_of_texts() -> None:
    text = Sentences.of_text("The mill\n\nIt is old. It works.\n", "en")
    assert text.texts == ["The mill", "It is old.", "It works."]
    assert text.blocks.tolist() == [0, 1, 1]
    assert text.characters.tolist() == [8, 10, 9]
    with pytest.raises(ValueError, match="differ in length"):
        dataclasses.replace(text, kinds=["p"])
    with pytest.raises(ValueError, match="counts of sentences"):
        dataclasses.replace(text, words=["a"])


def test_convenience() -> None:
    pairs = gristmill.align("The mill is old. It still works.", "Die Mühle ist alt. Sie geht noch.", ("en", "de"))
    assert [tuple(pair)[:2] for pair in pairs] == [
        ("The mill is old.", "Die Mühle ist alt."),
        ("It still works.", "Sie geht noch."),
    ]


@pytest.mark.parametrize(
    ("word", "folded"), [("Straße", "strasse"), ("12.000", "12000"), ("٣", "3"), ("。", "."), ("1,5", "15"), ("", "")]
)
def test_folded_words(word: str, folded: str) -> None:
    assert fold(word) == folded


def test_cognates() -> None:
    assert plain("москва") == "moskva"
    assert plain("ελλάδα") == "ellada"
    assert plain("北京") == ""
    found = {
        (one, other)
        for one, other, _ in find_cognates(["москва", "president", "haus"], ["moskva", "präsident", "presidente"])
    }
    assert found == {(0, 0), (1, 2)}


def test_textberg(gold: Path) -> None:
    """German and French, aligned by hand."""
    row = pq.read_table(gold / "alignment-textberg-dev.parquet").to_pylist()[0]
    beads: Gold = json.loads(row["beads"])
    texts = Sentences.of_lines(row["src"], "de"), Sentences.of_lines(row["tgt"], "fr")
    strict, lax = f1(as_lists(align(*texts)), beads)
    assert strict >= 0.84
    assert lax >= 0.985


def sentences_of(text: Sentences, chosen: list[int]) -> Sentences:
    """Some sentences of a text."""
    return sentences([words_of(text, number) for number in chosen])


def words_of(text: Sentences, number: int) -> list[str]:
    """The words of a sentence."""
    start = int(np.sum(text.counts[:number]))
    return text.words[start : start + int(text.counts[number])]
