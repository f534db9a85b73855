"""Fingerprints of substrings and lines: sif, Heintze, Shivakumar and Garcia-Molina, each worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dedup_corpora import document, found, write
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import dedup
from gristmill.dedup.documents import Sketches
from gristmill.dedup.documents.shingles import all_shingles
from gristmill.dedup.documents.units import BYTES, CHARACTERS, LINES, as_units
from gristmill.dedup.tokens import Tokens, shingle
from gristmill.document import Document
from gristmill.literature.dedup.heintze import Heintze
from gristmill.literature.dedup.shivakumar import Shivakumar
from gristmill.literature.dedup.sif import Sif


def units(unit: str, *documents: list[str]) -> Tokens:
    """Documents, each a list of blocks."""
    blocks = [block for blocks in documents for block in blocks]
    lengths = [len(block if unit == CHARACTERS else block.encode()) for block in blocks]
    starts = np.append(0, np.cumsum([len(blocks) for blocks in documents]))
    return as_units(unit, "".join(blocks), np.array(lengths, np.int64), starts.astype(np.int64))


def rows(sketches: Sketches) -> list[list[int]]:
    return [part.tolist() for part in np.split(sketches.features, sketches.starts[1:-1])]


def test_units_of_documents() -> None:
    text = units(BYTES, ["ab", "é"], [], ["c"])
    assert text.hashes.tolist() == [97, 98, 10, 0xC3, 0xA9, 10, 99, 10]
    assert text.counts.tolist() == [6, 0, 2]
    assert units(CHARACTERS, ["ab", "é"], ["🌾"]).hashes.tolist() == [97, 98, 10, 233, 10, 0x1F33E, 10]
    lines = units(LINES, ["ab", "c\nab\n\nd"], [""], [], ["c"])
    assert lines.counts.tolist() == [4, 0, 0, 1]
    first, second, third, fourth, fifth = lines.hashes.tolist()
    assert first == third
    assert second == fifth
    assert len({first, second, fourth}) == 3


def test_sif() -> None:
    """Substrings of 50 bytes, hashes of 30 bits, those with 8 zeros at the end, each once."""
    text = "".join(chr(97 + number % 26) for number in np.random.default_rng(1).integers(0, 26, 5000))
    made = Sif().sketch(units(BYTES, [text]))
    every = shingle(units(BYTES, [text]), 50).hashes
    assert len(every) == 5001 - 50 + 1  # with the line end
    by_hand = {hash_ >> 34 for hash_ in every.tolist()}
    assert rows(made) == [sorted(hash_ for hash_ in by_hand if hash_ % 256 == 0)]
    assert len(made.features) == pytest.approx(4952 / 256, rel=0.5)
    assert made.features.max() < 2**30


def test_sif_of_pairs() -> None:
    """20 bytes of 100 are changed in the middle: of 92 substrings of 10 bytes, line end included, 63 are left."""
    text = "".join(chr(97 + number) for number in np.random.default_rng(2).integers(0, 26, 100))
    changed = text[:40] + "-" * 20 + text[60:]
    method = Sif(n=10, bits=64, m=1)
    pairs = method.match(method.sketch(units(BYTES, [text], [changed], ["short"], ["short"])))
    assert (pairs.first.tolist(), pairs.second.tolist()) == ([0], [1])
    distinct = 92 - 10  # eleven substrings of the changed one are the same ten hyphens
    assert pairs.scores.tolist() == [pytest.approx((31 + 32) / distinct)]


def test_shivakumar() -> None:
    """Five lines make four pairs of lines and two of four lines; a fourth line that is changed leaves two and none."""
    lines = ["one", "two", "three", "four", "five"]
    method = Shivakumar()
    made = method.sketch(units(LINES, lines, [*lines[:3], "other", "five"], ["alone"], ["alone"], []))
    assert np.diff(made.starts).tolist() == [6, 6, 2, 2, 0]
    first, second = map(set, rows(made)[:2])
    assert len(first & second) == 2
    assert sum(hash_ < 2**32 for hash_ in first) == 4
    assert max(first) < 2**33
    pairs = Shivakumar(threshold=0.3).match(made)
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.scores.tolist(), strict=True)) == [
        (0, 1, 2 / 6),
        (2, 3, 1.0),
    ]


def test_heintze_takes_the_lowest_hashes() -> None:
    text = "".join(chr(97 + number) for number in np.random.default_rng(3).integers(0, 26, 400))
    characters = units(CHARACTERS, [text], [text[:60]], ["short"])
    every = shingle(characters, 50).hashes
    drawn = rows(Heintze().sketch(characters))
    assert list(map(len, drawn)) == [100, 12, 1]
    assert drawn[0] == sorted(set(every[:352].tolist()))[:100]


def texts(*documents: str) -> list[list[Document]]:
    return [[document([(text.split(), True)])] for text in documents]


def test_heintze_takes_the_rarest_beginnings(tmp_path: Path) -> None:
    """All documents begin alike, and the last word of some is rare: by that word the right two find each other."""
    common = "abcde fghij"
    shards = write(
        tmp_path, texts(common, f"{common} zebra", f"{common} quark", f"{common} zebra", common, f"{common} ox")
    )
    dedup.run("heintze:n=5,count=3,choose=rarest", shards, tmp_path / "work")
    assert [row["copy_of"] for row in found(shards)] == ["", "", "", "00001-000000", "00000-000000", ""]


@settings(max_examples=8)
@given(st.lists(st.text("ab", min_size=1, max_size=30), max_size=6), st.integers(5, 8), st.integers(1, 9))
def test_rarest_beginnings_against_a_plain_count(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], n: int, count: int
) -> None:
    """Of each document the substrings whose first five letters are rarest in all; equally rare ones by their hashes."""
    folder = tmp_path_factory.mktemp("heintze")
    job = dedup.Job(tuple(write(folder, [[document([([word], True)]) for word in words], []])), folder / "work")
    method = Heintze(n=n, count=count, choose="rarest").prepared(job, folder / "work")
    characters = units(CHARACTERS, *([word] for word in words))
    hashes = all_shingles(characters, n)
    padded = [f"{word}\n".ljust(n, "\0") for word in words]
    fives = [text[at : at + 5] for text, word in zip(padded, words, strict=True) for at in range(max(len(word) - 3, 1))]
    expected = []
    for number, text in enumerate(padded):
        own = hashes.hashes[hashes.starts[number] : hashes.starts[number + 1]].tolist()
        ranked = sorted({(fives.count(text[at : at + 5]), hash_) for at, hash_ in enumerate(own)})
        expected.append(sorted(hash_ for _, hash_ in ranked[:count]))
    assert (rows(method.sketch(characters)) if words else []) == expected
