"""The bytes that a document was made of, read again from the archive or file that they stand in.

A corpus may come from a stranger, and then the names of its sources do, too. So a file is read only if it is, byte for
byte, what `sources.parquet` says that the corpus was built from (its size and its hash), and is an archive or a page by
its content: whoever made the corpus had it, and learns nothing. Nothing of a request becomes a path. A store or a web
server is asked only if the user has allowed it (`gristmill.consent`), by building from it or by `gristmill trust`: else
a corpus could make this machine send requests to any other.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gristmill.archive.allowed import store_of
from gristmill.archive.kind import GROWING, sniff
from gristmill.archive.place import read_at
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source, signature_of
from gristmill.archive.sources import PAGES
from gristmill.arguments import is_address
from gristmill.consent import not_allowed
from gristmill.corpus.listing import read_listing
from gristmill.corpus.reader import CorpusReader
from gristmill.document import Document, Page
from gristmill.errors import GristmillError
from gristmill.sample import ARCHIVES
from gristmill.wording import one_line

_ON_A_SERVER = re.compile(r"[/\\]{2}")
"""How paths begin that would make some systems ask another machine."""
_ADDRESSED = frozenset({"warc", "arc"})
"""Kinds of sources whose records say their address."""


class NoOriginalError(GristmillError):
    """The error that the bytes of a page can't be had; it says why."""


def read_original(corpus: CorpusReader, document: Document, limit: int = 10_000_000) -> Page:
    """Read the page that a document was made of; raises `NoOriginalError` if it is gone, has changed, or is refused."""
    source = _source_of(corpus, document)
    if is_address(source.name):
        found = _read_stored(corpus, source, document, limit)
    else:
        path = next((path for path in _places(corpus, source) if _is_unchanged(path, source)), None)
        if path is None:
            raise _gone(source)
        found = read_at(replace(source, path=str(path)), document.source, document.offset, limit)
    if isinstance(found, Skip):
        raise NoOriginalError(f"the page can't be read from {one_line(source.name)}: {one_line(found.detail)}")
    if source.kind in _ADDRESSED and found.url != document.url:
        raise NoOriginalError(f"another page stands at the place in {one_line(source.name)} that this one had")
    return found


def _gone(source: Source) -> NoOriginalError:
    return NoOriginalError(
        f"{one_line(source.name)} is not there any more, or is not what it was when the corpus was built"
    )


def _read_stored(corpus: CorpusReader, source: Source, document: Document, limit: int) -> Page | Skip:
    """Read a page from a store that the user has allowed, if the object is what the corpus was built from."""
    from gristmill.archive.stored import is_unchanged_object  # noqa: PLC0415 (most sources are files)

    if not_allowed([store := store_of(source.name)]):
        raise NoOriginalError(
            f"it is in {one_line(store.what)}, which was not allowed here: "
            f"if you want requests to be sent there, say `gristmill trust {corpus.folder}`"
        )
    try:
        if not source.signature or not is_unchanged_object(source):
            raise _gone(source)
        return read_at(replace(source, path=source.name), document.source, document.offset, limit)
    except NoOriginalError:
        raise
    except GristmillError as error:
        raise NoOriginalError(one_line(str(error))) from error


def _source_of(corpus: CorpusReader, document: Document) -> Source:
    """Find the file that a document is from among those that its shard lists, and no others."""
    name = document.id.partition("-")[0]
    shard = next((shard for shard in corpus.shards if shard.name == name), None)
    if shard is None or document.offset < 0:
        raise NoOriginalError("the place of the page in its archive is not known")
    for source in read_listing(shard):
        is_packed = source.kind in {"zip", "wacz"}
        if document.source.startswith(f"{source.name}/") if is_packed else document.source == source.name:
            return source
    raise NoOriginalError(f"{one_line(document.source)} is none of the sources of this corpus, so it is not read")


def _places(corpus: CorpusReader, source: Source) -> Iterator[Path]:
    """Where the file of a source may be: where it was, or beside or in the folder of the corpus if both were moved."""
    name = source.name
    if name in ARCHIVES:
        yield ARCHIVES[name]
        return
    if "\0" in name or _ON_A_SERVER.match(name):
        return
    path = Path(name)
    yield path
    if not path.is_absolute():
        yield corpus.folder.absolute().parent / path
    yield corpus.folder / PAGES / path.name


def _is_unchanged(path: Path, source: Source) -> bool:
    """Whether a file is the one that the corpus was built from: a plain file of that size, content and kind."""
    if not source.signature or source.size <= 0 or source.kind == "foreign":
        return False
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a device or a pipe is not opened
            return False
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            fits = size >= source.size if source.kind in GROWING else size == source.size
            return (
                fits and signature_of(file, source.size) == source.signature and sniff(file, path.name) == source.kind
            )
    except (OSError, ValueError):
        return False
