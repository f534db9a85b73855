"""Other ways to pages of archives than records by range: the Wayback Machine, whole files, buckets."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commoncrawl_fetching import FIRST, GAZETTE, TIMES, fetch, gazette_rows, pages_of, reasons, with_captures
from commoncrawl_server import (
    CRAWL,
    ArchiveServer,
    Reply,
    sample_server,
)


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as served:
        yield served


def test_wayback(server: ArchiveServer, tmp_path: Path) -> None:
    summary = fetch(server, tmp_path / "pages", **GAZETTE, source={"index": "wayback"})
    assert reasons(summary) == {"stored": 10}
    rows = {row.url: row for row in server.rows if row.mime == "text/html"}
    pages = pages_of(tmp_path / "pages")
    assert len(pages) == 10
    for page in pages:
        row = rows[page.url]
        assert (page.body, page.status) == (row.body, 200)
        assert datetime.fromisoformat(page.date) == row.time.astimezone(UTC)
        assert page.headers["content-type"] == row.headers["content-type"]
    record = gzip.decompress((tmp_path / "pages" / FIRST).read_bytes())
    source = f"WARC-Source-URI: {server.address}web/{rows[pages[0].url].timestamp}id_/{pages[0].url}"
    assert source.encode() in record
    assert max(len(request.query) for request in server.requests) > 100
    fetch(server, tmp_path / "again", **GAZETTE, source={"index": "wayback"})
    assert (tmp_path / "again" / FIRST).read_bytes() == (tmp_path / "pages" / FIRST).read_bytes()


def test_wayback_takes_the_latest_or_one_a_year(tmp_path: Path) -> None:
    captures = [("https://a.example/", time, f"<p>of {time}") for time in TIMES]
    for keep, times in {"latest": TIMES[2:], "yearly": TIMES[1:], "all": TIMES}.items():
        with with_captures(*captures) as server:
            tables: dict[str, Any] = {
                "wanted": {"domains": ["a.example"]},
                "source": {"index": "wayback"},
                "take": {"keep": keep},
            }
            fetch(server, tmp_path / keep, **tables)
        assert [page.date for page in pages_of(tmp_path / keep)] == times


def test_wayback_pages_that_are_not_what_was_asked_for(server: ArchiveServer, tmp_path: Path) -> None:
    rows = gazette_rows(server)
    replies = [
        Reply(404, b"not in the archive"),
        Reply(302, b"", {"Location": f"/web/19990101000000id_/{rows[1].url}"}),
        Reply(302, b"", {"Location": "http://10.0.0.1/"}),
        Reply(302, b"", {"Location": "/somewhere/else"}),
        Reply(200, b"", claimed=10**12),
        Reply(200, b"<p>x", {"X-Archive-Orig-Evil": "a\tb", "X-Archive-Orig-Transfer-Encoding": "chunked"}),
    ]
    by_path = {f"web/{row.timestamp}id_/{row.url}": reply for row, reply in zip(rows, replies, strict=False)}
    elsewhere = {"somewhere/else": Reply(200, b"not a capture")}
    server.fault = lambda path, _: by_path.get(path) or elsewhere.get(path)
    summary = fetch(server, tmp_path / "pages", **GAZETTE, source={"index": "wayback"})
    expected = {"stored": 5, "missing": 1, "network": 1, "other capture": 1, "redirects": 1, "too-long": 1}
    assert reasons(summary) == expected
    assert summary.found == 10


def test_whole_files(server: ArchiveServer, tmp_path: Path) -> None:
    name = next(path for path in server.files if ".warc" in path)
    wet = name.replace("/warc/", "/wet/").replace(".warc.gz", ".warc.wet.gz")
    server.files[wet] = gzip.compress(
        b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://a.example/\r\n"
        b"WARC-Date: 2026-10-17T00:00:00Z\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
    )
    listed = [name, "../../evil.warc.gz", "/etc/passwd", f"{server.address}{wet}", name, "crawl-data/x.warc.wat.gz"]
    (tmp_path / "list.txt").write_text("".join(f"{line}\n" for line in [*listed, "crawl-data/gone.warc.gz", "# no"]))
    summary = fetch(server, tmp_path / "files", source={"files": str(tmp_path / "list.txt")})
    assert reasons(summary) == {"path": 4, "missing": 1, "stored": 2}
    stored = {path.name for path in (tmp_path / "files").iterdir()}
    own = {"commoncrawl.toml", "commoncrawl.sqlite", "log"}
    assert stored - own == {"sample-00000.warc.gz", "sample-00000.warc.wet.gz"}
    assert (tmp_path / "files" / "sample-00000.warc.gz").read_bytes() == server.files[name]
    assert len(pages_of(tmp_path / "files")) > 100
    server.files[f"crawl-data/{CRAWL}/wet.paths.gz"] = gzip.compress(f"{wet}\n".encode())
    assert reasons(fetch(server, tmp_path / "wet", source={"files": "wet"})) == {"stored": 1}
    assert [page.body for page in pages_of(tmp_path / "wet")] == [b"hello"]


def test_whole_files_go_on_where_they_were_left(
    server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gristmill.commoncrawl.files._PART_BYTES", 10_000)
    name = next(path for path in server.files if ".warc" in path)
    data = server.files[name]
    (tmp_path / "list").write_text(name)
    server.fault = lambda path, asked: Reply(503) if path == name and asked.startswith("bytes=30000-") else None
    tables = {"source": {"files": str(tmp_path / "list")}}
    assert reasons(fetch(server, tmp_path / "files", **tables)) == {"refused": 1}
    assert not list((tmp_path / "files").glob("*.warc.gz"))
    server.fault = lambda _path, _range: None
    assert reasons(fetch(server, tmp_path / "files", **tables)) == {"stored": 1}
    assert (tmp_path / "files" / "sample-00000.warc.gz").read_bytes() == data
    assert max(Counter(server.ranges()).values()) == 1
    assert not list((tmp_path / "files").glob(".*.part"))


def test_a_whole_file_that_changes_meanwhile_is_begun_again(
    server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gristmill.commoncrawl.files._PART_BYTES", 10_000)
    name = next(path for path in server.files if ".warc" in path)
    (tmp_path / "list").write_text(name)

    def replaced(path: str, asked: str) -> None:
        if path == name and asked.startswith("bytes=30000-"):
            server.files[name] = b"x" * 45_000

    server.fault = replaced
    tables = {"source": {"files": str(tmp_path / "list")}}
    assert reasons(fetch(server, tmp_path / "files", **tables)) == {"changed": 1}
    assert reasons(fetch(server, tmp_path / "files", **tables)) == {"stored": 1}
    assert (tmp_path / "files" / "sample-00000.warc.gz").read_bytes() == b"x" * 45_000


def test_a_bucket(server: ArchiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over S3 come the same bytes as over HTTP, of records and of whole files."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.address)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    bucket = {"servers": {"data": "s3://commoncrawl/"}}
    fetch(server, tmp_path / "http", **GAZETTE)
    assert reasons(fetch(server, tmp_path / "s3", **GAZETTE, **bucket)) == {"stored": 10}
    assert (tmp_path / "s3" / FIRST).read_bytes() == (tmp_path / "http" / FIRST).read_bytes()
    assert "aws" in server.requests[-1].agent
    name = next(path for path in server.files if ".warc" in path)
    (tmp_path / "list").write_text(f"s3://commoncrawl/{name}\ncrawl-data/gone.warc.gz\n")
    tables = {"source": {"files": str(tmp_path / "list")}}
    assert reasons(fetch(server, tmp_path / "files", **tables, **bucket)) == {"stored": 1, "missing": 1}
    assert (tmp_path / "files" / "sample-00000.warc.gz").read_bytes() == server.files[name]
    slow = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
    replies = iter([Reply(503, slow), Reply(503, slow)])
    server.fault = lambda path, _: next(replies, None) if ".warc" in path else None
    assert reasons(fetch(server, tmp_path / "slow", **GAZETTE, **bucket)) == {"stored": 10}
    server.fault = lambda path, _: Reply(403) if ".warc" in path else None
    assert reasons(fetch(server, tmp_path / "no", **GAZETTE, **bucket)) == {"refused": 10}
