"""Read sources of all kinds: a table says which reader reads which kind, and `read` is the entrance to all of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from gristmill.archive.kind import ARCHIVES, Kind
from gristmill.archive.opening import kind_of, open_source, raise_failure
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.document import Page
from gristmill.stores.errors import StoreError

Reader = Callable[[BinaryIO, Source, int], Iterator[Page | Skip]]
"""A function that gives the pages of an open file in order, with bodies of at most `limit + 1` bytes."""

_READERS: dict[Kind, tuple[str, str]] = {
    "warc": ("records", "read_warc"),
    "arc": ("records", "read_arc"),
    "zip": ("zipped", "read_zip"),
    "wacz": ("zipped", "read_zip"),
    "jsonl": ("jsonl", "read_jsonl"),
    "parquet": ("parquet", "read_parquet"),
    "page": ("files", "read_page"),
    "mhtml": ("mhtml", "read_mhtml"),
    "pdf": ("documents.reading", "read_document"),
    "docx": ("documents.reading", "read_document"),
    "odt": ("documents.reading", "read_document"),
    "epub": ("documents.reading", "read_document"),
    "foreign": ("files", "read_foreign"),
}
"""The module and the function that reads each kind. Modules are imported when needed: most builds need one of them."""


def reader_of(kind: Kind) -> Reader:
    """Look up the reader of a kind of files."""
    module, name = _READERS[kind]
    reader: Reader = getattr(importlib.import_module(f"gristmill.archive.{module}"), name)
    return reader


def read(source: Source, limit: int = 10_000_000) -> Iterator[Page | Skip]:
    """Read the pages of a source in order, with a `Skip` for every record that is not a page.

    A body of more than `limit` bytes comes with `limit + 1` bytes. After a broken record, reading goes on at the next
    one that can be found. Raises `StoreError` if a store does not give all of the source, and MemoryError if there is
    too little memory for an archive; a single page that takes too much is broken.
    """
    last = source.start
    try:
        with open_source(source) as file:
            kind = kind_of(file, source)
            found = source if kind == source.kind else replace(source, kind=kind)
            for item in reader_of(kind)(file, found, limit):
                raise_failure(file)
                last = item.offset
                yield item
            raise_failure(file)
    except StoreError:
        raise
    except Exception as error:
        if isinstance(error, MemoryError) and source.kind in ARCHIVES:
            raise  # the rest of it may be thousands of pages
        detail = f"{type(error).__name__}: {error}".removesuffix(": ")
        yield Skip("broken", source.name, last, detail=detail, behind=True)
