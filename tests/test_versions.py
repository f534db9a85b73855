"""Versions of an item: the latest is shown, those before stay in the corpus with the reason."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from attributed import Given, archive, article, story
from command import run
from killing import changes_of, contents, is_killed, some_of

import gristmill
from gristmill import Config, Selection
from gristmill.corpus import CorpusReader, Manifest
from gristmill.corpus.explain import Explained, explain
from gristmill.corpus.funnel import funnel
from gristmill.corpus.repetition import repetition
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError
from gristmill.filter.texts import read_texts
from gristmill.kept import replaced_by
from gristmill.pipeline import add, build, deduplicate
from gristmill.pipeline.deduplicating import Deduplicating
from gristmill.shards import Shard

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))
MILL, BRIDGE, TOWER, WRONG = story("mill"), story("bridge"), story("tower"), story("misprint")
FIRST = article("a", 1, MILL, WRONG)
SECOND = article("a", 2, MILL, story("correction"))
THIRD = article("a", 3, MILL, story("addendum"))


def _texts(corpus: gristmill.Corpus) -> dict[str, str]:
    """The text of each document that is shown."""
    return {document.id: document.text for document in corpus.documents()}


def _adds_up(corpus: gristmill.Corpus) -> None:
    """What the counts say is what there is."""
    counts, size = corpus.counts, corpus.size
    assert counts["pages"] == counts["passed"] + sum(counts["dropped"].values())
    assert counts["passed"] == counts["kept"] + counts["replaced"] + counts["duplicates"]
    documents = list(corpus.documents())
    assert counts["kept"] == size["documents"] == len(documents)
    assert size["words"] == sum(document.words for document in documents)
    assert size["bytes"] == sum(document.text_bytes for document in documents)
    assert sum(size["languages"].values()) == len(documents)
    assert corpus.manifest.dedup["words"]["unique"] == size["words"]
    of_pages = [place for *_, place in corpus.dropped() if ":" not in place]
    assert len(of_pages) == counts["pages"] - counts["kept"]
    assert repetition(corpus.reader).documents == (counts["passed"] - counts["replaced"], counts["kept"])


def test_all_versions_in_one_build(tmp_path: Path) -> None:
    one = archive(tmp_path / "one.warc", SECOND, Given("b", (BRIDGE,)), FIRST)
    two = archive(tmp_path / "two.warc", THIRD, article("c", 1, TOWER))
    corpus = build([one, two], tmp_path / "corpus", FORMS, engine=ENGINE)
    assert list(_texts(corpus)) == ["00000-000001", "00001-000000", "00001-000001"]
    assert _texts(corpus)["00001-000000"] == f"{MILL}\n{story('addendum')}"
    assert corpus.counts["replaced"] == 2
    assert corpus.counts["attributes"] == {"feed": 4, "item": 4, "version": 4}
    _adds_up(corpus)
    assert replaced_by(corpus.shards[0]) == {0: "00001-000000", 2: "00001-000000"}
    assert replaced_by(corpus.shards[1]) == {}
    assert ("replaced", "by 00001-000000", "http://mill.example/a", "00000-000002") in list(corpus.dropped())
    assert len(read_texts(str(corpus.folder))) == 3


def test_without_items_nothing_is_written(tmp_path: Path) -> None:
    page = Given("b", (BRIDGE,), {"query": "bridge", "round": "1"})
    corpus = build([archive(tmp_path / "b.warc", page)], tmp_path / "corpus", FORMS, engine=ENGINE)
    assert not corpus.shards[0].replaced.exists()
    assert "versions" in [stage.name for stage in gristmill.status(corpus).stages if not stage.units]
    assert "replaced" not in run("stats", corpus.folder).stdout.decode()


def test_versions_over_several_additions(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    corpus = build([archive(tmp_path / "1.warc", FIRST, Given("b", (BRIDGE, TOWER)))], folder, FORMS, engine=ENGINE)
    settled = corpus.shards[0].documents.read_bytes(), corpus.shards[0].duplicates.read_bytes()
    for number, version in ((2, SECOND), (3, THIRD)):
        new = archive(tmp_path / f"{number}.warc", version, Given(f"other-{number}", (story(f"wheel {number}"),)))
        corpus = add(folder, new, engine=ENGINE)
        assert _texts(corpus)[f"{number - 1:05d}-000000"].splitlines() == list(version.paragraphs)
        assert sum(MILL in text for text in _texts(corpus).values()) == 1
        assert corpus.counts["replaced"] == number - 1
        _adds_up(corpus)
    assert (corpus.shards[0].documents.read_bytes(), corpus.shards[0].duplicates.read_bytes()) == settled
    assert replaced_by(corpus.shards[0]) == {0: "00001-000000"}
    assert replaced_by(corpus.shards[1]) == {0: "00002-000000"}
    anew = deduplicate(folder, engine=ENGINE)
    assert _texts(anew) == _texts(corpus)
    _adds_up(anew)


@pytest.mark.parametrize(
    "method", ["onion", "onion:level=document", "onion:rules=thesis", "exact", "minhash", "simhash"]
)
def test_a_copy_of_a_replaced_document_is_no_reason(tmp_path: Path, method: str) -> None:
    """The copy went when the first version was shown. If the second is the same, it must not go because of the copy."""
    folder, config = tmp_path / "corpus", FORMS.replace(dedup_method=method)
    copy = Given("copy", (MILL, WRONG))
    build([archive(tmp_path / "1.warc", article("a", 1, MILL, WRONG), copy)], folder, config, engine=ENGINE)
    again = archive(tmp_path / "2.warc", article("a", 2, MILL, WRONG), Given("copied again", (MILL, WRONG)))
    corpus = add(folder, again, engine=ENGINE)
    assert _texts(corpus) == {"00001-000000": f"{MILL}\n{WRONG}"}
    assert corpus.counts["duplicates"] == 2
    _adds_up(corpus)
    later = add(folder, archive(tmp_path / "3.warc", Given("late", (MILL, WRONG))), engine=ENGINE)
    assert list(_texts(later)) == ["00001-000000"]
    _adds_up(later)


def test_what_was_kept_of_others_is_not_shown_again(tmp_path: Path) -> None:
    """A version is compared with everything but what it replaces."""
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", Given("b", (BRIDGE,)), FIRST)], folder, FORMS, engine=ENGINE)
    corpus = add(folder, archive(tmp_path / "2.warc", article("a", 2, MILL, BRIDGE)), engine=ENGINE)
    assert _texts(corpus) == {"00000-000000": BRIDGE, "00001-000000": MILL}
    _adds_up(corpus)


def test_the_n_gram_index_is_made_anew_without_what_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", FIRST)], folder, FORMS, engine=ENGINE)
    shutil.rmtree(folder / "ngrams")
    add(folder, archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    shutil.rmtree(folder / "ngrams")
    corpus = add(folder, archive(tmp_path / "3.warc", THIRD, Given("copy", (WRONG, MILL))), engine=ENGINE)
    assert _texts(corpus)["00002-000000"].splitlines() == list(THIRD.paragraphs)
    assert _texts(corpus)["00002-000001"] == WRONG  # which only the first version had
    _adds_up(corpus)


def test_another_corpus_is_compared_with_what_is_shown(tmp_path: Path) -> None:
    build([archive(tmp_path / "1.warc", FIRST)], tmp_path / "theirs", FORMS, engine=ENGINE)
    add(tmp_path / "theirs", archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    config = FORMS.replace(dedup_against=(str(tmp_path / "theirs"),))
    own = build([archive(tmp_path / "own.warc", Given("b", (MILL, WRONG)))], tmp_path / "own", config, engine=ENGINE)
    assert _texts(own) == {"00000-000000": WRONG}


def test_which_version_is_shown(tmp_path: Path) -> None:
    pages = [
        article("late", 2, story("second")),
        article("late", 1, story("first")),
        article("same", 1, story("one")),
        article("same", 1, story("two")),
        article("gone", 1, story("still there")),
        article("gone", 2, "Not found", status=404),
        article("odd", "v2", story("odd two")),
        article("odd", 3, story("odd three")),
        article("ten", 9, story("nine")),
        article("ten", 10, story("ten")),
    ]
    corpus = build([archive(tmp_path / "pages.warc", *pages)], tmp_path / "corpus", FORMS, engine=ENGINE)
    assert [int(name[-6:]) for name in _texts(corpus)] == [0, 2, 4, 7, 9]
    _adds_up(corpus)
    late = add(corpus.folder, archive(tmp_path / "late.warc", article("ten", 1, story("one of ten"))), engine=ENGINE)
    assert len(_texts(late)) == 5
    assert replaced_by(late.shards[1]) == {0: "00000-000009"}


def test_selections_that_ask_filters_again_leave_them_out(tmp_path: Path) -> None:
    short = article("a", 2, "Far too short a text.")
    corpus = build([archive(tmp_path / "1.warc", FIRST, short)], tmp_path / "corpus", FORMS, engine=ENGINE)
    assert list(_texts(corpus)) == ["00000-000000"]
    found = corpus.documents(Selection(filters=("length:min=0",)))
    assert [document.id for document in found] == ["00000-000000"]


def test_search_and_index_segments(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    sources = [archive(tmp_path / "1.warc", FIRST), archive(tmp_path / "b.warc", Given("b", (BRIDGE,)))]
    corpus = build(sources, folder, FORMS, engine=ENGINE)
    assert len(corpus.search("misprint")) == 18
    before = len(corpus.search("mill"))
    corpus = add(folder, archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    assert {stage.name for stage in gristmill.status(folder).stages if stage.named("stale")} == {"index"}
    assert len(corpus.search("misprint")) == 0
    assert len(corpus.search("mill")) == before
    assert len(corpus.search("correction")) == 18
    assert len(corpus.search("bridge")) == 18
    assert {line.doc for line in corpus.search("mill", where='item="a" & version>=2').lines()} == {"00002-000000"}
    listed = {row.value for row in corpus.wordlist(limit=0).rows}
    assert "correction" in listed
    assert "misprint" not in listed
    assert gristmill.status(folder).up_to_date
    assert run("search", folder, "misprint").stdout == b""


def test_exports(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", FIRST)], folder, FORMS, engine=ENGINE)
    add(folder, archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    for name in ("out.jsonl", "out.vert", "out.txt"):
        gristmill.export(folder, tmp_path / name)
        text = (tmp_path / name).read_text("utf-8")
        assert "correction" in text
        assert "misprint" not in text
    [record] = map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())
    assert {name: record[name] for name in ("feed", "item", "version", "query", "round", "rank")} == {
        **SECOND.attributes,
        **dict.fromkeys(("query", "round", "rank"), ""),
    }


def test_why_and_stats(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", FIRST)], folder, FORMS, engine=ENGINE)
    corpus = add(folder, archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    found = explain(corpus.reader, "00000-000000")
    assert isinstance(found, Explained)
    assert (found.reason, found.detail, found.to_json()["kept"]) == ("replaced", "by 00001-000000", False)
    said = run("why", folder, "00000-000000").stdout.decode()
    assert said.startswith("replaced by a later version: 00001-000000\n")
    assert "feed='mills', item='a', version='1'" in said
    assert run("why", folder, "00001-000000").stdout.decode().startswith("kept\n")
    asked = run("why", folder, "http://mill.example/a").stderr.decode()
    assert "00000-000000  replaced by 00001-000000" in asked
    assert "00001-000000  kept" in asked
    [step] = [step for step in funnel(corpus.reader).pages if step.label == "replaced by later versions"]
    assert (step.count, step.left_out) == (1, True)
    assert "replaced by later versions" in run("stats", folder).stdout.decode()
    assert "replaced 1" in corpus._repr_html_()


def test_watches_are_told_of_new_versions_only(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", FIRST)], folder, FORMS, engine=ENGINE)
    watched = gristmill.watch(folder, "mill", name="mill", everything=True)
    assert gristmill.run_watches(folder, engine=ENGINE) == {"mill": 18}
    add(folder, archive(tmp_path / "2.warc", THIRD, SECOND), engine=ENGINE)
    assert [line.doc for line in watched.lines()] == ["00000-000000"] * 18 + ["00001-000000"] * 18


def test_an_interrupted_addition_shows_what_was_there_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "corpus"
    build([archive(tmp_path / "1.warc", FIRST)], folder, FORMS, engine=ENGINE)
    assert len(gristmill.Corpus(folder).search("misprint")) == 18

    def fail(*_: object, **__: object) -> None:
        raise GristmillError("the power is out")

    with monkeypatch.context() as broken:
        broken.setattr(Deduplicating, "work", fail)
        with pytest.raises(GristmillError, match="power"):
            add(folder, archive(tmp_path / "2.warc", SECOND), engine=ENGINE)
    assert replaced_by(Shard.of(folder, "00000")) == {0: "00001-000000"}
    corpus = gristmill.Corpus(folder)
    assert corpus.reader.replaced(corpus.shards[0]) == {}
    assert list(_texts(corpus)) == ["00000-000000"]
    assert len(corpus.search("misprint")) == 18
    assert run("why", folder, "00000-000000").stdout.decode().startswith("kept\n")
    _adds_up(add(folder, tmp_path / "2.warc", engine=ENGINE))
    assert list(_texts(gristmill.Corpus(folder))) == ["00001-000000"]


def test_a_rebuilt_shard_is_compared_anew(tmp_path: Path) -> None:
    sources = [archive(tmp_path / "1.warc", FIRST), archive(tmp_path / "2.warc", SECOND)]
    corpus = build(sources, tmp_path / "corpus", FORMS, engine=ENGINE)
    before = {path: path.read_bytes() for path in sorted(corpus.folder.rglob("*.parquet"))}
    corpus.shards[0].documents.unlink()
    again = build(sources, tmp_path / "corpus", FORMS, engine=ENGINE)
    assert {path: path.read_bytes() for path in sorted(again.folder.rglob("*.parquet"))} == before
    assert CorpusReader(again.folder).counts == Manifest.read(corpus.folder).counts


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs to fork")
def test_an_addition_that_is_killed_and_run_again(tmp_path: Path) -> None:
    before = tmp_path / "before"
    build([archive(tmp_path / "1.warc", FIRST), archive(tmp_path / "b.warc", SECOND)], before, FORMS, engine=ENGINE)
    gristmill.index(before, engine=ENGINE)
    new = [archive(tmp_path / "2.warc", article("c", 1, BRIDGE)), archive(tmp_path / "3.warc", THIRD)]
    whole = shutil.copytree(before, tmp_path / "whole")
    changes = len(changes_of(lambda: add(whole, new, engine=ENGINE), tmp_path))
    expected = contents(whole)
    for step in some_of(changes, int(os.environ.get("GRISTMILL_KILLS", "6"))):
        work = shutil.copytree(before, tmp_path / "work")
        assert is_killed(lambda: add(work, new, engine=ENGINE), step, tmp_path)  # noqa: B023 (it is called at once)
        assert len(_texts(gristmill.Corpus(work))) in {1, 2}
        add(work, new, engine=ENGINE)
        assert contents(work) == expected, step
        shutil.rmtree(work)
