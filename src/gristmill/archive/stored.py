"""Find the sources behind an address: archives and pages in an object store, or an archive on a web server.

All objects of a folder are listed with a request for each thousand of them. Their kinds are told by their names; only
those whose names say nothing are looked into, many at a time. Readers look again when they read.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from gristmill.archive.crawls import COMMON_CRAWL, CRAWL, has_pages
from gristmill.archive.kind import Kind, kind_by_name, looks_like_html, sniff
from gristmill.archive.source import Source, signature_of
from gristmill.errors import UsageError
from gristmill.stores.address import Address
from gristmill.stores.listing import find_stored
from gristmill.stores.reading import describe, open_stored
from gristmill.stores.stored import SIGNATURE_PREFIX, Stored

_REQUESTS_AT_ONCE = 16
_HEAD_BYTES = 4096
_HTML = ("text/html", "application/xhtml+xml")
_HTML_ENDINGS = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".jsp")


def stored_sources(argument: str) -> list[Source]:
    """Find the sources behind an address, in a stable order; of a crawl they are its WARC files."""
    address = Address.parse(argument)
    if address.is_web and (
        not address.key or address.rest.endswith("/") or address.name.lower().endswith(_HTML_ENDINGS)
    ):
        raise _is_page(address)
    found = _without_logs(find_stored(address))
    with ThreadPoolExecutor(_REQUESTS_AT_ONCE, "looking at objects") as pool:
        return list(pool.map(_source, found)) if _needs_requests(found) else list(map(_source, found))


def is_unchanged_object(source: Source) -> bool:
    """Whether what a source names is there as it was when it was noted down."""
    address = Address.parse(source.name)
    found = describe(address)
    if found.size != source.size:
        return False
    if source.signature.startswith(SIGNATURE_PREFIX):
        return found.signature == source.signature
    with open_stored(address, source.size) as file:
        return signature_of(file, source.size) == source.signature


def _needs_requests(found: Sequence[Stored]) -> bool:
    return any(not item.version or kind_by_name(item.address.name) is None for item in found)


def _without_logs(found: list[Stored]) -> list[Stored]:
    """Leave out what is no page in the folders of crawls and below them."""
    crawls = {str(item.address.parent) for item in found if item.address.name in {CRAWL, COMMON_CRAWL}}
    return [item for item in found if has_pages(Path(item.address.name)) or not _is_below(item.address, crawls)]


def _is_below(address: Address, folders: set[str]) -> bool:
    return bool(folders) and any(str(address).startswith(f"{folder}/") for folder in folders)


def _source(item: Stored) -> Source:
    address = item.address
    signature = item.signature
    kind = kind_by_name(address.name)
    if kind is None or not signature:
        with open_stored(address, item.size, signature) as file:
            kind = kind or _kind_of_content(item, file)
            signature = signature or signature_of(file, item.size)
    # The path is for this run alone, and may have secrets; the name is stored.
    return Source(address.full, str(address), kind, item.size, signature)


def _kind_of_content(item: Stored, file: BinaryIO) -> Kind:
    """The kind of an object whose name does not tell it; raises if it is a page on a web server."""
    kind = sniff(file, item.address.name)
    if item.address.is_web and kind == "page":
        file.seek(0)
        if item.content_type in _HTML or looks_like_html(file.read(_HEAD_BYTES)):
            raise _is_page(item.address)
    return kind


def _is_page(address: Address) -> UsageError:
    return UsageError(
        f"{address} is the address of a page, and only archives are read from the web: fetch its pages first, "
        f"with `gristmill crawl {address} -o crawl/`, and give the folder crawl/"
    )
