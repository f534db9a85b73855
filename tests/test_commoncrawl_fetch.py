"""Fetching from archives: what comes to the folder, byte by byte, and what is done about servers that fail or lie."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commoncrawl_fetching import (
    ACCESS,
    FIRST,
    GAZETTE,
    TIMES,
    config,
    fetch,
    gazette_rows,
    pages_of,
    reasons,
    with_captures,
)
from commoncrawl_server import (
    NETWORKS,
    ArchiveServer,
    Reply,
    parquet_of,
    sample_server,
    server_over,
)

import gristmill
from gristmill.commoncrawl import ArchiveConfig, fetch_commoncrawl, summary_of
from gristmill.commoncrawl.records import fault_of
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.access import Access


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of the sample, which stand side by side, come by many requests."""
    monkeypatch.setattr("gristmill.commoncrawl.ranges._MAX_RANGE_BYTES", 8_000)


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as served:
        yield served


def test_records_are_those_of_the_archive_byte_by_byte(server: ArchiveServer, tmp_path: Path) -> None:
    summary = fetch(server, tmp_path / "pages", **GAZETTE)
    assert (summary.found, summary.stored, summary.failed, summary.waiting) == (10, 10, 0, 0)
    rows = gazette_rows(server)
    stored = (tmp_path / "pages" / FIRST).read_bytes()
    records = [server.files[row.filename][row.offset : row.offset + row.length] for row in rows]
    assert stored.endswith(b"".join(records))
    assert {page.url for page in pages_of(tmp_path / "pages")} == {row.url for row in rows}
    assert len(server.ranges()) == 1, "records side by side are read by one request"
    agents = {request.agent for request in server.requests}
    assert len(agents) == 1
    assert agents.pop().startswith("gristmill/")


@pytest.mark.usefixtures("small_ranges")
def test_the_same_index_gives_the_same_bytes_however_many_requests_run(server: ArchiveServer, tmp_path: Path) -> None:
    wanted = {"wanted": {"languages": ["cs", "fr", "en"]}}
    results = []
    for number, parallel in enumerate((1, 3, 16)):
        folder = tmp_path / str(number)
        fetch(server, folder, **wanted, pace={"parallel": parallel}, take={"warc_bytes": 40_000})
        results.append({path.name: path.read_bytes() for path in folder.glob("*.warc.gz")})
    assert results[0] == results[1] == results[2]
    assert len(results[0]) > 2


def test_going_on_with_all_done_asks_for_nothing(server: ArchiveServer, tmp_path: Path) -> None:
    first = fetch(server, tmp_path / "pages", **GAZETTE)
    count = len(server.requests)
    again = [fetch_commoncrawl(tmp_path / "pages", access=ACCESS), fetch(server, tmp_path / "pages", **GAZETTE)]
    assert len(server.requests) == count
    assert again[0].rows == again[1].rows == first.rows
    with pytest.raises(UsageError, match="has other pages"):
        fetch(server, tmp_path / "pages", wanted={"domains": ["spokes.example"]})


@pytest.mark.usefixtures("small_ranges")
def test_the_folder_is_built_and_added_to_while_it_grows(server: ArchiveServer, tmp_path: Path) -> None:
    broken = server.files[next(path for path in server.files if ".warc" in path)]

    def half(path: str, asked: str) -> Reply | None:
        """The second half of the archive is not to be had yet."""
        if ".warc" not in path or int(asked.removeprefix("bytes=").split("-")[0]) < len(broken) // 2:
            return None
        return Reply(503)

    server.fault = half
    folder = tmp_path / "pages"
    with pytest.raises(GristmillError, match="does not answer any more"):
        fetch(server, folder, wanted={"domains": ["example"]}, pace={"parallel": 1})
    assert 10 < summary_of(folder).stored < 90
    corpus = gristmill.build(folder, tmp_path / "corpus", engine=InlineEngine())
    before = corpus.counts["pages"]
    server.fault = lambda _path, _range: None
    assert fetch_commoncrawl(folder, access=ACCESS).stored == 106
    gristmill.add(corpus, folder, engine=InlineEngine())
    assert gristmill.Corpus(tmp_path / "corpus").counts["pages"] == 106 > before


def test_a_folder_without_pages_yet(server: ArchiveServer, tmp_path: Path) -> None:
    server.fault = lambda path, _: Reply(404) if ".warc" in path else None
    summary = fetch(server, tmp_path / "pages", **GAZETTE)
    assert reasons(summary) == {"missing": 10}
    with pytest.raises(UsageError, match=r"has no pages yet: go on by `gristmill commoncrawl"):
        gristmill.build(tmp_path / "pages", tmp_path / "corpus", engine=InlineEngine())


def test_samples_and_limits(server: ArchiveServer, tmp_path: Path) -> None:
    everything = {"wanted": {"domains": ["example"]}}
    samples = [
        fetch(server, tmp_path / f"s{number}", **everything, take={"sample": 9, "seed": seed})
        for number, seed in enumerate((1, 1, 2))
    ]
    assert [(summary.found, summary.stored) for summary in samples] == [(106, 9)] * 3
    stored = [(tmp_path / f"s{number}" / FIRST).read_bytes() for number in range(3)]
    assert stored[0] == stored[1] != stored[2]
    assert len({page.url.split("/")[2] for page in pages_of(tmp_path / "s0")}) > 3
    first = fetch(server, tmp_path / "first", **everything, take={"pages": 9})
    assert first.stored == 9
    assert first.found < 106
    assert sum(row.count for row in first.rows) == first.found


@pytest.mark.parametrize(
    ("keep", "duplicates", "expected"),
    [
        ("latest", False, {"older": 3, "duplicate": 1, "stored": 2}),
        ("latest", True, {"older": 3, "stored": 3}),
        ("yearly", True, {"older": 1, "stored": 5}),
        ("all", False, {"duplicate": 2, "stored": 4}),
        ("all", True, {"stored": 6}),
    ],
)
@pytest.mark.parametrize("index", ["columnar", "cdx"])
def test_captures_of_a_page_and_pages_of_the_same_content(
    tmp_path: Path, index: str, keep: str, duplicates: bool, expected: dict[str, int]
) -> None:
    page = [("https://a.example/", time, f"<p>of {time}") for time in TIMES]
    other = [("https://a.example/b", time, f"<p>of {time if time != TIMES[2] else 'b'}") for time in TIMES[1:]]
    with with_captures(*page, *other, ("https://a.example/c", TIMES[2], "<p>of b")) as server:
        take = {"keep": keep, "duplicates": duplicates}
        summary = fetch(server, tmp_path / "p", wanted={"hosts": ["a.example"]}, take=take, source={"index": index})
    assert reasons(summary) == expected
    assert summary.found == 6


def test_what_is_not_the_record_of_the_page_is_counted(server: ArchiveServer, tmp_path: Path) -> None:
    rows = gazette_rows(server)
    moved = [
        dataclasses.replace(rows[0], offset=rows[1].offset, length=rows[1].length),
        dataclasses.replace(rows[2], length=rows[2].length - 1),
        dataclasses.replace(rows[3], offset=rows[3].offset + 7, length=rows[3].length - 7),
        dataclasses.replace(rows[4], length=rows[4].length + 3),
        dataclasses.replace(rows[5], filename="crawl-data/other.warc.gz"),
        dataclasses.replace(rows[6], filename="../../../etc/passwd"),
        dataclasses.replace(rows[7], offset=10_000_000),
        rows[8],
    ]
    server.add_index([parquet_of([row.parquet() for row in moved])])
    summary = fetch(server, tmp_path / "pages", **GAZETTE)
    expected = {"path": 1, "other page": 1, "no record": 3, "missing": 1, "range": 1, "stored": 1}
    assert reasons(summary) == expected
    assert summary.found == 8
    assert [page.url for page in pages_of(tmp_path / "pages")] == [rows[8].url]
    outcomes = Counter(line.split("\t")[1] for line in (tmp_path / "pages" / "log").read_text().splitlines())
    assert outcomes == {name: count for name, count in expected.items() if name != "path"}
    assert all(len(line.split("\t")) == 6 for line in (tmp_path / "pages" / "log").read_text().splitlines())


def test_records_that_mean_ill() -> None:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\nContent-Length: 5\r\n\r\n"
    record = head + b"hello\r\n\r\n"
    good = gzip.compress(record)
    assert fault_of(good, "https://a.example/") == ""
    assert fault_of(good, "https://b.example/") == "other page"
    assert fault_of(gzip.compress(record.replace(b"response", b"request")), "https://a.example/") == "no record"
    bomb = gzip.compress(record + b"\0" * 300_000_000, 1)
    for wrong in (
        b"",
        record,
        good[:-1],
        good + b"x",
        good + good,
        bomb,
        gzip.compress(b"x" * 100),
        gzip.compress(b""),
    ):
        assert fault_of(wrong, "https://a.example/") == "no record"


def test_a_server_that_ignores_ranges_is_not_read(server: ArchiveServer, tmp_path: Path) -> None:
    """It would send a gigabyte: the length alone is enough to refuse it."""
    server.fault = lambda path, _: Reply(200, b"x" * 100_000, claimed=1_000_000_000) if ".warc" in path else None
    summary = fetch(server, tmp_path / "pages", **GAZETTE)
    assert reasons(summary) == {"range": 10}
    assert len([request for request in server.requests if ".warc" in request.path]) == 1
    assert summary.bytes < 100_000


@pytest.mark.parametrize(
    ("reply", "reason", "tries"),
    [
        (Reply(206, b"abc", {"Content-Range": "bytes 0-2/100"}), "range", 1),
        (Reply(206, b"abc", {"Content-Range": "bytes 5-1/9"}), "range", 1),
        (Reply(206, b"abc", {"Content-Range": "nonsense"}), "range", 1),
        (Reply(206, b"abc"), "range", 1),
        (Reply(200, b"abc"), "status", 1),
        (Reply(416), "range", 1),
        (Reply(404), "missing", 1),
        (Reply(302, b"", {"Location": "http://10.0.0.1/"}), "no answer", 1),
        (Reply(302, b"", {"Location": "http://169.254.169.254/latest/"}), "no answer", 1),
        (Reply(302, b"", {"Location": "file:///etc/passwd"}), "status", 1),
        (Reply(503, b"SlowDown"), "refused", 3),
        (Reply(500), "status", 3),
    ],
)
def test_answers_that_are_no_use(server: ArchiveServer, tmp_path: Path, reply: Reply, reason: str, tries: int) -> None:
    server.fault = lambda path, _: reply if ".warc" in path else None
    summary = fetch(server, tmp_path / "pages", **GAZETTE)
    assert reasons(summary) == {reason: 10}
    assert len([request for request in server.requests if ".warc" in request.path]) == tries


def test_ranges_that_end_too_early_are_asked_for_again(server: ArchiveServer, tmp_path: Path) -> None:
    tries = iter([0, 1, 2])

    def cut(path: str, asked: str) -> Reply | None:
        if ".warc" not in path or next(tries, 2) == 2:
            return None
        start, end = map(int, asked.removeprefix("bytes=").split("-"))
        data = server.files[path]
        body = data[start : start + 100]
        return Reply(206, body, {"Content-Range": f"bytes {start}-{end}/{len(data)}"}, claimed=end - start + 1)

    server.fault = cut
    assert reasons(fetch(server, tmp_path / "pages", **GAZETTE)) == {"stored": 10}


@pytest.mark.usefixtures("small_ranges")
def test_a_server_that_is_gone_ends_the_command_and_loses_nothing(server: ArchiveServer, tmp_path: Path) -> None:
    """Records are not given up one by one when nothing is to be had any more."""
    served: list[str] = []

    def gone(path: str, asked: str) -> Reply | None:
        if ".warc" in path:
            served.append(asked)
        return Reply(503, b"SlowDown") if ".warc" in path and len(served) > 3 else None

    server.fault = gone
    wanted: dict[str, Any] = {"wanted": {"domains": ["example"]}, "pace": {"parallel": 1, "retries": 50}}
    with pytest.raises(GristmillError, match=r"does not answer any more .*go on later"):
        fetch(server, tmp_path / "pages", **wanted)
    summary = summary_of(tmp_path / "pages")
    assert summary.failed == 0
    assert summary.stored + summary.waiting == 106
    server.fault = lambda _path, _range: None
    assert fetch_commoncrawl(tmp_path / "pages", access=ACCESS).stored == 106
    fetch(server, tmp_path / "whole", **wanted)
    assert (tmp_path / "pages" / FIRST).read_bytes() == (tmp_path / "whole" / FIRST).read_bytes()


def test_archives_of_others(gold: Path, tmp_path: Path) -> None:
    archives = {
        name: gold / "archives" / f"{name}.warc.gz"
        for name in ("iana", "whirlwind", "dupes", "example-url-agnostic-orig")
        if (gold / "archives" / f"{name}.warc.gz").exists()
    }
    with server_over(archives, {}) as server:
        everything = {"wanted": {"types": [], "status": 0}, "take": {"pages": 1000, "keep": "all"}}
        summary = fetch(server, tmp_path / "pages", **everything)
        rows = server.rows
    assert summary.found == len(rows) > 10
    assert summary.stored + reasons(summary).get("duplicate", 0) + reasons(summary).get("again", 0) == summary.found
    assert {page.url for page in pages_of(tmp_path / "pages")} <= {row.url for row in rows}


def test_what_is_wrong_is_said_before_anything_is_done(server: ArchiveServer, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "x").touch()
    (tmp_path / "file").touch()
    wrong: dict[str, Any] = {
        "is not empty": lambda: fetch(server, tmp_path / "used", **GAZETTE),
        "is not a folder": lambda: fetch(server, tmp_path / "file", **GAZETTE),
        "this would fetch all of a crawl": lambda: fetch(server, tmp_path / "new"),
        "there is no list of files": lambda: fetch(server, tmp_path / "new", source={"files": "nowhere.txt"}),
        r"index must be one of columnar, cdx, wayback, not 'x'": lambda: config(server, source={"index": "x"}),
        "keep must be one of latest, yearly, all, not 'x'": lambda: config(server, take={"keep": "x"}),
        "knows no languages": lambda: config(server, wanted={"languages": ["cs"]}, source={"index": "wayback"}),
        "parallel must be at least 1": lambda: config(server, pace={"parallel": 0}),
        "rate must be at least 0": lambda: config(server, pace={"rate": -1.0}),
        "there is no setting 'domain'": lambda: config(server, wanted={"domain": ["a.example"]}),
        "there are no pages of an archive in": lambda: fetch_commoncrawl(tmp_path / "new", access=ACCESS),
        "say who asks": lambda: fetch_commoncrawl(tmp_path / "new", config(server, **GAZETTE)),
        "no address of a server": lambda: fetch(server, tmp_path / "a", **GAZETTE, servers={"data": "javascript:x"}),
        "names no bucket": lambda: fetch(server, tmp_path / "b", **GAZETTE, servers={"data": "s3://"}),
    }
    for message, call in wrong.items():
        with pytest.raises(UsageError, match=message):
            call()
    assert not server.requests
    with pytest.raises(TypeError, match="folder must be a path"):
        fetch_commoncrawl(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"config must be a gristmill\.ArchiveConfig, not dict"):
        fetch_commoncrawl(tmp_path / "new", {})  # type: ignore[arg-type]


def test_settings_are_stored_but_nothing_of_who_asked(server: ArchiveServer, tmp_path: Path) -> None:
    access = Access("me@example.org", NETWORKS)
    fetch_commoncrawl(tmp_path / "pages", config(server, **GAZETTE), access=access)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "pages").iterdir())
    assert b"me@example.org" not in stored
    assert ArchiveConfig.from_file(tmp_path / "pages" / "commoncrawl.toml") == config(server, **GAZETTE)
    assert json.loads(json.dumps(summary_of(tmp_path / "pages").to_json()))["stored"] == 10
