"""Large documents and shards are gone through in parts, which makes no difference to the result and bounds memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dedup_corpora import document, found, result_bytes, small_parts, texts, write

from gristmill import dedup
from gristmill.dedup.onion.method import Onion
from gristmill.dedup.onion.run import means
from gristmill.dedup.onion.survey import Sizes
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.document import Document
from gristmill.engine import Outcome, Report, Task
from gristmill.shards import Shard

_METHODS = [
    Onion(n=5),
    Onion(n=40),
    Onion(n=5, level="document"),
    Onion(n=5, rules="tidy"),
    Onion(n=3, rules="thesis"),
    Onion(n=5, exclude="punctuation+stopwords"),
    Onion(n=5, finder="spex"),
    Onion(n=5, finder="suffix", rules="thesis"),
]


def run(shards: Sequence[Shard], method: Onion, **means: Any) -> list[bytes]:
    method.run(dedup.Job(tuple(shards), shards[0].folder.parents[1] / "work", **means))
    return result_bytes(shards)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Shard]:
    """With blocks of every kind that may be cut: of many words, of none, and of a few far apart."""
    documents = texts(1)
    odd = [
        ["one", *[""] * 300, "two"],
        [""] * 200,
        [*["x"] * 3, *[""] * 100],
        ["ё" * 20] * 9,
        ["漢字かな。。" * 40],
        ["!!! ???"] * 30,
    ]
    for number, item in enumerate(documents[5:30]):
        words = [block.text.split() for block in item.blocks]
        words.insert(number % (len(words) + 1), odd[number % len(odd)])
        words.append(odd[(number + 1) % len(odd)])
        documents.append(document([(block, True) for block in words], kind="l" if number % 5 == 0 else "p"))
    return write(tmp_path_factory.mktemp("corpus"), [documents[:30], [], documents[30:]])


@pytest.mark.parametrize("method", _METHODS, ids=str)
def test_parts_make_no_difference(shards: list[Shard], method: Onion, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(shards, method)
    small_parts(monkeypatch)
    assert run(shards, method) == expected
    assert {block["verdict"] for row in found(shards) for block in row["blocks"]} > {"unique", "duplicate"}


def test_pieces_of_a_document_are_its_text(
    shards: list[Shard], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_spaces = [
        document([([word], True)]) for word in ("w" * 200, "é" * 100, "漢字" * 50, "x" + "😀" * 40, "x" * 61)
    ]
    shards = [*shards, *write(tmp_path, [without_spaces])]
    whole = [text for shard in shards for text in read_kept(shard)]
    small_parts(monkeypatch)
    parts = [text for shard in shards for text in read_kept(shard)]
    assert "".join(text.text for text in parts) == "".join(text.text for text in whole)
    assert sum(len(list(text.pieces())) for text in parts) > 3 * len(parts) > 3 * len(whole)
    for text in parts:
        _check_pieces(text)


def _check_pieces(text: KeptText) -> None:
    lengths = np.zeros(len(text.lengths), np.int64)
    pieces = list(text.pieces())
    for piece in pieces:
        assert len(piece.text) == piece.lengths.sum()
        assert len(piece.lengths) == 1 or not piece.goes_on
        lengths[piece.first : piece.first + len(piece.lengths)] += piece.lengths
    assert "".join(piece.text for piece in pieces) == text.text
    assert lengths.tolist() == text.lengths.tolist()


@pytest.mark.parametrize("in_parts", [False, True])
def test_most_of_a_long_block_decides_where_its_copy_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_parts: bool
) -> None:
    """Of one page 60 words stand in it, and of another 70, in two places."""
    words = [[f"{name}{number}" for number in range(100)] for name in "abcd"]
    pages = [document([([*page, *page[::-1]], True)]) for page in words[:3]]
    mixed = [*words[0][:35], *words[1][:60], *words[0][50:85]]
    shards = write(tmp_path, [[*pages, document([(words[3], True), (mixed, True)])]])
    if in_parts:
        small_parts(monkeypatch)
    run(shards, Onion(n=5))
    block = found(shards)[3]["blocks"][1]
    assert (block["verdict"], block["copy_of"], block["copy_block"]) == ("duplicate", "00000-000000", 0)


def test_a_large_document_bounds_the_number_of_workers(tmp_path: Path) -> None:
    shards = write(tmp_path, [texts(1), texts(2)])
    job = dedup.Job(tuple(shards), tmp_path / "work", workers=4, memory=1_300_000_000)
    nothing = np.zeros(2, np.int64)
    for largest, workers in ((0, 4), (50_000_000, 3)):
        sizes = Sizes(nothing, nothing, np.array([0, largest]), nothing)
        assert means(job, sizes, sizes.bundles(shards))[0] == workers


class Watching:
    """Runs tasks one by one, and notes what each kind takes of memory at most."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        for task in tasks:
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            result = task.run(report)
            kind = type(task).__name__
            self.most[kind] = max(self.most.get(kind, 0), tracemalloc.get_traced_memory()[1] - before)
            yield Outcome(task, result)


@pytest.mark.parametrize("blocks", [1, 4000])
def test_memory_does_not_grow_with_a_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    words = [f"w{number}" for number in range(200_000)]
    size = len(words) // blocks
    twice: list[Document] = [
        document([(words[start : start + size], True) for start in range(0, len(words), size)]),
        document(
            [(["other"] * 50, True), *[(words[start : start + size], True) for start in range(0, len(words), size)]]
        ),
    ]
    shards, watched = write(tmp_path, [twice]), [Watching(), Watching()]
    monkeypatch.setattr("gristmill.dedup.reading._PART_BYTES", 50_000)
    monkeypatch.setattr("gristmill.dedup.reading._LARGE_GROUP_BYTES", 50_000)
    for name in ("_MIN_CHUNK_NGRAMS", "_MAX_CHUNK_NGRAMS"):
        monkeypatch.setattr(f"gristmill.dedup.onion.shingling.{name}", 1 << 12)
    for name in ("verdicts", "first_owners"):
        monkeypatch.setattr(f"gristmill.dedup.onion.{name}.PART_TOKENS", 1 << 12)
    monkeypatch.setattr("gristmill.dedup.onion.first_owners._ASKED_TOKENS", 1 << 14)
    monkeypatch.setattr("gristmill.dedup.onion.run.NGRAMS_PER_BUCKET", 1 << 14)
    run(write(tmp_path / "warm", [texts(1)]), Onion())  # makes tables that do not grow
    tracemalloc.start()
    try:
        for watching in watched:  # twice, since the first run may import or cache what does not grow
            gc.collect()
            run(shards, Onion(), engine=watching)
    finally:
        tracemalloc.stop()
    assert [row["text_blocks"] for row in found(shards)] == [0, blocks + 1]  # less of the second is repeated
    tokens = 2 * len(words)
    of_blocks = 2 * blocks * 250
    for kind, most in (("Shingling", 10), ("CountRepeats", 3), ("Judge", 3), ("WriteResult", 3)):
        assert min(watching.most[kind] for watching in watched) < most * tokens + of_blocks, kind
