"""Rounds of tasks find what Algorithm 3.1 finds document by document, in whatever order, however often killed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from dedup_corpora import document, found, result_bytes, small_parts, texts, write
from hypothesis import given, settings
from hypothesis import strategies as st
from onion_by_hand import Rules, by_hand

from gristmill import dedup
from gristmill.dedup.onion.method import Onion
from gristmill.dedup.onion.owners import Cover
from gristmill.document import Document
from gristmill.engine import InlineEngine, LocalEngine, Outcome, Report, Task
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import Shard, facts, read_rows

# ---- rounds of tasks, and one document after the other ----

_WORDS = [*(f"w{number}" for number in range(5)), "7"]
_PHRASES = [
    [random.Random(seed).choice(_WORDS) for _ in range(length)] for seed, length in enumerate((3, 5, 8, 12, 12, 35, 40))
]
_block = st.one_of(
    st.lists(st.sampled_from(_WORDS), max_size=6),
    st.lists(st.sampled_from(_PHRASES), min_size=1, max_size=3).map(
        lambda parts: [word for part in parts for word in part]
    ),
)
_document = st.lists(st.tuples(_block, st.sampled_from([True, True, True, False])), max_size=5)
_corpus = st.lists(
    st.lists(
        st.builds(document, _document, st.sampled_from(["", "", "", "", "length"]), st.sampled_from(["p", "p", "l"])),
        max_size=5,
    ),
    min_size=1,
    max_size=3,
)


_rules = st.builds(
    Rules,
    st.sampled_from([1, 2, 3, 5]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    whole=st.sampled_from([False, False, True]),
    name=st.sampled_from(["careful", "tidy", "thesis"]),
)


@settings(max_examples=50)
@given(_corpus, _rules, st.sampled_from([1, 2, 8]), st.booleans())
def test_rounds_equal_the_sequential_algorithm(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[list[Document]], rules: Rules, patience: int, in_parts: bool
) -> None:
    folder = tmp_path_factory.mktemp("onion")
    shards = write(folder, corpus)
    method = Onion(
        n=rules.n,
        threshold=rules.threshold,
        level="document" if rules.whole else "block",
        rules=rules.name,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gristmill.dedup.onion.run.MIN_ROUNDS", patience)
        patch.setattr("gristmill.dedup.onion.chains.BYTES_PER_OCCURRENCE", 10**9 if in_parts else 120)
        if in_parts:
            small_parts(patch)
        method.run(dedup.Job(tuple(shards), folder / "work"))
    documents = [item for shard in corpus for item in shard]
    expected = by_hand(documents, rules)
    rows = found(shards)
    assert [
        [(block["verdict"], block["share"]) for block in row["blocks"] if block["verdict"]] for row in rows
    ] == expected
    for item, row in zip(documents, rows, strict=True):
        left = [
            block for block, judged in zip(item.blocks, row["blocks"], strict=True) if judged["verdict"] == "unique"
        ]
        text = "\n".join(block.text for block in left)
        assert (row["text_blocks"], row["length"], row["text_bytes"]) == (len(left), len(text), len(text.encode()))
        assert row["words"] == sum(block.words for block in left)
    assert not (folder / "work").exists()


# ---- who runs the tasks, and when, makes no difference ----


class Shuffled:
    """Runs tasks in any order, and stops after some of them."""

    def __init__(self, seed: int, stop_after: int | None = None) -> None:
        self._draw = random.Random(seed)
        self._left = stop_after

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        for task in self._draw.sample(list(tasks), len(tasks)):
            if self._left == 0:
                raise KeyboardInterrupt
            self._left = None if self._left is None else self._left - 1
            yield Outcome(task, task.run(report))


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Shard]:
    documents = texts(1)
    return write(tmp_path_factory.mktemp("corpus"), [documents[:20], [], documents[20:25], documents[25:]])


@pytest.fixture(scope="module")
def expected(shards: list[Shard]) -> list[bytes]:
    run(shards)
    return result_bytes(shards)


def run(shards: Sequence[Shard], method: Onion | None = None, **means: Any) -> dict[str, int]:
    folder = shards[0].folder.parents[1]
    return (method or Onion(n=5)).run(dedup.Job(tuple(shards), folder / "work", index=folder / "ngrams", **means))


def test_the_corpus_is_no_trivial_one(shards: list[Shard], expected: list[bytes]) -> None:
    del expected
    verdicts = Counter(block["verdict"] for row in found(shards) for block in row["blocks"])
    assert min(verdicts[name] for name in ("unique", "duplicate", "stub", "")) > 5
    assert any(0 < block["share"] <= 0.5 for row in found(shards) for block in row["blocks"])


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_tasks_makes_no_difference(shards: list[Shard], expected: list[bytes], seed: int) -> None:
    run(shards, engine=Shuffled(seed))
    assert result_bytes(shards) == expected


def test_four_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.dedup.onion.survey.MIN_BUNDLE_NGRAMS", 100)
    documents = texts(1)[:24]
    paths = write(tmp_path, [documents[start : start + 6] for start in range(0, 24, 6)])
    run(paths)
    expected = result_bytes(paths)
    with LocalEngine(4) as engine:
        run(paths, engine=engine)
    assert result_bytes(paths) == expected
    assert any(block["verdict"] == "duplicate" for row in found(paths) for block in row["blocks"])


@pytest.mark.parametrize("finder", ["spex", "suffix"])
def test_all_finders_find_the_same(shards: list[Shard], expected: list[bytes], finder: str) -> None:
    run(shards, Onion(n=5, finder=finder))
    assert result_bytes(shards) == expected


def test_small_buckets(shards: list[Shard], expected: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.dedup.onion.run.NGRAMS_PER_BUCKET", 100)
    run(shards)
    assert len(list((shards[0].folder.parents[1] / "ngrams").glob("*/0*"))) > 16
    assert result_bytes(shards) == expected


def test_stopped_again_and_again(shards: list[Shard], expected: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gristmill.dedup.onion.run.NGRAMS_PER_BUCKET", 3000)
    monkeypatch.setattr("gristmill.dedup.onion.survey.MIN_BUNDLE_NGRAMS", 300)
    for shard in shards:
        shard.duplicates.unlink()
    for stops in range(500):
        try:
            run(shards, engine=Shuffled(stops, stop_after=1 + stops % 3))
        except KeyboardInterrupt:
            continue
        break
    assert 10 < stops < 499
    assert result_bytes(shards) == expected


def test_a_run_with_other_settings_does_not_go_on_with_what_is_there(
    shards: list[Shard], expected: list[bytes]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(shards, Onion(n=3), engine=Shuffled(0, stop_after=6))
    run(shards)
    assert result_bytes(shards) == expected


class Counting(InlineEngine):
    """Counts rounds."""

    def __init__(self) -> None:
        self.rounds = 0

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        self.rounds += any(isinstance(task, Cover) for task in tasks)
        yield from super().run(tasks, report)


@pytest.mark.parametrize("within", [False, True])
def test_a_long_chain_takes_few_rounds(tmp_path: Path, within: bool) -> None:
    """Where each document, or each block, repeats more than half of the one before it, all hangs on the first."""
    words = [f"w{number}" for number in range(3100)]
    windows = [words[start : start + 40] for start in range(0, 3000, 15)]
    corpus = (
        [document([(window, True) for window in windows])]
        if within
        else [document([(window, True)]) for window in windows]
    )
    paths, engine = write(tmp_path, [corpus]), Counting()
    run(paths, Onion(n=5), engine=engine)
    found_verdicts = [[(block["verdict"], block["share"]) for block in row["blocks"]] for row in found(paths)]
    assert found_verdicts == by_hand(corpus, Rules(5, 0.5))
    assert engine.rounds <= 5


# ---- where the first copy stands ----


def test_the_first_copy_is_kept_and_holds_the_text(shards: list[Shard], expected: list[bytes]) -> None:
    del expected
    rows = {
        f"{shard.name}-{number:06d}": row for shard in shards for number, row in enumerate(read_rows(shard.duplicates))
    }
    documents = {
        f"{shard.name}-{number:06d}": row for shard in shards for number, row in enumerate(read_rows(shard.documents))
    }
    checked = 0
    for name, row in rows.items():
        for number, block in enumerate(row["blocks"]):
            assert bool(block["copy_of"]) == (block["share"] > 0)
            if block["verdict"] == "duplicate" and not row["copy_of"]:
                there = rows[block["copy_of"]]["blocks"][block["copy_block"]]
                assert there["verdict"] == "unique"
                words = documents[name]["blocks"][number]["text"].split()
                others = documents[block["copy_of"]]["blocks"][block["copy_block"]]["text"]
                assert sum(word in others for word in words) > len(words) / 4
                checked += 1
    assert checked > 20


def test_blocks_of_an_exact_copy_are_copies_of_the_blocks_of_the_original(tmp_path: Path) -> None:
    words = [[f"{name}{number}" for number in range(40)] for name in "abc"]
    first = document([(["menu"], False), (words[0], True), (words[1], True)])
    second = document([(words[0], True), (["menu"], False), (words[1], True)])
    shards = write(tmp_path, [[first], [document([(words[2], True)]), second]])
    run(shards)
    blocks = found(shards)[2]["blocks"]
    assert [(block["verdict"], block["copy_of"], block["copy_block"]) for block in blocks] == [
        ("duplicate", "00000-000000", 1),
        ("", "", -1),
        ("duplicate", "00000-000000", 2),
    ]


# ---- against another corpus ----


def test_against_another_corpus(tmp_path: Path) -> None:
    """Text of the old corpus goes from the new one, and nothing else does, as if the old one had come first."""
    old, new = (
        write(tmp_path / "old", [texts(2)[:30], texts(2)[30:]]),
        write(tmp_path / "new", [texts(2)[15:] + texts(3)]),
    )
    run(old)
    run(new, against=(tmp_path / "old",))
    known = {
        gram
        for item, row in zip(texts(2), found(old), strict=True)
        for gram in grams_of_kept(item, [block["verdict"] == "unique" for block in row["blocks"]], 5)
    }
    copies = 0
    for item, row in zip(texts(2)[15:] + texts(3), found(new), strict=True):
        assert not known & grams_of_kept(
            item, [block["verdict"] == "unique" and block["share"] == 0 for block in row["blocks"]], 5
        )
        copies += row["copy_of"].startswith("old/")
    assert copies > 5
    assert any(
        block["copy_of"].startswith("old/0000") for row in found(new) if not row["copy_of"] for block in row["blocks"]
    )
    alone = write(tmp_path / "alone", [texts(4, stock_seed=1)])
    run(alone)
    before = result_bytes(alone)
    run(alone, against=(tmp_path / "old",))
    assert result_bytes(alone) == before


def grams_of_kept(item: Document, kept: Sequence[bool], n: int) -> set[tuple[str, ...]]:
    """The n-grams within a document of which every word stands in a block that is kept."""
    if item.dropped:
        return set()
    words = [
        (word, flag)
        for block, flag in zip(item.blocks, kept, strict=True)
        if block.is_text(0.5, item.roles)
        for word in block.text.split()
    ]
    grams = (words[at : at + n] for at in range(len(words) - n + 1))
    return {tuple(word for word, _ in gram) for gram in grams if all(flag for _, flag in gram)}


def test_against_a_corpus_made_with_other_settings(tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", [texts(2)]), write(tmp_path / "new", [texts(3)])
    with pytest.raises(UsageError, match="there is no n-gram index"):
        run(new, against=(tmp_path / "old",))
    run(old)
    with pytest.raises(UsageError, match="n = 5, not 7"):
        run(new, Onion(n=7), against=(tmp_path / "old",))


# ---- odd input ----


def test_no_documents(tmp_path: Path) -> None:
    corpora: list[list[list[Document]]] = [[[]], [[], []], [[document([], "length")]]]
    for shards in corpora:
        paths = write(tmp_path / str(len(shards[0])), shards)
        run(paths)
        assert all(row["blocks"] == [] for row in found(paths))


def test_one_document(tmp_path: Path) -> None:
    paths = write(tmp_path, [[document([(["one"], True)])]])
    run(paths)
    assert [block["verdict"] for block in found(paths)[0]["blocks"]] == ["unique"]


def test_all_documents_identical(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(100)]
    paths = write(tmp_path, [[document([(words, True)]) for _ in range(50)] for _ in range(3)])
    run(paths)
    assert [row["text_blocks"] for row in found(paths)] == [1] + [0] * 149
    assert {row["copy_of"] for row in found(paths)[1:]} == {"00000-000000"}


def test_a_block_of_a_million_words(tmp_path: Path) -> None:
    draw = random.Random(0)
    words = [f"w{draw.randrange(1000)}" for _ in range(1_000_000)]
    paths = write(tmp_path, [[document([(words, True)]), document([(words[:500_000], True), (["other"] * 40, True)])]])
    run(paths)
    assert [[block["verdict"] for block in row["blocks"]] for row in found(paths)] == [
        ["unique"],
        ["duplicate", "unique"],
    ]


def test_no_space_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written over, and the same call goes on when there is space."""
    paths = write(tmp_path, [texts(5)])
    run(paths)
    before = result_bytes(paths)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("gristmill.dedup.onion.shingling._Buckets.add", "gristmill.arrays.storing.np.ascontiguousarray"):
        with monkeypatch.context() as patch:
            patch.setattr(name, full)
            with pytest.raises(GristmillError, match="No space left on device"):
                run(paths)
        assert result_bytes(paths) == before
        run(paths)
        assert result_bytes(paths) == before


def test_too_little_memory(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 300 MB"):
        run(write(tmp_path, [[]]), memory=1000)


def test_texts_without_stop_words_and_punctuation(tmp_path: Path) -> None:
    """What differs in stop words and punctuation alone is a copy if these don't count."""
    words = [f"w{number}" for number in range(60)]
    other = [part for word in words for part in (word, "the,")]
    paths = write(tmp_path, [[document([(words, True)]), document([(other, True)])]])
    for exclude, verdicts in (
        ("none", ["unique", "unique"]),
        ("punctuation", ["unique", "unique"]),
        ("punctuation+stopwords", ["unique", "duplicate"]),
    ):
        run(paths, Onion(n=5, exclude=exclude))
        assert [row["blocks"][0]["verdict"] for row in found(paths)] == verdicts


def test_scripts_without_spaces(tmp_path: Path) -> None:
    text = "春の初めに村の外れの古い家に引っ越してきた人がいて、毎朝早く川まで歩いていくのを私はいつも窓から見ていた。"
    longer = "そのころのことを書いておく。" + text
    paths = write(tmp_path, [[document([([text], True)]), document([([longer], True)])]])
    run(paths, Onion())
    assert [row["blocks"][0]["verdict"] for row in found(paths)] == [
        "duplicate",
        "unique",
    ]  # less of the longer one is repeated


def test_counts(shards: list[Shard], expected: list[bytes]) -> None:
    del expected
    counts = run(shards)
    assert counts["ngrams"] > counts["repeated"] > counts["repeated_types"] > counts["left"] > 0
    total = Counter[str]()
    for shard in shards:
        total.update(facts(shard.duplicates)["counts"])
    kept = sum(block.is_text(0.5, item.roles) for item in texts(1) if not item.dropped for block in item.blocks)
    assert total["blocks.unique"] + total["blocks.duplicate"] + total["blocks.stub"] == kept
