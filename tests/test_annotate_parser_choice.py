"""Parsers that users choose: by options and settings, what the corpus keeps, states of its shards, exports."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import run
from invented import sentences, with_tree

import gristmill
from gristmill.annotation import read_annotations, settings
from gristmill.annotation.parsing import choice
from gristmill.annotation.parsing.training import train
from gristmill.annotation.tagging.shipped import model_of as tagger_model
from gristmill.corpus import CorpusReader, Manifest
from gristmill.engine import InlineEngine

ENGINE = InlineEngine()
ENGLISH = "The old mill stands by the river. Every morning the miller opens the gate, and the water turns the wheel. "
GERMAN = "Die alte Mühle steht am Fluss. Jeden Morgen öffnet der Müller das Tor, und das Wasser dreht das Rad. "
POLISH = "Stary młyn stoi nad rzeką. Każdego ranka młynarz otwiera bramę, a woda obraca koło. "


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of a page in English, whose parser comes with gristmill, one in German, which has none, and Polish."""
    place = tmp_path_factory.mktemp("three")
    (place / "pages").mkdir()
    for lang, text in (("de", GERMAN), ("en", ENGLISH), ("pl", POLISH)):
        page = f"<html lang={lang}><title>{lang}</title><p>{text * 4}</p><p>{text * 3}</p></html>"
        (place / "pages" / f"{lang}.html").write_text(page, "utf-8")
    gristmill.build([place / "pages"], place / "corpus", engine=ENGINE)
    return place / "corpus"


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(built, tmp_path / "corpus")


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser for German; that it learned an invented language is of no account here."""
    path = tmp_path_factory.mktemp("parser") / "de.parser"
    path.write_bytes(train(list(map(with_tree, sentences(60, 0))), "de").to_bytes())
    return path


def parsed(folder: Path) -> set[str]:
    """The languages whose tokens all have relations; those of the others must have none."""
    found = set()
    (shard,) = CorpusReader(folder).shards
    for lang, document in zip(("de", "en", "pl"), read_annotations(shard), strict=True):
        deprels = [deprel for annotation in document.values() for deprel in annotation.deprels]
        assert deprels
        assert all(deprels) or not any(deprels)
        found |= {lang} if deprels[0] else set()
    return found


def kept(folder: Path) -> Any:
    return Manifest.read(folder).settings["annotate"].get("parsers", [])


def state(folder: Path) -> tuple[str, list[str]]:
    """The state of the one shard, and why, as `gristmill status` says it."""
    found = json.loads(run("status", folder, "--json").stdout)["stages"]["annotate"]
    return next(name for name in ("current", "missing", "stale", "outdated") if found[name]), found["reasons"]


def test_options_are_kept(folder: Path, german: Path) -> None:
    tried: list[tuple[list[str], set[str], list[str]]] = [
        ([], {"en"}, []),
        (["--no-parse"], set(), ["none"]),
        ([], set(), ["none"]),
        (["--parser", "en=default"], {"en"}, ["en=default"]),
        (["--parser", "EN=none"], set(), ["en=none"]),
        (["--parser", f"de={german}"], {"de", "en"}, [f"de={german}"]),
        (["--parser", "none", "--parser", f"de={german}"], {"de"}, ["none", f"de={german}"]),
        (["--parser", "none", "--parser", "en=default"], {"en"}, ["none", "en=default"]),
        (["--parser", "none"], set(), ["none"]),
        (["--parser", "none", "--parser", "default"], {"en"}, []),
        (["--parser", f"pl={german}"], {"en"}, [f"pl={german}"]),  # which has no tags to parse by
        (["--parser", "default"], {"en"}, []),
    ]
    for options, langs, stored in tried:
        ran = run("annotate", folder, *options)
        assert (ran.returncode, parsed(folder), kept(folder)) == (0, langs, stored), options
        assert state(folder) == ("current", []), options


def test_relative_files_are_kept_whole(folder: Path, german: Path) -> None:
    assert run("annotate", folder, "--parser", "de=de.parser", cwd=german.parent).returncode == 0
    assert kept(folder) == [f"de={german}"]
    assert parsed(folder) == {"de", "en"}


def test_wrong_options_change_nothing(folder: Path, german: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>no model")
    wrong = {
        ("--no-parse", "--parser", "en=none"): "--no-parse is without --parser",
        ("--parser", "xx=none"): "'xx' is not a language code",
        ("--parser", "english=none"): "did you mean 'en'?",
        ("--parser", "en"): "'en' names no parser; write de=de.parser",
        ("--parser", ""): "'' names no parser",
        ("--parser", "en="): "'en=' names no parser",
        ("--parser", str(german)): "names no parser",
        ("--parser", "de=default"): "no parser of 'de' comes with gristmill; there are af, ca,",
        ("--parser", "de=missing.parser"): "make one with gristmill train parser TREEBANK --lang LANG -o",
        ("--parser", f"de={tmp_path / 'page.html'}"): "page.html is no model",
        ("--parser", f"de={tmp_path}"): "can't read",
        ("--parser", f"de={tagger_model('de')}"): "is a model of tagger, not of a parser",
    }
    before = (folder / "corpus.toml").read_bytes()
    for options, said in wrong.items():
        ran = run("annotate", folder, *options)
        assert ran.returncode == 2, options
        assert said in ran.stderr.decode(), options
    assert (folder / "corpus.toml").read_bytes() == before
    assert state(folder)[0] == "missing"


def test_settings_of_a_build(built: Path, german: Path, tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    for number, (written, langs) in enumerate([('"none", "en=default"', {"en"}), ('"default", "en=none"', set())]):
        config.write_text(f"[annotate]\nparsers = [{written}]\n")
        folder = tmp_path / str(number)
        assert run("build", built.parent / "pages", "-o", folder, "--config", config).returncode == 0
        assert run("annotate", folder).returncode == 0
        assert parsed(folder) == langs
    config.write_text('[annotate]\nparsers = ["english"]\n')
    ran = run("build", built.parent / "pages", "-o", tmp_path / "wrong", "--config", config)
    assert (ran.returncode, b"'english' names no parser" in ran.stderr) == (2, True)
    with pytest.raises(gristmill.UsageError, match="names no parser"):
        gristmill.annotate(tmp_path / "0", parsers=[str(german)])


def test_status_after_a_change_names_what_was_changed(folder: Path, german: Path, tmp_path: Path) -> None:
    gristmill.annotate(folder, engine=ENGINE)
    manifest = Manifest.read(folder)
    chosen: list[tuple[tuple[str, ...], tuple[str, ...], str]] = [
        ((), ("none",), "other parsers were chosen since"),
        (("forms",), (), "other taggers were chosen since"),
        (("forms",), ("none",), "other taggers and parsers were chosen since"),
        ((), ("default",), ""),
    ]
    for taggers, parsers, reason in chosen:
        changed = manifest.config.replace(annotate_taggers=taggers, annotate_parsers=parsers)
        replace(manifest, settings=changed.to_table()).write()
        assert state(folder) == (("stale", [reason]) if reason else ("current", []))
        assert reason.encode() in run("status", folder).stdout
    own = tmp_path / "own.parser"
    shutil.copy(german, own)
    gristmill.annotate(folder, parsers=f"de={own}", engine=ENGINE)
    own.write_bytes(train(list(map(with_tree, sentences(50, 1))), "de").to_bytes())
    for cached in (settings._digest, choice.load):  # as in a new process
        cached.cache_clear()
    assert state(folder) == ("current", [])  # what holds other things now is not looked at before it is allowed again
    gristmill.trust(folder)
    assert state(folder) == ("outdated", ["taggers, parsers or rules have other versions or models now"])


def test_exports_with_other_taggers_keep_the_parsers(folder: Path, german: Path) -> None:
    def relations(*options: str) -> set[str]:
        ran = run("export", folder, "-f", "conllu", "--lang", "en", *options)
        assert ran.returncode == 0
        return {line.split("\t")[7] for line in ran.stdout.decode().splitlines() if line[:1].isdigit()}

    assert "nsubj" in relations("--tagger", "own")  # before anything is annotated
    gristmill.annotate(folder, parsers="none", engine=ENGINE)
    assert relations() == relations("--tagger", "own") == {"_"}
    gristmill.annotate(folder, parsers=f"de={german}", engine=ENGINE)
    assert relations() == relations("--tagger", "own") > {"nsubj", "root"}
    assert choice.with_parsers_of(["own", "parser:none"], [f"de=parser:{german}"]) == ["own", "parser:none"]
