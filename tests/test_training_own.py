"""Training on pages of one's own: what the shipped model gets wrong on them is learned, and what it knows is kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run
from own_pages import ARTICLE, offers, page, write_folder, write_parquet

import gristmill
from gristmill.cleaning.methods.mill import Weights, shipped
from gristmill.cleaning.methods.trees import Trees
from gristmill.cleaning.models import load, read
from gristmill.document import Page
from gristmill.evaluation import read_gold
from gristmill.evaluation.training import continued
from gristmill.evaluation.training import mill as train_mill
from gristmill.evaluation.training.boosting import Settings
from gristmill.evaluation.training.continued import joined
from gristmill.literature.training import fiasco, genetic, hofmann, texrex

TRAINED = ("cedar", "chakrabarti", "fiasco", "hofmann", "maxsub", "mill", "ncleaner", "texrex", "victor")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texrex, "_EPOCHS", 100)
    monkeypatch.setattr(hofmann, "_BREEDING", genetic.Settings(population=6, generations=2))
    monkeypatch.setattr(fiasco, "find_browser", lambda: None)  # to render all pages takes long
    monkeypatch.setattr(continued, "_NUMBERS", (10, 40))
    monkeypatch.setattr(
        continued, "_CHOICES", [(0.0, 0, False), *((0.12, number, own) for number in (10, 40) for own in (False, True))]
    )
    monkeypatch.setattr(continued, "_RATES", (0.12,))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parquet(tmp_path_factory.mktemp("own") / "offers.parquet", range(24), sites=12)


def kept(model: Path, method: str, number: int = 90) -> str:
    return gristmill.clean(page(number), method=method, model=model).text


@pytest.mark.parametrize("method", TRAINED)
def test_own_pages_are_learned_and_the_same_twice(method: str, pages: Path, tmp_path: Path) -> None:
    if method in {"cedar", "victor"}:
        pytest.importorskip("pycrfsuite")
    for name in ("one", "two"):
        ran = run("train", method, pages, "-o", tmp_path / f"{name}.model", "--seed", "3")
        assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "one.model").read_bytes() == (tmp_path / "two.model").read_bytes()
    said = ran.stderr.decode()
    assert f"use it with --method {method} --model {tmp_path / 'two.model'}" in said
    assert "sites that were held out" in said
    assert kept(tmp_path / "one.model", method).split("\n") == offers(90)
    assert kept(tmp_path / "one.model", method) != gristmill.clean(page(90), method=method).text
    file = read(tmp_path / "one.model")
    assert file.method == file.card["method"] == method
    data = file.card["trained_on" if method == "mill" else "data"]
    assert [(entry["pages of"], entry["pages"]) for entry in data] == [("offers", 24)]
    assert str(tmp_path) not in json.dumps(file.card)


def test_who_tests_on_what_was_trained_on_is_told(pages: Path, tmp_path: Path) -> None:
    run("train", "ncleaner", pages, "-o", tmp_path / "own.ncleaner")
    more = write_parquet(tmp_path / "more.parquet", range(20, 30))
    ran = run("evaluate", more, "--model", tmp_path / "own.ncleaner")
    assert "own.ncleaner: trained on 4 pages of these 10, so its figures say too much" in ran.stderr.decode()
    other = write_parquet(tmp_path / "other.parquet", range(30, 33))
    assert "trained on" not in run("evaluate", other, "--model", tmp_path / "own.ncleaner").stderr.decode()


def test_mill_says_what_it_was_and_what_it_is(pages: Path, tmp_path: Path) -> None:
    ran = run("train", "mill", pages, "-o", tmp_path / "own.mill")
    assert "with the shipped model" in ran.stderr.decode()
    assert "more trees (by folds: " in ran.stderr.decode()
    card = read(tmp_path / "own.mill").card
    found = card["cross_validation"]
    assert found["folds of"] == "sites"
    assert sum(found["pages"]) == 24
    assert max(fold["f1"] for fold in found["before"]) < 0.5
    assert min(fold["f1"] for fold in found["after"]) > 0.9
    assert card["continued_from"]["trees"] == len(shipped()[1].leaves)
    assert card["settings"]["trees"] in {10, 40}


def test_folders_of_pairs_and_what_is_left_out(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "my-pages", range(8))
    (folder / "alone.html").write_text(page(50))
    ran = run("train", "mill", folder, "-o", tmp_path / "own.mill")
    assert "my-pages: left out 1 no gold" in ran.stderr.decode()
    assert kept(tmp_path / "own.mill", "mill").split("\n") == offers(90)


def test_pages_of_one_site_are_dealt_page_by_page(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "one.parquet", range(10), sites=1)
    ran = run("train", "mill", path, "-o", tmp_path / "own.mill")
    assert "on pages that were held out (10 pages)" in ran.stderr.decode()
    assert read(tmp_path / "own.mill").card["cross_validation"]["folds of"] == "pages"
    ran = run("train", "ncleaner", path, "-o", tmp_path / "own.ncleaner")
    assert "All pages are of one site" in ran.stderr.decode()


def test_what_the_shipped_model_knows_needs_no_trees(tmp_path: Path, sample_pages: dict[str, Page]) -> None:
    """Where it is right, nothing can be gained, and the model stays the shipped one."""
    rows = [
        {"id": url, "url": url, "html": found.body, "gold": gristmill.clean(found).text}
        for url, found in list(sample_pages.items())[:12]
    ]
    path = tmp_path / "known.parquet"
    pq.write_table(pa.Table.from_pylist([row for row in rows if row["gold"]]), path)
    ran = run("train", "mill", path, "-o", tmp_path / "own.mill")
    assert "the model is the shipped one" in ran.stderr.decode()
    assert read(tmp_path / "own.mill").card["settings"]["trees"] == 0
    for found in list(sample_pages.values())[:20]:
        plain, same = (gristmill.clean(found, model=model) for model in (None, tmp_path / "own.mill"))
        assert [block.score for block in plain.blocks] == [block.score for block in same.blocks]


def test_names_of_classes_are_learned_if_they_are_on_enough_sites(tmp_path: Path) -> None:
    names = Weights.of(load("mill")).names
    assert "zzoffers" not in names
    path = tmp_path / "named.parquet"
    rows = [
        {
            "id": str(number),
            "url": f"http://site{number % 9}.example/{number}",
            "html": page(number).replace("class=offers", "class=zzoffers").encode(),
            "gold": "\n".join(offers(number)),
        }
        for number in range(18)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    found = continued.go_on([page for gold_set in read_gold([path]) for page in gold_set.pages], 0)
    words = found.arrays["words"].tobytes().decode().split("\n")
    weights = dict(zip(words, found.arrays["weights"].tolist(), strict=True))
    assert weights["zzoffers"] > 0
    assert {word: weights[word] for word in names} == pytest.approx(dict(names), abs=1e-3)


def test_joined_trees_add_up() -> None:
    random = np.random.default_rng(0)

    def trees(number: int, depth: int) -> Trees:
        size = number * depth
        columns, borders = random.integers(0, 9, size).astype(np.int32), random.random(size, np.float32)
        return Trees(columns, borders, random.normal(size=(number, 1 << depth)).astype(np.float32), number / 2)

    table = random.random((9, 50), np.float32)
    for first, second in ((trees(3, 2), trees(5, 4)), (trees(4, 5), trees(2, 1))):
        expected = first.odds(table) + second.odds(table)
        assert np.allclose(joined(first, second).odds(table), expected)


def test_own_pages_are_added_to_gold_standards(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_mill, "SETTINGS", Settings(trees=20, depth=3, rows=1.0, columns=0.5))
    gold = tmp_path / "gold"
    gold.mkdir()
    for at, name in enumerate((*train_mill.TRAINED_ON, *train_mill.ONLY_TESTED_ON)):
        write_parquet(gold / f"{name}.parquet", range(100 * at, 100 * at + 3))
    ran = run("train", "mill", pages, "--gold", gold, "-o", tmp_path / "own.mill")
    assert ran.returncode == 0, ran.stderr
    card = read(tmp_path / "own.mill").card
    assert card["trained_on"][-1]["pages of"] == "offers"
    assert {entry.get("file") for entry in card["trained_on"]} >= {"cleaneval.parquet", "canola.parquet"}
    found = gristmill.clean(page(90), model=tmp_path / "own.mill", roles="all")
    assert found.text.split("\n") == offers(90)


def test_texrex_learns_from_pages_beside_its_tables(pages: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    inputs = random.uniform(size=(40, 37)).astype(np.float32)
    columns = {
        "lang": ["de"] * 40,
        "features": pa.FixedSizeListArray.from_arrays(pa.array(inputs.ravel()), 37),
        "boilerplate": pa.array(inputs[:, 0] > 0.5, pa.int8()),
    }
    pq.write_table(pa.table(columns), tmp_path / "texrex-features.parquet")
    ran = run("train", "texrex", pages, "--gold", tmp_path, "-o", tmp_path / "own.texrex")
    assert ran.returncode == 0, ran.stderr
    file = read(tmp_path / "own.texrex")
    assert {name.partition(".")[0] for name in file.arrays if "." in name} == {"de", "en", "all", "gaussian"}
    assert set(file.card["scores"]) == {"de", "pages"}
    assert [entry.get("rows", entry.get("pages")) for entry in file.card["data"]] == [40, 24]
    assert kept(tmp_path / "own.texrex", "texrex").split("\n") == offers(90)


def test_ncleaner_learns_words_from_english_pages(pages: Path, tmp_path: Path) -> None:
    rows = pq.read_table(pages).to_pylist()
    mixed = [row | {"lang": "de" if at % 2 else "en"} for at, row in enumerate(rows)]
    pq.write_table(pa.Table.from_pylist(mixed), tmp_path / "mixed.parquet")
    run("train", "ncleaner", tmp_path / "mixed.parquet", "-o", tmp_path / "own.ncleaner")
    assert read(tmp_path / "own.ncleaner").card["pages used"] == {"words": 12, "shapes": 24}


def test_without_text_there_is_nothing_to_learn(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<script>x</script>")
    (tmp_path / "pages" / "a.txt").write_text("Text that is not there.")
    for method, message in (("mill", "at least two pages"), ("texrex", "no pages with text to train from")):
        ran = run("train", method, tmp_path / "pages", "-o", tmp_path / "own.model")
        assert ran.returncode == 2
        assert message in ran.stderr.decode()


def test_what_is_wrong_is_said(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine.txt").write_text("of value")
    for arguments, message in (
        (["mill", pages, "-o", tmp_path / "mine.txt"], "is there already, and is no model"),
        (["mill"], "mill is learned from pages: give your own, or the folder of gold standards with --gold"),
        (["mill", pages], "the model is one file: name it, for example with -o my.mill"),
        (["mill", pages, "-o", tmp_path / "folder"], "the model is one file"),
        (["mill", tmp_path / "none", "-o", tmp_path / "a.mill"], "there is no gold standard"),
        (["mill", pages, "--gold", tmp_path / "none", "-o", tmp_path / "a.mill"], "there is no folder"),
        (["mill", pages, "--lang", "en", "-o", tmp_path / "a.mill"], "--lang is not for mill"),
        (["justext", pages, "-o", tmp_path / "a.mill"], "there is no trained method 'justext'"),
        (["language", pages, "--lang", "en"], "language is learned from a text, not from pages"),
    ):
        ran = run("train", *arguments)
        assert ran.returncode == 2, arguments
        assert message in ran.stderr.decode()
    assert (tmp_path / "mine.txt").read_text() == "of value"


def test_the_article_was_text_before() -> None:
    """What the other tests rely on: the shipped model keeps what own pages say is none."""
    assert ARTICLE[0] in gristmill.clean(page(0)).text
    assert offers(0)[0] not in gristmill.clean(page(0)).text
