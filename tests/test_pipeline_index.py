"""The index of a corpus is made when it is needed, and made anew when the corpus has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

from gristmill import Config, Corpus, Selection, add, annotate, build, deduplicate, index
from gristmill.engine import InlineEngine, Report, silent
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline.indexing import check_index, compact_index
from gristmill.search.index.index import Index

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A small one, whose tagger knows no language and is loaded at once."""
    text = " ".join(f"The mill of number {number} stands by the river." for number in range(20))
    page = tmp_path / "page.html"
    page.write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    return build(page, tmp_path / "corpus", FORMS, engine=ENGINE)


def test_an_index_that_is_made_anew_is_of_what_the_old_one_was(corpus: Corpus) -> None:
    index(corpus.folder, Selection(languages=("cs",)), engine=ENGINE)
    assert corpus.search("mill").size == 0
    card = corpus.folder / "index/index.toml"
    card.write_text(card.read_text("utf-8").replace("format = ", "format = 9"), "utf-8")
    assert Corpus(corpus.folder).search("mill").size == 0
    next(corpus.folder.glob("index/segments/*/glue.arrays")).unlink()
    assert Corpus(corpus.folder).search("mill").size == 0
    index(corpus.folder, engine=ENGINE)
    assert Corpus(corpus.folder).search("mill").size > 0


def test_it_is_made_when_it_is_needed_and_not_again(corpus: Corpus) -> None:
    begun: list[str] = []

    def begin(name: str, _: int | None) -> Report:
        begun.append(name)
        return silent

    corpus = Corpus(corpus.folder, progress=begin)
    assert len(corpus.search("mill")) == 20
    assert begun == ["annotating", "indexing"]
    again = Corpus(corpus.folder, progress=begin)
    assert len(again.search("mill")) == 20
    assert begun == ["annotating", "indexing"]


def test_it_is_made_anew_after_every_change(corpus: Corpus) -> None:
    before = corpus.index.card["corpus"]["fingerprint"]
    deduplicate(corpus.folder, "onion:n=7", engine=ENGINE)
    after = Corpus(corpus.folder).index.card["corpus"]["fingerprint"]
    assert after != before
    counts = annotate(corpus.folder, ["en=simplemma"], engine=ENGINE)
    assert set(counts["taggers"]) == {"simplemma"}
    changed = Corpus(corpus.folder)
    assert changed.index.card["corpus"]["fingerprint"] not in {before, after}
    assert len(changed.search('[lemma="stand"]')) == 20


def test_tokens_that_are_gone_are_made_again(corpus: Corpus) -> None:
    assert len(corpus.search("mill")) == 20
    corpus.shards[0].tokens.unlink()
    shutil.rmtree(corpus.folder / "index")
    assert len(Corpus(corpus.folder).search("mill")) == 20


def test_wrong_taggers_change_nothing(corpus: Corpus) -> None:
    before = (corpus.folder / "corpus.toml").read_bytes()
    with pytest.raises(UsageError, match="hanta"):
        annotate(corpus.folder, ["en=hnata"], engine=ENGINE)
    assert (corpus.folder / "corpus.toml").read_bytes() == before


def test_methods_annotate_and_index(corpus: Corpus) -> None:
    found = corpus.annotate(no_parse=True, engine="inline")
    assert sum(found.languages.values()) == sum(found.taggers.values()) == found.counts["tokens"] > 0
    assert corpus.config.annotate.parsers == ("none",)
    whole = corpus.make_index(engine="inline")
    assert isinstance(whole, Index)
    assert whole.to_json()["tokens"] == corpus.index.size == whole.size
    empty = corpus.make_index(where='lang="cs"', engine="inline")
    assert list(empty.lines()) == ["the index is whole: 0 tokens of 0 documents, empty"]
    assert corpus.index.size == 0
    with pytest.raises(UsageError, match="workers must be at least 1, not 0"):
        corpus.annotate(workers=0)
    with pytest.raises(UsageError, match="--part does one part"):
        corpus.make_index(part="1/2", merge=True)


def test_an_index_is_checked_byte_by_byte(corpus: Corpus) -> None:
    folder = corpus.folder
    index(folder, engine=InlineEngine())
    whole = run("index", folder, "--check")
    assert (whole.returncode, whole.stdout.startswith(b"the index is whole: ")) == (0, True)
    file = next(folder.glob("index/segments/*/attribute-lemma.arrays"))
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    for damaged in (run("index", folder, "--check"), run("search", folder, "mill")):
        assert damaged.returncode == 1
        assert b"damaged (attribute-lemma.arrays is not as it was written): make it again" in damaged.stderr
    assert run("index", folder).returncode == 0
    assert run("search", folder, "mill").returncode == 0


def _add_a_page(corpus: Corpus) -> None:
    text = " ".join(f"The windmill of number {number} stands on the hill." for number in range(20))
    page = corpus.folder.parent / "more.html"
    page.write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    add(corpus.folder, page, engine=ENGINE)


def test_without_build_what_is_there_is_searched_and_nothing_is_made(corpus: Corpus) -> None:
    server = Corpus(corpus.folder, build=False)
    with pytest.raises(GristmillError, match=r"no index in .*: make one with `gristmill index`"):
        server.search("mill")
    assert not (corpus.folder / "index").exists()
    index(corpus.folder, engine=ENGINE)
    assert len(server.search("mill")) == 20
    _add_a_page(corpus)
    card = (corpus.folder / "index/index.toml").read_bytes()
    assert len(Corpus(corpus.folder, build=False).search("windmill")) == 0
    assert (corpus.folder / "index/index.toml").read_bytes() == card


@pytest.mark.parametrize("build", [True, False])
def test_an_open_corpus_sees_its_state_until_it_is_refreshed(corpus: Corpus, build: bool) -> None:
    index(corpus.folder, engine=ENGINE)
    reader = Corpus(corpus.folder, build=build)
    assert len(reader.search("mill")) == 20
    _add_a_page(corpus)
    assert len(Corpus(corpus.folder).search("windmill")) == 20
    index(corpus.folder, engine=ENGINE, compact=True)
    found = reader.search("mill")
    assert (len(found), len(list(found.lines())), len(reader.search("windmill"))) == (20, 20, 0)
    reader.refresh()
    assert (len(reader.search("windmill")), len(reader.shards)) == (20, 2)


def test_only_new_shards_are_indexed_and_all_are_merged_if_one_asks(corpus: Corpus) -> None:
    index(corpus.folder, engine=ENGINE)
    _add_a_page(corpus)
    assert len(Corpus(corpus.folder).index.segments) == 2
    assert run("index", corpus.folder).returncode == 0
    before = list(Corpus(corpus.folder).search("mill|windmill").lines())
    assert len(Corpus(corpus.folder).index.segments) == 2
    assert run("index", corpus.folder, "--compact").returncode == 0
    after = Corpus(corpus.folder)
    assert (len(after.index.segments), list(after.search("mill|windmill").lines())) == (1, before)
    assert {path.name for path in (corpus.folder / "index").iterdir()} == {"index.toml", "segments"}


def test_a_damaged_segment_is_made_again_and_the_others_stay(corpus: Corpus) -> None:
    index(corpus.folder, engine=ENGINE)
    _add_a_page(corpus)
    index(corpus.folder, engine=ENGINE)
    first, second = sorted((corpus.folder / "index/segments").iterdir())
    inode = (first / "glue.arrays").stat().st_ino
    file = second / "attribute-word.arrays"
    file.write_bytes(bytes(file.stat().st_size))
    assert run("index", corpus.folder, "--check").returncode == 1
    index(corpus.folder, engine=ENGINE)
    assert run("index", corpus.folder, "--check").returncode == 0
    assert (first / "glue.arrays").stat().st_ino == inode
    assert len(Corpus(corpus.folder).search("windmill")) == 20


def test_a_damaged_segment_is_not_merged(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged, its damage would have new checksums, and nobody would find it any more."""
    index(corpus.folder, engine=ENGINE)
    _add_a_page(corpus)
    index(corpus.folder, engine=ENGINE)
    shutil.copytree(corpus.folder, corpus.folder.parent / "sound")
    monkeypatch.setattr("gristmill.search.index.compaction.MERGE_FACTOR", 2)
    sound = Corpus(corpus.folder.parent / "sound")
    compact_index(sound.reader, ENGINE)
    assert len(sound.index.segments) == 1
    segments = sorted((corpus.folder / "index/segments").iterdir())
    file = segments[0] / "glue.arrays"
    data = bytearray(file.read_bytes())
    data[-60] ^= 1
    file.write_bytes(data)
    compact_index(corpus.reader, ENGINE)
    assert sorted((corpus.folder / "index/segments").iterdir()) == segments
    with pytest.raises(GristmillError, match="damaged"):
        check_index(corpus.folder)
    index(corpus.folder, engine=ENGINE)
    check_index(corpus.folder)
