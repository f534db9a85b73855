"""Read what a page declares as its encoding: byte order mark, `<meta>` charset, XML declaration."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEAD_BYTES = 4096  # browsers look at 1,024 bytes; many real pages declare later
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_META = re.compile(rb"<meta\b[^>]{0,400}?charset\s{0,8}=\s{0,8}[\"']?\s{0,8}([\w:.+-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s{0,16}<\?xml\b[^>]{0,200}?encoding\s{0,8}=\s{0,8}[\"']([\w:.+-]{1,40})[\"']", re.IGNORECASE)


class ByteOrderMark(NamedTuple):
    """The encoding that a byte order mark stands for, and the number of its bytes."""

    encoding: str
    length: int


def byte_order_mark(data: bytes) -> ByteOrderMark | None:
    """Read the byte order mark at the beginning of the data, if there is one."""
    if data.startswith(b"\xef\xbb\xbf"):
        return ByteOrderMark("UTF-8", 3)
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return ByteOrderMark("UTF-32LE" if data[0] else "UTF-32BE", 4)
    if data.startswith(b"\xff\xfe"):
        return ByteOrderMark("UTF-16LE", 2)
    if data.startswith(b"\xfe\xff"):
        return ByteOrderMark("UTF-16BE", 2)
    return None


def meta_charset(data: bytes) -> str | None:
    """Read the charset of the first `<meta>` that names one."""
    head = data[:_HEAD_BYTES]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    match = _META.search(head)
    return match[1].decode("ascii", "replace") if match else None


def xml_encoding(data: bytes) -> str | None:
    """Read the encoding that an XML declaration names."""
    match = _XML.match(data[:512])
    return match[1].decode("ascii", "replace") if match else None
