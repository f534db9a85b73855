"""Corpora that follow feeds, from `feeds add` to a digest by mail, over a newspaper on loopback."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command import run
from fastwarc.warc import ArchiveIterator, WarcRecordType
from killing import changes_of, is_killed, some_of
from mail_server import mail_server
from newspaper import Newspaper, newspaper

import gristmill
from gristmill.cli.feed_schedule import cron_line, feeds_command, systemd_units
from gristmill.crawling import CrawlConfig, CrawlProgress
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access
from gristmill.pipeline import FeedsRun
from gristmill.pipeline.feed_runs import MAX_TRIES, Run
from gristmill.pipeline.feeding import FetchBars, page_settings
from gristmill.progress import Advance

ACCESS = Access(networks=("127.0.0.0/16",))
LOOPBACK = ("--allow-network", "127.0.0.0/16")
QUICK = CrawlConfig().replace(
    {
        "fetch": {"min_bytes": 0},
        "manners": {"delay": 0.0, "ip_delay": 0.0, "answer_delay": 0.0, "retries": 0, "back_off": 0.0},
    }
)
DAY = 86_400.0
START = 20_000 * DAY
MOST_KILLS = 7


@pytest.fixture
def paper() -> Iterator[Newspaper]:
    with newspaper() as served:
        served.print("mill")
        served.print("bridge")
        yield served


@pytest.fixture
def corpus(paper: Newspaper, tmp_path: Path) -> Path:
    gristmill.follow(tmp_path / "corpus", paper.feed, discover=False, now=START)
    return tmp_path / "corpus"


def _run(corpus: Path, days: float = 0, **options: Any) -> FeedsRun:
    return gristmill.run_feeds(
        corpus, access=ACCESS, crawl=QUICK, engine=InlineEngine(), clock=lambda: START + days * DAY, **options
    )


def _documents(corpus: Path) -> list[str]:
    return sorted(document.url.rpartition("/")[2] for document in gristmill.Corpus(corpus).documents())


def test_a_corpus_that_grows(corpus: Path, paper: Newspaper) -> None:
    first = _run(corpus)
    assert (first.polled.new, first.articles.articles) == (2, 2)
    assert _documents(corpus) == ["bridge-1", "mill-1"]
    gristmill.watch(corpus, '[word="market|school"]', name="town")
    paper.print("school")
    second = _run(corpus, 1)
    assert second.articles.items == 1
    assert second.found["town"] > 10
    third = _run(corpus, 2)
    assert (third.polled.unchanged, third.articles.items, third.found) == (1, 0, {"town": 0})
    assert third.next == START + 2 * DAY + 3600
    assert _run(corpus, 2).polled.asked == 0
    assert _documents(corpus) == ["bridge-1", "mill-1", "school-1"]
    assert {paper.asked[f"/{name}-1"] for name in ("mill", "bridge", "school")} == {1}
    assert len(gristmill.Corpus(corpus).reader.shards) == 2
    titles = [document.title for document in gristmill.Corpus(corpus).documents()]
    assert "News of the mill 1" in titles


def test_days_and_feeds_are_subcorpora(corpus: Path, paper: Newspaper, tmp_path: Path) -> None:
    _run(corpus)
    found = gristmill.Corpus(corpus)
    today = time.strftime("%Y-%m", time.gmtime())
    where = f'feed="{paper.feed}" & date="{today}.*"'
    assert len(found.search("miller", where=where)) == len(found.search("miller")) > 0
    assert len(found.search("miller", where='feed="https://example.org/.*"')) == 0
    assert len(found.search("miller", where='date="2001-.*"')) == 0
    assert [row.values for row in found.search("miller").frequency("feed").rows] == [(paper.feed,)]
    gristmill.export(corpus, tmp_path / "x.jsonl")
    records = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").splitlines()]
    assert {json.dumps(record).count(paper.feed) for record in records} == {1}


def test_a_corrected_item_is_a_new_version(corpus: Path, paper: Newspaper) -> None:
    _run(corpus)
    bridge = paper.articles[0]
    bridge.text = bridge.text.replace("for a week", "for a fortnight")
    corrected = _run(corpus, 1)
    assert (corrected.polled.new, corrected.polled.corrected) == (0, 1)
    documents = {document.url: document for document in gristmill.Corpus(corpus).documents()}
    assert sorted(url.rpartition("/")[2] for url in documents) == ["bridge-1", "mill-1"]
    shown = documents[f"{paper.home}bridge-1"]
    assert "fortnight" in shown.text
    assert shown.attributes["version"] == "2"
    assert gristmill.Corpus(corpus).counts["pages"] == 3  # the old version is there, with its reason


def _stored(corpus: Path) -> set[str]:
    """Paths of the pages that a killed run has stored."""
    found = set()
    for path in corpus.glob("fetched/*/*/pages-*.warc.gz"):
        with path.open("rb") as file, suppress(OSError):
            for record in ArchiveIterator(file, WarcRecordType.response, parse_http=False):
                found.add("/" + str(record.headers["WARC-Target-URI"]).rpartition("/")[2])
    return found


@pytest.mark.parametrize("state", ["new", "grown"])
def test_killed_at_any_moment(corpus: Path, paper: Newspaper, tmp_path: Path, state: str) -> None:
    """No item is lost or there twice, and nothing is fetched again that was stored."""
    expected = ["bridge-1", "mill-1"]
    if state == "grown":
        _run(corpus)
        gristmill.watch(corpus, "school", name="school")
        paper.print("school")
        paper.print("market")
        expected += ["market-1", "school-1"]
    before = shutil.copytree(corpus, tmp_path / "before")
    whole = shutil.copytree(before, tmp_path / "whole")
    changes = len(changes_of(lambda: _run(whole, 1), whole))
    for step in some_of(changes, MOST_KILLS):
        work = shutil.copytree(before, tmp_path / f"work-{step}")
        assert is_killed(lambda: _run(work, 1), step, work)  # noqa: B023 (it is called at once)
        stored, asked = _stored(work), Counter(paper.asked)
        _run(work, 1)
        _run(work, 2)
        assert _documents(work) == sorted(expected), step
        again = {path for path in stored if path.endswith("-1") and paper.asked[path] > asked[path]}
        assert not again, step
        assert gristmill.Corpus(work).counts["pages"] == len(expected), step
        if state == "grown":
            lines = (work / "watches/school/lines.txt").read_text().splitlines()
            assert len(lines) == len(set(lines)) == len((whole / "watches/school/lines.txt").read_text().splitlines())
        assert Run.under_way(work) is None
        shutil.rmtree(work)


def test_pages_that_are_not_there(corpus: Path, paper: Newspaper) -> None:
    _run(corpus)
    for subject in ("school", "market"):
        paper.print(subject)
    paper.broken.add("/school-1")
    run_of = _run(corpus, 1)
    assert (run_of.articles.articles, run_of.again) == (1, 1)
    assert run_of.articles.reasons == {"status-503": 1}
    assert _documents(corpus) == ["bridge-1", "market-1", "mill-1"]
    paper.broken.clear()
    assert _run(corpus, 2).articles.articles == 1
    assert _documents(corpus) == ["bridge-1", "market-1", "mill-1", "school-1"]
    assert paper.asked["/market-1"] == 1


def test_pages_that_never_come_are_given_up(corpus: Path, paper: Newspaper) -> None:
    _run(corpus)
    paper.print("school")
    paper.broken.add("/school-1")
    assert [_run(corpus, day).again for day in range(1, MAX_TRIES + 2)] == [*[1] * (MAX_TRIES - 1), 0, 0]
    assert paper.asked["/school-1"] == MAX_TRIES


def test_one_run_at_a_time(corpus: Path) -> None:
    def second(*_: object) -> Any:
        with pytest.raises(GristmillError, match=r"another run of the feeds of .* is at work"):
            _run(corpus)
        return lambda _: None

    assert _run(corpus, progress=second).articles.articles == 2


def test_settings_of_the_first_build(paper: Newspaper, tmp_path: Path) -> None:
    corpus = tmp_path / "czech"
    config = gristmill.Config().with_filters(languages=("cs",))
    gristmill.follow(corpus, paper.home, config, access=ACCESS, now=START)
    assert [feed.url for feed in gristmill.list_feeds(corpus)] == [paper.feed]
    _run(corpus)
    assert gristmill.Corpus(corpus).counts["kept"] == 0
    assert gristmill.Corpus(corpus).counts["pages"] == 2
    with pytest.raises(UsageError, match="settings of its own"):
        gristmill.follow(corpus, paper.feed, config, access=ACCESS)


def test_two_runs_in_one_second_have_two_names(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        begun = Run.begin(tmp_path, START, [], first=False)
        names.append(begun.name)
        begun.end()
    assert names == ["20241004T000000Z", "20241004T000000Z-2", "20241004T000000Z-3"]


@pytest.mark.parametrize("text", ["", "[]", '{"run": "../../x", "first": true, "items": []}', '{"run": "x"}'])
def test_a_damaged_run_is_said(corpus: Path, text: str) -> None:
    (corpus / "fetched").mkdir()
    (corpus / "fetched/run.json").write_text(text)
    with pytest.raises(GristmillError, match=r"run\.json is damaged"):
        _run(corpus)


def test_what_can_not_be_followed(paper: Newspaper, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("Dear")
    wrong: dict[str, Any] = {
        "neither an address": lambda: gristmill.follow(tmp_path / "new", "subscriptions.opml"),
        "no address of the web": lambda: gristmill.follow(tmp_path / "new", "http://", access=ACCESS),
        "say who asks": lambda: gristmill.follow(tmp_path / "new", paper.feed),
        "no list of feeds": lambda: gristmill.follow(tmp_path / "new", tmp_path / "full/letter.txt"),
        "leads to no feed": lambda: gristmill.follow(tmp_path / "new", f"{paper.home}mill-1", access=ACCESS),
        "status 404": lambda: gristmill.follow(tmp_path / "new", f"{paper.home}none", access=ACCESS),
        "not empty and holds no corpus": lambda: gristmill.follow(tmp_path / "full", paper.feed, access=ACCESS),
    }
    for message, call in wrong.items():
        with pytest.raises(GristmillError, match=message):
            call()
    assert not (tmp_path / "new").exists()


def test_commands(paper: Newspaper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From feeds to a digest by mail."""
    corpus = tmp_path / "news"
    added = run("feeds", "add", corpus, paper.home, "--lang", "en", *LOOPBACK)
    assert f"following: {paper.feed}".encode() in added.stderr, added.stderr
    ran = run("feeds", "run", corpus, "--delay", "0", "-j", "1", *LOOPBACK)
    assert b"1 feed asked: 2 new items, 0 corrected; 2 articles found" in ran.stderr, ran.stderr
    run("watch", "add", corpus, "school", "--mail", "me@example.org", "--sort", "right", "--limit", "3")
    paper.print("school")
    with mail_server() as server:
        monkeypatch.setenv("GRISTMILL_SMTP", f"smtp://127.0.0.1:{server.port}")
        monkeypatch.setenv("GRISTMILL_MAIL_FROM", "news@example.org")
        ran = run("feeds", "run", corpus, "--all", "--delay", "0", "-j", "1", *LOOPBACK)
        assert b"a digest was sent to me@example.org" in ran.stderr, ran.stderr
        assert [message["To"] for message in server.messages] == ["me@example.org"]
        plain = server.messages[0].get_body(("plain",))
    assert plain is not None
    assert plain.get_content().count("<school>") == 3
    assert b"no feed is due before 20" in run("feeds", "run", corpus, *LOOPBACK).stderr
    listed = json.loads(run("feeds", "list", corpus, "--json").stdout)["rows"]
    assert [(row["url"], row["title"], row["state"], row["items"]) for row in listed] == [
        (paper.feed, "The Daily", "active", 3)
    ]
    (tmp_path / "subscriptions.opml").write_bytes(run("feeds", "export", corpus).stdout)
    assert b"does not follow" in run("feeds", "remove", corpus, "https://example.org/").stderr
    assert run("feeds", "remove", corpus, paper.feed).returncode == 0
    assert b"no feeds are followed" in run("feeds", "list", corpus).stderr
    none = run("feeds", "run", corpus, *LOOPBACK)
    assert (none.returncode, b"follows no feeds" in none.stderr) == (2, True)
    again = run("feeds", "add", corpus, tmp_path / "subscriptions.opml")
    assert b"follows 1 feed, 1 of them new" in again.stderr


def test_what_a_run_did_is_told_before_what_mail_needs(
    corpus: Path, paper: Newspaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRISTMILL_SMTP", raising=False)
    _run(corpus)
    gristmill.watch(corpus, "school", mail="me@example.org")
    paper.print("school")
    ran = run("feeds", "run", corpus, "--all", "--delay", "0", "-j", "1", *LOOPBACK)
    assert ran.returncode == 2
    assert b"1 feed asked: 1 new item, 0 corrected; 1 article found" in ran.stderr
    assert b"set GRISTMILL_SMTP" in ran.stderr


def test_no_feed_answers(tmp_path: Path) -> None:
    """As without a network; when there is one again, robots.txt is asked for at once."""
    with newspaper() as closed:
        feed = closed.feed
    corpus = tmp_path / "corpus"
    assert run("feeds", "add", corpus, feed, "--as-is").returncode == 0
    for _ in range(2):
        ran = run("feeds", "run", corpus, "--all", *LOOPBACK)
        assert ran.returncode == 1
        assert f"failed: {feed}: no connection".encode() in ran.stderr
        assert b"no feed answered" in ran.stderr


def test_a_mistake_follows_nothing(paper: Newspaper, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    for options in (["--lang", "xx"], ["--preset", "none-such"]):
        assert run("feeds", "add", corpus, paper.home, *options, *LOOPBACK).returncode == 2
    assert run("feeds", "add", corpus, paper.home, f"{paper.home}none", *LOOPBACK).returncode == 1
    assert not corpus.exists()
    for command in ("run", "list", "schedule", "export"):
        ran = run("feeds", command, corpus, *(LOOPBACK if command == "run" else ()))
        assert ran.returncode == 2
        assert f"gristmill feeds add {corpus} FEED...".encode() in ran.stderr


def test_pages_are_fetched_at_a_pace_of_feeds() -> None:
    assert page_settings().manners.delay == 5
    assert page_settings(0.5).manners.delay == 0.5
    assert b"of a host [5]" in run("feeds", "run", "--help").stdout


def test_bars_of_a_run() -> None:
    """One for the items, another for further pages of articles; both end full."""
    bars: list[list[Any]] = []

    def begin(name: str, amount: int | None) -> Advance:
        bars.append([name, amount, 0])

        def advance(done: int) -> None:
            bars[-1][2] += done

        return advance

    show = FetchBars(begin)
    for pages, queued, in_flight in [(0, 3, 1), (1, 3, 0), (2, 3, 0), (4, 0, 0), (0, 2, 0), (2, 0, 0)]:
        show(CrawlProgress(pages=pages, queued=queued, in_flight=in_flight))
    assert bars == [["articles", 4, 4], ["further pages", 2, 2]]


def test_dead_feeds_are_named(corpus: Path, paper: Newspaper) -> None:
    paper.broken.add("/feed.xml")
    _run(corpus, 1)
    _run(corpus, 9)
    listed = run("feeds", "list", corpus)
    assert f"dead: {paper.feed}: the server answers with status 503".encode() in listed.stderr
    assert b"dead" in listed.stdout


def test_schedules(corpus: Path, tmp_path: Path) -> None:
    shown = run("feeds", "schedule", corpus, "--hours", "6", "--contact", "me@example.org").stdout.decode()
    assert f"*/6 * * * {sys.executable} -m gristmill feeds run {corpus} --contact me@example.org\n" in shown
    assert "OnCalendar=*-*-* 00/6:" in shown
    assert f"ExecStart={sys.executable} -m gristmill feeds run {corpus} --contact me@example.org\n" in shown
    assert b"must divide a day" in run("feeds", "schedule", corpus, "--hours", "5").stderr
    odd = tmp_path / "a b%c$d\"e'f\\g"
    command = feeds_command(odd, [])
    line = cron_line(command, 1).split(" ", 5)
    assert line[1:5] == ["*"] * 4
    assert shlex.split(line[5].replace("\\%", "%")) == command
    units = systemd_units(command, odd, 24)
    assert list(units) == ["gristmill-feeds-a-b-c-d-e-f-g.service", "gristmill-feeds-a-b-c-d-e-f-g.timer"]
    assert r"a b%%c$$d\"e" in units["gristmill-feeds-a-b-c-d-e-f-g.service"]
    with pytest.raises(UsageError, match="rename it"):
        feeds_command(tmp_path / "a\nb", [])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_reads_the_units(tmp_path: Path) -> None:
    odd = tmp_path / "a b%c$d"
    for name, unit in systemd_units(feeds_command(odd, []), odd, 3).items():
        (tmp_path / name).write_text(unit)
        command = ["systemd-analyze", "verify", "--man=no", str(tmp_path / name)]
        found = subprocess.run(command, capture_output=True, check=False)
        assert name.encode() not in found.stderr, found.stderr


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_loop_ends_in_order(corpus: Path, stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "gristmill", "feeds", "schedule", str(corpus), "--loop", "--delay", "0", *LOOPBACK]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ) as process:
        assert process.stderr is not None
        said = b""
        while b"the next run is in" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(stop)
        said += process.stderr.read()
        assert process.wait(120) == 0, said
    assert b"2 articles found" in said
    assert b"stopped, while nothing was under way" in said
