"""Judgements on duplicates: which pairs there are, what is kept of judgements, and the figures that come of them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import run
from dedup_corpora import document, texts, write

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.dedup.evaluation import read_alike
from gristmill.dedup.registry import run as deduplicate
from gristmill.document import Document
from gristmill.errors import GristmillError, UsageError
from gristmill.judgements.duplicates import (
    ORDERS,
    Candidates,
    Judged,
    Reviews,
    compare_documents,
    measure,
    read_reviews,
)
from gristmill.judgements.duplicates.exporting import as_csv, as_json_lines, known_clusters
from gristmill.judgements.duplicates.kinds import FOUND, STRATA
from gristmill.judgements.duplicates.measuring import _area, agreement
from gristmill.judgements.duplicates.store import as_pair, check_judge
from gristmill.shards import Shard


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Shard]:
    folder = tmp_path_factory.mktemp("dedup")
    documents = texts(1)
    for number, title in ((0, "The same long title"), (1, " the SAME long title"), (2, "Short"), (3, "Short")):
        documents[number].title = title
        documents[number].dropped = ""
    written = write(folder, [documents[:25], documents[25:] + _revised()])
    deduplicate("onion", written, folder / "work")
    return written


def _revised() -> list[Document]:
    """Texts of a hundred words, each with a copy, and a revision of which a third is new."""
    words = {text: [f"t{text}x{word}" for word in range(100)] for text in range(8)}
    return [
        document([([f"n{text}x{word}" for word in range(new)] + words[text][new:], True)])
        for text in words
        for new in (0, 0, 35)
    ]


def _copies(documents: list[Document]) -> list[Document]:
    return [document for document in documents if not document.dropped][5:9]


@pytest.fixture(scope="module")
def candidates(shards: list[Shard]) -> Candidates:
    return Candidates(shards)


def test_all_scored_pairs_are_candidates(shards: list[Shard], candidates: Candidates) -> None:
    alike = read_alike(shards).pairs
    scored = [item for item in map(candidates.__getitem__, range(len(candidates))) if item.stratum != "title"]
    assert len(scored) == len(alike.first) > 50
    assert {item.score for item in scored} == set(alike.scores.tolist())
    for item in scored:
        assert item.pair[0] < item.pair[1]
        assert item.found == (item.score > 0.5)
        assert candidates.find(item.pair) == item


def test_strata_are_those_of_the_scores(candidates: Candidates) -> None:
    limits = {"high": (0.75, 1), "above": (0.5, 0.75), "below": (0.25, 0.5), "low": (0, 0.25)}
    for name, (low, high) in limits.items():
        numbers = candidates.stratum(name)
        assert len(numbers) == candidates.sizes[name]
        assert all(low < score <= high for score in candidates.scores[numbers])
    assert sum(candidates.sizes.values()) == len(candidates)
    assert list(candidates.sizes) == list(STRATA)


def test_copies_as_a_whole_are_a_stratum(tmp_path: Path) -> None:
    documents = texts(2)
    written = write(tmp_path, [documents + _copies(documents)])
    deduplicate("exact", written, tmp_path / "work")
    found = Candidates(written)
    assert found.sizes["copy"] >= 4
    assert all(found[int(number)].found for number in found.stratum("copy"))


def test_equal_titles_make_candidates(candidates: Candidates) -> None:
    numbers = candidates.stratum("title")
    first = candidates.find(("00000-000000", "00000-000001"))
    assert first
    assert first.stratum != ""
    assert candidates.find(("00000-000002", "00000-000003")) not in [candidates[int(number)] for number in numbers]


@pytest.mark.parametrize("order", ORDERS)
def test_orders_have_each_pair_once(candidates: Candidates, order: str) -> None:
    numbers = candidates.ordered(order).tolist()
    assert len(set(numbers)) == len(numbers)
    found = [candidates[number] for number in numbers]
    if order == "random":
        assert len(numbers) == len(candidates)
        sized = [name for name, size in candidates.sizes.items() if size]
        assert {item.stratum for item in found[: len(sized)]} == set(sized)
    if order == "similar":
        assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)
    if order == "unsure":
        distances = [abs(item.score - 0.5) for item in found]
        assert distances == sorted(distances)
    if order == "below":
        assert {item.stratum for item in found} <= {"below", "low"}


def test_the_random_order_is_one(candidates: Candidates) -> None:
    low = candidates.scores[candidates.stratum("low")]
    assert not np.array_equal(low, np.sort(low))
    assert not np.array_equal(low, np.sort(low)[::-1])
    half = len(low) // 2
    assert abs(low[:half].mean() - low[half:].mean()) < 0.05
    assert candidates.ordered("random").tolist() == candidates.ordered("random").tolist()


def test_the_next_pair_is_one_that_is_not_judged(candidates: Candidates) -> None:
    judged: set[tuple[str, str]] = set()
    order = [candidates[number].pair for number in candidates.ordered("unsure").tolist()]
    for expected in order[:20]:
        found = candidates.next_pair("unsure", judged)
        assert found
        assert found.pair == expected
        judged.add(found.pair)
    skipped = candidates.next_pair("unsure", judged, order[20])
    assert skipped
    assert skipped.pair == order[21]
    around = candidates.next_pair("unsure", judged, order[-1])
    assert around
    assert around.pair == order[20]
    assert candidates.next_pair("unsure", order) is None


def test_clusters_are_those_of_the_method(shards: list[Shard], candidates: Candidates) -> None:
    heads = read_alike(shards).clusters(84)
    found = candidates.clusters()
    assert sum(map(len, found)) == sum(int((heads == head).sum()) for head in set(heads) if (heads == head).sum() > 1)
    assert [len(cluster) for cluster in found] == sorted(map(len, found), reverse=True)
    assert candidates.cluster_of(found[0][1]) == found[0]
    assert candidates.cluster_of("99999-000000") == []


def test_documents_that_are_not_there(candidates: Candidates) -> None:
    assert candidates.find(("00000-000000", "00000-999999")) is None
    assert candidates.find(("00000-000000", "00009-000000")) is None
    unlike = candidates.find(("00000-000000", "00001-000030"))
    assert unlike
    assert (unlike.stratum, unlike.score, unlike.found) == ("", 0.0, False)


def test_a_corpus_that_is_not_deduplicated(tmp_path: Path) -> None:
    with pytest.raises(GristmillError, match="dedup"):
        Candidates(write(tmp_path, [texts(1, count=3)]))


# Judgements

A, B, C, D = (f"00000-00000{number}" for number in range(4))


def test_the_last_word_of_each_judge_holds(tmp_path: Path) -> None:
    assert read_reviews(tmp_path) == Judged()
    assert not (tmp_path / "reviews.sqlite").exists()
    with Reviews(tmp_path) as reviews:
        reviews.judge((A, B), "ada", "yes")
        reviews.judge((B, A), "ada", "no")  # the same pair
        reviews.judge((A, B), "bob", "near")
        reviews.judge((A, C), "ada", "yes")
    judged = read_reviews(tmp_path)
    assert judged.verdicts == {(A, B): {"ada": "no", "bob": "near"}, (A, C): {"ada": "yes"}}
    assert judged.judges == {"ada": 2, "bob": 1}
    assert judged.by("bob") == {(A, B)}
    assert judged.disputed() == {(A, B)}


def test_judgements_are_undone_one_by_one(tmp_path: Path) -> None:
    with Reviews(tmp_path) as reviews:
        reviews.judge((A, B), "ada", "yes")
        reviews.judge((A, B), "ada", "no")
        reviews.judge((A, B), "bob", "no")
        assert reviews.undo("ada") == (A, B)
        assert reviews.read().of((A, B)) == {"ada": "yes", "bob": "no"}
        assert reviews.undo("ada") == (A, B)
        assert reviews.undo("ada") is None
        assert reviews.read().of((A, B)) == {"bob": "no"}


@pytest.mark.parametrize(("one", "other"), [(A, A), ("", B), ("../x", B), (A, "x"), (A, "00000-00000²")])
def test_what_is_no_pair(one: str, other: str) -> None:
    with pytest.raises(UsageError, match="pair"):
        as_pair(one, other)


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\0b", "a\u202eb"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="judge"):
        check_judge(name)


def test_majorities_decide() -> None:
    judged = Judged(
        {
            (A, B): {"ada": "yes", "bob": "near", "eve": "no"},
            (A, C): {"ada": "yes", "bob": "no"},
            (A, D): {"ada": "near"},
        }
    )
    assert judged.decided(near_counts=True) == {(A, B): True, (A, D): True}
    assert judged.decided(near_counts=False) == {(A, B): False, (A, D): False}


def test_rows_of_a_stranger_are_left_out(tmp_path: Path) -> None:
    with Reviews(tmp_path) as reviews:
        reviews.judge((A, B), "ada", "yes")
    with sqlite3.connect(tmp_path / "reviews.sqlite") as database:
        for row in ((A, C, "eve", "maybe"), ("../x", "y", "eve", "yes"), (A, D, b"\xff", "yes"), (D, A, "eve", "yes")):
            database.execute("INSERT INTO judgement (first, second, judge, verdict, time) VALUES (?, ?, ?, ?, 0)", row)
    database.close()
    assert read_reviews(tmp_path).verdicts == {(A, B): {"ada": "yes"}}


_JUDGING = """
import sys, itertools
from pathlib import Path
from gristmill.judgements.duplicates import Reviews
for number in itertools.count():
    with Reviews(Path(sys.argv[1])) as reviews:
        reviews.judge(("00000-000000", f"00000-{number + 1:06d}"), sys.argv[2], "yes")
    print(number, flush=True)
"""


def test_a_kill_loses_nothing_and_judges_do_not_hinder_each_other(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", _JUDGING, str(tmp_path), name], stdout=subprocess.PIPE, env=os.environ)
        for name in ("ada", "bob")
    ]
    told = {}
    for name, process in zip(("ada", "bob"), processes, strict=True):
        assert process.stdout
        for _ in range(15):
            told[name] = int(process.stdout.readline())
    for name, process in zip(("ada", "bob"), processes, strict=True):
        process.send_signal(signal.SIGKILL)
        assert process.stdout
        told[name] = max([told[name], *map(int, process.stdout.read().split())])
        process.wait()
        process.stdout.close()
    judged = read_reviews(tmp_path)
    assert all(judged.judges[name] >= count + 1 for name, count in told.items())


# Figures


def judge_all(candidates: Candidates, truth: dict[str, float], count: int) -> Judged:
    """Judge so many pairs of each stratum in random order; of each stratum a share are duplicates."""
    verdicts = {}
    for name, share in truth.items():
        for place, number in enumerate(candidates.stratum(name)[:count].tolist()):
            verdicts[candidates[number].pair] = {"ada": "yes" if place < round(share * count) else "no"}
    return Judged(verdicts)


def test_estimates_weigh_strata(candidates: Candidates) -> None:
    judged = judge_all(candidates, {"copy": 1.0, "above": 0.5, "below": 0.25, "low": 0.0}, 4)
    figures = measure(candidates, judged)
    sizes = {name: candidates.sizes[name] for name in ("copy", "above", "below", "low")}
    assert min(sizes.values()) >= 4
    right = sizes["copy"] + sizes["above"] / 2
    assert figures.precision
    assert figures.recall
    assert figures.precision.value == pytest.approx(right / (sizes["copy"] + sizes["above"]))
    assert figures.recall.value == pytest.approx(right / (right + sizes["below"] / 4))
    assert figures.precision.low <= figures.precision.value <= figures.precision.high
    assert figures.recall.low < figures.recall.high
    assert figures.counts == {"right": 6, "wrong": 2, "missed": 1, "left": 7}
    assert figures.pairs
    assert (figures.pairs.precision, figures.pairs.recall) == (6 / 8, 6 / 7)
    assert set(figures.unknown) == {"high", "title"} & {name for name, size in candidates.sizes.items() if size}


def test_pairs_that_were_chosen_do_not_count_for_estimates(candidates: Candidates) -> None:
    numbers = candidates.stratum("low").tolist()
    judged = Judged({candidates[number].pair: {"ada": "yes"} for number in numbers[1:6]})
    figures = measure(candidates, judged)
    low = next(stratum for stratum in figures.strata if stratum.name == "low")
    assert (low.judged, low.drawn) == (5, 0)
    assert figures.precision is figures.recall is None
    judged.verdicts[candidates[numbers[0]].pair] = {"ada": "no"}
    low = next(stratum for stratum in measure(candidates, judged).strata if stratum.name == "low")
    assert (low.judged, low.drawn, low.duplicates) == (6, 6, 5)


def test_intervals_hold_what_is_true() -> None:
    """In a stratum of 1,000 pairs of which 300 are duplicates, 40 are drawn, again and again."""
    from gristmill.judgements.duplicates.measuring import Stratum, _estimates  # noqa: PLC0415 (of this test alone)

    random = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        drawn = int(random.hypergeometric(300, 700, 40))
        precision, _ = _estimates([Stratum("high", "", True, 1000, 40, 40, drawn)])
        assert precision
        held += precision.low <= 0.3 <= precision.high
    assert 180 <= held <= 200


def test_without_judgements_there_are_no_figures(candidates: Candidates) -> None:
    figures = measure(candidates, Judged())
    assert (figures.judged, figures.pairs, figures.b_cubed, figures.au_roc, figures.precision) == (0, *[None] * 4)


def test_b_cubed_of_judged_pairs(candidates: Candidates) -> None:
    cluster = max((cluster for cluster in candidates.clusters()), key=len)
    pairs = [candidates[n].pair for n in range(len(candidates)) if candidates[n].found]
    linked = [pair for pair in pairs if pair[0] in cluster][:2]
    judged = Judged({linked[0]: {"ada": "yes"}, linked[1]: {"ada": "no"}})
    figures = measure(candidates, judged)
    assert figures.b_cubed
    if len({*linked[0], *linked[1]}) == 3:  # found: one cluster of three; true: two and one
        assert figures.b_cubed.precision == pytest.approx((4 + 1) / 9)
    else:  # two of two; true: one of two, two alone
        assert figures.b_cubed.precision == pytest.approx((2 + 1) / 4)
    assert figures.b_cubed.recall == 1


def test_contradictions_are_counted(candidates: Candidates) -> None:
    a, b, c = "00000-000000", "00000-000001", "00000-000002"
    judged = Judged({(a, b): {"ada": "yes"}, (b, c): {"ada": "yes"}, (a, c): {"ada": "no"}})
    assert measure(candidates, judged).contradictions == 1


@pytest.mark.parametrize(
    ("scores", "truth", "weights", "area"),
    [
        ([0.9, 0.8, 0.1], [1, 0, 0], [1, 1, 1], 1.0),
        ([0.9, 0.8, 0.1], [0, 1, 1], [1, 1, 1], 0.0),
        ([0.5, 0.5], [1, 0], [1, 1], 0.5),
        ([0.9, 0.5, 0.1], [0, 1, 0], [1, 1, 3], 0.75),
        ([0.9], [1], [1], None),
    ],
)
def test_au_roc(scores: list[float], truth: list[int], weights: list[float], area: float | None) -> None:
    assert _area(np.array(scores), np.array(truth, bool), np.array(weights, float)) == area


def test_kappa_by_hand() -> None:
    both = [("yes", "yes")] * 4 + [("no", "no")] * 3 + [("yes", "no")] * 2 + [("near", "yes")]
    pairs = [(A, f"00001-{number:06d}") for number in range(len(both))]
    judged = Judged({pair: {"ada": one, "bob": other} for pair, (one, other) in zip(pairs, both, strict=True)})
    found = agreement(judged)[0]
    by_chance = (6 * 5 + 3 * 5 + 1 * 0) / 100
    assert (found.one, found.other, found.pairs, found.same) == ("ada", "bob", 10, 0.7)
    assert found.kappa == pytest.approx((0.7 - by_chance) / (1 - by_chance))
    assert agreement(Judged({(A, B): {"ada": "no", "bob": "no"}}))[0].kappa is None


# Texts and files


def test_two_documents_side_by_side(corpus: gristmill.Corpus) -> None:
    found = Candidates(corpus.shards)
    pair = found[int(found.ordered("similar")[0])].pair
    compared = compare_documents(corpus.reader, pair)
    assert 0.8 < compared.common <= 1
    assert any("\n" in piece.text for piece in compared.comparison.of("here"))
    assert "\ue000" not in "".join(piece.text for piece in compared.comparison.pieces)
    short = compare_documents(corpus.reader, pair, 100)
    assert short.comparison.here.after > 0
    with pytest.raises(UsageError, match="no document"):
        compare_documents(corpus.reader, (pair[0], "00000-999999"))


def test_what_was_judged_is_a_truth_for_evaluate(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    found = Candidates(corpus.shards)
    verdicts = {}
    for number in found.ordered("similar")[:12].tolist():
        verdicts[found[number].pair] = {"ada": "yes" if found[number].found else "no"}
    judged = Judged(verdicts)
    file = tmp_path / "truth.jsonl"
    file.write_text(known_clusters(CorpusReader(corpus.folder), judged), "utf-8")
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {row["id"] for row in rows} == {identifier for pair in verdicts for identifier in pair}
    clusters = {row["id"]: row["cluster"] for row in rows}
    assert all((clusters[one] == clusters[other]) >= (said["ada"] == "yes") for (one, other), said in verdicts.items())
    ran = run("evaluate", "dedup", file, "-m", "onion", "--json")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)
    with pytest.raises(GristmillError, match="no pairs"):
        known_clusters(CorpusReader(corpus.folder), Judged())


def test_rows_for_spreadsheets_run_nothing(candidates: Candidates) -> None:
    pair = candidates[0].pair
    judged = Judged({pair: {'=HYPERLINK("http://evil")': "yes", "b, c": "no"}})
    lines = as_csv(candidates, judged).split("\r\n")
    assert lines[0] == "first,second,score,stratum,found,judge,verdict"
    assert '"\'=HYPERLINK(""http://evil"")"' in lines[1]
    assert '"b, c"' in lines[2]
    record = json.loads(as_json_lines(candidates, judged).splitlines()[1])
    assert record == {
        **dict(zip(("first", "second"), pair, strict=True)),
        "score": candidates[0].score,
        "stratum": candidates[0].stratum,
        "found": candidates[0].stratum in FOUND,
        "judge": "b, c",
        "verdict": "no",
    }
