"""A corpus of the format before this one is read, searched, exported and added to.

`data/format2` was built by version 0.1.0 of format 2, in the folder where its sources are.
"""

from __future__ import annotations

import shutil
from importlib import metadata
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.corpus import Manifest
from gristmill.corpus.inventory import SourceNote
from gristmill.corpus.manifest import FORMAT
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError

DATA = Path(__file__).parent / "data" / "format2"
ENGINE = InlineEngine()


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(DATA, tmp_path / "old")
    monkeypatch.chdir(tmp_path / "old")
    manifest = Manifest.read(tmp_path / "old" / "corpus")
    manifest.versions = {name: metadata.version(name) for name in manifest.versions}  # releases of libraries go on
    manifest.write()
    return manifest.folder


def test_it_is_read_and_exported(old: Path, tmp_path: Path) -> None:
    corpus = gristmill.Corpus(old)
    assert corpus.manifest.format == 2
    assert [document.url for document in corpus.documents()] == [
        "file:pages/bridge.html",
        "file:pages/mill.html",
        "http://a.example/tower",
        "http://a.example/well",
    ]
    assert all(block.text for document in corpus.pages() for block in document.blocks)
    for name in ("x.jsonl", "x.parquet", "x.vert", "x.conllu", "x.txt"):
        assert run("export", old, "-o", tmp_path / name).returncode == 0
    assert (tmp_path / "x.txt").read_text("utf-8").count("In chapter 1 the ") == 4
    filtered = corpus.documents(gristmill.Selection(min_length=1, max_boilerplate=0.9))
    assert len(list(filtered)) == 4


def test_it_is_searched_and_explained(old: Path) -> None:
    assert b"4" in run("stats", old).stdout
    found = run("search", old, "tower stood")
    assert found.returncode == 0
    assert b"tower" in found.stdout
    why = run("why", old, "http://a.example/well")
    assert why.returncode == 0
    assert b"http://a.example/well" in why.stdout
    assert run("duplicates", old, "http://a.example/well").returncode == 0
    assert run("dedup", old, "--method", "onion").returncode == 0


def test_what_is_in_it_is_not_added_again(old: Path, tmp_path: Path) -> None:
    notes: list[SourceNote] = []
    shutil.copy("old.warc", tmp_path / "copy.warc")
    gristmill.add(old, ["pages", tmp_path / "copy.warc"], engine=ENGINE, notes=notes.append)
    assert [(Path(note.name).name, note.known_as) for note in notes] == [
        ("bridge.html", "pages/bridge.html"),
        ("mill.html", "pages/mill.html"),
        ("copy.warc", "old.warc"),
    ]
    assert Manifest.read(old).format == 2
    gristmill.build(["pages", "old.warc"], old, engine=ENGINE)  # nothing to do, and nothing is said to have changed


def test_adding_makes_it_one_of_this_format(old: Path) -> None:
    text = " ".join(f"On day {day} of the month the bells of the town rang {day} times." for day in range(28))
    (old.parent / "pages" / "bells.html").write_text(f"<html><body><p>{text}", "utf-8")
    whole = (old.parent / "old.warc").read_bytes()
    (old.parent / "old.warc").write_bytes(whole + whole.replace(b"/tower", b"/towel").replace(b"/well", b"/bell"))
    corpus = gristmill.add(old, ["pages"], engine=ENGINE)
    assert corpus.counts["pages"] == 5
    assert corpus.manifest.format == FORMAT
    assert all(shard.sources.exists() for shard in corpus.shards)
    assert [document.url for document in corpus.documents()][-1] == "file:pages/bells.html"
    assert run("search", old, "bells of").returncode == 0
    gristmill.build(
        ["pages", "old.warc"], old, engine=ENGINE
    )  # of the archive, which had changed, only the name is known


def test_files_that_are_gone_or_changed_are_known_by_name(old: Path, tmp_path: Path) -> None:
    (old.parent / "pages" / "mill.html").write_text("<p>changed")
    notes: list[SourceNote] = []
    corpus = gristmill.add(old, ["pages", "old.warc"], engine=ENGINE, notes=notes.append)
    assert [note.name for note in notes] == ["pages/bridge.html", "pages/mill.html", "old.warc"]
    elsewhere = tmp_path / "elsewhere.html"
    elsewhere.write_bytes((old.parent / "pages" / "mill.html").read_bytes())
    assert gristmill.add(corpus.folder, elsewhere, engine=ENGINE).counts["pages"] == 5


def test_other_formats_are_refused(old: Path) -> None:
    manifest = Manifest.read(old)
    manifest.format = FORMAT + 1
    manifest.write()
    with pytest.raises(UsageError, match="built by another version"):
        gristmill.Corpus(old)
