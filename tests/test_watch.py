"""Standing queries: asked of each document once, when it is added; what they find is there as text and as a feed."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from command import run

from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import Corpus, add, build, run_watches, watch, watching
from gristmill.search.concordance.lines import Line
from gristmill.search.watch.feed import MAX_ENTRIES, atom_feed
from gristmill.search.watch.watches import FEED, TEXT, Watch, read_watches
from gristmill.shards import Shard

ENGINE = InlineEngine()
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def _page(folder: Path, subject: str) -> Path:
    path = folder / f"{subject}.html"
    folder.mkdir(exist_ok=True)
    text = " ".join(
        (
            f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} in the "
            f"land was built after."
        )
        for number in range(1, 9)
    )
    path.write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return build(_page(tmp_path, "mill"), tmp_path / "corpus", engine=ENGINE)


def _lines(folder: Path, name: str) -> list[str]:
    return (folder / "watches" / name / TEXT).read_text("utf-8").splitlines()


def test_only_new_documents_are_searched(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch(corpus.folder, '[word="mill|bridge"] "that"', name="that")
    assert _lines(corpus.folder, "that") == []
    indexed: list[str] = []
    parts = watching._index_parts

    def seen(corpus: Path, shard: Shard, folder: Path) -> object:
        indexed.append(shard.name)
        return parts(corpus, shard, folder)

    monkeypatch.setattr(watching, "_index_parts", seen)
    add(corpus.folder, _page(tmp_path, "bridge"), engine=ENGINE)
    lines = _lines(corpus.folder, "that")
    assert len(lines) == 8
    assert all("<bridge that>" in line and "00001-000000" in line for line in lines)
    add(corpus.folder, _page(tmp_path, "tower"), engine=ENGINE)
    assert _lines(corpus.folder, "that") == lines
    assert indexed == ["00001", "00002"]


def test_everything_can_be_searched_first(corpus: Corpus) -> None:
    watch(corpus.folder, "mill that", name="old", everything=True)
    watch(corpus.folder, "mill that", name="new")
    assert run_watches(corpus.folder, engine=ENGINE) == {"old": 8, "new": 0}
    assert run_watches(corpus.folder, engine=ENGINE) == {"old": 0, "new": 0}
    assert len(_lines(corpus.folder, "old")) == 8


def test_a_killed_run_goes_on_and_repeats_nothing(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch(corpus.folder, "that every", name="a")
    watch(corpus.folder, "in the land", name="b")
    with monkeypatch.context() as patch:
        patch.setattr(Watch, "publish", _fail)
        with pytest.raises(RuntimeError):
            add(corpus.folder, [_page(tmp_path, "bridge"), _page(tmp_path, "tower")], engine=ENGINE)
    add(corpus.folder, _page(tmp_path, "well"), engine=ENGINE)
    for name in "ab":
        assert len(_lines(corpus.folder, name)) == 24


def _fail(_: Watch) -> None:
    raise RuntimeError("the power went")


def test_conditions_choose_documents(corpus: Corpus) -> None:
    watch(corpus.folder, "mill", name="english", where='lang="en"', everything=True)
    watch(corpus.folder, "mill", name="czech", where='lang="cs"', everything=True)
    assert run_watches(corpus.folder, engine=ENGINE) == {"czech": 0, "english": 24}


def test_the_feed_is_atom(corpus: Corpus) -> None:
    watch(corpus.folder, "river", name="river", everything=True)
    run_watches(corpus.folder, engine=ENGINE)
    feed = ET.parse(corpus.folder / "watches/river" / FEED).getroot()  # noqa: S314 (our own)
    assert feed.tag == "{http://www.w3.org/2005/Atom}feed"
    assert feed.findtext("a:title", namespaces=ATOM) == "river: river"
    entries = feed.findall("a:entry", ATOM)
    assert len(entries) == 8
    ids = [entry.findtext("a:id", namespaces=ATOM) for entry in entries]
    assert len(set(ids)) == 8
    for entry in entries:
        assert "<b>river</b>" in (entry.findtext("a:content", namespaces=ATOM) or "")
        assert entry.find("a:updated", ATOM) is not None
    assert "In chapter 8 the mill stood by the river" in (entries[0].findtext("a:title", namespaces=ATOM) or "")


def test_a_feed_of_any_text_is_xml_and_has_the_latest_lines() -> None:
    line = Line(
        "a\x00 <b> &\x1b\ufffe ",
        "no\x08de",
        " \ud800]]>",
        "00000-000000",
        "http://a.example/?a=1&b=\x01",
        "a.example",
        "soon",
        0,
        1,
    )
    feed = ET.fromstring(atom_feed('"<&\x02', "[]", [line] * (MAX_ENTRIES + 5)))  # noqa: S314 (our own)
    entries = feed.findall("a:entry", ATOM)
    assert len(entries) == MAX_ENTRIES
    assert entries[0].findtext("a:title", namespaces=ATOM) == "a <b> & node ]]>"
    assert entries[0].findtext("a:updated", namespaces=ATOM) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        ('[word="a"', {}, "]"),
        ('[wrod="a"]', {}, "word"),
        ("", {}, "empty"),
        ("1:[] 2:[] & 1.lema = 2.lemma", {}, "did you mean 'lemma'"),
        ("1:[]* 2:[]* & 1.lemma = 2.lemma", {}, "fixed distance"),
        ("mi\udcffll", {}, "not valid Unicode"),
        ("mill", {"where": 'hots="a"'}, "host"),
        ("mill", {"where": "host="}, "value"),
        ("mill", {"name": "../mill"}, "letters, digits"),
    ],
)
def test_wrong_queries_are_not_watched_for(corpus: Corpus, query: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        watch(corpus.folder, query, **options)
    assert read_watches(corpus.folder) == []


def test_commands(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus.folder
    assert b"nothing is watched for" in run("watch", "list", folder).stderr
    assert run("watch", "add", folder, '[lemma="bridge"]').returncode == 0
    again = run("watch", "add", folder, '[lemma="bridge"]')
    assert again.returncode == 2
    assert b"already" in again.stderr
    added = run("add", folder, _page(tmp_path, "bridge"), "-j", "1")
    assert b"lemma-bridge: 24 new lines" in added.stderr, added.stderr
    assert (
        run("watch", "list", folder, "--csv").stdout
        == b'name,query,where,lines\nlemma-bridge,"[lemma=""bridge""]",,24\n'
    )
    assert b"0 new lines" in run("watch", "run", folder).stderr
    wrong = run("watch", "remove", folder, "lemma-brigde")
    assert wrong.returncode == 2
    assert b"did you mean 'lemma-bridge'" in wrong.stderr
    assert run("watch", "remove", folder, "lemma-bridge").returncode == 0
    assert read_watches(folder) == []
    assert run("watch", "list", tmp_path).returncode == 2
    assert run("watch", "add", tmp_path, "mill").returncode == 2


def test_what_a_killed_command_left_is_no_watch(corpus: Corpus) -> None:
    (corpus.folder / "watches/mill").mkdir(parents=True)
    watch(corpus.folder, "mill", name="mill")
    with pytest.raises(UsageError, match="already"):
        watch(corpus.folder, "mill", name="mill")


def test_characters_that_end_lines_in_text_do_not_end_records(corpus: Corpus) -> None:
    line = Line("a\u2028b\u0085", "mill", "\x1d\x0b", "00000-000000", "http://a.example/\u2028", "a.example", "", 0, 1)
    found = watch(corpus.folder, "mill")
    found.keep(corpus.shards[0], [line, line])
    assert list(found.lines()) == [line, line]


def test_a_query_that_fails_says_which(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    watch(corpus.folder, "[]{1,3}", name="much", everything=True)
    monkeypatch.setattr("gristmill.search.hits.MAX_SPANS", 10)
    with pytest.raises(GristmillError, match="the watch 'much' can't be asked"):
        run_watches(corpus.folder, engine=ENGINE)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("watch.toml", 'query = "x"\nwhere = ""\nfirst = "0"\n'),
        ("watch.toml", 'query = "x"\n'),
        ("watch.toml", "query = ["),
        ("00000.jsonl", '{"left": 1}\n'),
        ("00000.jsonl", "[\n"),
    ],
)
def test_damaged_watches_are_said(corpus: Corpus, name: str, text: str) -> None:
    (watch(corpus.folder, "mill", name="mills").folder / name).write_text(text)
    with pytest.raises(GristmillError, match=r"is damaged|can't read"):
        [list(found.lines()) for found in read_watches(corpus.folder)]
