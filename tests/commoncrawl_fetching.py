"""Fetching from the server of archives: settings without pauses, and what came of it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from commoncrawl_server import (
    CRAWL,
    NETWORKS,
    ArchiveServer,
    Row,
    parquet_of,
    rows_of,
)

from gristmill.archive import find_sources, read
from gristmill.archive.writer import WarcWriter
from gristmill.commoncrawl import ArchiveConfig, ArchiveSummary, fetch_commoncrawl
from gristmill.document import Page
from gristmill.fetching.access import Access

ACCESS = Access(networks=NETWORKS)
GAZETTE = {"wanted": {"domains": ["gazette.example"]}}
FIRST = "pages-00000.warc.gz"
TIMES = ["2010-01-02T03:04:05Z", "2010-06-01T00:00:00Z", "2011-01-01T00:00:00Z"]


def config(server: ArchiveServer, **tables: dict[str, Any]) -> ArchiveConfig:
    """Settings for a server on loopback, without delays."""
    address = server.address
    servers = {"data": address, "index": address, "wayback": address, **tables.pop("servers", {})}
    pace = {"rate": 0, "delay": 0, "back_off": 0.0005, "retries": 3, **tables.pop("pace", {})}
    source = {"crawls": [CRAWL], **tables.pop("source", {})}
    return ArchiveConfig.from_table({**tables, "servers": servers, "pace": pace, "source": source})


def fetch(server: ArchiveServer, folder: Path, **tables: dict[str, Any]) -> ArchiveSummary:
    return fetch_commoncrawl(folder, config(server, **tables), access=ACCESS)


def pages_of(folder: Path) -> list[Page]:
    return [item for source in find_sources([folder]) for item in read(source) if isinstance(item, Page)]


def reasons(summary: ArchiveSummary) -> dict[str, int]:
    return {row.reason: row.count for row in summary.rows}


def with_captures(*captures: tuple[str, str, str]) -> ArchiveServer:
    """A server over an archive that was made of (address, time, text)."""
    name = f"crawl-data/{CRAWL}/segments/1/warc/made-00000.warc.gz"
    stream = io.BytesIO()
    with WarcWriter(stream) as writer:
        for url, time, text in captures:
            writer.write_response(url, time, 200, {"Content-Type": "text/html"}, text.encode())
    data = stream.getvalue()
    rows = list(rows_of(data, name))
    server = ArchiveServer({name: data}, rows)
    server.add_index([parquet_of([row.parquet() for row in rows])])
    return server


def gazette_rows(server: ArchiveServer) -> list[Row]:
    """What the index has of GAZETTE, in the order of the archive."""
    return [
        row
        for row in server.rows
        if row.url.startswith("https://gazette.example/") and (row.mime, row.status) == ("text/html", 200)
    ]
