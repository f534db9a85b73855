"""A corpus of format 3, whose indexes are not in segments, is read, searched and added to as it is, or upgraded.

`data/format3` was built, annotated (with the tagger `forms`) and indexed by version 0.1.0 of format 3, from the sources
of `data/format2`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.corpus.manifest import FORMAT
from gristmill.dedup import INDEX
from gristmill.dedup.onion.index import Index as NgramIndex
from gristmill.engine import InlineEngine
from gristmill.search import Index

DATA = Path(__file__).parent / "data"
ENGINE = InlineEngine()
TEXT = " ".join(f"On day {day} of the month the bells of the town rang {day} times." for day in range(28))


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DATA / "format2", tmp_path / "old")
    shutil.rmtree(tmp_path / "old" / "corpus")
    shutil.copytree(DATA / "format3" / "corpus", tmp_path / "old" / "corpus")
    monkeypatch.chdir(tmp_path / "old")
    return tmp_path / "old" / "corpus"


def _shards(corpus: Path) -> dict[str, bytes]:
    return {str(path.relative_to(corpus)): path.read_bytes() for path in sorted(corpus.glob("shards/*/*"))}


def test_it_is_searched_and_added_to_as_it_is(old: Path) -> None:
    corpus = gristmill.Corpus(old)
    assert corpus.manifest.format == 3
    assert len(corpus.search("[word='tower']")) == len(corpus.search("tower")) > 0
    kept = [document.text for document in corpus.documents()]
    before = _shards(old)
    (old.parent / "pages" / "bells.html").write_text(f"<html><body><p>{TEXT}", "utf-8")
    added = gristmill.add(old, ["pages"], engine=ENGINE)
    assert added.manifest.format == FORMAT
    assert [document.text for document in added.documents()][:-1] == kept
    assert before.items() <= _shards(old).items()
    assert len(added.search("bells")) == 28


def test_it_is_upgraded(old: Path, tmp_path: Path) -> None:
    shutil.copytree(old, tmp_path / "as-it-was")
    before = _shards(old)
    result = run("upgrade", old)
    assert result.returncode == 0
    assert result.stderr.decode().splitlines() == [
        f"corpus.toml has format {FORMAT}, and had 3",
        "the n-gram index was made anew",
        "the index for searches was made anew",
    ]
    corpus = gristmill.Corpus(old, build=False)
    assert corpus.manifest.format == FORMAT
    assert _shards(old) == before
    assert NgramIndex.read(old / INDEX, same_corpus=True).can_grow
    assert len(corpus.search("tower")) == len(gristmill.Corpus(tmp_path / "as-it-was").search("tower"))
    assert b"nothing to do" in run("upgrade", old).stderr
    assert gristmill.upgrade(old, engine=ENGINE) == []


def test_what_can_be_opened_is_left_alone(old: Path) -> None:
    gristmill.upgrade(old, engine=ENGINE)
    card = (old / "index" / "index.toml").read_bytes()
    (old / "corpus.toml").write_text(
        (old / "corpus.toml").read_text("utf-8").replace(f"format = {FORMAT}", "format = 3")
    )
    assert gristmill.upgrade(old, engine=ENGINE) == [f"corpus.toml has format {FORMAT}, and had 3"]
    assert (old / "index" / "index.toml").read_bytes() == card
    assert Index.open(old / "index").size > 0


def test_one_without_an_index_for_searches_gets_none(old: Path) -> None:
    shutil.rmtree(old / "index")
    shutil.rmtree(old / INDEX)
    done = gristmill.upgrade(old, engine=ENGINE)
    assert done == [f"corpus.toml has format {FORMAT}, and had 3", "the n-gram index was made anew"]
    assert not (old / "index").exists()
    assert NgramIndex.read(old / INDEX, same_corpus=True).can_grow


def test_format_2_is_upgraded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(DATA / "format2", tmp_path / "old")
    monkeypatch.chdir(tmp_path / "old")
    done = gristmill.upgrade("corpus", engine=ENGINE)
    assert done == [f"corpus.toml has format {FORMAT}, and had 2", "the n-gram index was made anew"]
    assert gristmill.Corpus("corpus").manifest.format == FORMAT


def test_what_is_no_corpus(tmp_path: Path) -> None:
    result = run("upgrade", tmp_path)
    assert result.returncode == 2
    assert b"there is no corpus in" in result.stderr
