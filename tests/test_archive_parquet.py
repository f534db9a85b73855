"""Parquet files are read by pieces, and what expands like a bomb is skipped with a reason, before it is read."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gristmill.archive import parquet as reading
from gristmill.archive import parquet_pages
from gristmill.archive.packed import most_bytes
from gristmill.archive.parquet import read_parquet, read_row
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page

LIMIT = 10_000_000


def written(columns: dict[str, Any], **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd", **options)
    return out.getvalue()


def items(data: bytes, limit: int = LIMIT) -> list[Page | Skip]:
    return list(read_parquet(io.BytesIO(data), Source("", "x", "parquet", len(data)), limit))


def skips(found: Sequence[Page | Skip]) -> list[tuple[int, str]]:
    return [(item.offset, item.detail) for item in found if isinstance(item, Skip)]


@pytest.mark.parametrize("text", ["a b ", b"a b "])
def test_a_cell_that_expands_to_too_much_is_not_read(text: str | bytes) -> None:
    data = written({"text": [text * 5_000_000, text * 100]}, use_dictionary=False, row_group_size=1)
    assert len(data) < 50_000
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        refused, page = items(data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert pa.total_allocated_bytes() - before < 10_000_000
    [(offset, detail)] = skips([refused])
    assert offset == 0
    assert detail.startswith("a group of 1 rows is not read: a page has 20,0")
    assert "more than 100 times larger than it is packed" in detail
    assert isinstance(page, Page)
    assert (page.offset, len(page.body)) == (1, 400)


def test_a_cell_that_is_larger_than_a_page_is_cut() -> None:
    for cell in ("é" * 5_000, b"x" * 5_000, pa.array(["é" * 5_000]).dictionary_encode()):
        column = cell if isinstance(cell, pa.Array) else pa.array([cell])
        [page] = items(written({"text": column}), limit=1_000)
        assert isinstance(page, Page)
        assert page.body == ("é".encode() * 501 if not isinstance(cell, bytes) else cell)[:1_001]


@pytest.mark.parametrize("is_typed", [False, True])
def test_a_dictionary_of_large_values_gives_no_more_than_its_size_allows(is_typed: bool) -> None:
    values = pa.array([f"{number} word " * 50_000 for number in range(3)])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 70, pa.int32()), values)
    data = written({"text": column if is_typed else column.dictionary_decode()}, dictionary_pagesize_limit=1 << 24)
    *pages, last = items(data)
    assert len(data) < 50_000
    assert 20 < len(pages) < 60  # of 210
    assert sum(len(page.body) for page in pages if isinstance(page, Page)) <= most_bytes(len(data))
    assert skips([last]) == [
        (len(pages), "from this row on it is not read: it is more than 100 times larger than it is packed (a bomb?)")
    ]


def test_few_rows_are_read_at_once_where_they_may_be_large(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def cut(batch: pa.RecordBatch, _: int) -> pa.RecordBatch:
        sizes.append(batch.num_rows)
        return batch

    monkeypatch.setattr(reading, "_cut", cut)
    monkeypatch.setattr(reading, "_BATCH_BYTES", 1_000_000)
    items(written({"text": [f"{number} " + "word " * 60_000 for number in range(10)]}, use_dictionary=False))
    assert sizes == [1] * 10
    sizes.clear()
    items(written({"text": [f"{number} word" for number in range(100)]}))
    assert sizes == [64, 36]


def test_pages_that_are_too_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = written({"text": ["words " * 200], "html": ["<p>words" * 200]}, use_dictionary=False)
    assert len(items(data)) == 1
    monkeypatch.setattr(parquet_pages, "_MAX_PAGE_BYTES", 2_000)
    [refused] = items(data)
    assert "more than 2,000" in str(skips([refused]))
    monkeypatch.setattr(parquet_pages, "_MAX_PAGE_BYTES", 2_900)
    assert skips(items(data)) == []


def test_row_groups_that_overlap_are_refused() -> None:
    data = written({"text": [f"{number} words" * 50 for number in range(40)]}, row_group_size=10)
    found = list(read_parquet(io.BytesIO(data), Source("", "x", "parquet", 400), LIMIT))
    assert skips(found[-1:])[0][1] == "its row groups overlap (a bomb?)"
    assert len(found) < 40


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "lz4", "zstd"])
def test_pages_of_all_forms_are_measured(version: str, compression: str) -> None:
    out = io.BytesIO()
    texts = [f"{number} word " * number for number in range(300)]
    table = pa.table({"text": texts, "url": [f"http://a.example/{number}" for number in range(300)]})
    pq.write_table(table, out, compression=compression, data_page_version=version, data_page_size=2_000)
    metadata = pq.ParquetFile(out).metadata
    chunks = parquet_pages.chunks_of(metadata.row_group(0), ["text"])
    largest = parquet_pages.largest_row(out, chunks)
    assert max(map(len, texts)) <= largest <= chunks[0].total_uncompressed_size
    found = items(out.getvalue())
    assert skips(found) == [(0, "no text in this row")]
    assert [item.body.decode() for item in found if isinstance(item, Page)] == texts[1:]


def test_headers_of_pages_that_are_damaged_are_no_crash() -> None:
    data = written({"text": [f"{number} word" for number in range(50)]})
    start = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0).column(0).dictionary_page_offset
    for place in range(start, start + 40):
        for byte in (0x00, 0xFF, 0x1C, 0xF9):
            assert items(data[:place] + bytes([byte]) + data[place + 1 :])


def test_fields_within_fields_are_read_and_no_lists() -> None:
    inner = {"warc-target-uri": "http://a.example/1", "urls": ["x" * 100] * 3, "date": date(2020, 1, 2)}
    data = written({"text": ["words"], "meta": [{"lang": "en", "warc_headers": inner}], "urls": [["y"]]})
    [page] = items(data)
    assert isinstance(page, Page)
    assert (page.url, page.date, page.body) == ("http://a.example/1", "2020-01-02", b"words")


def test_one_row_is_read_as_all_are() -> None:
    data = written({"text": [f"{number} words" for number in range(200)]}, row_group_size=90)
    for number in (0, 89, 90, 150, 199):
        assert read_row(io.BytesIO(data), "x", number, LIMIT) == items(data)[number]
    assert isinstance(read_row(io.BytesIO(data), "x", 200, LIMIT), Skip)
