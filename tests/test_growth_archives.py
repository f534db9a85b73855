"""Reading takes time in proportion to the file, whatever its records claim: four times as long for four times it."""

from __future__ import annotations

import functools
import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from growth import Make, check_growth

from gristmill.archive import WarcWriter, find_sources, http, read

BODY = b"<html><body><p>" + b"Some words of text. " * 30 + b"</p></body></html>"
LEAST = 0.02  # seconds below which nothing is measured: to open a file takes a while, whatever its size
LARGEST = 300  # where so many records take less, and four times as many, none is read again for each other one


def check(make: Make, size: int) -> None:
    check_growth(make, size, LARGEST, LEAST)


@functools.cache
def template() -> bytes:
    stream = io.BytesIO()
    with WarcWriter(stream, compress=False) as writer:
        writer.write_response(
            "http://a.example/NUMBER", "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, BODY
        )
    return stream.getvalue()


def warc(number: int, **headers: str) -> bytes:
    data = template().replace(b"NUMBER", str(number).encode())
    for name, value in headers.items():
        start = data.index(f"{name.replace('_', '-')}: ".encode())
        end = data.index(b"\r\n", start)
        data = data[:start] + f"{name.replace('_', '-')}: {value}".encode() + data[end:]
    return data


def arc(
    number: int,
    length: str = "",
    *,
    url: str = "http://a.example",
    date: str = "20080102030405",
    kind: str = "text/html",
) -> bytes:
    body = b"HTTP/1.0 200 OK\r\n\r\n" + BODY
    return f"{url}/{number} 1.2.3.4 {date} {kind} {length or len(body)}\n".encode() + body + b"\n"


def records(make: Callable[[int], bytes], form: str) -> Callable[[int], bytes]:
    pack: dict[str, Callable[[bytes], bytes]] = {
        "plain": bytes,
        "gzip": lambda data: gzip.compress(data, 1),
        "zstd": lambda data: pa.compress(data, codec="zstd", asbytes=True),
        "lz4": lambda data: pa.compress(data, codec="lz4", asbytes=True),
    }
    return lambda count: b"".join(pack[form](make(number)) for number in range(count))


def beyond(count: int) -> str:
    """A length that goes from the middle of the file far into the rest of it."""
    return str(count * len(BODY) // 3)


WARC_HEADERS = ["WARC_Type", "WARC_Record_ID", "WARC_Date", "Content_Type", "WARC_Target_URI", "Content_Length"]
VALUES = {"long": "9" * 300, "huge": "9999999999", "negative": "-1", "empty": ""}
FILES: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "junk between": ("x.warc", lambda count: b"".join(warc(number) + b"junk" for number in range(count))),
    "no end of headers": ("x.warc", lambda count: b"WARC/1.0\r\nWARC-Type: response\r\n" * (10 * count)),
    "only versions": ("x.warc", lambda count: b"WARC/1.0\r\n" * (20 * count)),
    "one long header": ("x.warc", lambda count: b"WARC/1.0\r\nWARC-Type: " + b"x" * (1000 * count) + b"\r\n\r\n"),
    "many headers": (
        "x.warc",
        lambda count: b"WARC/1.0\r\n" + b"A: b\r\n" * (100 * count) + b"Content-Length: 0\r\n\r\n\r\n\r\n",
    ),
    "blank lines": ("x.warc", lambda count: warc(0) + b"\r\n" * (500 * count) + warc(1)),
    "marks of gzip": ("x.warc.gz", lambda count: gzip.compress(warc(0)) + b"\x1f\x8b\x08" * (300 * count)),
    "members of nothing": ("x.warc.gz", lambda count: gzip.compress(b"") * (10 * count)),
    "a member that is no record": ("x.warc.gz", lambda count: gzip.compress(b"x" * 100) * (10 * count)),
    "one member": (
        "x.warc.gz",
        lambda count: gzip.compress(b"".join(warc(number, Content_Length="99999999") for number in range(count))),
    ),
    "ARC lines without records": (
        "x.arc",
        lambda count: b"http://a.example/ 1.2.3.4 20080102030405 text/html 99999999\n" * (10 * count),
    ),
    "ARC without spaces": ("x.arc", lambda count: arc(0, "x") + b"\nhttp:" * (100 * count)),
    "ARC, one line": ("x.arc", lambda count: arc(0, "x") + b"http: " * (2000 * count)),
    "JSON lines": ("x.jsonl", lambda count: json.dumps({"text": "x" * 500}).encode() * (10 * count) + b"\n"),
    "JSON, broken lines": ("x.jsonl", lambda count: b'{"text": "\n' * (50 * count)),
    "JSON, nested": ("x.jsonl", lambda count: b'{"text": ' + b"[" * (500 * count)),
    "JSON lines, packed": (
        "x.jsonl.gz",
        lambda count: b"".join(gzip.compress(b'{"text": "words"}\n', 1) for _ in range(5 * count)),
    ),
}


def reading(folder: Path, name: str, make: Callable[[int], bytes]) -> Callable[[int], Callable[[], object]]:
    def work(size: int) -> Callable[[], object]:
        path = folder / f"{size}-{name}"
        path.write_bytes(make(size))
        (source,) = find_sources([path])
        return lambda: sum(1 for _ in read(source))

    return work


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("header", WARC_HEADERS)
def test_every_header_of_a_warc_record(tmp_path: Path, header: str, value: str) -> None:
    check(reading(tmp_path, "x.warc", records(lambda number: warc(number, **{header: VALUES[value]}), "plain")), 100)


@pytest.mark.parametrize("field", ["url", "date", "kind", "length"])
@pytest.mark.parametrize("value", ["9" * 300, "9999999999", "-1", "x"])
def test_every_field_of_an_arc_record(tmp_path: Path, field: str, value: str) -> None:
    given = f"http://{value}" if field == "url" else value
    check(reading(tmp_path, "x.arc", records(lambda number: arc(number, **{field: given}), "plain")), 100)


@pytest.mark.parametrize("form", ["plain", "gzip", "zstd", "lz4"])
@pytest.mark.parametrize("claim", ["beyond the file", "into the rest"])
@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_records_that_claim_to_be_longer(tmp_path: Path, kind: str, claim: str, form: str) -> None:
    if kind == "arc" and form in {"zstd", "lz4"}:
        pytest.skip("there are no such archives")

    def make(count: int) -> bytes:
        length = "99999999" if claim == "beyond the file" else beyond(count)
        one = (
            (lambda number: warc(number, Content_Length=length))
            if kind == "warc"
            else (lambda number: arc(number, length))
        )
        return records(one, form)(count)

    check(reading(tmp_path, f"x.{kind}", make), 200)


@pytest.mark.parametrize("name", FILES)
def test_files(tmp_path: Path, name: str) -> None:
    file, make = FILES[name]
    check(reading(tmp_path, file, make), 100)


def test_good_records_between_bad_ones_are_all_read(tmp_path: Path) -> None:
    """However many are broken: what is whole is found."""
    for form in ("plain", "gzip"):
        for kind in ("warc", "arc"):

            def one(number: int, kind: str = kind) -> bytes:
                length = "99999999" if number % 2 else ""
                if kind == "arc":
                    return arc(number, length)
                return warc(number, Content_Length=length) if length else warc(number)

            path = tmp_path / f"x.{kind}"
            path.write_bytes(records(one, form)(100))
            (source,) = find_sources([path])
            found = [item.url for item in read(source) if hasattr(item, "body")]
            assert found == [f"http://a.example/{number}" for number in range(0, 100, 2)], (form, kind)


def multipart(depth: int) -> bytes:
    head = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (level, level) for level in range(depth)
    )
    return b"MIME-Version: 1.0\r\n" + head + b"Content-Type: text/html\r\n\r\n<p>deep\r\n"


MESSAGES: dict[str, Callable[[int], bytes]] = {
    "nested parts": lambda count: multipart(20 * count),
    "many parts": lambda count: (
        b"Content-Type: multipart/related; boundary=b\r\n\r\n" + b"--b\r\nA: b\r\n\r\nx\r\n" * (50 * count)
    ),
    "many borders": lambda count: b"Content-Type: multipart/related; boundary=b\r\n\r\n" + b"--b\r\n" * (100 * count),
    "parameters": lambda count: (
        b"Content-Type: multipart/related; boundary=b" + b'; a="' * (100 * count) + b"\r\n\r\n--b\r\n\r\nx"
    ),
    "headers": lambda count: b"Content-Type: multipart/related; boundary=b\r\n" + b"A: b\r\n" * (500 * count),
    "quoted": lambda count: (
        b"Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: "
        b"text/html\r\nContent-Transfer-Encoding: quoted-printable"
        b"\r\n\r\n" + b"=\r\n" * (500 * count)
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_mhtml(tmp_path: Path, name: str) -> None:
    check(reading(tmp_path, "x.mhtml", MESSAGES[name]), 100)


def zip_of(count: int, name: Callable[[int], str], data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            archive.writestr(name(number), data)
    return stream.getvalue()


@pytest.mark.parametrize("case", ["pages", "archives", "long names", "nothing"])
def test_zip(tmp_path: Path, case: str) -> None:
    makers: dict[str, Callable[[int], bytes]] = {
        "pages": lambda count: zip_of(count, "{}.html".format, BODY),
        "archives": lambda count: zip_of(count, "{}.warc".format, warc(0, Content_Length="99999999") * 5),
        "long names": lambda count: zip_of(count, lambda number: f"{number}/" + "x" * 2000, b"x"),
        "nothing": lambda count: zip_of(count, lambda number: f"{number}/", b""),
    }
    check(reading(tmp_path, "x.zip", makers[case]), 50)


BODIES: dict[str, Callable[[int], bytes]] = {
    "chunks of one byte": lambda count: b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * (500 * count),
    "chunks that are too long": lambda count: (
        b"Transfer-Encoding: chunked\r\n\r\n" + b"ffffff\r\nx\r\n" * (500 * count)
    ),
    "chunk lines": lambda count: b"Transfer-Encoding: chunked\r\n\r\n" + b"1;" + b"x" * (1000 * count),
    "headers": lambda count: b"A: b\r\n" * (500 * count) + b"\r\n",
    "headers without end": lambda count: b"A: b\r\n" * (500 * count),
    "codings": lambda count: b"Content-Encoding: " + b"gzip," * count + b"\r\n\r\n" + b"x" * (500 * count),
    "members": lambda count: b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"x", 1) * (20 * count),
    "deflate": lambda count: b"Content-Encoding: deflate\r\n\r\n" + b"x" * (2000 * count),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str) -> None:
    def work(size: int) -> Callable[[], object]:
        payload = b"HTTP/1.1 200 OK\r\n" + BODIES[name](size)
        return lambda: http.parse(payload, 10_000_000)

    check(work, 100)
