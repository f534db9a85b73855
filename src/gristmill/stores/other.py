"""Objects in any store that fsspec knows, by its general interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from gristmill.stores.address import Address
from gristmill.stores.filesystem import filesystem_of, path_of
from gristmill.stores.patience import retried
from gristmill.stores.stored import Check, Stored

_VERSIONS = (
    "etag",
    "ETag",
    "md5Hash",
    "generation",
    "mtime",
    "updated",
    "LastModified",
    "last_modified",
    "modified",
    "created",
)
"""How file systems call what tells versions apart, the best first."""


class OtherObject:
    """One object of a store."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def describe(self) -> Stored:
        """Ask the store what is there."""
        return _stored(self._address, filesystem_of(self._address).info(path_of(self._address)))

    def fetch(self, begin: int, end: int, known: Stored | None, check: Check, parts: list[bytes]) -> None:
        """Get a range; at the end of the object, too, it is asked whether the object is still the same."""
        if known is None:
            check(self.describe())
        parts.append(filesystem_of(self._address).cat_file(path_of(self._address), start=begin, end=end))
        if known and end >= known.size:
            check(self.describe())

    def close(self) -> None:
        """Nothing is held for one object."""


def list_other(bucket: Address, prefix: str) -> Iterator[Stored]:
    """List all objects of a store whose keys begin so."""
    files = filesystem_of(bucket)
    above = prefix.rpartition("/")[0]
    folder = bucket.join(above) if above else bucket
    found = retried(lambda: files.find(path_of(folder), detail=True), folder)
    for path, item in sorted(found.items()):
        address = folder.join(path.removeprefix(path_of(folder)))
        if address.key.startswith(prefix):
            yield _stored(address, item)


def _stored(address: Address, item: Mapping[str, Any]) -> Stored:
    if item.get("type") == "directory":
        raise FileNotFoundError
    version = next((item[name] for name in _VERSIONS if item.get(name)), "")
    if isinstance(version, datetime):  # some stores write times in one way in listings and in another elsewhere
        version = version.timestamp()
    return Stored(address, int(item.get("size") or 0), str(version), str(item.get("contentType") or ""))
