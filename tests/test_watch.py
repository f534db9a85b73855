"""Standing queries: asked of each document once, when it is added; what they find is there as text and as a feed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import atom
import pytest
from command import run

from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import Corpus, add, build, run_watches, set_watch, watch, watching
from gristmill.search.concordance.lines import Line
from gristmill.search.watch.feed import FEED, MAX_ENTRIES, at_address, atom_feed
from gristmill.search.watch.watches import TEXT, Watch, read_watches
from gristmill.shards import Shard

ENGINE = InlineEngine()
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def _page(folder: Path, subject: str, count: int = 8) -> Path:
    path = folder / f"{subject}.html"
    folder.mkdir(exist_ok=True)
    text = " ".join(
        (
            f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} in the "
            f"land was built after."
        )
        for number in range(1, count + 1)
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


def test_queries_with_lists_and_labels(corpus: Corpus, tmp_path: Path) -> None:
    (corpus.folder / "lists").mkdir()
    (corpus.folder / "lists" / "buildings.txt").write_text("mill\nbridge\n")
    watch(corpus.folder, '(?longest) 1:[lemma = $buildings] 2:"that"', name="built", everything=True)
    add(corpus.folder, _page(tmp_path, "bridge"), engine=ENGINE)
    (watched,) = read_watches(corpus.folder)
    lines = list(watched.lines())
    assert [line.labels["1"].word for line in lines] == ["mill"] * 8 + ["bridge"] * 8
    assert {line.labels["2"].word for line in lines} == {"that"}
    (corpus.folder / "lists" / "buildings.txt").unlink()
    with pytest.raises(GristmillError, match=r"'built' can't be asked.*no list \$buildings"):
        add(corpus.folder, _page(tmp_path, "tower"), engine=ENGINE)


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


def test_feeds_keep_the_rules_of_atom_and_say_where_they_are(corpus: Corpus) -> None:
    watch(corpus.folder, "river", name="river", everything=True)
    path = corpus.folder / "watches/river" / FEED
    assert list(atom.faults(path.read_bytes(), "https://a.example/feeds/feed.xml")) == []  # without an entry
    run_watches(corpus.folder, engine=ENGINE)
    plain = path.read_bytes()
    assert list(atom.faults(plain, "https://a.example/feeds/feed.xml")) == []
    assert list(atom.faults(plain, "https://a.example/feeds/other.xml")) == ["4.2.7: feed.xml is elsewhere"]
    set_watch(corpus.folder, "river", feed_url="https://a.example/r?a=1&b=ü")
    add(corpus.folder, _page(corpus.folder.parent, "bridge"), engine=ENGINE)
    assert path.read_bytes().count(b"<entry>") == 16
    assert list(atom.faults(path.read_bytes(), "https://a.example/r?a=1&b=%C3%BC")) == []
    assert run("watch", "set", corpus.folder, "river", "--feed-url", "").returncode == 0
    assert list(atom.faults(path.read_bytes(), "http://b.example/feed.xml")) == []
    older = plain.replace(b'  <link rel="self" href="feed.xml" />\n', b"")
    assert b"self" not in older
    assert at_address(older, "feed.xml") == plain


@pytest.mark.parametrize(
    "url",
    [
        "feed.xml",
        "file:///feed.xml",
        "https://",
        "https://a b.example",
        "https://me:p@a.example",
        "http://[",
        "http://a.example/\x00",
    ],
)
def test_feeds_are_at_addresses_of_the_web(corpus: Corpus, url: str) -> None:
    with pytest.raises(UsageError, match="can't be the address of a feed"):
        watch(corpus.folder, "mill", feed_url=url)


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
        ("1:[] 2:[] & 3.lemma = 2.lemma", {}, "no token with the label 3"),
        ("[lemma = $food]", {}, "there is no list"),
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
    assert run("watch", "list", folder, "--csv").stdout == (
        b"name,query,where,found,shown,waiting,pending,sort,context,tokens,limit,every,mail\n"
        b'lemma-bridge,"[lemma=""bridge""]",,24,24,0,0,corpus,,,0,run,\n'
    )
    assert b"0 new lines" in run("watch", "run", folder).stdout
    wrong = run("watch", "remove", folder, "lemma-brigde")
    assert wrong.returncode == 2
    assert b"did you mean 'lemma-bridge'" in wrong.stderr
    assert run("watch", "remove", folder, "lemma-bridge").returncode == 0
    assert read_watches(folder) == []
    assert run("watch", "list", tmp_path).returncode == 2
    assert run("watch", "add", tmp_path, "mill").returncode == 2


def _shown(corpus: Corpus, name: str) -> list[str]:
    return [line.split("\t")[3] for line in _lines(corpus.folder, name)]


def test_lines_of_each_run_are_sorted(corpus: Corpus, tmp_path: Path) -> None:
    for order in ("left", "right", "node", "date"):
        watch(corpus.folder, '"mill|tower|well" "stood|that"', name=order, everything=True, sort=order, tokens=3)
    run_watches(corpus.folder, engine=ENGINE)
    add(corpus.folder, [_page(tmp_path, "well"), _page(tmp_path, "tower")], engine=ENGINE)
    found = {order: _shown(corpus, order) for order in ("left", "right", "node", "date")}
    assert found["node"][:16] == sorted(found["node"][:16], key=lambda line: line[line.index("<") :])
    nodes = [line[line.index("<") + 1 : line.index(">")] for line in found["node"]]
    assert nodes == [
        *[*["mill stood"] * 8, *["mill that"] * 8],
        *[*["tower stood"] * 8, *["tower that"] * 8, *["well stood"] * 8, *["well that"] * 8],
    ]
    rights = [line.partition("> ")[2] for line in found["right"][16:]]
    assert rights == [*["by the river"] * 16, *["every other tower"] * 8, *["every other well"] * 8]
    assert len(found["date"]) == 48
    lefts = [line.partition(" <")[0].split() for line in found["left"][:16]]
    assert [words[::-1] for words in lefts] == sorted(words[::-1] for words in lefts)


def test_the_length_of_lines(corpus: Corpus) -> None:
    lengths: dict[str, dict[str, Any]] = {"words": {"tokens": 2}, "characters": {"context": 10}, "sentence": {}}
    for name, options in lengths.items():
        watch(corpus.folder, '"river"', name=name, everything=True, **options)
    run_watches(corpus.folder, engine=ENGINE)
    assert _shown(corpus, "words")[0] == "by the <river>, a"
    assert _shown(corpus, "characters")[0] == "by the <river>, a mill"
    assert _shown(corpus, "sentence")[0].startswith("In chapter 1 the mill stood by the <river>, a mill that every")


def test_a_limit_hides_lines_and_says_so(corpus: Corpus, tmp_path: Path) -> None:
    found = watch(corpus.folder, '"river"', name="few", everything=True, limit=3)
    watch(corpus.folder, "tower", name="tower", limit=24)
    run_watches(corpus.folder, engine=ENGINE)
    add(corpus.folder, [_page(tmp_path, "well"), _page(tmp_path, "tower")], engine=ENGINE)
    add(corpus.folder, _page(tmp_path, "bridge", 2), engine=ENGINE)
    lines = _shown(corpus, "few")
    assert [line.startswith("(") for line in lines] == [*[False] * 3, True, *[False] * 3, True, False, False]
    assert lines[3] == "(5 more lines: gristmill watch show)"
    assert lines[7] == "(13 more lines: gristmill watch show)"
    assert (found.count(), found.shown(), len(list(found.lines()))) == (26, 8, 26)
    assert len(_shown(corpus, "tower")) == 24
    feed = ET.parse(found.folder / FEED).getroot()  # noqa: S314 (our own)
    assert len(feed.findall("a:entry", ATOM)) == 8
    assert found.is_published()
    before = (found.folder / TEXT).read_bytes()
    (found.folder / TEXT).write_bytes(b"")
    assert not found.is_published()
    assert run_watches(corpus.folder, engine=ENGINE) == {"few": 0, "tower": 0}
    assert (found.folder / TEXT).read_bytes() == before


def test_a_watch_whose_list_of_runs_was_removed(corpus: Corpus, tmp_path: Path) -> None:
    old = watch(corpus.folder, "that every", name="old", everything=True)
    run_watches(corpus.folder, engine=ENGINE)
    text = (old.folder / TEXT).read_bytes()
    assert (old.folder / "watch.toml").read_text() == 'query = "that every"\nwhere = ""\nfirst = 0\n'
    (old.folder / "runs.json").unlink()
    assert (old.count(), old.shown()) == (8, 8)
    add(corpus.folder, _page(tmp_path, "well"), engine=ENGINE)
    assert (old.folder / TEXT).read_bytes().startswith(text)
    assert len(_lines(corpus.folder, "old")) == 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": "dat"}, "did you mean 'date'"),
        ({"context": -1}, "must not be negative"),
        ({"context": 5, "tokens": 5}, "not both"),
        ({"limit": -1}, "must not be negative"),
        ({"every": "hourly"}, "run, daily, weekly, not 'hourly'"),
        ({"mail": [f"a{number}@example.org" for number in range(51)]}, "to 50 addresses"),
    ],
)
def test_wrong_options_of_watches(corpus: Corpus, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        watch(corpus.folder, "mill", **options)
    assert read_watches(corpus.folder) == []


def test_options_of_the_command(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus.folder
    added = run("watch", "add", folder, "well", "--sort", "left", "--tokens", "4", "--limit", "2", "--mail", "me@a.org")
    assert b"mail is sent daily to me@a.org by gristmill watch send" in added.stdout
    added = run("add", folder, _page(tmp_path, "well"), "-j", "1")
    beyond = f"well: 24 new lines, 22 of them beyond the limit (gristmill watch show {folder} well)"
    assert beyond.encode() in added.stderr, added.stderr
    (listed,) = json.loads(run("watch", "list", folder, "--json").stdout)["rows"]
    assert [listed[name] for name in ("found", "shown", "sort", "tokens", "limit", "every")] == [
        24,
        2,
        "left",
        4,
        2,
        "run",
    ]
    assert listed["mail"] == "daily to me@a.org"
    (told,) = Corpus(folder, build=False).watch_list().rows
    assert told.mail == "", "a server tells nobody who gets mail"
    assert run("watch", "show", folder, "well").stdout.count(b"<well>") == 24
    assert run("watch", "show", folder, "well", "--csv").stdout.count(b"\n") == 25
    assert len(json.loads(run("watch", "show", folder, "well", "--json").stdout)["rows"]) == 24
    no_server = run("watch", "send", folder)
    assert no_server.returncode == 2
    assert b"set GRISTMILL_SMTP" in no_server.stderr
    assert b"say who gets it" in run("watch", "set", folder, "well", "--mail-every", "weekly").stderr
    assert (
        b"mail_every must be one of"
        in run("watch", "set", folder, "well", "--mail", "a@a.org", "--mail-every", "x").stderr
    )
    run("watch", "set", folder, "well", "--mail", "you@a.org", "--mail-every", "weekly")
    assert b"weekly to you@a.org" in run("watch", "list", folder).stdout
    assert b"mail" not in run("watch", "set", folder, "well", "--mail", "").stdout
    assert read_watches(folder)[0].mail.to == ()
    assert b"no digest is due, or nothing is new" in run("watch", "send", folder).stderr


def test_methods_of_a_corpus(corpus: Corpus) -> None:
    made = corpus.watch_add("river", name="r", everything=True, mail=("me@a.org",), mail_every="weekly", limit=3)
    assert (made.found, made.limit, made.every, made.mail) == (0, 3, "run", "weekly to me@a.org")
    assert made.pending == len(corpus.shards)
    assert corpus.watch_run().record == {"found": {"r": 8}}
    lines = list(read_watches(corpus.folder)[0].lines())
    found = corpus.watch_show("r", limit=2, offset=1)
    assert (found.rows, found.all_rows) == ([lines[-2], lines[-3]], 8)
    assert corpus.watch_show("r", limit=0).rows == lines[::-1]
    assert corpus.watch_show("r", offset=100).rows == []
    assert corpus.watch_set("r", sort="node").limit == 3
    with pytest.raises(UsageError, match="say what is to be changed"):
        corpus.watch_set("r")
    assert corpus.watch_remove("r").record == {"removed": "r"}
    assert corpus.watch_list().rows == []


def test_a_weekly_query_gives_out_lines_once_a_week(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of days 0, 1 and 6 come on days 0 and 7: the second time as one run, sorted and limited together."""
    days = {"now": 20_000.5}
    monkeypatch.setattr("time.time", lambda: days["now"] * 86_400)
    found = watch(corpus.folder, '"tower|castle|well"', name="w", every="weekly", sort="node", tokens=0, limit=5)
    add(corpus.folder, _page(tmp_path, "well", 3), engine=ENGINE)
    first = [*["<well>"] * 5, "(4 more lines: gristmill watch show)"]
    assert _shown(corpus, "w") == first
    assert (found.count(), found.waiting(), found.shown()) == (9, 0, 5)
    for day, word in ((1, "tower"), (6, "castle")):
        days["now"] = 20_000 + day
        add(corpus.folder, _page(tmp_path / word, word, 4 * day), engine=ENGINE)
    waiting = found.waiting()
    assert waiting == 3 * 4 + 3 * 24
    assert (found.count(), found.shown(), _shown(corpus, "w")) == (9 + waiting, 5, first)
    set_watch(corpus.folder, "w", feed_url="https://a.example/w.xml")  # which is no reason to give out lines
    assert _shown(corpus, "w") == first
    days["now"] = 20_007.1
    run_watches(corpus.folder, engine=ENGINE)
    second = [*["<castle>"] * 5, f"({waiting - 5} more lines: gristmill watch show)"]
    assert _shown(corpus, "w") == [*first, *second]
    assert (found.waiting(), found.shown(), len(found.runs())) == (0, 10, 2)
    (found.folder / "given.json").write_text("{}")
    (found.folder / TEXT).write_bytes(b"")
    with pytest.raises(GristmillError, match=r"given\.json is damaged"):
        run_watches(corpus.folder, engine=ENGINE)


def test_settings_of_a_query_are_changed(corpus: Corpus) -> None:
    folder = corpus.folder
    watch(folder, '"mill" "stood|that"', name="m", everything=True, mail="me@a.org")
    run_watches(folder, engine=ENGINE)
    before = _shown(corpus, "m")
    said = run("watch", "set", folder, "m", "--sort", "node", "--limit", "3", "--tokens", "1", "--every", "weekly")
    assert b": lines by node, 1 words, 3 of a run, weekly" in said.stdout
    assert [line[line.index("<") :][:12] for line in _shown(corpus, "m")[:3]] == ["<mill stood>"] * 3
    assert len(_shown(corpus, "m")) == 4
    (found,) = read_watches(folder)
    assert (found.every, found.mail.every, found.showing.tokens) == ("weekly", "weekly", 1)
    said = run("watch", "set", folder, "m", "--sort", "corpus", "--sentence", "--limit", "0", "--every", "run")
    assert b": lines by the order of the corpus, sentences, all, after each run" in said.stdout
    assert _shown(corpus, "m") == before
    assert b"say what is to be changed" in run("watch", "set", folder, "m").stderr
    assert b"not both" in run("watch", "set", folder, "m", "--sentence", "--tokens", "3").stderr
    assert b"there is no watch" in run("watch", "set", folder, "n", "--limit", "3").stderr


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
        ("watch.toml", 'query = "x"\nwhere = ""\nfirst = 0\nsort = "wrong"\n'),
        ("watch.toml", 'query = "x"\nwhere = ""\nfirst = 0\n[mail]\nto = ["a@B.c"]\nevery = "daily"\nfirst = 0\n'),
        ("watch.toml", 'query = "x"\nwhere = ""\nfirst = 0\n[mail]\nto = "a@b.c"\n'),
        ("runs.json", "[[2, 1], [1, 1]]"),
        ("runs.json", "[1]"),
        ("00000.jsonl", '{"left": 1}\n'),
        ("00000.jsonl", "[\n"),
    ],
)
def test_damaged_watches_are_said(corpus: Corpus, name: str, text: str) -> None:
    (watch(corpus.folder, "mill", name="mills").folder / name).write_text(text)
    with pytest.raises(GristmillError, match=r"is damaged|can't read"):
        [(list(found.lines()), found.runs()) for found in read_watches(corpus.folder)]
