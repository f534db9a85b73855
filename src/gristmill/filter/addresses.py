"""Large lists of domains and addresses, such as the UT1 lists, in little memory. Used by the filter `blocklist`.

An entry is stored as a 64-bit hash and the number of its list: 10 bytes, so that 4 million domains take 40 MB, where a
set of strings would take ten times as much. All hashes are in one sorted array, for binary search. With a list of this
size, one address in 10^12 has the hash of an entry by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.errors import UsageError

_CHUNK_BYTES = 1 << 22  # that are read at a time
_LIST_NAMES = frozenset({"domains", "urls", "hosts"})  # of the UT1 lists; besides these, files that end in .txt
_ENTRY = re.compile(
    rb"^[ \t]*+(?:(?:0\.0\.0\.0|127\.0\.0\.1|::1?)[ \t]++)?"  # a line of a hosts file
    rb"(?:[a-z]{2,6}://)?(?:\*?\.)?+([^\s#][^\s#]*+)",
    re.MULTILINE | re.IGNORECASE,
)
_HOST = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*+://)?(?:[^/?#@]*+@)?(\[[^\]/?#]*+\]|[^/?#:]*+)(?::[0-9]*+)?")
_MAX_LABELS = 127  # of a domain name
_MAX_PATH_CHARACTERS = 2000  # what is beyond is not compared


class Place(NamedTuple):
    """The parts of an address that lists are about: its host, and its path with all that follows."""

    host: str
    path: str


class Listed(NamedTuple):
    """An entry that was found, and the name of its list."""

    entry: str
    list: str


def place_of(url: str) -> Place:
    """Split an address into its host, in lower case and without user, port or final dot, and its path.

    The path includes what follows it, up to `_MAX_PATH_CHARACTERS`.
    """
    match = _HOST.match(url)
    host, end = (match[1], match.end()) if match else ("", 0)
    return Place(_ascii(host.lower().strip(".")), url[end : end + _MAX_PATH_CHARACTERS].rstrip("/"))


def _ascii(host: str) -> str:
    """Return a host as the domain name system has it (IDNA)."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


_Part = tuple[npt.NDArray[np.uint64], int]  # hashes of entries, and the number of their list


@dataclass(frozen=True)
class _Table:
    """Sorted hashes, and for each the number of its list."""

    hashes: npt.NDArray[np.uint64]
    lists: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, parts: Sequence[_Part]) -> _Table:
        """Join and sort the hashes of all lists."""
        hashes = np.concatenate([hashes for hashes, _ in parts]) if parts else np.zeros(0, np.uint64)
        lists = np.repeat(np.array([number for _, number in parts], np.uint16), [len(hashes) for hashes, _ in parts])
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], lists[order])

    def find(self, texts: Sequence[str]) -> tuple[int, int] | None:
        """Find the first of some texts that is in the table, and return its place and the number of its list."""
        if not len(self.hashes):
            return None
        wanted = _hashes([text.encode("utf-8", "replace") for text in texts])
        places = np.minimum(np.searchsorted(self.hashes, wanted), len(self.hashes) - 1)
        found = np.flatnonzero(self.hashes[places] == wanted)
        return (int(found[0]), int(self.lists[places[found[0]]])) if len(found) else None


def _hashes(entries: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    return np.fromiter(map(xxhash.xxh3_64_intdigest, entries), np.uint64, len(entries))


@dataclass(frozen=True)
class AddressLists:
    """Lists of domains, which stand for all their subdomains too, and of beginnings of addresses."""

    names: tuple[str, ...]
    domains: _Table
    addresses: _Table
    hosts: _Table
    """The hosts of the addresses: most pages are on none of them, so that no path needs to be compared."""
    lengths: tuple[int, ...]
    """The lengths that paths of addresses have, in characters."""

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.domains.hashes) + len(self.addresses.hashes)

    def find(self, place: Place) -> Listed | None:
        """Find the entry that covers an address: its host, a domain above it, or the beginning of its path on these.

        For `http://www.a.b.example/x/y` the candidates are `www.a.b.example`, `a.b.example`, `b.example` and `example`,
        then each of these with as much of `/x/y` as entries are long. A path must end where a word does: `/x` covers
        `/x/y` and `/x?y`, but not `/xy`.
        """
        labels = place.host.split(".")
        first = max(len(labels) - _MAX_LABELS, 0)
        domains = [".".join(labels[at:]) for at in range(first, len(labels))]
        if found := self.domains.find(domains):
            return Listed(domains[found[0]], self.names[found[1]])
        if not self.lengths or not self.hosts.find(domains):
            return None
        paths = [place.path[:length] for length in self.lengths if length <= len(place.path)]
        paths = [
            path for path in paths if not place.path[len(path) : len(path) + 1].isalnum() or not path[-1].isalnum()
        ]
        candidates = [domain + path for domain in domains for path in paths]
        found = self.addresses.find(candidates)
        return Listed(candidates[found[0]], self.names[found[1]]) if found else None


def read_addresses(path: str, categories: Sequence[str] = ()) -> AddressLists:
    """Read the list in a file, or the lists in a folder: those of some categories, which are folders or files, or all.

    Raises `UsageError` if there is nothing to read, or a category is missing.
    """
    domains: list[_Part] = []
    addresses: list[_Part] = []
    hosts: list[_Part] = []
    names: list[str] = []
    lengths: set[int] = set()
    for name, file in _files(Path(path), categories):
        for some_domains, places in _entries(file):
            domains.append((_hashes(some_domains), len(names)))
            addresses.append(
                (_hashes([f"{place.host}{place.path}".encode("utf-8", "replace") for place in places]), len(names))
            )
            hosts.append((_hashes([place.host.encode("utf-8", "replace") for place in places]), len(names)))
            lengths.update(len(place.path) for place in places)
        names.append(name)
    found = AddressLists(
        tuple(names), _Table.of(domains), _Table.of(addresses), _Table.of(hosts), tuple(sorted(lengths))
    )
    if not len(found):
        raise UsageError(
            f"there are no domains or addresses in {path}: give a file with one a line, or a folder of such"
        )
    return found


def _files(place: Path, categories: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files that are lists with their names, which are the paths within a folder."""
    if not place.is_dir():
        yield place.name, place
        return
    files = [
        file
        for file in sorted(place.rglob("*"))
        if file.is_file() and (file.name in _LIST_NAMES or file.suffix == ".txt")
    ]
    known = {file.relative_to(place).parts[0].removesuffix(".txt") for file in files}
    if unknown := sorted(set(categories) - known):
        raise UsageError(
            f"there is no list {unknown[0]!r} in {place} (there are: {', '.join(sorted(known)) or 'none'})"
        )
    for file in files:
        within = file.relative_to(place)
        if not categories or within.parts[0].removesuffix(".txt") in categories:
            yield within.as_posix(), file


def _entries(path: Path) -> Iterator[tuple[list[bytes], list[Place]]]:
    """Yield the domains and the addresses of a list, some megabytes at a time."""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES) + file.readline():
                yield _parsed(chunk.removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise UsageError(f"can't read the list {path}: {error.strerror}") from error


def _parsed(lines: bytes) -> tuple[list[bytes], list[Place]]:
    """Parse lines of a list into domains and addresses."""
    if b"/" not in lines and lines.isascii():
        return _ENTRY.findall(lines.lower()), []
    places = [place_of(entry.decode("utf-8", "replace")) for entry in _ENTRY.findall(lines)]
    domains = [place.host.encode("utf-8", "replace") for place in places if not place.path]
    return domains, [place for place in places if place.path]
