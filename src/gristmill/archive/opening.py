"""Open a source: a file on this machine, or an object in a store."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from gristmill.archive.kind import Kind, sniff
from gristmill.archive.source import Source
from gristmill.arguments import is_address
from gristmill.stores.address import Address


def open_source(source: Source) -> BinaryIO:
    """Open a source to read it; one in a store raises `StoreError` where it can't be read."""
    if not is_address(source.path):
        return Path(source.path).open("rb")
    from gristmill.stores.reading import open_stored  # noqa: PLC0415 (most sources are files)

    # What a corpus notes of an object that has grown is its old size; stores replace objects, they don't append.
    return open_stored(Address.parse(source.path), source.size, source.signature)


def kind_of(file: BinaryIO, source: Source) -> Kind:
    """The kind of an open source; that of an object was only told by its name before."""
    return sniff(file, Address.parse(source.path).name) if is_address(source.path) else source.kind


def raise_failure(file: BinaryIO) -> None:
    """Raise the error for which a file could not be read on, if there is one.

    Readers of damaged archives go on after any error. An archive that could not be fetched is not damaged, and what was
    read of it is not all of it.
    """
    if failure := getattr(file, "failure", None):
        raise failure
