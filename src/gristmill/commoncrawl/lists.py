"""Lists of the files of a crawl, one a line and compressed: `warc.paths.gz`, `cc-index-table.paths.gz`."""

from __future__ import annotations

import gzip
import io
import zlib

from gristmill.commoncrawl.store import Store, StoreError

_MAX_PACKED_BYTES = 1 << 24
_MAX_BYTES = 1 << 28


async def read_list(store: Store, path: str) -> list[str]:
    """Read a list of a crawl from its store; raises `StoreError` if it can't be read."""
    packed = await store.read(path, 0, _MAX_PACKED_BYTES)
    if packed.total > len(packed.data):
        raise StoreError("range", "the list is too long")
    return lines_of(packed.data)


def lines_of(data: bytes) -> list[str]:
    """Return the lines of a text that may be compressed; raises `StoreError` if it can't be read."""
    try:
        if data[:2] == b"\x1f\x8b":
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(_MAX_BYTES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise StoreError("truncated", f"not a whole gzip file: {error}") from error
    if len(data) > _MAX_BYTES:
        raise StoreError("range", "the list is too long")
    lines = (line.strip() for line in data.decode("utf-8-sig", "replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]
