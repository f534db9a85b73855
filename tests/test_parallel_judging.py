"""Cleaning of sentence pairs: what speaks against a bead, and which beads a selection keeps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.arrays.storing import save_arrays
from gristmill.engine import silent
from gristmill.errors import UsageError
from gristmill.parallel.judging import as_strings, copied, highest_scores, judge
from gristmill.parallel.languages import may_be
from gristmill.parallel.numbers import agreement, value
from gristmill.parallel.plan import Plan
from gristmill.parallel.records import BEADS_SCHEMA, beads_of
from gristmill.parallel.repeats import CountRepeats, WriteBeads, earlier, pair_hashes
from gristmill.parallel.selection import REASONS, PairSelection
from gristmill.shards import Shard, ShardWriter, read_columns

GOOD: dict[str, Any] = {
    "pair": 0,
    "source_first": 0,
    "source_count": 1,
    "target_first": 0,
    "target_count": 1,
    "score": 0.9,
    "source_text": "The old mill stands by the river, and its wheel turns.",
    "target_text": "Die alte Mühle steht am Fluss, und ihr Rad dreht sich.",
    **{f"{side}_{name}": 0 for side in ("source", "target") for name in ("block", "start", "end_block", "end")},
    "length_ratio": 1.0,
    "source_lang": "en",
    "target_lang": "de",
    "copied": 0.0,
    "numbers": 1.0,
    "boilerplate": 0.2,
    "repeats": 0,
}


def beads(*changes: dict[str, Any]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{**GOOD, **change} for change in changes], BEADS_SCHEMA)


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        *((text, "1000") for text in ("1,000", "1.000", "1 000", "1\u202f000", "1'000", "1000", "١٠٠٠", "१,०००")),
        *((text, "3.5") for text in ("3.5", "3,5", "3.50", "3,50", "٣٫٥")),
        *((text, "1234567.8") for text in ("1,234,567.8", "1.234.567,80", "1 234 567,8")),
        ("007", "7"),
        ("2.0", "2"),
        ("12.05.2010", "12 5 2010"),
    ],
)
def test_a_number_has_one_form(number: str, wanted: str) -> None:
    assert value(number) == wanted


@pytest.mark.parametrize(
    ("source", "target", "share"),
    [
        ("no number", "keine Zahl", 1.0),
        ("1,000 euros", "1.000 Euro", 1.0),
        ("on 12.05.2010 at 10:30", "5/12/2010, 10.30", 1.0),
        ("3 apples", "drei Äpfel", 1.0),
        ("317 apples", "viele Äpfel", 0.0),
        ("a peak of 8000", "ein Achttausender", 1.0),
        ("317 of 8000", "eine Menge", 0.0),
        ("page 3", "Seite 4", 0.0),
        ("from 1999 to 2005", "von 1999 bis 2006", 0.5),
        ("in 1999 3 of them", "1999 waren es drei", 1.0),
        ("٢٠١٠", "2010", 1.0),
    ],
)
def test_numbers_agree_however_they_are_written(source: str, target: str, share: float) -> None:
    assert agreement(source, target) == pytest.approx(share)
    assert agreement(target, source) == pytest.approx(share)


def test_long_runs_of_digits_take_no_time() -> None:
    assert agreement("1" * 1_000_000, "2" * 1_000_000) == 0.0
    assert agreement("1 " * 100_000, "1 " * 100_000) == 1.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_measures_are_shares_and_symmetric(source: str, target: str) -> None:
    for measure in (agreement, copied):
        assert 0 <= measure(source, target) <= 1
        assert measure(source, target) == pytest.approx(measure(target, source))


@pytest.mark.parametrize(
    ("source", "target", "low", "high"),
    [
        ("The mill stands by the river", "The mill stands by the river", 1.0, 1.0),
        ("Anna Meier 1999", "Anna Meier 1999", 0.0, 0.0),
        ("Visit Anna Meier in Graz", "Besuchen Sie Anna Meier in Graz", 0.1, 0.3),
        ("The mill grinds flour", "Die Mühle mahlt Mehl", 0.0, 0.0),
        ("这个句子没有翻译所以两边都一样啊", "这个句子没有翻译所以两边都一样啊", 1.0, 1.0),
        ("这个句子没有翻译所以两边都一样啊", "この文は翻訳されていますので違います", 0.0, 0.3),
        ("", "", 0.0, 0.0),
    ],
)
def test_copies_without_names(source: str, target: str, low: float, high: float) -> None:
    assert low <= copied(source, target) <= high


def test_texts_are_judged_together() -> None:
    english = "The old mill stands by the river, and its great wheel turns all day."
    german = "Die alte Mühle steht am Fluss, und ihr großes Rad dreht sich den ganzen Tag."
    found = judge([english, english, "Yes", "", german], [german, english, "Ja", "nur hier", english], ("en", "de"))
    assert set(found) == {"length_ratio", "source_lang", "target_lang", "copied", "numbers"}
    assert all(found[name].type == BEADS_SCHEMA.field(name).type for name in found)
    assert found["source_lang"].to_pylist() == ["en", "en", "", "", "de"]
    assert found["target_lang"].to_pylist() == ["de", "en", "", "", "en"]
    assert found["length_ratio"][0].as_py() == pytest.approx(len(german) / len(english))
    assert found["length_ratio"][3].as_py() == 0
    assert found["copied"].to_pylist()[:2] == [0.0, 1.0]
    sliced = pa.array(["x", english])[1:]
    assert judge(sliced, pa.array([german]), ("en", "de"))["source_lang"].to_pylist() == ["en"]
    assert not len(judge([], [], ("en", "de"))["copied"])


def test_halves_of_surrogates_are_no_text() -> None:
    assert as_strings(["a\ud800b"]).to_pylist() == ["a?b"]
    assert len(judge(["a\ud800b"], ["\x00"], ("en", "de"))["copied"]) == 1


def test_highest_scores_of_blocks() -> None:
    scores = np.array([0.1, 0.9, 0.2, 0.3])
    found = highest_scores(scores, np.array([0, 2, -1, 3, 1]), np.array([1, 3, -1, 3, 1]))
    assert found.tolist() == [0.9, 0.3, 0, 0.3, 0.9]
    assert not len(highest_scores(scores, np.array([], np.int64), np.array([], np.int64)))


def test_repeats_count_what_came_before() -> None:
    assert earlier(np.array([5, 7, 5, 5, 7], np.uint64)).tolist() == [0, 0, 1, 2, 1]
    assert not len(earlier(np.array([], np.uint64)))
    same = pair_hashes(["The  mill", "the mill", "the", "the mill"], ["Die Mühle", "die mühle", "mill die mühle", "x"])
    assert earlier(same).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_repeats_are_counted_by_tasks(tmp_path: Path, parts: int) -> None:
    """Shards of some buckets, whose hashes are divided into as many parts as there are buckets."""
    random = np.random.default_rng(parts)
    texts = [[str(number) for number in random.integers(0, 9, size)] for size in (20, 0, 1, 33, 4, 5, 6)[:parts]]
    plan = Plan(tmp_path / "corpus", tmp_path / "pairs", ("en", "de"), (), parts)
    (plan.path("outlines", 0).parent).mkdir(parents=True)
    used = tuple(range(parts))
    for bucket, own in enumerate(texts):
        rows = [{**_EMPTY_BEAD, "source_text": text, "target_text": text} for text in own]
        table = pa.Table.from_pylist(rows, BEADS_SCHEMA)
        with ShardWriter(plan.path("aligned", bucket), BEADS_SCHEMA) as writer:
            writer.write(table)
            writer.finish({})
        hashes = pair_hashes(table["source_text"], table["target_text"])
        plan.path("hashes", bucket).parent.mkdir(exist_ok=True)
        save_arrays(plan.path("hashes", bucket), {"hashes": hashes})
    plan.path("repeats", 0).parent.mkdir()
    for part in range(parts):
        CountRepeats(plan, part, used).run(silent)
    seen: Counter[str] = Counter()
    for number, own in enumerate(texts):
        WriteBeads(plan, number, number).run(silent)
        found = read_columns(beads_of(Shard.of(plan.folder, f"{number:05d}")), ["repeats"])["repeats"].to_pylist()
        wanted = []
        for text in own:
            wanted.append(seen[text])
            seen[text] += 1
        assert found == wanted


_EMPTY_BEAD = {
    item.name: "" if item.type == pa.string() else 0.0 if pa.types.is_floating(item.type) else 0
    for item in BEADS_SCHEMA
}


def test_languages_that_are_taken_for_each_other() -> None:
    assert may_be("en", "en", "de")
    assert may_be("", "en", "de")
    assert may_be("no", "da", "en")
    assert may_be("zh-Hant", "zh", "en")
    assert not may_be("fr", "en", "de")
    assert not may_be("de", "en", "de")
    assert not may_be("sk", "cs", "sk")


@pytest.mark.parametrize(
    ("change", "selection", "reason"),
    [
        ({}, PairSelection(), None),
        ({"target_count": 0, "score": 0.0}, PairSelection(), "one-sided"),
        ({"score": 0.1}, PairSelection(), "min_score"),
        ({"score": 0.1}, PairSelection(min_score=None), None),
        ({"score": 0.3}, PairSelection(), None),
        ({"length_ratio": 4.0, "target_text": "x" * 220}, PairSelection(), "max_length_ratio"),
        ({"length_ratio": 4.0, "source_text": "FAQ", "target_text": "Oft gefragt:"}, PairSelection(), None),
        ({"length_ratio": 0.2, "target_text": "x"}, PairSelection(), "max_length_ratio"),
        ({"length_ratio": 0.3, "target_text": "一二三四五"}, PairSelection(usual_ratio=0.25), None),
        ({"source_lang": "de"}, PairSelection(expected=("en", "de")), "right_languages"),
        ({"source_lang": "de"}, PairSelection(expected=("en", "de"), right_languages=False), None),
        ({"target_lang": ""}, PairSelection(expected=("en", "de")), None),
        ({"copied": 0.8}, PairSelection(), "max_copied"),
        ({"numbers": 0.4}, PairSelection(), "min_numbers"),
        ({"boilerplate": 0.9}, PairSelection(), None),
        ({"boilerplate": 0.9}, PairSelection(max_boilerplate=0.5), "max_boilerplate"),
        ({"repeats": 1}, PairSelection(), "max_repeats"),
        ({"repeats": 1}, PairSelection(max_repeats=None), None),
        ({"source_count": 2}, PairSelection(kinds=("1-1",)), "kinds"),
        ({"source_count": 2}, PairSelection(kinds=("1-1", "2-1")), None),
        ({"source_count": 0, "length_ratio": 0.0}, PairSelection(kinds=("0-1",)), None),
    ],
)
def test_each_threshold_leaves_out_what_it_says(
    change: dict[str, Any], selection: PairSelection, reason: str | None
) -> None:
    batch = beads(change)
    kept, why = selection.judge(batch)
    assert bool(kept[-1]) == (reason is None)
    assert dict(why) == ({reason: 1} if reason else {})
    assert selection.kept(batch).tolist() == kept.tolist()


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "score": st.floats(0, 1, width=32),
                "source_count": st.integers(0, 3),
                "copied": st.floats(0, 1, width=32),
                "numbers": st.floats(0, 1, width=32),
                "repeats": st.integers(0, 2),
                "source_lang": st.sampled_from(["", "en", "de", "fr"]),
            }
        ),
        max_size=20,
    )
)
def test_nothing_is_left_out_unseen(changes: list[dict[str, Any]]) -> None:
    batch = beads(*changes) if changes else pa.RecordBatch.from_pylist([], BEADS_SCHEMA)
    kept, why = PairSelection(expected=("en", "de")).judge(batch)
    assert np.count_nonzero(kept) + why.total() == batch.num_rows
    assert set(why) <= set(REASONS)


@pytest.mark.parametrize(
    "wrong", [{"min_score": 2}, {"max_length_ratio": 0.5}, {"max_repeats": -1}, {"kinds": ("one",)}, {"max_copied": -1}]
)
def test_thresholds_that_can_not_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong)).replace("kinds", "kind")):
        PairSelection(**wrong)
