"""Read pages from JSON lines, compressed or not; `columns.py` knows the fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from gristmill.archive.columns import HTML_FIELDS, TEXT_FIELDS, page_of
from gristmill.archive.packed import UNPACKING_ERRORS, unpacked
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.archive.window import first_bytes
from gristmill.document import Page

_MAX_LINE_BYTES = 32_000_000
_NO_TEXT = f"no text: none of the fields {', '.join((*HTML_FIELDS, *TEXT_FIELDS))}"


def read_jsonl(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read a page from each line; its offset is that of the line in the file, or in its decompressed content."""
    stream = first_bytes(file, source.size)
    offset, number = source.start, 0
    try:
        lines = unpacked(stream, source.start)
        while line := lines.readline(_MAX_LINE_BYTES):
            number += 1
            length = len(line)
            item: Page | Skip | None
            if length == _MAX_LINE_BYTES and not line.endswith(b"\n"):
                length += _skip_line(lines)
                item = Skip("broken", source.name, 0, detail=f"a line of more than {_MAX_LINE_BYTES:,} bytes")
            else:
                item = _item(line, source.name, number, limit)
            if item is not None:
                item.offset = offset
                yield item
            offset += length
    except UNPACKING_ERRORS as error:
        yield Skip("broken", source.name, offset, detail=str(error) or type(error).__name__)


def _skip_line(lines: BinaryIO) -> int:
    """Skip to the end of a line, and return how many bytes that was."""
    length = 0
    while part := lines.readline(1 << 20):
        length += len(part)
        if part.endswith(b"\n"):
            break
    return length


def _item(line: bytes, name: str, number: int, limit: int) -> Page | Skip | None:
    if line.isspace():
        return None
    try:
        record = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        return Skip("broken", name, 0, detail=f"not a line of JSON: {error}")
    if not isinstance(record, dict):
        return Skip("broken", name, 0, detail="a line of JSON that is no object")
    return page_of(record, name, number, limit) or Skip("broken", name, 0, detail=_NO_TEXT)
