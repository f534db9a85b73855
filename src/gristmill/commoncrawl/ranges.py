"""Read records from WARC files by range, those side by side in one request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gristmill.commoncrawl.captures import Entry
from gristmill.commoncrawl.records import fault_of
from gristmill.commoncrawl.store import Store, StoreError

_MAX_GAP_BYTES = 8_192
"""Bytes between two records that are rather read than left out: a request costs more."""
_MAX_RANGE_BYTES = 4_000_000


def joined(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Put records that follow each other closely in the same file together; entries come in the order of files."""
    batch: list[Entry] = []
    for entry in entries:
        if batch and not _fits(batch, entry):
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch


def _fits(batch: list[Entry], entry: Entry) -> bool:
    first, last, new = batch[0].capture, batch[-1].capture, entry.capture
    gap = new.offset - (last.offset + last.length)
    whole = new.offset + new.length - first.offset
    return new.filename == first.filename and 0 <= gap <= _MAX_GAP_BYTES and whole <= _MAX_RANGE_BYTES


async def read_records(store: Store, batch: list[Entry]) -> tuple[dict[int, bytes], dict[int, str]]:
    """Read the records of a batch; returns those that are right, and why others are not, both by their places."""
    first, last = batch[0].capture, batch[-1].capture
    try:
        part = await store.read(first.filename, first.offset, last.offset + last.length - first.offset)
    except StoreError as error:
        return {}, dict.fromkeys((entry.place for entry in batch), error.reason)
    records: dict[int, bytes] = {}
    failures: dict[int, str] = {}
    for place, capture in ((entry.place, entry.capture) for entry in batch):
        start = capture.offset - first.offset
        data = part.data[start : start + capture.length]
        if fault := fault_of(data, capture.url):
            failures[place] = fault
        else:
            records[place] = data
    return records, failures
