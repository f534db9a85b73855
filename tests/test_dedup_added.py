"""What was kept stays kept, whatever is added: settled shards are compared with, and never judged anew."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from dedup_corpora import document, found, result_bytes, texts, write
from hypothesis import given, settings
from hypothesis import strategies as st
from killing import contents
from onion_by_hand import Rules, Settled, Text, by_hand

from gristmill import dedup
from gristmill.document import Document
from gristmill.engine import Outcome, Report, Task
from gristmill.shards import Shard

METHODS = [
    "onion:n=3",
    "onion:n=3,rules=tidy",
    "onion:n=3,rules=thesis",
    "onion:n=3,level=document",
    "onion:n=3,finder=spex",
    "exact",
    "exact:keep=none",
    "minhash:n=2,k=8,s=1,r=2",
    "simhash:distance=6,stop_words=true",
    "winnow:n=2,window=2",
    "pugh:least=1",
    "wacky:n=2,stop_words=true",
    "containment:n=2,m=1,least=1,threshold=0.5",
    "resemblance:n=2,threshold=0.5",
    "henzinger:n=2,k=4,s=1,r=1,agree=200",
    "sif:n=5,m=2,least=1",
    "heintze:n=5,count=10",
    "heintze:n=5,count=10,choose=rarest",
    "shivakumar",
    "intervals:n=2,least=2,gap=2",
]
"""All methods, with parameters by which short documents are found to be alike."""

_WORDS = [*(f"w{number}" for number in range(5)), "7"]
_POOL = [
    [random.Random(seed).choice(_WORDS) for _ in range(length)]
    for seed, length in enumerate((1, 2, 2, 4, 5, 8, 12, 12, 33))
]
_block = st.one_of(
    st.sampled_from(_POOL),
    st.lists(st.sampled_from(_POOL), min_size=1, max_size=2).map(
        lambda parts: [word for part in parts for word in part]
    ),
)
_document = st.builds(
    document,
    st.lists(st.tuples(_block, st.sampled_from([True, True, True, False])), max_size=4),
    st.sampled_from(["", "", "", "", "length"]),
    st.sampled_from(["p", "p", "l"]),
)
_additions = st.lists(st.lists(st.lists(_document, max_size=4), min_size=1, max_size=2), min_size=2, max_size=5)
"""Additions, the first of which is what the corpus is built of: each is some shards of documents."""


class Corpus:
    """Shards that are de-duplicated addition by addition."""

    def __init__(self, folder: Path, method: str, **means: Any) -> None:
        self.folder, self.method, self.means = folder, dedup.parse(method), means
        self.shards: list[Shard] = []

    def write(self, documents: Sequence[Sequence[Document]]) -> list[Shard]:
        """Write new shards, not yet de-duplicated."""
        made = write(self.folder / "new", documents)
        (self.folder / "shards").mkdir(parents=True, exist_ok=True)
        there = len(self.shards)
        shards = [Shard.of(self.folder, f"{number:05d}") for number in range(there, there + len(made))]
        for source, target in zip(made, shards, strict=True):
            source.folder.rename(target.folder)
        return shards

    def judge(self, new: Sequence[Shard], **means: Any) -> dict[str, int]:
        """De-duplicate new shards, after the settled ones."""
        folder = self.folder
        given: dict[str, Any] = {"index": folder / "ngrams", "settled": tuple(self.shards)} | self.means | means
        counts = self.method.run(dedup.Job(tuple(new), folder / "work", **given))
        assert not (folder / "work").exists()
        self.shards += new
        return counts

    def add(self, documents: Sequence[Sequence[Document]], **means: Any) -> dict[str, int]:
        return self.judge(self.write(documents), **means)


def _verdicts(rows: Sequence[dict[str, Any]]) -> list[list[tuple[str, float]]]:
    return [[(block["verdict"], block["share"]) for block in row["blocks"] if block["verdict"]] for row in rows]


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=4)
@given(additions=_additions)
def test_settled_shards_are_never_changed(
    method: str, tmp_path_factory: pytest.TempPathFactory, additions: list[list[list[Document]]]
) -> None:
    corpus = Corpus(tmp_path_factory.mktemp("added"), method)
    for documents in additions:
        settled = list(corpus.shards)
        before = result_bytes(settled)
        corpus.add(documents)
        assert result_bytes(settled) == before
        rows = dict(_by_id(corpus.shards))
        for row in rows.values():
            for name in filter(None, (row["copy_of"], *(block["copy_of"] for block in row["blocks"]))):
                assert name in rows
            if row["copy_of"] and not method.startswith(("onion", "exact:keep=none")):
                assert not rows[row["copy_of"]]["copy_of"]


def _by_id(shards: Sequence[Shard]) -> Iterator[tuple[str, dict[str, Any]]]:
    for shard in shards:
        for number, row in enumerate(found([shard])):
            yield f"{shard.name}-{number:06d}", row


_rules = st.builds(
    Rules,
    st.sampled_from([1, 2, 3, 5]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    whole=st.sampled_from([False, False, True]),
    name=st.sampled_from(["careful", "careful", "tidy", "thesis"]),
)


@settings(max_examples=12)
@given(_additions, _rules, st.lists(st.booleans(), min_size=5, max_size=5))
def test_an_addition_is_judged_as_by_hand(
    tmp_path_factory: pytest.TempPathFactory, additions: list[list[list[Document]]], rules: Rules, lost: list[bool]
) -> None:
    """Algorithm 3.1 with what is settled output from the start; with the index, or where it has to be made first."""
    level = "document" if rules.whole else "block"
    method = f"onion:n={rules.n},threshold={rules.threshold},level={level},rules={rules.name}"
    corpus, settled = Corpus(tmp_path_factory.mktemp("added"), method), Settled()
    for documents, is_lost in zip(additions, lost, strict=False):
        if is_lost:
            shutil.rmtree(corpus.folder / "ngrams", ignore_errors=True)
        new = corpus.write(documents)
        corpus.judge(new)
        items = [item for shard in documents for item in shard]
        expected = by_hand(items, rules, settled)
        assert _verdicts(found(new)) == expected
        settled.add(items, expected, rules)
        if rules.name == "careful":
            _assert_nothing_vanishes(items, found(new), rules, settled)


def _assert_nothing_vanishes(
    documents: Sequence[Document], rows: Sequence[dict[str, Any]], rules: Rules, kept: Settled
) -> None:
    """More than the threshold of each block that is dropped stands in kept n-grams, or it is kept as a short block."""
    for item, row in zip(documents, rows, strict=True):
        if row["copy_of"]:
            assert item.digest in kept.digests
            continue
        text = Text(item, rules)
        covered = {at + step for at, gram in text.grams.items() if gram in kept.grams for step in range(rules.n)}
        verdicts = [block["verdict"] for block in row["blocks"] if block["verdict"]]
        for block, verdict in enumerate(verdicts[:1] if rules.whole else verdicts):
            if verdict == "duplicate":
                assert text.share(block, covered) > rules.threshold
            if verdict == "stub":
                assert tuple(text.blocks[block]) in kept.short


# ---- the page that vanished ----


def test_a_page_of_one_paragraph_stays_when_a_longer_page_with_it_is_added(tmp_path: Path) -> None:
    paragraph, other = ([f"{name}{number}" for number in range(40)] for name in "ab")
    corpus = Corpus(tmp_path, "onion")
    corpus.add([[document([(paragraph, True)])]])
    corpus.add([[document([(["menu"], False), (other, True), (paragraph, True)])]])
    first, second = found(corpus.shards)
    assert [block["verdict"] for block in first["blocks"]] == ["unique"]
    assert [(block["verdict"], block["copy_of"], block["copy_block"]) for block in second["blocks"]] == [
        ("", "", -1),
        ("unique", "", -1),
        ("duplicate", "00000-000000", 0),
    ]


def test_blocks_point_to_the_blocks_of_settled_documents(tmp_path: Path) -> None:
    """Those of exact copies too, short ones at the end of a document, and stubs."""
    words = [[f"{name}{number}" for number in range(40)] for name in "abc"]
    end, head = ["the", "end"], ["a", "headline"]
    corpus = Corpus(tmp_path, "onion:n=5")
    corpus.add(
        [[document([(words[0], True)])], [document([(["menu"], False), (head, True), (words[1], True), (end, True)])]]
    )
    corpus.add([[document([(head, True), (words[1], True), (["menu"], False), (end, True)])]])
    corpus.add(
        [[document([(words[2], True), (words[1], True), (end, True)]), document([(head, True), (words[0], True)])]]
    )
    copy, longer, headed = found(corpus.shards[2:])
    name = "00001-000000"
    assert copy["copy_of"] == name
    assert [(block["copy_of"], block["copy_block"]) for block in copy["blocks"]] == [
        (name, 1), (name, 2), ("", -1), (name, 3),
    ]  # fmt: skip
    assert [(block["verdict"], block["copy_of"], block["copy_block"]) for block in longer["blocks"]] == [
        ("unique", "", -1), ("duplicate", name, 2), ("duplicate", name, 3),
    ]  # fmt: skip
    assert [(block["verdict"], block["copy_of"], block["copy_block"]) for block in headed["blocks"]] == [
        ("stub", name, 1), ("duplicate", "00000-000000", 0),
    ]  # fmt: skip


def test_a_document_that_is_like_two_settled_ones_changes_neither(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(60)]
    corpus = Corpus(tmp_path, "resemblance:threshold=0.4,n=2")
    corpus.add([[document([(words[:40], True)]), document([(words[20:], True)])]])
    corpus.add([[document([(words, True)])], [document([(words[1:], True)])]])
    assert [row["copy_of"] for row in found(corpus.shards)] == ["", "", "00000-000000", "00000-000000"]


def test_settled_documents_stay_where_all_copies_go(tmp_path: Path) -> None:
    one, two = (document([([name] * 5, True)]) for name in "ab")
    corpus = Corpus(tmp_path, "exact:keep=none")
    corpus.add([[one]])
    corpus.add([[one, two, two]])
    assert [row["copy_of"] for row in found(corpus.shards)] == ["", "00000-000000", "00001-000002", "00001-000001"]


def test_other_corpora_count_too(tmp_path: Path) -> None:
    words = [[f"{name}{number}" for number in range(40)] for name in "abc"]
    old, corpus = Corpus(tmp_path / "old", "onion"), Corpus(tmp_path / "new", "onion")
    old.add([[document([(words[0], True)])]])
    old.add([[document([(words[1], True)])]])
    corpus.add([[document([(words[2], True)])]], against=(old.folder,))
    corpus.add([[document([(part, True) for part in words])]], against=(old.folder,))
    assert [(block["verdict"], block["copy_of"]) for block in found(corpus.shards)[1]["blocks"]] == [
        ("duplicate", "old/00000-000000"),
        ("duplicate", "old/00001-000000"),
        ("duplicate", "00000-000000"),
    ]


# ---- the index ----


def _grow(folder: Path, shards: int, **means: Any) -> Corpus:
    corpus = Corpus(folder, "onion:n=5", **means)
    documents = texts(1)
    for number in range(shards):
        corpus.add([documents[number::shards]])
    return corpus


def test_segments_are_merged_and_stay_few(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, "onion:n=5")
    documents = texts(1, count=120)
    corpus.add([documents[:60]])
    most = 0
    for item in documents[60:]:
        corpus.add([[item]])
        most = max(most, len(list((tmp_path / "ngrams").iterdir())) - 1)
    assert 3 <= most <= 8
    rows = found(corpus.shards)
    assert {block["verdict"] for row in rows[60:] for block in row["blocks"]} == {"unique", "duplicate", "stub", ""}


def test_the_index_made_of_verdicts_is_the_one_that_was_lost(tmp_path: Path) -> None:
    _grow(tmp_path / "kept", 1)
    corpus = _grow(tmp_path / "lost", 1)
    before = contents(tmp_path / "kept/ngrams")
    shutil.rmtree(corpus.folder / "ngrams")
    corpus.add([[]])
    kept = Corpus(tmp_path / "kept", "onion:n=5")
    kept.shards = Shard.all_in(tmp_path / "kept")
    kept.add([[]])
    found_files = contents(corpus.folder / "ngrams")
    assert found_files == contents(tmp_path / "kept/ngrams")
    assert {name: found_files[name] for name in before if name != "ngrams.json"} == {
        name: data for name, data in before.items() if name != "ngrams.json"
    }


def test_a_file_of_the_index_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    expected, corpus = _grow(tmp_path / "whole", 2), _grow(tmp_path / "damaged", 2)
    next((corpus.folder / "ngrams").glob("*/00000")).unlink()
    for grown in (expected, corpus):
        grown.add([texts(2)])
    assert result_bytes(corpus.shards) == result_bytes(expected.shards)


def test_bytes_do_not_depend_on_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = contents(_grow(tmp_path / "much", 4).folder)
    monkeypatch.setattr("gristmill.dedup.onion.run.BYTES_PER_NGRAM", 10**6)
    assert contents(_grow(tmp_path / "little", 4, memory=310_000_000, workers=3).folder) == expected


# ---- stopped anywhere ----


class Stopping:
    """Stops after some tasks."""

    def __init__(self, after: int) -> None:
        self._left = after

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        for task in tasks:
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            yield Outcome(task, task.run(report))


@pytest.mark.parametrize("method", ["onion:n=5", "onion:n=5,rules=tidy", "minhash:k=20,s=1,r=1,n=2"])
def test_stopped_again_and_again(tmp_path: Path, method: str) -> None:
    documents = texts(3)
    whole, stopped = Corpus(tmp_path / "whole", method), Corpus(tmp_path / "stopped", method)
    for corpus in (whole, stopped):
        corpus.add([documents[:20]])
        corpus.add([documents[20:40]])
    counts = whole.add([documents[40:50], documents[50:]])
    new = stopped.write([documents[40:50], documents[50:]])
    stops = 0
    while not all(shard.duplicates.exists() for shard in new) or len(stopped.shards) < 4:
        before = result_bytes(stopped.shards)
        try:
            assert stopped.judge(new, engine=Stopping(1 + stops)) == counts
        except KeyboardInterrupt:
            stops += 1
        assert result_bytes(stopped.shards)[: len(before)] == before
    assert stops >= (2 if method.startswith("minhash") else 3)  # sketches that are there are used again
    assert contents(stopped.folder) == contents(whole.folder)
