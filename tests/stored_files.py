"""Files of all kinds that take more than one request to be read from a store."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.archive import WarcWriter

TEXT = "The mill stands by the river, and its wheel turns all day long. " * 8
_HTML = {"Content-Type": "text/html"}


def noise(size: int, seed: int = 1) -> bytes:
    """Bytes that no compression makes fewer."""
    return random.Random(seed).randbytes(size)


def warc(count: int, filler: int = 0, *, compress: bool = True) -> bytes:
    """A WARC file of pages, each with so many bytes that can't be compressed."""
    out = io.BytesIO()
    with WarcWriter(out, compress=compress) as writer:
        for number in range(count):
            body = f"<title>{number}</title><p>{number} {TEXT}<!--{noise(filler // 2, number).hex()}-->".encode()
            writer.write_response(f"https://a.example/{number}", "2026-01-01T00:00:00Z", 200, _HTML, body)
    return out.getvalue()


def arc(count: int, filler: int) -> bytes:
    """An ARC file of pages."""
    head = b"filedesc://a.arc 0.0.0.0 20260101000000 text/plain 9\n1 0 test\n\n"
    records = []
    for number in range(count):
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + noise(filler // 2, number).hex().encode()
        records.append(b"https://a.example/%d 1.2.3.4 20260101000000 text/html %d\n%s\n" % (number, len(body), body))
    return gzip.compress(head) + b"".join(map(gzip.compress, records))


def zipped(members: dict[str, bytes]) -> bytes:
    """A ZIP file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in members.items():
            packed.writestr(name, body)
    return out.getvalue()


def parquet(count: int, filler: int) -> bytes:
    """A Parquet file of texts."""
    out = io.BytesIO()
    texts = [TEXT + noise(filler // 2, number).hex() for number in range(count)]
    urls = [f"https://a.example/{number}" for number in range(count)]
    pq.write_table(pa.table({"url": urls, "text": texts}), out, row_group_size=2)
    return out.getvalue()


def lines(count: int, filler: int) -> bytes:
    """A compressed file of lines of JSON."""
    rows = ({"url": f"https://a.example/{n}", "text": TEXT + noise(filler // 2, n).hex()} for n in range(count))
    return gzip.compress("\n".join(map(json.dumps, rows)).encode())


LARGE = {
    "large.warc.gz": warc(12, 100_000),
    "large.arc.gz": arc(12, 100_000),
    "large.zip": zipped({f"{n}.html": b"<p>" + noise(50_000, n).hex().encode() for n in range(12)}),
    "large.wacz": zipped({"datapackage.json": b"{}", "archive/a.warc.gz": warc(12, 100_000)}),
    "large.parquet": parquet(12, 100_000),
    "large.jsonl.gz": lines(12, 100_000),
    "large.html": b"<html><p>" + noise(400_000).hex().encode(),
    "large.docx": zipped({"word/document.xml": b"<x/>", "word/media/a.png": noise(900_000)}),
}
"""Files of all kinds that take more than one request."""
