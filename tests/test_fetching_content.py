"""Bodies of what was fetched, without encodings, within limits: `gristmill.archive.http.parse` on bytes of the wire."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pyarrow as pa
import pytest

from gristmill.archive.http import parse

LIMIT = 100_000
BOMB = b"\0" * 30_000_000
TEXT = b"".join(b"<p>%d" % number for number in range(5_000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACK: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "deflate": ("deflate", raw_deflate),
    "brotli": ("br", lambda data: bytes(brotli.compress(data, quality=3))),
    "zstd": ("zstd", lambda data: bytes(pa.compress(data, codec="zstd", asbytes=True))),
}


def body(encoding: str, data: bytes, *, chunked: bool = False) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\n".encode()
    if chunked:
        head += b"Transfer-Encoding: chunked\r\n"
        pieces = [data[at : at + 1000] for at in range(0, len(data), 1000)]
        data = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    return parse(head + b"\r\n" + data, LIMIT).body


@pytest.mark.parametrize("name", PACK)
@pytest.mark.parametrize("chunked", [False, True])
def test_encodings_are_undone(name: str, chunked: bool) -> None:
    encoding, pack = PACK[name]
    assert body(encoding, pack(TEXT), chunked=chunked) == TEXT


@pytest.mark.parametrize("name", PACK)
def test_bombs_do_not_go_off(name: str) -> None:
    encoding, pack = PACK[name]
    packed = pack(BOMB)
    tracemalloc.start()
    try:
        assert len(body(encoding, packed)) == LIMIT + 1
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encodings", ["gzip, gzip", "deflate, gzip, br", "gzip, zstd, gzip, br"])
def test_nested_encodings(encodings: str) -> None:
    small, big = TEXT, BOMB
    for encoding in encodings.split(", "):
        pack = next(pack for name, pack in PACK.values() if name == encoding)
        small, big = pack(small), pack(big)
    assert body(encodings, small) == TEXT
    assert len(body(encodings, big)) <= LIMIT + 1


def test_not_every_number_of_encodings_is_undone() -> None:
    data = TEXT
    for _ in range(30):
        data = gzip.compress(data)
    assert TEXT not in body(", ".join(["gzip"] * 30), data)
