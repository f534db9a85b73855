"""What has another format than this version reads is left as it is, and one message says what it is and what to do."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run

import gristmill
from gristmill.annotation.model_file import read_model, write_model
from gristmill.bootstrapping import store as bootstrap_store
from gristmill.cleaning import models
from gristmill.corpus.manifest import FORMAT
from gristmill.corpus.mirror import Mirror
from gristmill.crawling import frontier
from gristmill.dedup.job import INDEX, INDEX_CARD
from gristmill.dedup.onion.index import Index as NgramIndex
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError
from gristmill.filter.classifier import BITS, Classifier
from gristmill.judgements.blocks import store as judged
from gristmill.stores.address import Address

ENGINE = InlineEngine()
OTHERS = [1, 4, FORMAT + 1]


@pytest.fixture
def other(corpus: gristmill.Corpus, tmp_path: Path) -> Path:
    """The sample as a corpus whose format comes after this one."""
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    card = (folder / "corpus.toml").read_text("utf-8")
    (folder / "corpus.toml").write_text(card.replace(f"format = {FORMAT}\n", f"format = {FORMAT + 1}\n", 1), "utf-8")
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _said(what: str, wanted: int) -> str:
    return rf"{what} has format 99, and this version of Gristmill reads format {wanted}: .*, or use the version of "


@pytest.mark.parametrize("form", OTHERS)
def test_a_corpus_gets_one_message(other: Path, form: int) -> None:
    card = (other / "corpus.toml").read_text("utf-8")
    (other / "corpus.toml").write_text(card.replace(f"format = {FORMAT + 1}\n", f"format = {form}\n", 1), "utf-8")
    page = other.parent / "page.html"
    page.write_text("<p>Some text.")
    before = _files(other)
    expected = (
        f"gristmill: the corpus in {other} has format {form}, and this version of Gristmill reads format {FORMAT}: "
        "build it anew with `gristmill build SOURCE... -o FOLDER`, or use the version of Gristmill that made it\n"
    )
    for arguments in (
        ("stats", other),
        ("search", other, "bread"),
        ("add", other, page),
        ("build", page, "-o", other),
        ("dedup", other),
        ("annotate", other),
        ("index", other),
        ("report", other, "-o", other.parent / "report.html"),
        ("export", other, "-o", other.parent / "x.txt"),
        ("serve", other),
    ):
        ran = run(*arguments)
        assert (ran.returncode, ran.stdout, ran.stderr.decode()) == (1, b"", expected), arguments
    assert _files(other) == before
    assert {path.name for path in other.parent.iterdir()} == {other.name, page.name}


def test_a_corpus_gets_it_in_python(other: Path) -> None:
    with pytest.raises(GristmillError, match=rf"has format {FORMAT + 1}, and .* reads format {FORMAT}: build it anew"):
        gristmill.Corpus(other)
    with pytest.raises(GristmillError, match=f"reads format {FORMAT}"):
        gristmill.add(other, "sample", engine=ENGINE)


def test_an_index_is_made_anew(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    """No one has to ask for it: it is made of what is there."""
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    gristmill.annotate(folder, ["forms"], engine=ENGINE)
    hits = gristmill.Corpus(folder).search("bread").total
    card = folder / "index/index.toml"
    card.write_text(card.read_text("utf-8").replace("format = ", "format = 9", 1), "utf-8")
    with pytest.raises(
        GristmillError, match=r"the index in .* has format 9\d, .*: make it anew with `gristmill index`"
    ):
        gristmill.Corpus(folder, build=False).search("bread")
    assert gristmill.Corpus(folder).search("bread").total == hits > 0


def test_ngrams_are_made_anew_to_be_added_to(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = shutil.copytree(corpus.folder, tmp_path / "corpus")
    card = folder / INDEX / INDEX_CARD
    made = json.loads(card.read_bytes())
    card.write_text(json.dumps(made | {"format": 99}))
    with pytest.raises(GristmillError, match=_said("the n-gram index of .*", made["format"])):
        NgramIndex.read(folder / INDEX)
    text = " ".join(f"On day {day} of the month the bells of the town rang {day} times." for day in range(28))
    (tmp_path / "bells.html").write_text(f"<html><body><p>{text}", "utf-8")
    gristmill.add(folder, tmp_path / "bells.html", engine=ENGINE)
    assert NgramIndex.read(folder / INDEX).shards == ["00000", "00001"]


def test_a_crawl_a_bootstrap_and_judgements(tmp_path: Path) -> None:
    openers: list[tuple[str, Callable[[], Any]]] = [
        (frontier.NAME, lambda: frontier.Frontier(tmp_path / frontier.NAME)),
        (bootstrap_store.NAME, lambda: bootstrap_store.Store(tmp_path)),
        (judged.NAME, lambda: judged.BlockStore(tmp_path)),
    ]
    for name, opened in openers:
        opened().close()
        path = tmp_path / name
        database = sqlite3.connect(path)
        [[wanted]] = database.execute("SELECT value FROM state WHERE name = 'format'")
        database.execute("UPDATE state SET value = 99 WHERE name = 'format'")
        database.commit()
        database.close()
        with pytest.raises(GristmillError, match=_said(str(path), wanted)):
            opened()


def test_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.model"
    with monkeypatch.context() as patch:
        patch.setattr(models, "FORMAT", 99)
        path.write_bytes(models.pack("mill", {}, {}))
    with pytest.raises(GristmillError, match=_said(f"the model {path}", 1)):
        models.read(path)
    assert not models.is_model(path)
    page = tmp_path / "page.html"
    page.write_text("<p>Some text.")
    ran = run("clean", page, "--model", path)
    assert ran.returncode == 1
    assert b"has format 99, and this version of Gristmill reads format 1: train it again" in ran.stderr
    with path.open("wb") as file:
        np.savez(file, form=np.array([99, BITS]), weights=np.zeros(3, np.float32), bias=np.zeros(1, np.float32))
    with pytest.raises(GristmillError, match=_said(f"the model {path}", 1)):
        Classifier.load(str(path))
    write_model(path, "segmenter", 99, {}, {})
    with pytest.raises(GristmillError, match=_said(f"the model {path}", 1)):
        read_model(path, "segmenter", 1)


def test_a_mirror(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    address = Address.parse((tmp_path / "mirror").as_uri())
    gristmill.push(corpus.folder, str(address))
    [listed] = (tmp_path / "mirror/mirror").glob("*.json")
    listed.write_bytes(listed.read_bytes().replace(b'"mirror": 1', b'"mirror": 99', 1))
    with pytest.raises(GristmillError, match=_said("the mirror at .*", 1)):
        Mirror.open(address)
    ran = run("pull", str(address), "-o", tmp_path / "pulled")
    assert ran.returncode == 1
    assert not (tmp_path / "pulled/corpus.toml").exists()
