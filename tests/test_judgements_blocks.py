"""Judgements of blocks: marks, the store, the choice of pages, agreement, the majority, and gold standards."""

from __future__ import annotations

import math
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from command import run

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation import read_gold
from gristmill.evaluation.nodes import text_nodes
from gristmill.evaluation.training.decided import decided_blocks
from gristmill.judgements.blocks.agreement import Item, agreement, agreement_of, cohen, fleiss
from gristmill.judgements.blocks.choosing import choose, entropy
from gristmill.judgements.blocks.disagreement import disagreements
from gristmill.judgements.blocks.gold import Choice, gold_pages, write_gold
from gristmill.judgements.blocks.majority import TIE, merge, reliability
from gristmill.judgements.blocks.marks import Judgement, Mark, check_name, run_marks
from gristmill.judgements.blocks.originals import rebuilt_page
from gristmill.judgements.blocks.pages import read_page, refresh
from gristmill.judgements.blocks.progress import work
from gristmill.judgements.blocks.store import NAME, BlockStore, Outline


@pytest.fixture
def folder(corpus: gristmill.Corpus, tmp_path: Path) -> Path:
    return Path(shutil.copytree(corpus.folder, tmp_path / "corpus"))


@pytest.fixture
def reader(folder: Path) -> CorpusReader:
    return CorpusReader(folder)


@pytest.fixture
def store(folder: Path) -> Iterator[BlockStore]:
    with BlockStore(folder) as found:
        yield found


def _outline(*texts: str) -> Outline:
    return Outline.of("http://a.example/", texts, np.array([len(text.split()) for text in texts], np.int32))


SENTENCE = "The mill stands where the river leaves the wood, and it has stood there for as long as anyone remembers."
THREE = _outline("one", "two words", "three words here")


def _judge(store: BlockStore, annotator: str, page: str, outline: Outline, *marks: str, finish: bool = True) -> None:
    store.register(page, outline)
    store.mark(annotator, page, outline.digest, [Mark.parse(mark) for mark in marks], finish=finish)


def _by_truth(store: BlockStore, reader: CorpusReader, annotator: str, page: str) -> None:
    """Judge a page as the method of the corpus does."""
    found = read_page(reader, page)
    marks = [f"{at}:{'good' if good else 'bad'}" for at, good in enumerate(found.suggested().tolist())]
    _judge(store, annotator, page, found.outline, *marks)


def test_marks_are_read_and_written() -> None:
    assert Mark.parse("3-17:good") == Mark(3, 17, "good")
    assert Mark.parse("5:bad:teaser") == Mark(5, 5, "bad", "teaser")
    assert str(Mark.parse("5-5::none")) == "5::none"
    assert Judgement("bad", "list").changed(Mark.parse("0:good")) == Judgement("good", "list")
    assert Judgement("bad", "list").changed(Mark.parse("0::none")) == Judgement("bad", "")
    assert Judgement("bad").changed(Mark.parse("0:none")) == Judgement()


@pytest.mark.parametrize(
    "text", ["", "3", "3:", "x:good", "7-3:good", "3:fine", "3:good:fine", "-3:good", "3:good:list:x", "99999999:good"]
)
def test_marks_that_are_none(text: str) -> None:
    with pytest.raises(UsageError):
        Mark.parse(text)


def test_runs_of_verdicts_become_marks() -> None:
    found = run_marks([(0, "bad"), (1, "bad"), (2, "good"), (4, "good"), (5, "good")])
    assert list(map(str, found)) == ["0-1:bad", "2:good", "4-5:good"]
    assert list(run_marks([])) == []


def test_names() -> None:
    assert check_name("  Ada   Lovelace ") == "Ada Lovelace"
    assert check_name("<script>") == "<script>"
    for name in ("", " ", "a" * 61, "a\x00b", "a\u202eb"):
        with pytest.raises(UsageError):
            check_name(name)


def test_clicks_are_kept(store: BlockStore, folder: Path) -> None:
    _judge(store, "Ada", "00000-000001", THREE, "0-1:good", "1:bad:teaser", finish=False)
    store.close()
    with BlockStore(folder) as again:
        assert again.of_page("00000-000001", THREE) == {"Ada": {0: Judgement("good"), 1: Judgement("bad", "teaser")}}
        assert not again.visits()[0].finished
        found = again.mark("Ada", "00000-000001", THREE.digest, [Mark.parse("0:none")], finish=True)
        assert found == {1: Judgement("bad", "teaser")}
        assert again.visits()[0].finished
        again.mark("Ada", "00000-000001", THREE.digest, [Mark.parse("2:good")])
        assert again.visits()[0].finished


def test_marks_of_another_text_are_refused(store: BlockStore) -> None:
    _judge(store, "Ada", "p", THREE, "0:good")
    with pytest.raises(GristmillError, match="load it again"):
        store.mark("Ada", "p", _outline("one").digest, [Mark(0, 0, "bad")])
    with pytest.raises(GristmillError, match="load it again"):
        store.mark("Ada", "never opened", THREE.digest, [Mark(0, 0, "bad")])
    with pytest.raises(UsageError, match="no block 3"):
        store.mark("Ada", "p", THREE.digest, [Mark(0, 0, "bad"), Mark(2, 3, "bad")])
    assert store.of_page("p", THREE)["Ada"] == {0: Judgement("good")}


def test_judgements_of_changed_text_are_kept_and_reported(store: BlockStore) -> None:
    _judge(store, "Ada", "p", THREE, "0-2:good")
    changed = _outline("one", "another text", "three words here")
    store.register("p", changed)
    assert store.of_page("p", changed)["Ada"] == {0: Judgement("good"), 2: Judgement("good")}
    assert store.changed() == [("Ada", "p", 1)]
    _judge(store, "Ada", "p", changed, "1:bad")
    store.register("p", THREE)
    assert store.of_page("p", THREE)["Ada"] == dict.fromkeys(range(3), Judgement("good"))


def test_a_corpus_that_was_built_again_is_noticed(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", tmp_path / "corpus"
    site.mkdir()
    (site / "a.html").write_text(f"<p>{SENTENCE}<p>It is old.<p>{SENTENCE}")
    reader = gristmill.build([site], folder, engine=InlineEngine()).reader
    with BlockStore(folder) as store:
        _judge(store, "Ada", "00000-000000", read_page(reader, "00000-000000").outline, "0-2:good")
        refresh(reader, store)
        assert store.changed() == []
    kept = (folder / NAME).read_bytes()
    shutil.rmtree(folder)
    (site / "a.html").write_text(f"<p>{SENTENCE}<p>It is new.<p>{SENTENCE}")
    reader = gristmill.build([site], folder, engine=InlineEngine()).reader
    (folder / NAME).write_bytes(kept)
    with BlockStore(folder) as store:
        refresh(reader, store)
        assert store.changed() == [("Ada", "00000-000000", 1)]
        [made] = gold_pages(reader, store)
        assert [one.verdict for one in made.merged] == ["good", "", "good"]
    (site / "a.html").write_text("<p>Too short.")
    shutil.rmtree(folder)
    gristmill.build([site], folder, engine=InlineEngine())
    (folder / NAME).write_bytes(kept)
    with BlockStore(folder) as store:
        refresh(CorpusReader(folder), store)
        assert store.changed() == [("Ada", "00000-000000", 3)]
        assert store.counts()["Ada"][0] == 3


def test_annotators_do_not_overwrite_each_other(folder: Path) -> None:
    outline = _outline(*(f"block {number}" for number in range(40)))
    with BlockStore(folder) as store:
        store.register("p", outline)
    failed: list[BaseException] = []

    def click(name: str, verdict: str) -> None:
        try:
            with BlockStore(folder) as own:
                for number in range(40):
                    own.mark(name, "p", outline.digest, [Mark(number, number, verdict)])
        except BaseException as error:  # noqa: BLE001 (told to the test)
            failed.append(error)

    threads = [threading.Thread(target=click, args=two) for two in (("Ada", "good"), ("Bob", "bad"), ("Cyd", "good"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    with BlockStore(folder) as store:
        found = store.of_page("p", outline)
    assert {name: {item.verdict for item in own.values()} for name, own in found.items()} == {
        "Ada": {"good"},
        "Bob": {"bad"},
        "Cyd": {"good"},
    }
    assert all(len(own) == 40 for own in found.values())


def test_rows_of_a_stranger_are_refused(store: BlockStore, folder: Path) -> None:
    _judge(store, "Ada", "p", THREE, "0:good")
    store.close()
    with sqlite3.connect(folder / "annotations.sqlite") as database:
        database.execute("UPDATE judgements SET hash = 'text'")
    database.close()
    with BlockStore(folder) as again, pytest.raises(GristmillError, match="did not write"):
        again.of_page("p", THREE)
    (folder / "annotations.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(GristmillError, match="restore it from a copy"):
        BlockStore(folder)


def test_entropy() -> None:
    assert entropy(np.array([0.0, 0.5, 1.0])) == pytest.approx([0, 1, 0], abs=1e-6)
    assert entropy(np.array([0.2, 0.1]), np.array([0.2, 0.2])) == pytest.approx([1, entropy(np.array([0.25]))[0]])
    assert entropy(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == pytest.approx([0, 1], abs=1)


def test_the_least_sure_page_is_next(reader: CorpusReader, store: BlockStore) -> None:
    def value(page: str) -> float:
        columns = read_page(reader, page).document.as_columns()
        return float(np.average(entropy(columns.score), weights=columns.words))

    first = choose(reader, store, "Ada")
    kept = [document for document in reader.pages() if not document.dropped]
    best = max(value(document.id) for document in kept if document.as_columns().words.sum() >= 20)
    assert value(first) == pytest.approx(best)
    _by_truth(store, reader, "Ada", first)
    second = choose(reader, store, "Ada")
    assert second != first
    assert choose(reader, store, "Bob") == first
    assert choose(reader, store, "Bob", but=first) != first
    hosts = {read_page(reader, page).document.url.split("/")[2] for page in (first, second)}
    assert len(hosts) == 2


def test_a_random_order_is_the_same_for_all(reader: CorpusReader, store: BlockStore) -> None:
    seen: list[str] = []
    for _ in range(6):
        page = choose(reader, store, "Ada", "random", seed=3)
        assert choose(reader, store, "Bob", "random", seed=3) == (seen[0] if seen else page)
        found = read_page(reader, page)
        _judge(store, "Ada", page, found.outline, "0:good")
        seen.append(page)
    assert len(set(seen)) == 6
    assert choose(reader, store, "Bob", "random", seed=4) != seen[0]
    with pytest.raises(UsageError, match="no order"):
        choose(reader, store, "Ada", "best")


def test_all_pages_come_once(reader: CorpusReader, store: BlockStore) -> None:
    seen = set()
    while page := choose(reader, store, "Ada"):
        assert page not in seen
        seen.add(page)
        _judge(store, "Ada", page, THREE, "0:bad")
    wanted = {
        document.id for document in reader.pages() if not document.dropped and document.as_columns().words.sum() >= 20
    }
    replaced = {f"{shard.name}-{row:06}" for shard in reader.shards for row in reader.replaced(shard)}
    assert seen == wanted - replaced


def test_the_list_of_the_owner(reader: CorpusReader, store: BlockStore) -> None:
    assert choose(reader, store, "Ada", "list") == ""
    store.list_pages(["00000-000003", "00000-000001", "00000-000003"])
    assert store.listed() == ["00000-000003", "00000-000001"]
    assert choose(reader, store, "Ada", "list") == "00000-000003"
    _judge(store, "Ada", "00000-000003", THREE, "0:bad")
    assert choose(reader, store, "Ada", "list") == "00000-000001"
    assert choose(reader, store, "Bob", "list") == "00000-000003"


def test_kappa_of_two() -> None:
    found = cohen(np.array([[20.0, 5.0], [10.0, 15.0]]))  # the example of Wikipedia
    assert found.percent == 0.7
    assert found.kappa == pytest.approx(0.4)
    assert cohen(np.array([[5.0, 0.0], [0.0, 0.0]])).kappa is None
    assert cohen(np.zeros((2, 2))).percent is None


def test_kappa_of_many() -> None:
    counts = np.array(  # Fleiss 1971, as on Wikipedia: fourteen people, ten subjects, five classes
        [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ],
        np.float64,
    )
    found = fleiss(counts, np.ones(10))
    assert found.percent == pytest.approx(0.378, abs=5e-4)
    assert found.kappa == pytest.approx(0.210, abs=5e-4)
    doubled = fleiss(np.concatenate([counts, counts[:2]]), np.ones(12))
    weighted = fleiss(counts, np.array([2.0, 2, 1, 1, 1, 1, 1, 1, 1, 1]))
    assert weighted.kappa == pytest.approx(doubled.kappa)
    assert fleiss(np.zeros((0, 3)), np.zeros(0)).kappa is None


def test_agreement_by_blocks_and_by_words() -> None:
    items = [
        Item("p", 0, 90, {"Ada": "good", "Bob": "good"}),
        Item("p", 1, 5, {"Ada": "bad", "Bob": "good"}),
        Item("q", 0, 5, {"Ada": "bad", "Bob": "bad", "Cyd": "bad"}),
    ]
    found = agreement_of(items)
    pair = found.pairs[0]
    assert (pair.first, pair.second, pair.pages, pair.blocks, pair.words) == ("Ada", "Bob", 2, 3, 100)
    assert pair.by_blocks.percent == pytest.approx(2 / 3)
    assert pair.by_words.percent == pytest.approx(0.95)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("Ada", "Bob"), ("Ada", "Cyd"), ("Bob", "Cyd")]
    assert found.pages == 2
    assert agreement_of([]).by_blocks.percent is None


def test_agreement_of_what_is_stored(store: BlockStore, reader: CorpusReader) -> None:
    _judge(store, "Ada", "00000-000001", THREE, "0-1:good:text", "2:bad")
    _judge(store, "Bob", "00000-000001", THREE, "0:good:title", "1-2:bad")
    _judge(store, "Cyd", "00000-000001", THREE, "0:good:text")
    found = agreement(store)
    assert (found.annotators, found.blocks, found.words) == (["Ada", "Bob", "Cyd"], 3, 6)
    assert agreement(store, annotators=["Ada", "Bob"]).blocks == 3
    assert agreement(store, "role").blocks == 1
    total, listed = disagreements(reader, store)
    assert (total, listed[0].block, listed[0].classes) == (1, 1, {"Ada": "good", "Bob": "bad"})
    assert listed[0].merged.verdict == TIE
    assert disagreements(reader, store, "role")[1][0].merged.role == "text"
    with pytest.raises(UsageError, match="no agreement"):
        agreement(store, "colour")  # type: ignore[arg-type]


def test_the_majority_of_canola() -> None:
    assert reliability(6, 9) == 70  # the example of the thesis, 2.8.2
    assert [reliability(most, votes) for most, votes in [(3, 4), (4, 5), (1, 2), (24, 25), (5, 5), (1, 3)]] == [
        80, 80, 50, 90, 100, 30,
    ]  # fmt: skip
    nine = [Judgement("good")] * 6 + [Judgement("bad")] * 2 + [Judgement("undecided")]
    assert merge(nine).tag == "krdwrd-tag-3-70"
    assert merge([Judgement("good"), Judgement("bad")]).tag == "krdwrd-tag-mrgtie-50"
    assert merge([Judgement("bad", "list"), Judgement("", "list")]) == merge([Judgement("bad", "list")])
    assert merge([]).tag == ""


def test_work_and_speed(store: BlockStore, folder: Path) -> None:
    for number in range(4):
        _judge(store, "Ada", f"p{number}", THREE, "0-2:bad")
    _judge(store, "Bob", "p0", THREE, "0:bad", finish=False)
    with sqlite3.connect(folder / "annotations.sqlite") as database:
        database.execute("UPDATE visits SET finished = 1000 + 18 * CAST(SUBSTR(page, 2) AS INTEGER) WHERE finished")
        database.execute("UPDATE visits SET finished = 9000 WHERE page = 'p3'")
    database.close()
    ada, bob = work(store)
    assert (ada.finished, ada.begun, ada.blocks, ada.pages_an_hour) == (4, 0, 12, 200)
    assert (bob.finished, bob.begun, bob.pages_an_hour) == (0, 1, None)


def test_a_gold_standard_of_the_original_pages(store: BlockStore, reader: CorpusReader, tmp_path: Path) -> None:
    pages = []
    for _ in range(3):
        pages.append(choose(reader, store, "Ada", "random"))
        _by_truth(store, reader, "Ada", pages[-1])
    found = read_page(reader, pages[0])
    _judge(store, "Bob", pages[0], found.outline, f"0-{len(found.outline.hashes) - 1}:bad")
    _judge(store, "Cyd", pages[1], read_page(reader, pages[1]).outline, "0:bad", finish=False)
    export = write_gold(reader, tmp_path / "gold.parquet")
    assert (export.pages, export.rebuilt, export.changed) == (3, 0, 0)
    assert export.verdicts[TIE]
    [gold] = read_gold([tmp_path / "gold.parquet"])
    assert sorted(page.id for page in gold.pages) == sorted(pages)
    whole = next(page for page in gold.pages if page.id == pages[2])
    cleaned = gristmill.clean(whole.html, whole.url)
    assert cleaned.text.split() == whole.gold.split()
    assert {node.verdict for node in text_nodes(whole.annotated or "")} == {"good", "bad"}
    alone = write_gold(reader, tmp_path / "bob.parquet", Choice(("Bob",)))
    assert dict(alone.verdicts) == {"bad": len(found.outline.hashes)}
    assert write_gold(reader, tmp_path / "two.parquet", Choice(min_annotators=2)).pages == 1
    strict = write_gold(reader, tmp_path / "all.parquet", Choice(min_agreement=100))
    assert strict.verdicts["undecided"] == export.verdicts[TIE]
    rows = pq.read_table(tmp_path / "gold.parquet").to_pylist()
    assert all(row["original"] for row in rows)
    with pytest.raises(UsageError, match="nobody by the name 'Eve'"):
        write_gold(reader, tmp_path / "x.parquet", Choice(("Eve",)))
    with pytest.raises(UsageError, match="Parquet"):
        write_gold(reader, tmp_path / "x.jsonl")


def test_a_gold_standard_without_the_archive(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    html = (
        "<title>A &amp; B</title><ul><li><a href=/>Home page</a></ul><table><tr><td>1<td>2</table>"
        f"<p>{SENTENCE}<p>{SENTENCE[:50]} <a href=/x>x"
    )
    (site / "a.html").write_text(html)
    reader = gristmill.build([site], tmp_path / "corpus", engine=InlineEngine()).reader
    (site / "a.html").unlink()
    with BlockStore(reader.folder) as store:
        page = read_page(reader, "00000-000000")
        _judge(store, "Ada", "00000-000000", page.outline, f"0-{len(page.outline.hashes) - 1}:good")
        [made] = gold_pages(reader, store)
    assert not made.original
    again = gristmill.clean(made.html)
    assert again.as_columns().text.tolist() == page.document.as_columns().text.tolist()
    assert again.as_columns().path.tolist() == page.document.as_columns().path.tolist()
    assert again.as_columns().link_words.tolist() == page.document.as_columns().link_words.tolist()
    assert "<title>A &amp; B</title>" in rebuilt_page(page.document).decode()


def test_undecided_blocks_are_not_learned_from() -> None:
    texts = ["Home News Contact", "The mill stands by the river.", "Photo: a mill", ""]
    annotated = (
        '<p><kw class="krdwrd-tag-1-100">Home News Contact</kw><p><kw class="krdwrd-tag-3-100">The mill stands by the '
        'river.</kw><p><kw class="krdwrd-tag-2-60">Photo: a mill</kw>'
    )
    assert decided_blocks(texts, annotated).tolist() == [True, True, False, True]
    assert decided_blocks(texts, annotated.replace("tag-2", "tag-mrgtie")).tolist() == [True, True, False, True]
    assert decided_blocks(texts, annotated.replace("tag-2", "tag-1")).all()
    assert decided_blocks(texts, None).all()


def test_the_command(store: BlockStore, reader: CorpusReader, tmp_path: Path) -> None:
    for _ in range(4):
        page = choose(reader, store, "Ada", "random", seed=1)
        _by_truth(store, reader, "Ada", page)
        found = read_page(reader, page)
        _judge(store, "Bob", page, found.outline, f"0-{len(found.outline.hashes) - 1}:good")
    store.close()
    shown = run("judgements", reader.folder, "-o", "gold.parquet", "--annotator", "Ada", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert b"Ada" in shown.stdout
    both = run("judgements", reader.folder, "--json", cwd=tmp_path)
    assert b'"kappa"' in both.stdout
    assert b"Ada, Bob" in run("judgements", reader.folder, cwd=tmp_path).stdout
    evaluated = run("evaluate", "gold.parquet", "--method", "mill", "--json", cwd=tmp_path)
    assert evaluated.returncode == 0, evaluated.stderr
    assert b'"f1": 1.0' in evaluated.stdout or b'"f1":1.0' in evaluated.stdout
    trained = run("train", "mill", "gold.parquet", "-o", "my.mill", cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    assert (tmp_path / "my.mill").is_file()
    assert run("judgements", reader.folder, "-o", "gold.jsonl", cwd=tmp_path).returncode == 2
    (reader.folder / "annotations.sqlite").unlink()
    assert b"gristmill serve" in run("judgements", reader.folder, cwd=tmp_path).stderr


def test_nothing_to_export(store: BlockStore, reader: CorpusReader, tmp_path: Path) -> None:
    _judge(store, "Ada", "00000-000001", THREE, "0:good", finish=False)
    with pytest.raises(GristmillError, match="no finished page"):
        write_gold(reader, tmp_path / "gold.parquet")
    assert not math.isnan(sum(number for _, _, number in store.changed()))
