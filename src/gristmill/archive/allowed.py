"""Which stores and web servers may be asked for pages: those of sources that the user has given."""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.archive.source import Source
from gristmill.arguments import is_address
from gristmill.consent import Named, allow
from gristmill.errors import UsageError
from gristmill.stores.address import Address


def store_of(address: str) -> Named:
    """The bucket or server of an address, as it is allowed or not."""
    try:
        found = Address.parse(address)
    except UsageError:  # a file may name anything
        return Named("store", address)
    return Named("store", f"{found.scheme}://{found.bucket}")


def allow_stores(sources: Iterable[Source]) -> None:
    """Allow the stores of sources that the user has given, so that pages can be read from them later, too."""
    allow(dict.fromkeys(store_of(source.path) for source in sources if is_address(source.path)))
