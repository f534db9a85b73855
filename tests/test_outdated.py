"""Corpora that were annotated before: used as they are, and done anew when somebody asks; what a first search says."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.annotation import annotate, settings, speed, stage, tagger
from gristmill.annotation.blocks import is_parsed
from gristmill.annotation.speed import note_speeds, seconds_for
from gristmill.annotation.spent import PARSER, Spent
from gristmill.annotation.stage import state_of
from gristmill.annotation.tagger import spec_for
from gristmill.corpus import CorpusReader
from gristmill.engine import InlineEngine
from gristmill.pipeline import status
from gristmill.pipeline.telling import say_if_outdated, say_work
from gristmill.shards import facts

ENGINE = InlineEngine()
TEXT = " ".join(f"On day {day} of the month the bells of the town rang {day} times." for day in range(28))


@pytest.fixture
def own(corpus: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample, annotated by a tagger that is quick; nothing was said of it to this user."""
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "home"))
    shutil.copytree(corpus.folder, tmp_path / "corpus")
    gristmill.annotate(tmp_path / "corpus", ["forms"], engine=ENGINE)
    return tmp_path / "corpus"


@pytest.fixture
def upgraded(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Installs another version of Gristmill."""
    return lambda: monkeypatch.setattr(settings, "__version__", "99.0")


def tokens(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("shards/*/tokens.parquet"))]


def test_another_version_uses_what_is_there_and_says_so_once(own: Path, upgraded: Callable[[], None]) -> None:
    before = tokens(own)
    upgraded()
    said = f"{own} was annotated by other versions of Gristmill or of taggers, and is used as it is"
    first = run("search", own, "flour")
    assert first.returncode == 0
    assert first.stderr.decode().count(said) == 1
    assert f"to do it anew: gristmill annotate {own}" in first.stderr.decode()
    assert "annotating" not in first.stderr.decode()
    for arguments in (("search", "flour"), ("wordlist",), ("index",), ("export", "--format", "vertical")):
        assert said not in run(arguments[0], own, *arguments[1:]).stderr.decode()
    assert tokens(own) == before


def test_an_index_says_it_too(own: Path, upgraded: Callable[[], None]) -> None:
    upgraded()
    gristmill.index(own, engine=ENGINE)  # nobody listens
    assert "was annotated by other versions" in run("index", own).stderr.decode()
    assert "was annotated by other versions" not in run("search", own, "flour").stderr.decode()


def test_an_export_says_it_too(own: Path, upgraded: Callable[[], None]) -> None:
    upgraded()
    assert "was annotated by other versions" not in run("export", own, "--format", "jsonl").stderr.decode()
    assert "was annotated by other versions" in run("export", own, "--format", "vertical").stderr.decode()


def test_status_shows_it_and_annotate_does_it(own: Path, upgraded: Callable[[], None]) -> None:
    gristmill.index(own, engine=ENGINE)
    assert "outdated" in run("status", own).stdout.decode()
    upgraded()
    found = next(one for one in status(own).stages if one.name == "annotate")
    assert (found.named("outdated"), found.named("current")) == (["00000"], [])
    assert found.reasons == ["taggers, parsers or rules have other versions or models now"]
    assert found.command == f"gristmill annotate {own}"
    shown = run("status", own)
    assert f"To do anew what other versions have done: gristmill annotate {own}" in shown.stderr.decode()
    assert "There is nothing to be done." in shown.stderr.decode()
    listed = json.loads(run("status", own, "--json").stdout)
    assert listed["stages"]["annotate"]["outdated"] == ["00000"]
    gristmill.annotate(own, engine=ENGINE)
    assert facts(CorpusReader(own).shards[0].tokens)["settings"]["gristmill"] == "99.0"
    assert not next(one for one in status(own).stages if one.name == "annotate").named("outdated")


def test_an_addition_annotates_only_what_is_new(own: Path, upgraded: Callable[[], None], tmp_path: Path) -> None:
    before = tokens(own)
    upgraded()
    (tmp_path / "bells.html").write_text(f"<html><body><p>{TEXT}", "utf-8")
    gristmill.add(own, [tmp_path / "bells.html"], engine=ENGINE)
    ran = run("search", own, "bells")
    assert "28 hits" in ran.stderr.decode()
    assert "was annotated in part (1 of 2 shards) by other versions" in ran.stderr.decode()
    assert tokens(own)[: len(before)] == before
    states = next(one for one in status(own).stages if one.name == "annotate")
    assert (states.named("outdated"), states.named("current")) == (["00000"], ["00001"])


def test_taggers_that_the_user_chose_are_used_at_once(own: Path) -> None:
    gristmill.index(own, engine=ENGINE)
    before = tokens(own)
    gristmill.annotate(own, ["simplemma"], engine=ENGINE)
    assert tokens(own) != before
    shard = CorpusReader(own).shards[0]
    assert state_of(shard, ["forms"]).name == "stale"


def test_other_taggers_by_default_make_it_outdated(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gristmill.annotate(own, [], engine=ENGINE)
    shard = CorpusReader(own).shards[0]
    assert state_of(shard).name == "current"
    monkeypatch.setitem(tagger.LANGUAGES, "cs", "forms:")
    assert (state_of(shard).name, state_of(shard).why) == ("outdated", "languages have other taggers by default now")


def test_a_first_search_says_what_it_does(own: Path) -> None:
    (own / "shards" / "00000" / "tokens.parquet").unlink()
    ran = run("search", own, "flour")
    lines = ran.stderr.decode().splitlines()
    assert lines[0].startswith("106 documents (")
    assert "to be annotated and indexed first, once; this takes about " in lines[0]
    assert lines[1].startswith("taggers: forms (en, ")
    assert lines[1].endswith(f"; others: gristmill annotate {own} --tagger en=...")
    assert lines[2:4] == [f"annotating {own} ...", f"indexing {own} ..."]
    again = run("search", own, "flour")
    assert again.stderr.decode().splitlines()[0].startswith("10 hits")
    shutil.rmtree(own / "index")
    only = run("search", own, "flour").stderr.decode().splitlines()
    assert only[:2] == ["1 shard to be indexed first", f"indexing {own} ..."]


def test_which_language_gets_which_tagger(corpus: gristmill.Corpus) -> None:
    lines: list[str] = []
    say_work(corpus.reader, corpus.shards, 1, 1, lines.append)
    for lang in ("en", "cs", "zh"):
        assert re.search(rf"{re.escape(tagger.spec_for(lang))} \([a-z, ]*\b{lang}\b", lines[1]), lines[1]


def test_speeds_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "none"))
    assumed = seconds_for({"hanta": 1_000_000})
    assert assumed > 0
    note_speeds({"hanta": 100_000, "forms": 10}, {"hanta": 10.0, "forms": 10.0})
    assert seconds_for({"hanta": 1_000_000}) == pytest.approx(100)
    assert seconds_for({"forms": 1_000_000}) < 100  # too few to tell
    note_speeds({"hanta": 300_000}, {"hanta": 10.0})
    assert seconds_for({"hanta:parameter=1": 1_000_000}) == pytest.approx(50)
    (tmp_path / "none" / speed.FILE).write_text("[broken", "utf-8")
    assert seconds_for({"hanta": 1_000_000}) == assumed


def test_without_a_folder_of_settings_it_is_said_each_time(
    own: Path, upgraded: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("GRISTMILL_HOME", str(tmp_path / "file" / "home"))
    upgraded()
    lines: list[str] = []
    for _ in range(2):
        say_if_outdated(CorpusReader(own), lines.append)
    assert len(lines) == 2


def test_times_are_no_part_of_what_is_stored(own: Path) -> None:
    assert "seconds" not in facts(CorpusReader(own).shards[0].tokens)
    found = stage.AnnotateTask(CorpusReader(own).shards[0], ("forms",)).run(lambda _: None)
    assert found["spent"].seconds["forms"] > 0
    assert found["spent"].tokens == found["taggers"]


def test_the_parser_is_timed_by_itself() -> None:
    """A corpus that is not parsed, or in part, is not told the time of one that is."""
    spent = Spent()
    texts = [("The old mill stands near the river.", lang) for lang in ("en", "de", "zh")]
    annotations = annotate(texts, (), spent)
    english, german = spec_for("en"), spec_for("de")
    assert english == german
    assert (spent.tokens[PARSER], spent.tokens[english]) == (8, 16)
    assert [any(annotation.deprels) for annotation in annotations] == [True, False, False]
    assert [is_parsed(lang) for _, lang in texts] == [True, False, False]
    assert not is_parsed("en", ["parser:none"])
    assert not is_parsed("en", ["en=forms"])
    assert set(spent.seconds) == {english, spec_for("zh"), PARSER}


def test_a_first_search_counts_the_time_of_the_parser(
    corpus: gristmill.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def seconds(tokens: Mapping[str, float]) -> float:
        asked.extend([tokens[PARSER], sum(tokens.values())])
        return 0.0

    monkeypatch.setattr(speed, "seconds_for", seconds)
    say_work(corpus.reader, corpus.shards, 1, 1, lambda _: None)
    assert 0 < asked[0] < asked[1] / 2
