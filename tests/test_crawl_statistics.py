"""The figures of a crawl are those of its frontier, or of the frontiers of all its parts."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib import resources
from pathlib import Path

import pytest

from gristmill.crawling.figures import meaning, reason_in_words
from gristmill.crawling.frontier import NAME as FRONTIER
from gristmill.crawling.statistics import MAX_COURSE_ROWS, CrawlStatistics
from gristmill.errors import GristmillError, UsageError

HOSTS = [
    # name, queued, dead, pages, texts, copies, bytes, clean, words
    ("rich.example", 3, "", 40, 30, 2, 1_000_000, 50_000, 9_000),
    ("poor.example", 0, "low-yield", 60, 1, 0, 3_000_000, 300, 50),
    ("one.example", 0, "", 1, 1, 0, 10_000, 5_000, 800),
    ("new.example", 7, "", 0, 0, 0, 0, 0, 0),
    ("gone.example", 0, "dns", 0, 0, 0, 0, 0, 0),
]
OUTCOMES = [("text", 32, 900_000), ("copy", 2, 60_000), ("no-text", 50, 2_800_000), ("status-404", 17, 250_000)]
COURSE = [
    # minute, requests, pages, texts, bytes, clean, words, failures
    (0, 51, 51, 25, 2_010_000, 40_000, 7_000, 0),
    (2, 50, 50, 7, 2_000_000, 15_300, 2_850, 2),
]


def make_frontier(
    folder: Path, hosts: list[tuple[object, ...]], seconds: float = 150.0, course: Sequence[tuple[int, ...]] = COURSE
) -> Path:
    """A frontier with known figures."""
    folder.mkdir(parents=True, exist_ok=True)
    schema = resources.files("gristmill.crawling").joinpath("schema.sql").read_text("utf-8")
    with closing(sqlite3.connect(folder / FRONTIER)) as frontier, frontier:
        frontier.executescript(schema)
        frontier.execute("INSERT INTO state VALUES ('seconds', ?)", (seconds,))
        frontier.executemany(
            "INSERT INTO host (name, rank, queued, dead, pages, texts, copies, bytes, clean, words) "
            "VALUES (?, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
            hosts,
        )
        frontier.executemany("INSERT INTO outcome VALUES (?, ?, ?)", OUTCOMES)
        frontier.executemany("INSERT INTO left_out VALUES (?, ?)", [("scope", 9), ("suffix", 12)])
        frontier.executemany("INSERT INTO course VALUES (?, ?, ?, ?, ?, ?, ?, ?)", course)
    return folder


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return make_frontier(tmp_path / "crawl", [*HOSTS])


def test_totals_are_the_sums_of_the_tables(crawl: Path) -> None:
    found = CrawlStatistics.read(crawl)
    totals = found.totals
    assert (totals.pages, totals.texts, totals.words) == (101, 32, 9_850)
    assert (totals.bytes, totals.clean_bytes, totals.queued) == (4_010_000, 55_300, 10)
    assert (totals.requests, totals.failures, totals.seconds) == (101, 2, 150.0)
    assert totals.text_yield == 55_300 / 4_010_000
    assert (found.parts, found.hosts_known, found.hosts_visited, found.hosts_queued, totals.hosts_left) == (
        *(1, 5, 3, 2, 2),
    )
    assert repr(found) == "<CrawlStatistics: 101 pages, 9,850 words, yield 1.38%, 3 hosts>"


def test_what_was_in_vain_is_told_by_reason(crawl: Path) -> None:
    outcomes = CrawlStatistics.read(crawl).outcomes
    assert [row.outcome for row in outcomes.rows] == ["no-text", "text", "status-404", "copy"]
    assert outcomes.in_vain == 3_110_000
    assert sum(row.share for row in outcomes.rows) == pytest.approx(1)
    assert [row.meaning for row in outcomes.rows][2] == "answers with HTTP status 404"
    assert repr(outcomes) == "<OutcomeTable: 101 requests, 77.6% of their bytes in vain>"


def test_what_was_left_is_told_by_reason(crawl: Path) -> None:
    found = CrawlStatistics.read(crawl)
    assert [(row.reason, row.count) for row in found.left_out.rows] == [("suffix", 12), ("scope", 9)]
    assert [(row.reason, row.count) for row in found.hosts_left.rows] == [("dns", 1), ("low-yield", 1)]
    assert found.hosts_left.to_csv() == (
        "reason,count,meaning\ndns,1,there is no host of this name\nlow-yield,1,too little text for the bytes\n"
    )


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ("words", ["rich", "one", "poor", "gone", "new"]),
        ("yield", ["rich", "poor", "one", "gone", "new"]),
        ("waste", ["poor", "rich", "one", "gone", "new"]),
        ("bytes", ["poor", "rich", "one", "gone", "new"]),
        ("pages", ["poor", "rich", "one", "gone", "new"]),
        ("queued", ["new", "rich", "poor", "one", "gone"]),
        ("host", ["gone", "new", "one", "poor", "rich"]),
    ],
)
def test_hosts_have_an_order(crawl: Path, order: str, first: list[str]) -> None:
    found = CrawlStatistics.read(crawl)
    assert [row.host.removesuffix(".example") for row in found.hosts(order)] == first
    assert [row.host for row in found.host_table(order, 2).rows] == [f"{name}.example" for name in first[:2]]


def test_words_for_reasons() -> None:
    assert reason_in_words("host-low-yield") == "in the queue of a host that was left: too little text for the bytes"
    assert reason_in_words("host-left") == "hosts that were left before"
    assert (reason_in_words("new"), meaning("new")) == ("", "")


def test_yield_of_a_host(crawl: Path) -> None:
    by_name = {row.host: row for row in CrawlStatistics.read(crawl).hosts()}
    assert by_name["rich.example"].text_yield == 0.05
    assert by_name["new.example"].text_yield is None
    assert by_name["poor.example"].left == "low-yield"


def test_the_course_is_in_minutes_of_crawling(crawl: Path) -> None:
    course = CrawlStatistics.read(crawl).course
    assert course.minutes == 1
    assert [(row.minute, row.words) for row in course.merged(2).rows] == [(0, 7_000), (2, 2_850)]
    assert [(row.minute, row.words, row.text_yield) for row in course.merged(1).rows] == [
        (0, 9_850, 55_300 / 4_010_000)
    ]
    assert [(row.minute, row.words, row.text_yield) for row in course.rows] == [
        (0, 7_000, 40_000 / 2_010_000),
        (2, 2_850, 0.00765),
    ]


def test_a_long_course_is_shown_in_pieces(crawl: Path) -> None:
    with closing(sqlite3.connect(crawl / FRONTIER)) as frontier, frontier:
        frontier.executemany(
            "INSERT INTO course VALUES (?, 1, 1, 1, 1000, 10, 2, 0)", [(minute,) for minute in range(3, 1000)]
        )
    found = CrawlStatistics.read(crawl)
    assert found.course.minutes == 9
    assert len(found.course.rows) == 112 <= MAX_COURSE_ROWS
    assert sum(row.words for row in found.course.rows) == 9_850 + 2 * 997


def test_parts_are_added_up(tmp_path: Path) -> None:
    for number, hosts in enumerate((HOSTS[:2], HOSTS[2:])):
        make_frontier(tmp_path / f"part-{number}", [*hosts], seconds=100.0 * (number + 1))
    found = CrawlStatistics.read(tmp_path)
    assert (found.parts, found.hosts_known, found.totals.words, found.totals.seconds) == (2, 5, 19_700, 200.0)
    assert found.totals.requests == 202
    assert found.outcomes.in_vain == 6_220_000
    assert [row.words for row in found.course.rows] == [14_000, 5_700]
    assert [(row.reason, row.count) for row in found.left_out.rows] == [("suffix", 24), ("scope", 18)]
    words = [row.words for row in found.hosts("words")]
    assert words == sorted(words, reverse=True)
    assert len(words) == 5
    assert [row.host for row in found.hosts("yield", 1)] == ["rich.example"]


def test_the_figures_of_a_crawl_that_is_running(crawl: Path) -> None:
    with closing(sqlite3.connect(crawl / FRONTIER, isolation_level=None)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("BEGIN IMMEDIATE")
        running.execute("UPDATE course SET words = words + 1000")
        assert CrawlStatistics.read(crawl).totals.words == 9_850
        running.execute("COMMIT")
        assert CrawlStatistics.read(crawl).totals.words == 11_850


def test_a_crawl_that_has_just_begun(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    make_frontier(folder, [])
    with closing(sqlite3.connect(folder / FRONTIER)) as frontier, frontier:
        frontier.executescript("DELETE FROM state; DELETE FROM outcome; DELETE FROM left_out; DELETE FROM course")
    found = CrawlStatistics.read(folder)
    assert (found.totals.text_yield, found.course.rows, list(found.hosts())) == (0.0, (), [])


def test_json_and_csv(crawl: Path) -> None:
    found = CrawlStatistics.read(crawl)
    record = json.loads(json.dumps(found.to_json(limit=1)))
    assert record["totals"]["words"] == 9_850
    assert record["bytes_in_vain"] == 3_110_000
    assert [row["host"] for row in record["hosts"]] == ["rich.example"]
    rows = list(csv.DictReader("".join(found.to_csv("bytes")).splitlines()))
    assert [row["host"] for row in rows] == [row.host for row in found.hosts("bytes")]
    assert (rows[0]["words"], rows[0]["text_yield"]) == ("50", "0.0001")


def test_csv_of_many_hosts_is_whole(tmp_path: Path) -> None:
    hosts: list[tuple[object, ...]] = [(f"h{n}.example", 0, "", 1, 1, 0, 1000, 10, n) for n in range(2_500)]
    found = CrawlStatistics.read(make_frontier(tmp_path, hosts))
    pieces = list(found.to_csv())
    assert len(pieces) == 4
    assert [row["words"] for row in csv.DictReader("".join(pieces).splitlines())] == [
        str(n) for n in reversed(range(2_500))
    ]


def test_what_is_no_crawl_is_refused(crawl: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no crawl in"):
        CrawlStatistics.read(tmp_path / "nothing")
    with pytest.raises(UsageError, match="did you mean 'words'"):
        next(CrawlStatistics.read(crawl).hosts("wrods"))
    (crawl / FRONTIER).write_bytes(b"no database at all" * 100)
    with pytest.raises(GristmillError, match="can't read the figures"):
        CrawlStatistics.read(crawl)
