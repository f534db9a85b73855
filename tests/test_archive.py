"""Pages come out of archives of every kind, and nothing that is broken stops them."""

from __future__ import annotations

import gzip
import io
import os
import random
import zlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import brotli
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.archive import Skip, WarcWriter, find_sources, http, looks_like_html, read
from gristmill.document import Page
from gristmill.errors import UsageError

BODY = b"<html><body><p>" + b"Some words of text. " * 30 + b"</p></body></html>"
HTML = {"Content-Type": "text/html"}


def warc_records(count: int = 5, *, compress: bool = True) -> list[bytes]:
    records = []
    for number in range(count):
        stream = io.BytesIO()
        with WarcWriter(stream, compress=compress) as writer:
            writer.write_response(
                f"http://a.example/{number}", "2020-01-01T00:00:00Z", 200, HTML, BODY + b"%d" % number
            )
        records.append(stream.getvalue())
    return records


def read_file(path: Path, limit: int = 10_000_000) -> list[Page | Skip]:
    return [item for source in find_sources([path]) for item in read(source, limit)]


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


def urls(items: list[Page | Skip]) -> list[str]:
    return [item.url for item in items if isinstance(item, Page)]


def broken(items: list[Page | Skip]) -> list[Skip]:
    return [item for item in items if isinstance(item, Skip) and item.reason == "broken"]


ALL_URLS = [f"http://a.example/{number}" for number in range(5)]


@pytest.mark.parametrize("compress", [True, False])
def test_a_warc_that_was_written_is_read_again(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / "name-says-nothing"
    path.write_bytes(b"".join(warc_records(compress=compress)))
    items = read_file(path)
    assert urls(items) == ALL_URLS
    first = items[0]
    assert isinstance(first, Page)
    assert (first.status, first.content_type, first.date, first.body) == (
        200,
        "text/html",
        "2020-01-01T00:00:00Z",
        BODY + b"0",
    )
    assert [item.offset for item in items] == sorted({item.offset for item in items})


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_other_compressions(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "pages"
    path.write_bytes(
        b"".join(pa.compress(record, codec=codec, asbytes=True) for record in warc_records(compress=False))
    )
    assert urls(read_file(path)) == ALL_URLS


def test_arc(tmp_path: Path) -> None:
    response = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY
    head = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n\n"
    data = b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain %d\n%s\n" % (len(head), head)
    for number in range(3):
        data += b"http://a.example/%d 1.2.3.4 20080102030405 text/html %d\n%s\n" % (number, len(response), response)
    path = tmp_path / "x"
    path.write_bytes(data)
    items = read_file(path)
    assert urls(items) == ALL_URLS[:3]
    page = items[-1]
    assert isinstance(page, Page)
    assert (page.date, page.body) == ("2008-01-02T03:04:05Z", BODY)


def test_wet_is_text_already(tmp_path: Path) -> None:
    text = "První odstavec.\nDruhý odstavec.".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    )
    record = f"{head}Content-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text + b"\r\n\r\n"
    path = tmp_path / "x.wet"
    path.write_bytes(record)
    (page,) = read_file(path)
    assert isinstance(page, Page)
    assert page.is_text
    assert page.body == text


def test_folders_globs_and_the_same_file_twice(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.html").write_bytes(BODY)
    (tmp_path / "a.htm").write_bytes(BODY)
    (tmp_path / "c.warc.gz").write_bytes(b"".join(warc_records(2)))
    (tmp_path / ".hidden").write_bytes(BODY)
    sources = find_sources([tmp_path, tmp_path / "a.htm", str(tmp_path / "*.warc.gz")])
    assert [(Path(source.path).name, source.kind) for source in sources] == [
        ("a.htm", "page"),
        ("two.html", "page"),
        ("c.warc.gz", "warc"),
    ]
    assert len(urls(read_file(tmp_path))) == 4


def test_links_that_go_in_circles(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(BODY)
    for name in "ab":
        (tmp_path / name).symlink_to(tmp_path)
    assert len(find_sources([tmp_path])) == 1


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file or folder"):
        find_sources([tmp_path / "missing.warc"])
    with pytest.raises(UsageError, match="no files in"):
        find_sources([tmp_path])
    (tmp_path / "x.html").write_bytes(BODY)
    with pytest.raises(UsageError, match="where the output goes: that is not read"):
        find_sources([tmp_path / "x.html"], leave_out=tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_an_unreadable_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o000)
    with pytest.raises(UsageError, match="can't read the folder"):
        find_sources([tmp_path])


class TestDamage:
    """One record is damaged: it is counted with its place, and the others are read."""

    def check(self, tmp_path: Path, data: bytes, missing: set[int], offset: int) -> None:
        path = tmp_path / "damaged.warc.gz"
        path.write_bytes(data)
        items = read_file(path)
        assert urls(items) == [url for number, url in enumerate(ALL_URLS) if number not in missing]
        (fault,) = broken(items)
        assert fault.source.endswith("damaged.warc.gz")
        assert fault.detail
        assert fault.offset == offset

    def test_flipped_bytes(self, tmp_path: Path) -> None:
        records = warc_records()
        middle = bytearray(records[2])
        middle[len(middle) // 2] ^= 0xFF
        middle[len(middle) // 2 + 1] ^= 0xFF
        self.check(tmp_path, b"".join([*records[:2], bytes(middle), *records[3:]]), {2}, sum(map(len, records[:2])))

    def test_truncated(self, tmp_path: Path) -> None:
        records = warc_records()
        self.check(tmp_path, b"".join(records)[:-40], {4}, sum(map(len, records[:4])))

    def test_junk_between(self, tmp_path: Path) -> None:
        records = warc_records()
        self.check(tmp_path, b"".join([*records[:2], b"this is junk", *records[2:]]), set(), len(records[0]))

    def test_junk_before(self, tmp_path: Path) -> None:
        self.check(tmp_path, b"\x00junk" + b"".join(warc_records()), set(), 0)

    def test_plain_junk_between(self, tmp_path: Path) -> None:
        records = warc_records(compress=False)
        self.check(tmp_path, b"".join([*records[:2], b"junk\r\n", *records[2:]]), set(), len(records[0]))

    def test_a_plain_archive_with_a_compressed_body(self, tmp_path: Path) -> None:
        """Gzip's mark inside a record does not make the archive a gzip file."""
        records = warc_records(compress=False)
        stream = io.BytesIO()
        with WarcWriter(stream, compress=False) as writer:
            headers = {**HTML, "Content-Encoding": "gzip"}
            writer.write_response(ALL_URLS[0], "2020-01-01T00:00:00Z", 200, headers, gzip.compress(BODY))
        records[0] = stream.getvalue()
        records[2] = records[2].replace(b"Content-Length: ", b"Content-Length: x", 1)
        self.check(tmp_path, b"".join(records), {2}, len(records[0]) + len(records[1]))

    def test_a_plain_archive_with_its_first_byte_changed(self, tmp_path: Path) -> None:
        (tmp_path / "x.warc").write_bytes(b"X" + b"".join(warc_records(compress=False))[1:])
        items = read_file(tmp_path / "x.warc")
        assert urls(items) == ALL_URLS[1:]
        assert len(broken(items)) == 1

    def test_lz4(self, tmp_path: Path) -> None:
        records = [pa.compress(record, codec="lz4", asbytes=True) for record in warc_records(compress=False)]
        records[2] = records[2][:30] + b"\xff" * 40 + records[2][70:]
        (tmp_path / "x.warc.lz4").write_bytes(b"".join(records))
        assert set(urls(read_file(tmp_path / "x.warc.lz4"))) >= {ALL_URLS[number] for number in (0, 1, 3, 4)}

    def test_many_broken_records(self, tmp_path: Path) -> None:
        """Looking for the next record may not go through the whole file each time."""
        record = warc_records(1, compress=False)[0].replace(b"Content-Length: ", b"Content-Length: x", 1)
        (tmp_path / "x.warc").write_bytes(record * 3000)
        assert len(broken(read_file(tmp_path / "x.warc"))) == 3000

    @pytest.mark.parametrize("length", [b"999999", b"x1", b"-5"])
    def test_wrong_length(self, tmp_path: Path, length: bytes) -> None:
        records = warc_records(compress=False)
        start = records[2].index(b"Content-Length: ") + 16
        end = records[2].index(b"\r\n", start)
        records[2] = records[2][:start] + length + records[2][end:]
        packed = [gzip.compress(record, mtime=0) for record in records]
        self.check(tmp_path, b"".join(packed), {2}, len(packed[0]) + len(packed[1]))

    def test_arc_with_a_bad_length(self, tmp_path: Path) -> None:
        line = b"http://a.example/%d 1.2.3.4 20080102030405 text/html %s\n"
        good = b"HTTP/1.0 200 OK\r\n\r\n" + BODY
        path = tmp_path / "x.arc"
        path.write_bytes(line % (0, b"abc") + b"\n" + line % (1, b"%d" % len(good)) + good + b"\n")
        items = read_file(path)
        assert urls(items) == [ALL_URLS[1]]
        assert broken(items)[0].offset == 0


def test_random_damage_never_raises_and_never_loses_undamaged_records(tmp_path: Path) -> None:
    records = warc_records(8)
    starts = [sum(map(len, records[:number])) for number in range(9)]
    path = tmp_path / "damaged.warc.gz"
    for seed in range(60):
        chance = random.Random(seed)
        data = bytearray(b"".join(records))
        hit = chance.randrange(len(data))
        for at in range(hit, min(len(data), hit + chance.choice([1, 4, 40]))):
            data[at] = chance.randrange(256)
        path.write_bytes(data)
        items = read_file(path)
        touched = {number for number in range(8) if hit < starts[number + 1] and starts[number] < hit + 40}
        expected = {f"http://a.example/{number}" for number in range(8) if number not in touched}
        assert expected <= set(urls(items)), f"seed {seed}"


def test_an_empty_file_and_random_bytes_are_counted(tmp_path: Path) -> None:
    (tmp_path / "empty.warc.gz").touch()
    (tmp_path / "empty.html").touch()
    (tmp_path / "noise.warc").write_bytes(random.Random(1).randbytes(5000))
    items = read_file(tmp_path)
    assert [type(item) for item in items] == [Skip] * 3
    assert len(broken(items)) == 3


def test_noise_with_no_name_of_an_archive_is_a_page_that_is_not_html(tmp_path: Path) -> None:
    (tmp_path / "noise.bin").write_bytes(random.Random(1).randbytes(5000))
    (page,) = read_file(tmp_path)
    assert isinstance(page, Page)
    assert page.content_type == "application/octet-stream"


def test_a_body_over_the_limit_is_cut_so_that_it_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "big.warc"
    with path.open("wb") as file, WarcWriter(file, compress=False) as writer:
        bomb = gzip.compress(b"x" * 50_000_000, mtime=0)
        writer.write_response(
            "http://a.example/bomb", "2020-01-01T00:00:00Z", 200, {**HTML, "Content-Encoding": "gzip"}, bomb
        )
        writer.write_response("http://a.example/long", "2020-01-01T00:00:00Z", 200, HTML, b"y" * 3_000_000)
        writer.write_response("http://a.example/ok", "2020-01-01T00:00:00Z", 200, HTML, b"z" * 1000)
    pages = [item for item in read_file(path, limit=1_000_000) if isinstance(item, Page)]
    assert [len(page.body) for page in pages] == [1_000_001, 1_000_001, 1000]


@pytest.mark.parametrize(
    ("headers", "wire"),
    [
        ("Transfer-Encoding: chunked", chunked(BODY[:100], BODY[100:])),
        ("Transfer-Encoding: chunked", BODY),
        ("Content-Encoding: gzip", gzip.compress(BODY, mtime=0)),
        ("Content-Encoding: gzip", BODY),
        ("Content-Encoding: deflate", zlib.compress(BODY)),
        ("Content-Encoding: deflate", zlib.compress(BODY)[2:-4]),
        ("Content-Encoding: br", brotli.compress(BODY)),
        ("Content-Encoding: br", BODY),
        ("Content-Encoding: gzip", gzip.compress(BODY[:100], mtime=0) + gzip.compress(BODY[100:], mtime=0)),
        ("Content-Encoding: none-such", BODY),
        ("Transfer-Encoding: chunked\r\nContent-Encoding: gzip", chunked(gzip.compress(BODY, mtime=0))),
    ],
)
def test_bodies_are_unwrapped_and_forgotten_wrappings_forgiven(headers: str, wire: bytes) -> None:
    response = http.parse(f"HTTP/1.1 200 OK\r\n{headers}\r\n\r\n".encode() + wire, 10_000)
    assert response.body == BODY


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_body_that_is_cut_off_gives_what_there_is(coding: str) -> None:
    text = random.Random(3).randbytes(200_000).hex().encode()
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": partial(pa.compress, codec="zstd", asbytes=True),
    }
    packed = packers[coding](text)
    body = http.parse(
        f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n".encode() + packed[: len(packed) // 2], 10_000_000
    ).body
    assert len(body) > 50_000
    assert text.startswith(body)


def test_a_status_line_without_text_and_bare_line_ends() -> None:
    response = http.parse(b"HTTP/1.0 302\nLocation: /x\n\nbody", 100)
    assert (response.status, response.headers, response.body) == (302, {"location": "/x"}, b"body")


@given(st.binary(max_size=400))
def test_http_never_raises(payload: bytes) -> None:
    assert (
        len(
            http.parse(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" + payload, 100
            ).body
        )
        <= 101
    )
    http.parse(payload, 100)


def test_looking_like_html() -> None:
    assert looks_like_html(b"\n\n<!DOCTYPE HTML>")
    assert looks_like_html("<p>x".encode("utf-16-le"))
    assert not looks_like_html(b"a < b and c > d")
    assert not looks_like_html(b"")


def test_real_archives(gold: Path) -> None:
    """What stands in the archives was counted by hand with other tools."""
    found = {}
    for path in sorted((gold / "archives").iterdir()):
        items = read_file(path)
        found[path.name] = (len(urls(items)), Counter(item.reason for item in items if isinstance(item, Skip)))
    assert found["iana.warc.gz"][0] == 48
    assert found["iana.warc.gz"][1]["broken"] == 0
    assert found["example.arc.gz"] == (1, Counter(other=1))
    assert found["bad.arc"][1]["broken"] == 2
    assert found["dupes.warc.gz"][1]["revisit"] == 9
    assert found["whirlwind.warc.wet.gz"][0] == 1
    assert found["example-bad.warc.gz.bad"][0] == 2
    assert found["missing-status-text.warc"][1]["broken"] == 1
