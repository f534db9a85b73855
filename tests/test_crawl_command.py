"""`gristmill crawl` as a user types it: its view, its settings, its figures, its report."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

import pytest
from command import run
from rich.console import Console
from test_crawl_statistics import HOSTS, make_frontier
from waiting import wait_until

from gristmill.cli.crawl_view import crawl_view, view_lines
from gristmill.cli.settings import tables_of
from gristmill.corpus import CorpusReader
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.progress import CrawlProgress, Fetched
from gristmill.crawling.statistics import CrawlStatistics
from gristmill.errors import UsageError
from gristmill.html.crawl_report import crawl_report
from gristmill.settings import settings_in

PROGRESS = CrawlProgress(
    seconds=3_725.0,
    requests=1_400,
    pages=1_234,
    texts=700,
    words=345_678,
    bytes=51_200_000,
    clean_bytes=1_536_000,
    failures=12,
    queued=88_123,
    hosts_left=44,
    in_flight=97,
    hosts_active=128,
    hosts_waiting=5_321,
    pages_per_second=41.25,
    bytes_per_second=1_700_000.0,
    recent=(
        Fetched("https://a.example/one", "text", 412),
        Fetched("https://b.example/\x1b[2J\u202e" + "x" * 300, "no-text"),
    ),
)

WORDS = "mill river stone wheel flour baker night bridge water grain sack horse winter road village roof".split()


_asked: list[str] = []


class _Site(BaseHTTPRequestHandler):
    """A front page that links to four pages with text; `/slow` takes its time, `/missing` is not there."""

    def do_GET(self) -> None:
        random = Random(self.path)
        links = "".join(f"<p><a href=/{number}>{number}</a></p>" for number in range(4))
        text = "".join(f"<p>{_sentences(random)}</p>" for _ in range(25))
        page = f"<html lang=en><title>Mills</title>{links if self.path == '/' else text}".encode()
        _asked.append(self.path)
        if self.path == "/slow":
            time.sleep(2)
        self.send_response(404 if self.path in {"/robots.txt", "/missing"} else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _sentences(random: Random) -> str:
    return " ".join(
        "It was the {} that the {} of the {} had seen by the {}.".format(*random.sample(WORDS, 4)) for _ in range(4)
    )


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


LOCAL = [
    *(
        "--allow-network",
        "127.0.0.0/8",
        "--delay",
        "0",
        "--ip-delay",
        "0",
        "--set",
        "manners.answer_delay=0",
        "-j",
        "1",
    ),
]


def test_a_crawl_from_its_seeds_to_a_corpus(site: str, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(f"\ufeff# a mill\n\n{site}  \n", "utf-8")
    begun = run(
        "crawl", "seeds.txt", "-o", "crawl", "--same-site", "--lang", "en", "--pages", "2", *LOCAL, cwd=tmp_path
    )
    assert (begun.returncode, begun.stdout) == (0, b"")
    told = begun.stderr.decode()
    assert re.match(r"\d pages, [\d,]+ words of clean text in [\d.]+ kB downloaded \(yield \d+\.\d+%\), \d s\n", told)
    assert "the wanted number of pages is there; the figures are in crawl/report.html\n" in told
    assert "To go on: gristmill crawl crawl --pages MORE\nNext: gristmill build crawl -o corpus\n" in told
    config = CrawlConfig.from_file(tmp_path / "crawl" / "crawl.toml")
    assert (config.scope.sites, config.scope.languages, config.stop.pages) == (("127.0.0.1",), ("en",), 2)
    _checked((tmp_path / "crawl" / "report.html").read_text("utf-8"))

    assert run("build", "crawl", "-o", "corpus", cwd=tmp_path).returncode == 0
    gone_on = run("crawl", "crawl", "--pages", "0", "--forbid", "a.example", "--json", cwd=tmp_path)
    assert gone_on.returncode == 0
    last = json.loads(gone_on.stdout.splitlines()[-1])
    assert (last["ended"], last["pages"], last["texts"]) == ("nothing left", 5, 4)
    assert CrawlConfig.from_file(tmp_path / "crawl" / "crawl.toml").scope.forbid == ("a.example",)
    assert run("add", "corpus", "crawl", cwd=tmp_path).returncode == 0
    assert CorpusReader(tmp_path / "corpus").counts["pages"] == 5

    again = run("crawl", site, "-o", "crawl", *LOCAL, cwd=tmp_path)
    assert (again.returncode, b"is a crawl already: `gristmill crawl crawl` goes on" in again.stderr) == (2, True)


def test_seeds_from_standard_input(site: str, tmp_path: Path) -> None:
    seeds = f"# a mill\n{site}2\n".encode()
    result = run("crawl", "-", "-o", "crawl", "--distance", "0", *LOCAL, stdin=seeds, cwd=tmp_path)
    assert result.returncode == 0
    assert CrawlStatistics.read(tmp_path / "crawl").totals.pages == 1


def test_a_part_has_a_folder_of_its_own(site: str, tmp_path: Path) -> None:
    for part in ("1/2", "2/2"):
        run("crawl", site, "-o", "crawl", "--part", part, "--hours", "0.0001", *LOCAL, cwd=tmp_path)
    names = ["part-1-of-2", "part-2-of-2"]
    assert [(tmp_path / "crawl" / name / "report.html").is_file() for name in names] == [True, True]
    assert b"crawl has 2 parts, which go on one by one: gristmill crawl crawl/part-1-of-2" in (
        run("crawl", "crawl", cwd=tmp_path).stderr
    )
    assert re.search(rb"^parts +2$", run("crawl", "stats", "crawl", cwd=tmp_path).stdout, re.MULTILINE)


def test_without_a_contact_only_this_machine_is_crawled(tmp_path: Path) -> None:
    result = run("crawl", "https://a.example/", "-o", "crawl", cwd=tmp_path)
    assert (result.returncode, b"say who asks for pages: --contact" in result.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_contact_of_the_environment(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for all commands that fetch something."""
    monkeypatch.setenv("GRISTMILL_CONTACT", "me@example.org")
    run("crawl", site, "-o", tmp_path / "crawl", "--pages", "1", *LOCAL)
    assert CrawlConfig.from_file(tmp_path / "crawl/crawl.toml").manners.contact == "me@example.org"


def test_a_crawl_that_stored_nothing_failed(site: str, tmp_path: Path) -> None:
    result = run("crawl", f"{site}missing", "-o", "crawl", *LOCAL, cwd=tmp_path)
    assert result.returncode == 1
    assert "no page was stored. To see why: gristmill crawl stats crawl" in result.stderr.decode()


def test_robots_are_disobeyed_with_a_warning(site: str, tmp_path: Path) -> None:
    result = run("crawl", site, "-o", "crawl", "--pages", "1", "--set", "manners.robots=false", *LOCAL, cwd=tmp_path)
    assert result.stderr.startswith(b"robots.txt is not obeyed: do this only on sites whose owners have agreed\n")


def test_an_interrupted_crawl_says_how_to_go_on(site: str, tmp_path: Path) -> None:
    _asked.clear()
    command = [sys.executable, "-m", "gristmill", "crawl", f"{site}slow", "-o", "my crawl", *LOCAL]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        wait_until(lambda: "/slow" in _asked)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
    assert process.returncode == 130
    assert errors.decode().endswith(
        "gristmill: interrupted; what was fetched is kept, and this goes on: gristmill crawl 'my crawl'\n"
    )
    assert "Traceback" not in errors.decode()


def _drawn(progress: CrawlProgress, width: int = 80, height: int = 24) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=height)
    with console.capture() as captured:
        for line in view_lines("crawl", progress, console):
            console.print(line)
    return captured.get().splitlines()


def test_the_view_shows_the_figures() -> None:
    lines = _drawn(PROGRESS)
    text = " ".join(" ".join(lines).split())
    for figure in ("1,234 pages", "345,678 words", "3.00% yield", "51.2 MB downloaded", "128 hosts active"):
        assert figure in text
    for figure in ("5,321 hosts waiting", "44 hosts left", "88,123 queued", "12 failed", "41.2 pages/s", "1.70 MB/s"):
        assert figure in text
    assert lines[0] == "crawling: crawl, 1 h 02 min"
    assert lines[-2] == "text          https://a.example/one"


@pytest.mark.parametrize(("width", "height"), [(200, 50), (80, 24), (40, 12), (20, 5), (5, 3)])
def test_the_view_fits_into_any_terminal(width: int, height: int) -> None:
    lines = _drawn(PROGRESS, width, height)
    assert all(len(line) <= width for line in lines)
    assert len(lines) < height


def test_nothing_of_the_web_controls_the_terminal() -> None:
    lines = _drawn(dataclasses.replace(PROGRESS, recent=(Fetched("http://x/\x1b]0;a\x07\x9b31m", "a\x1b[1mb\r\n"),)))
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202e]", "".join(lines))


def test_the_view_says_what_the_crawl_waits_for() -> None:
    waiting = dataclasses.replace(PROGRESS, state="waiting for the network")
    assert _drawn(waiting, 100)[0] == "nothing answers: waiting until the network is back: crawl, 1 h 02 min"
    assert "Ctrl-C again stops at once" in _drawn(dataclasses.replace(PROGRESS, state="stopping"), 100)[0]


def test_a_live_view_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with crawl_view("crawl", as_json=False) as show:
        show(PROGRESS)
        show(PROGRESS)
    assert capsys.readouterr().err.count("345,678") >= 2


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with crawl_view("crawl", as_json=False) as show:
        show(PROGRESS)
    assert capsys.readouterr() == ("", "")


def test_lines_of_json_are_not_too_many(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with crawl_view("crawl", as_json=True) as show:
        for _ in range(10):
            show(PROGRESS)
    [line] = capfdbinary.readouterr().out.splitlines()
    found = json.loads(line)
    assert (found["pages"], found["yield"], found["state"]) == (1_234, 0.03, "running")
    assert found["recent"][0] == {"url": "https://a.example/one", "outcome": "text", "words": 412}
    assert b"\x1b" not in line


def test_settings_come_from_a_file_then_from_options_then_from_set(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[stop]\npages = 5\nhours = 2\n[manners]\ndelay = 3\n[traps]\nmax_depth = 9\n")
    names = tmp_path / "forbidden.txt"
    names.write_text("\ufeff# asked by mail\nmill.example\n\n  flour.example  # twice\n", "utf-8")
    given = {"--pages": 7, "--hours": None, "--lang": ["cs,SK", "pl"], "--forbid": [str(names), "a.example,b.example"]}
    options = [(item, given.get(item.option)) for item in settings_in(CrawlConfig)]
    more = ["traps.max_depth=11", "fetch.types=text/html, text/plain", "manners.robots=false"]
    config = CrawlConfig.from_table(tables_of(CrawlConfig, file, options, more))
    assert (config.stop.pages, config.stop.hours, config.manners.delay) == (7, 2.0, 3.0)
    assert config.scope.languages == ("cs", "sk", "pl")
    assert config.scope.forbid == ("mill.example", "flour.example", "a.example", "b.example")
    assert (config.traps.max_depth, config.fetch.types) == (11, ("text/html", "text/plain"))
    assert not config.manners.robots


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("max_depth=3", "--set takes section.key=value"),
        ("traps.max_depth", "--set takes section.key=value"),
        ("trap.max_depth=3", "there is no section 'trap'"),
        ("traps.max_dept=3", "did you mean 'max_depth'?"),
        ("traps.max_depth=deep", "--set traps.max_depth must be a whole number, not 'deep'"),
        ("manners.delay=slow", "must be a number, not 'slow'"),
        ("manners.robots=maybe", "must be true or false"),
        ("manners.robots=", "the value is missing"),
    ],
)
def test_wrong_settings_say_what_is_right(setting: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        tables_of(CrawlConfig, None, [], [setting])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["https://a.example/"], "say where the crawl goes, with -o FOLDER"),
        ([], "Missing argument"),
        (["."], "there is no crawl in ."),
        ([".", "-o", "x"], "give it without -o to go on"),
        ([".", "https://a.example/"], "give the folder of the crawl alone"),
        (
            ["https://a.example/", "-o", "x", "--strategy", "best"],
            "--strategy must be one of yield, breadth-first, given, not 'best'",
        ),
        (["https://a.example/", "-o", "x", "--lang", "czech"], "did you mean 'cs'?"),
        (["https://a.example/", "-o", "x", "--part", "5/4"], "there is no part 5 of 4"),
        (["https://a.example/", "-o", "x", "--delay", "-1"], "--delay must be at least 0"),
        (["https://a.example/", "-o", "x", "--connections", "0"], "--connections must be at least 1"),
        (["https://a.example/", "-o", "x", "--min-bytes", "9", "--max-bytes", "3"], "min_bytes is more than max_bytes"),
        (["https://a.example/", "-o", "x", "--config", "none.toml"], "can't read the settings in none.toml"),
        (["seed.txt", "-o", "x"], "there is no file of that name either"),
        (["lists/seed.txt", "-o", "x"], "there is no file of that name either"),
        (["https://a.example/", "-o", "x", "--forbid", ",".join(["b.example"] * 99)], "--contact"),
        (["https://a.example/", "-o", "x", "--set", "a"], "--set takes section.key=value"),
        (["stats", "."], "there is no crawl in ."),
        (["stats", ".", "--sort", "word"], "did you mean 'words'?"),
        (["stats", ".", "--json", "--csv"], "--json and --csv can't be used together"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = run("crawl", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lang", "cs"], "--lang can't be changed while crawl goes on"),
        (["--domain", ".cz"], "--domain can't be changed"),
        (["--same-site"], "--same-site can't be changed"),
        (["--part", "1/2"], "--part can't be changed"),
        (["--strategy", "breadth-first"], "--strategy can't be changed"),
        (["--set", "scope.sites=a.example"], "scope.sites can't be changed"),
    ],
)
def test_what_holds_for_a_whole_crawl_is_not_changed(tmp_path: Path, options: list[str], message: str) -> None:
    make_frontier(tmp_path / "crawl", [*HOSTS])
    (tmp_path / "crawl" / "crawl.toml").write_text("")
    result = run("crawl", "crawl", *options, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr.decode()


def test_a_crawl_is_not_taken_for_a_corpus(tmp_path: Path) -> None:
    make_frontier(tmp_path / "crawl", [*HOSTS])
    (tmp_path / "crawl" / "crawl.toml").write_text("")
    result = run("stats", "crawl", cwd=tmp_path)
    assert result.returncode == 2
    assert "crawl is a crawl, not a corpus: make one of it with `gristmill build crawl -o" in result.stderr.decode()


def test_help_of_both_commands() -> None:
    text = run("crawl", "--help").stdout.decode()
    assert re.findall(r"^([A-Z][\w ]+):$", text, re.MULTILINE) == [
        *("Arguments", "What is crawled", "When it stops", "Manners", "What is fetched", "More")
    ]
    assert "gristmill crawl stats --help" in " ".join(text.split())
    assert "--sort" in run("crawl", "stats", "--help").stdout.decode()
    assert run("crawl", "stats", "--help", "--verbose").returncode == 0


def test_stats_shows_tables(tmp_path: Path) -> None:
    folder = make_frontier(tmp_path / "crawl", [*HOSTS])
    result = run("crawl", "stats", folder, "--sort", "waste", "--hosts", "1")
    text = result.stdout.decode()
    assert result.returncode == 0
    assert re.search(r"^pages stored +101$", text, re.MULTILINE)
    assert re.search(r"^  clean text +55.3 kB \(yield 1.38%\)$", text, re.MULTILINE)
    assert re.search(r"^  in vain +3.11 MB \(77.6%\)$", text, re.MULTILINE)
    assert re.search(r"^queue +10 addresses of 2 hosts$", text, re.MULTILINE)
    assert re.search(r"^poor.example +50 +0.01%", text, re.MULTILINE)
    assert "rich.example" not in text
    assert result.stderr.decode() == f"report written to {folder}/report.html\n"


def test_stats_for_programs(tmp_path: Path) -> None:
    folder = make_frontier(tmp_path / "crawl", [*HOSTS])
    found = json.loads(run("crawl", "stats", folder, "--json", "--all").stdout)
    assert len(found["hosts"]) == 5
    lines = run("crawl", "stats", folder, "--csv", "--no-report").stdout.decode().splitlines()
    assert lines[0].startswith("host,words,text_yield,pages,")
    assert len(lines) == 6
    assert len(run("crawl", "stats", folder, "--csv", "--hosts", "2").stdout.splitlines()) == 3


class _Checked(HTMLParser):
    """A parser that notes what a page loads, and whether its elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"meta", "line", "polyline", "polygon", "circle"}:
            self.open.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in {"src", "href", "xlink:href"}]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _checked(page: str) -> _Checked:
    parser = _Checked()
    parser.feed(page)
    parser.close()
    assert (parser.open, parser.loaded) == ([], [])
    assert "script" not in parser.tags
    return parser


def test_the_report_is_one_page_that_needs_nothing_else(tmp_path: Path) -> None:
    evil = ("<script>alert(1)</script>\x1b.example", 1, "<b>", 3, 2, 0, 1_000, 400, 70)
    found = CrawlStatistics.read(make_frontier(tmp_path / "a<b", [*HOSTS, evil]))
    page = crawl_report(found)
    parser = _checked(page)
    assert parser.tags.count("svg") == 2
    assert "&lt;script&gt;alert(1)" in page
    assert "rich.example" in page
    assert "a&lt;b" in page
    assert "77.6%" in page


def test_the_report_of_a_crawl_that_has_just_begun(tmp_path: Path) -> None:
    folder = make_frontier(tmp_path / "crawl", [], course=[])
    assert "svg" not in _checked(crawl_report(CrawlStatistics.read(folder))).tags


def test_the_report_of_a_crawl_of_a_minute(tmp_path: Path) -> None:
    folder = make_frontier(tmp_path / "crawl", [*HOSTS], course=[(0, 51, 51, 25, 2_010_000, 40_000, 7_000, 0)])
    assert "circle" in _checked(crawl_report(CrawlStatistics.read(folder))).tags
