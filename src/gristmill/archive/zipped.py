"""Read ZIP files of pages and archives, and WACZ files, which are ZIP files of WARC files with indexes."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from gristmill.archive.kind import sniff
from gristmill.archive.packed import BOMB, most_bytes
from gristmill.archive.readers import reader_of
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page
from gristmill.scratch import put_aside

_MAX_BYTES_IN_MEMORY = 4_000_000  # a larger member is unpacked to disk
_CHUNK_BYTES = 1 << 20
_ERRORS = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, KeyError, zlib.error, zipfile.BadZipFile)


def read_zip(file: BinaryIO, source: Source, limit: int) -> Iterator[Page | Skip]:
    """Read each member as a file of its own, with the name `archive.zip/member`."""
    try:
        with zipfile.ZipFile(file) as packed:
            members = packed.infolist()
            if sum(member.compress_size for member in members) > source.size:
                yield Skip("broken", source.name, 0, detail="its members overlap (a ZIP bomb?)")
                return
            for member in members:
                if not member.is_dir() and not _is_hidden(member.filename):
                    yield from _member(packed, member, source, limit)
    except _ERRORS as error:
        yield Skip("broken", source.name, 0, detail=f"a ZIP file that can't be read: {error}")


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))


def _member(packed: zipfile.ZipFile, member: zipfile.ZipInfo, source: Source, limit: int) -> Iterator[Page | Skip]:
    name = f"{source.name}/{member.filename}"
    if source.kind == "wacz" and not member.filename.startswith("archive/"):
        yield Skip("other", name, 0)
        return
    with put_aside(_MAX_BYTES_IN_MEMORY) as unpacked:
        try:
            size = unpack(packed, member, unpacked)
        except _ERRORS as error:
            yield Skip("broken", name, 0, detail=str(error) or type(error).__name__)
            return
        kind = sniff(unpacked, member.filename)
        if kind in {"zip", "wacz"}:
            yield Skip("unreadable", name, 0, detail="an archive within an archive: unpack it")
        else:
            yield from reader_of(kind)(unpacked, Source("", name, kind, size), limit)


def unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, target: BinaryIO) -> int:
    """Unpack a member and return its size; raises if it expands like a ZIP bomb."""
    most = most_bytes(member.compress_size)
    size = 0
    with packed.open(member) as content:
        while part := content.read(_CHUNK_BYTES):
            size += len(part)
            if size > most:
                raise ValueError(BOMB)
            target.write(part)
    return size
