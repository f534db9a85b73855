"""What the driver of de-duplication by n-grams does itself: next to nothing, however large the corpus is."""

from __future__ import annotations

import gc
import pickle
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dedup_corpora import document, found, result_bytes, small_parts, texts, write
from onion_by_hand import Rules, by_hand

from gristmill import dedup
from gristmill.arrays.storing import ArrayFile, load_arrays, save_arrays
from gristmill.dedup.onion.method import Onion
from gristmill.dedup.onion.settling import Settle
from gristmill.dedup.onion.survey import Sizes
from gristmill.document import Document
from gristmill.engine import Outcome, Report, Task
from gristmill.errors import GristmillError
from gristmill.shards import Shard


class Apart:
    """Runs tasks as a worker does that gets them pickled, and notes what is allocated between them."""

    def __init__(self, stop_after: int | None = None) -> None:
        self._left = stop_after
        self.most = 0
        self.sent: dict[str, int] = {}
        self.unsettled: list[int] = []
        self.kinds: list[str] = []
        self._begin()

    def _begin(self) -> None:
        if tracemalloc.is_tracing():
            tracemalloc.reset_peak()
            self._before, _ = tracemalloc.get_traced_memory()

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        if tracemalloc.is_tracing():
            self.most = max(self.most, tracemalloc.get_traced_memory()[1] - self._before)
        for task in tasks:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left = None if self._left is None else self._left - 1
            data = pickle.dumps(task)
            kind = type(task).__name__
            self.kinds.append(kind)
            self.sent[kind] = max(self.sent.get(kind, 0), len(data))
            pickle.loads(data).run(report)  # noqa: S301 (made above)
            if isinstance(task, Settle):
                left = load_arrays(task.plan.unsettled(task.round_number, task.look))["count"]
                self.unsettled.append(int(left[0]))
            yield Outcome(task)
        self._begin()


def run(shards: Sequence[Shard], engine: Any = None, **options: Any) -> None:
    folder = shards[0].folder.parents[1]
    Onion(n=5, **options).run(dedup.Job(tuple(shards), folder / "work", engine=engine, index=folder / "ngrams"))


def test_what_is_sent_does_not_grow_with_the_shards(tmp_path: Path) -> None:
    documents, sent = texts(1), []
    for count in (2, 30):
        engine = Apart()
        size = len(documents) // count
        run(
            write(tmp_path / f"{count:05d}", [documents[at : at + size] for at in range(0, len(documents), size)]),
            engine,
        )
        # A bundle has the paths of its shards, and a survey too.
        assert "Shingling" in engine.sent
        sent.append([engine.sent[kind] for kind in ("FindRepeats", "Cover", "TellOwners", "StoreBucket")])
    assert np.abs(np.diff(sent, axis=0)).max() < 10


def test_the_driver_allocates_nothing_for_documents_and_blocks(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    words = draw.integers(0, 3000, (60, 500, 3)).tolist()
    documents = [document([([f"w{word}" for word in block], True) for block in page]) for page in words]
    shards, engine = write(tmp_path / "large", [documents[:40], documents[40:]]), Apart()
    run(write(tmp_path / "warm", [texts(1)]), engine)
    tracemalloc.start()
    try:
        gc.collect()
        engine = Apart()
        run(shards, engine)
    finally:
        tracemalloc.stop()
    assert 0 < engine.most < 250_000  # 8 bytes for each of 30,000 blocks would be as much


def test_more_blocks_than_can_be_numbered_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = write(tmp_path, [texts(1)])
    monkeypatch.setattr("gristmill.dedup.onion.plan.MAX_BLOCKS", 10)
    with pytest.raises(GristmillError, match=r"blocks are more than can be de-duplicated at once \(10\)"):
        Onion().run(dedup.Job(tuple(shards), tmp_path / "work"))


def test_shards_are_put_together_if_they_are_small() -> None:
    def sizes(ngrams: list[int]) -> Sizes:
        ones = np.ones(len(ngrams), np.int64)
        return Sizes(10 * ones, np.array(ngrams), ones, ones)

    shards = [Shard(Path(f"{number:05d}")) for number in range(10_000)]
    many = sizes([1_000_000] * 10_000).bundles(shards)
    assert (len(many), many[1].rows[0], many[-1].rows[-1]) == (667, 150, 100_000)
    assert many[1].name == "shards 00015 to 00029"
    assert [len(bundle.shards) for bundle in sizes([100_000, 100_000, 9_000_000, 100_000]).bundles(shards[:4])] == [
        2,
        1,
        1,
    ]
    assert sizes([9_000_000]).bundles(shards[:1])[0].name == "shard 00000"
    assert sizes([]).bundles([]) == []


@pytest.mark.parametrize(
    ("rules", "level"), [("careful", "block"), ("tidy", "block"), ("thesis", "block"), ("careful", "document")]
)
def test_however_the_work_is_divided_the_bytes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: str, level: str
) -> None:
    documents = texts(3) + texts(4)[:10]
    documents += documents[:10]  # exact copies
    shards = write(tmp_path, [documents[:30], [], documents[30:33], documents[33:70], documents[70:]])
    made = []
    for divided in (False, True):
        if divided:
            small_parts(monkeypatch)
            monkeypatch.setattr("gristmill.dedup.onion.run.NGRAMS_PER_BUCKET", 1000)
        engine = Apart()
        run(shards, engine, rules=rules, level=level)
        made.append((result_bytes(shards), engine.kinds))
    assert made[0][0] == made[1][0]
    for kind, most in (("Survey", 1), ("FindCopies", 1), ("Shingling", 1), ("WriteResult", 1), ("StoreBucket", 1)):
        assert made[0][1].count(kind) == most
        assert made[1][1].count(kind) > most


def test_of_a_large_corpus_only_chains_are_decided_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What chains have nothing to do with is settled, so a large corpus can have some."""
    words = [f"w{number}" for number in range(700)]
    chain = [document([(words[start : start + 40], True)]) for start in range(0, 600, 15)]
    others: list[Document] = []
    for number in range(60):
        text = [f"{number}x{place}" for place in range(60)]
        others += [document([(text, True)]), document([([*text[:50], f"y{number}"], True)])]
    corpus = [page for pair in zip(others[:40], chain, strict=True) for page in pair] + others[40:]
    monkeypatch.setattr("gristmill.dedup.onion.chains.BYTES_PER_OCCURRENCE", 10**9)
    monkeypatch.setattr("gristmill.dedup.onion.run.NGRAMS_PER_BUCKET", 1000)
    shards, engine = write(tmp_path, [corpus[:70], corpus[70:]]), Apart()
    run(shards, engine)
    verdicts = [[(block["verdict"], block["share"]) for block in row["blocks"]] for row in found(shards)]
    assert verdicts == by_hand(corpus, Rules(5, 0.5))
    assert engine.kinds.count("DecideInOrder") == 1
    assert 0 < engine.unsettled[-1] <= len(chain) < len(corpus) / 3
    expected = result_bytes(shards)
    kinds: list[str] = []
    while kinds[-1:] != ["StoreDocuments"]:  # the last one
        engine = Apart(stop_after=7)
        with suppress(KeyboardInterrupt):
            run(shards, engine)
        kinds += engine.kinds
    assert kinds.count("DecideInOrder") == 1
    assert result_bytes(shards) == expected


def test_a_few_elements_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    table = np.arange(12, dtype=np.int64).reshape(3, 4)
    save_arrays(path, {"numbers": np.arange(100, dtype=np.uint32), "table": table, "none": np.empty(0, np.uint8)})
    with ArrayFile(path) as file:
        assert file.read("numbers", 90, 93).tolist() == [90, 91, 92]
        assert file.shape("table") == (3, 4)
        assert file.read("table", 5, 7).tolist() == [5, 6]
        assert file.read("none", 0, 0).tolist() == []
        with pytest.raises(GristmillError, match="has no elements from 90 to 900000"):
            file.read("numbers", 90, 900_000)
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(GristmillError, match="cut off"):
        ArrayFile(path)
    path.write_bytes(b"something else")
    with pytest.raises(GristmillError, match="not a file of arrays"):
        ArrayFile(path)
