"""Files of a columnar index that want to do harm: small ones that unpack to much, and columns of other types."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from commoncrawl_server import CRAWL, NETWORKS, ArchiveServer, sample_server
from pyarrow import parquet as pq

from gristmill.commoncrawl import Capture, Index, Pace, Servers, Wanted
from gristmill.errors import GristmillError
from gristmill.fetching.access import Access

ROWS = 30_000
TEXT_COLUMNS = ("url", "url_surtkey", "content_digest", "content_languages", "content_mime_detected", "warc_filename")
COLUMNS = (*TEXT_COLUMNS, "fetch_status", "fetch_time", "warc_record_offset", "warc_record_length")


@pytest.fixture
def server() -> Iterator[ArchiveServer]:
    with sample_server() as running:
        yield running


def find(server: ArchiveServer) -> list[Capture]:
    async def ask() -> list[Capture]:
        steps: dict[str, str] = {}
        found: list[Capture] = []
        servers = Servers(server.address, server.address, server.address)
        async with Index.open(Access(networks=NETWORKS), servers, Pace(rate=0, delay=0)) as index:
            async for piece in index.ask(Wanted(hosts=("a.example",)), (CRAWL,), steps, "columnar"):
                steps[piece.step] = piece.value
                found += piece.captures
        return found

    return asyncio.run(ask())


def repeated(value: Any, kind: Any = None) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * ROWS, pa.int32()), pa.array([value], kind))


def index_of(**columns: Any) -> bytes:
    """Write an index whose rows are all the same, but for some columns."""
    values: dict[str, Any] = {name: repeated("") for name in TEXT_COLUMNS}
    values |= {"url": repeated("http://a.example/"), "url_surtkey": repeated("example,a)/")}
    values |= {"content_mime_detected": repeated("text/html"), "fetch_status": pa.array([200] * ROWS, pa.int16())}
    values |= {name: pa.array([1] * ROWS) for name in COLUMNS if name not in values}
    sink = io.BytesIO()
    table = pa.table(values | columns)
    options: dict[str, Any] = {"store_schema": False, "dictionary_pagesize_limit": 1 << 30, "write_statistics": False}
    pq.write_table(table, sink, compression="gzip", row_group_size=ROWS, **options)
    return sink.getvalue()


@pytest.mark.parametrize("name", TEXT_COLUMNS)
def test_texts_that_stand_in_many_rows_are_not_unpacked(server: ArchiveServer, name: str) -> None:
    value = {"url_surtkey": "example,a)/", "content_mime_detected": "text/html"}.get(name, "") + "x" * 50_000
    server.add_index([index_of(**{name: repeated(value)})])
    assert len(server.files[next(path for path in server.files if path.endswith("00000.c000.gz.parquet"))]) < 20_000
    before = pa.total_allocated_bytes()
    with pytest.raises(GristmillError, match=f"the column {name} is too long|is not where it should be"):
        find(server)
    assert pa.total_allocated_bytes() - before < 200_000_000


@pytest.mark.parametrize(
    "columns",
    [
        {"url": pa.array([1] * ROWS)},
        {"url": repeated(b"\xff\xfe", pa.binary())},
        {"url_surtkey": repeated(b"\xff\xfe", pa.binary())},
        {"fetch_status": repeated("200")},
        {"warc_record_offset": repeated("1")},
        {"warc_record_length": pa.array([1.5] * ROWS)},
        {"fetch_time": pa.array([2**62] * ROWS, pa.timestamp("ms"))},
        {"fetch_time": repeated("now")},
        {"content_languages": pa.array([True] * ROWS)},
        {"warc_filename": pa.array([["a"]] * ROWS)},
    ],
)
def test_columns_of_other_types(server: ArchiveServer, columns: dict[str, Any]) -> None:
    server.add_index([index_of(**columns)])
    try:
        found = find(server)
    except GristmillError as error:
        assert "can't read the columnar index" in str(error)  # noqa: PT017 (both are right)
    else:
        assert found == []
