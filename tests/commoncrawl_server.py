"""A server on loopback that speaks the protocols of Common Crawl, of S3 and of the Wayback Machine over archives.

Files are served by range at their paths (data.commoncrawl.org), and in the bucket `commoncrawl` (S3, path style).
`collinfo.json` and `CRAWL-index` are those of index.commoncrawl.org, `cdx/search/cdx` and `web/...id_/...` those of
web.archive.org.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, unquote, urlsplit

import pyarrow as pa
from pyarrow import parquet as pq

from gristmill.archive import http
from gristmill.archive.crawls import members
from gristmill.commoncrawl.keys import key_of
from gristmill.fetching.urls import normalise

CRAWL = "CC-MAIN-2026-42"
NETWORKS = ("127.0.0.0/16",)
_HEAD_END = b"\r\n\r\n"
_PAGE_LINES = 5  # of an answer of the CDX server
_SCHEMA = pa.schema(
    {
        "url_surtkey": pa.string(),
        "url": pa.string(),
        "url_host_name": pa.string(),
        "fetch_time": pa.timestamp("ms", "UTC"),
        "fetch_status": pa.int16(),
        "content_digest": pa.string(),
        "content_mime_detected": pa.string(),
        "content_languages": pa.string(),
        "warc_filename": pa.string(),
        "warc_record_offset": pa.int32(),
        "warc_record_length": pa.int32(),
    }
)


@dataclass(frozen=True)
class Row:
    """An entry of the indexes."""

    url: str
    time: datetime
    status: int
    digest: str
    mime: str
    languages: str
    filename: str
    offset: int
    length: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return key_of(normalise(self.url) or "http://invalid/")

    @property
    def timestamp(self) -> str:
        return f"{self.time:%Y%m%d%H%M%S}"

    def parquet(self) -> dict[str, Any]:
        """The row of the columnar index."""
        return {
            "url_surtkey": self.key,
            "url": self.url,
            "url_host_name": urlsplit(self.url).hostname,
            "fetch_time": self.time,
            "fetch_status": self.status,
            "content_digest": self.digest,
            "content_mime_detected": self.mime,
            "content_languages": self.languages,
            "warc_filename": self.filename,
            "warc_record_offset": self.offset,
            "warc_record_length": self.length,
        }

    def cdx(self) -> dict[str, str]:
        """The entry of the CDX server."""
        return {
            "urlkey": self.key,
            "timestamp": self.timestamp,
            "url": self.url,
            "mime": self.mime,
            "mime-detected": self.mime,
            "status": str(self.status),
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.filename,
            "languages": self.languages,
        }


def rows_of(data: bytes, filename: str, languages: Mapping[str, str] | None = None) -> Iterator[Row]:
    """Read the responses of a WARC file whose records are gzip members, and where they are."""
    start = 0
    for record, end in members(io.BytesIO(data), 0):
        head, _, block = record.partition(_HEAD_END)
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        if fields.get("WARC-Type") == "response":
            response = http.parse(block[: int(fields["Content-Length"])], 10_000_000)
            url = fields["WARC-Target-URI"]
            yield Row(
                url,
                datetime.fromisoformat(fields["WARC-Date"]),
                response.status,
                base64.b32encode(hashlib.sha1(response.body, usedforsecurity=False).digest()).decode(),
                response.headers.get("content-type", "").partition(";")[0],
                (languages or {}).get(url, ""),
                filename,
                start,
                end - start,
                response.body,
                response.headers,
            )
        start = end


def parquet_of(rows: Iterable[Mapping[str, Any]], group: int = 20, **options: Any) -> bytes:
    """Write a file of the columnar index, sorted by key."""
    table = pa.Table.from_pylist(sorted(rows, key=lambda row: row["url_surtkey"]), _SCHEMA)
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=group, compression="gzip", **options)
    return sink.getvalue()


class Request(NamedTuple):
    """A request that was answered."""

    method: str
    path: str
    range: str
    status: int
    sent: int
    """Bytes of the body."""
    query: str = ""
    agent: str = ""


class Reply(NamedTuple):
    """What is sent instead of the right answer."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = {}
    claimed: int | None = None
    """The Content-Length, if it is not that of the body."""


Fault = Callable[[str, str], Reply | None]
"""Says by path and range whether something else is sent."""


class ArchiveServer:
    """Serves files and indexes on a port that the system chooses: `with ArchiveServer(files, rows) as server`."""

    def __init__(self, files: Mapping[str, bytes] | None = None, rows: Iterable[Row] = ()) -> None:
        self.files = dict(files or {})
        self.rows = list(rows)
        self.fault: Fault = lambda _path, _range: None
        self.cdx_lines: list[str] = []
        """Lines that the CDX server adds to its first page."""
        self.requests: list[Request] = []
        self.ready = threading.Event()
        self.ready.set()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def note(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def add_index(self, parts: Iterable[bytes], crawl: str = CRAWL) -> None:
        """Put a columnar index where Common Crawl has it."""
        names = []
        for number, part in enumerate(parts):
            names.append(f"cc-index/table/cc-main/warc/crawl={crawl}/subset=warc/part-{number:05}.c000.gz.parquet")
            self.files[names[-1]] = part
        other = f"cc-index/table/cc-main/warc/crawl={crawl}/subset=robotstxt/part-00000.c000.gz.parquet"
        listed = "".join(f"{name}\n" for name in [other, *names])
        self.files[f"crawl-data/{crawl}/cc-index-table.paths.gz"] = gzip.compress(listed.encode())

    def ranges(self) -> list[tuple[str, str]]:
        """Which parts of WARC files were sent."""
        return [
            (request.path, request.range)
            for request in self.requests
            if ".warc" in request.path and request.status == 206 and request.method == "GET"
        ]


def sample_server(crawl: str = CRAWL, group: int = 20, parts: int = 3) -> ArchiveServer:
    """A server over the bundled sample, divided among several WARC files and files of the index."""
    from gristmill import sample  # noqa: PLC0415

    truth = sample.truth()
    languages = {url: _THREE.get(facts["lang"], facts["lang"]) for url, facts in truth.items()}
    return server_over({"sample": sample.WARC}, languages, crawl, group, parts)


_THREE = {"en": "eng", "de": "deu", "fr": "fra", "cs": "ces,eng", "zh": "zho", "ja": "jpn", "ru": "rus", "pl": "pol"}


def server_over(
    archives: Mapping[str, Path], languages: Mapping[str, str], crawl: str = CRAWL, group: int = 20, parts: int = 1
) -> ArchiveServer:
    """A server over some archives whose records are gzip members."""
    files: dict[str, bytes] = {}
    rows: list[Row] = []
    for name, path in archives.items():
        filename = f"crawl-data/{crawl}/segments/1/warc/{name}-00000.warc.gz"
        files[filename] = path.read_bytes()
        rows += rows_of(files[filename], filename, languages)
    server = ArchiveServer(files, rows)
    ordered = sorted(rows, key=lambda row: row.key)
    size = -(-len(ordered) // parts)
    pieces = (ordered[at : at + size] for at in range(0, len(ordered), size))
    server.add_index((parquet_of((row.parquet() for row in piece), group) for piece in pieces), crawl)
    return server


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients are killed on purpose."""


def _handler(server: ArchiveServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each answer takes 40 ms

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the library)
            del format, args

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            server.ready.wait(120)
            target = urlsplit(self.path)
            asked = self.headers.get("Range", "")
            path = unquote(target.path).lstrip("/")
            plain = path.removeprefix("commoncrawl/")
            reply = server.fault(path, asked) or _answer(server, plain, target.query, self.path, asked)
            size = len(reply.body) if reply.claimed is None else reply.claimed
            sent = b"" if self.command == "HEAD" else reply.body
            agent = self.headers.get("User-Agent", "")
            server.note(Request(self.command, plain, asked, reply.status, len(sent), target.query, agent))
            try:
                self.send_response(reply.status)
                for name, value in {"ETag": '"1"', "Last-Modified": _MODIFIED, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                self.wfile.write(sent)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            if len(sent) < size and self.command != "HEAD":
                self.close_connection = True

    return Handler


_MODIFIED = "Tue, 17 Nov 2026 05:40:40 GMT"


def _answer(server: ArchiveServer, path: str, query: str, whole: str, asked: str) -> Reply:
    parameters = parse_qsl(query)
    if path == "collinfo.json":
        crawls = [CRAWL, "CC-MAIN-2026-38", "../evil", 5]
        return _json([{"id": name, "name": str(name)} for name in crawls])
    if path.endswith("-index"):
        return _pywb(server, parameters)
    if path == "cdx/search/cdx":
        return _wayback(server, parameters)
    if path.startswith("web/"):
        return _replay(server, whole.removeprefix("/web/"))
    if path not in server.files:
        return Reply(404, b"<Error><Code>NoSuchKey</Code></Error>", {"Content-Type": "application/xml"})
    return _file(server.files[path], asked)


def _file(data: bytes, asked: str) -> Reply:
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", asked)
    if not match:
        return Reply(200, data)
    first, last = match.groups()
    start = int(first) if first else max(0, len(data) - int(last))
    end = min(int(last), len(data) - 1) if first and last else len(data) - 1
    if start > end:
        return Reply(416, b"", {"Content-Range": f"bytes */{len(data)}"})
    return Reply(206, data[start : end + 1], {"Content-Range": f"bytes {start}-{end}/{len(data)}"})


def _json(value: Any) -> Reply:
    return Reply(200, json.dumps(value).encode(), {"Content-Type": "application/json"})


def _found(server: ArchiveServer, parameters: list[tuple[str, str]]) -> list[Row]:
    """Find rows by `url` and `matchType`, as both CDX servers do."""
    given = dict(parameters)
    text = given["url"]
    url = normalise(text if "://" in text else f"https://{text}")
    key = key_of(url)
    host = key.partition(")")[0]
    found: dict[str, Callable[[str], bool]] = {
        "exact": lambda other: other == key,
        "prefix": lambda other: other.startswith(key),
        "host": lambda other: other.startswith(f"{host})"),
        "domain": lambda other: other.startswith((f"{host})", f"{host},")),
    }
    matches = found[given.get("matchType", "exact")]
    rows = [row for row in server.rows if matches(row.key)]
    since, until = given.get("from", ""), given.get("to", "9")
    rows = [row for row in rows if since <= row.timestamp and row.timestamp[: len(until)] <= until]
    return sorted(rows, key=lambda row: (row.key, row.timestamp))


def _pywb(server: ArchiveServer, parameters: list[tuple[str, str]]) -> Reply:
    given = dict(parameters)
    rows = [row for row in _found(server, parameters) if _pywb_passes(row.cdx(), parameters)]
    pages = -(-len(rows) // _PAGE_LINES)
    if not rows:
        return Reply(404, json.dumps({"message": f"No Captures found for: {given['url']}"}).encode())
    if given.get("showNumPages") == "true":
        return _json({"pages": pages, "pageSize": 5, "blocks": pages})
    page = int(given["page"])
    lines = [json.dumps(row.cdx()) for row in rows[page * _PAGE_LINES : (page + 1) * _PAGE_LINES]]
    if page == 0:
        lines += server.cdx_lines
    return Reply(200, "".join(f"{line}\n" for line in lines).encode(), {"Content-Type": "text/x-ndjson"})


def _pywb_passes(entry: Mapping[str, str], parameters: list[tuple[str, str]]) -> bool:
    for name, value in parameters:
        if name == "filter":
            kind, column, wanted = value[0], *value[1:].split(":", 1)
            if kind == "=" and entry[column] != wanted:
                return False
            if kind == "~" and not re.match(wanted, entry[column]):
                return False
    return True


def _wayback(server: ArchiveServer, parameters: list[tuple[str, str]]) -> Reply:
    given = dict(parameters)
    filters = [value.split(":", 1) for name, value in parameters if name == "filter"]
    rows: list[Row] = []
    for row in _found(server, parameters):
        facts = {"statuscode": str(row.status), "mimetype": row.mime}
        if all(re.fullmatch(wanted, facts[column]) for column, wanted in filters):
            if rows and given.get("collapse") == "digest" and rows[-1].digest == row.digest:
                continue
            rows.append(row)
    at = int(given.get("resumeKey", "0"))
    limit = min(int(given["limit"]), 4)  # servers may give less than they are asked for
    shown = [
        [row.key, row.timestamp, row.url, row.mime, str(row.status), row.digest, str(row.length)]
        for row in rows[at : at + limit]
    ]
    more = [[], [str(at + limit)]] if at + limit < len(rows) else []
    return _json([given["fl"].split(","), *shown, *more] if shown else [])


def _replay(server: ArchiveServer, rest: str) -> Reply:
    """Send a page as it was captured, or redirect to the capture that is nearest in time."""
    match = re.fullmatch(r"(\d{14})id_/(.*)", rest)
    if not match:
        return Reply(404)
    stamp, url = match.groups()
    same = [row for row in server.rows if row.url == url]
    if not same:
        return Reply(404)
    nearest = min(same, key=lambda row: abs(int(row.timestamp) - int(stamp)))
    if nearest.timestamp != stamp:
        return Reply(302, b"", {"Location": f"/web/{nearest.timestamp}id_/{url}"})
    headers = {f"X-Archive-Orig-{name}": value for name, value in nearest.headers.items()}
    kind = nearest.headers.get("content-type", "text/html")
    return Reply(nearest.status, nearest.body, {"Content-Type": kind, **headers})
