"""Large lists of domains and addresses, such as the UT1 lists, in little memory.

An entry is kept as a 64-bit hash and the number of its list: 10 bytes, so that 4 million domains take 40 MB, where a
set of strings would take ten times as much. All hashes stand in one sorted array, in which a binary search finds one.
In a list of this size, one address in 10^12 has the hash of an entry by chance.
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

_CHUNK = 1 << 22  # bytes that are read at a time
_NAMES = frozenset(
    {"domains", "urls", "hosts"}
)  # files of a folder that are lists; those of UT1, and besides all that end in .txt
_ENTRY = re.compile(
    rb"^[ \t]*+(?:(?:0\.0\.0\.0|127\.0\.0\.1|::1?)[ \t]++)?"  # a line of a hosts file
    rb"(?:[a-z]{2,6}://)?(?:\*?\.)?+([^\s#][^\s#]*+)",
    re.MULTILINE | re.IGNORECASE,
)
_HOST = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*+://)?(?:[^/?#@]*+@)?(\[[^\]/?#]*+\]|[^/?#:]*+)(?::[0-9]*+)?")
_LONGEST = 2000  # characters of a path; what goes beyond is not looked at


class Place(NamedTuple):
    """The parts of an address that lists are about: its host, and what stands behind it."""

    host: str
    path: str


class Listed(NamedTuple):
    """An entry of a list."""

    entry: str
    list: str


def place_of(url: str) -> Place:
    """The host of an address in lower case, without user, port or a dot at its end, and its path, with what follows."""
    match = _HOST.match(url)
    host, end = (match[1], match.end()) if match else ("", 0)
    return Place(_ascii(host.lower().strip(".")), url[end : end + _LONGEST].rstrip("/"))


def _ascii(host: str) -> str:
    """A host as the domain name system has it."""
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


_Part = tuple[npt.NDArray[np.uint64], int]  # hashes of entries, and the number of their list


@dataclass(frozen=True)
class _Table:
    """Hashes in their order, and for each the number of its list."""

    hashes: npt.NDArray[np.uint64]
    lists: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, parts: Sequence[_Part]) -> _Table:
        hashes = np.concatenate([hashes for hashes, _ in parts]) if parts else np.zeros(0, np.uint64)
        lists = np.repeat(np.array([number for _, number in parts], np.uint16), [len(hashes) for hashes, _ in parts])
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], lists[order])

    def find(self, texts: Sequence[str]) -> tuple[int, int] | None:
        """The first of some texts that is there, and the number of the list that has it."""
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
    """Domains, which stand for all their subdomains too, and beginnings of addresses."""

    names: tuple[str, ...]
    domains: _Table
    addresses: _Table
    hosts: _Table
    """Those of the addresses: for most pages it shows at once that no address can be listed."""
    lengths: tuple[int, ...]
    """How long the paths of addresses are."""

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self.domains.hashes) + len(self.addresses.hashes)

    def find(self, place: Place) -> Listed | None:
        """The entry that an address falls under: its host or a domain above it, or the beginning of its path on one of these.

        Of `http://www.a.b.example/x/y` these are `www.a.b.example`, `a.b.example`, `b.example` and `example`, and for
        each one that has addresses, `/x/y` as far as entries are long; behind it nothing follows, or something that is
        no letter and no digit.
        """
        labels = place.host.split(".")
        domains = [
            ".".join(labels[at:]) for at in range(max(len(labels) - 127, 0), len(labels))
        ]  # no name has more labels
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
    """The lists in a file or a folder; in a folder those of some categories, which are folders or files in it, or all.

    Raises `UsageError` if there is nothing to read, or a category is not there.
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
    """Lists with their names: in a folder the path within it."""
    if not place.is_dir():
        yield place.name, place
        return
    files = [
        file for file in sorted(place.rglob("*")) if file.is_file() and (file.name in _NAMES or file.suffix == ".txt")
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
    """The domains and the addresses of a list, some megabytes at a time."""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK) + file.readline():
                yield _parsed(chunk.removeprefix(b"\xef\xbb\xbf"))
    except OSError as error:
        raise UsageError(f"can't read the list {path}: {error.strerror}") from error


def _parsed(lines: bytes) -> tuple[list[bytes], list[Place]]:
    if b"/" not in lines and lines.isascii():
        return _ENTRY.findall(lines.lower()), []
    places = [place_of(entry.decode("utf-8", "replace")) for entry in _ENTRY.findall(lines)]
    return [place.host.encode("utf-8", "replace") for place in places if not place.path], [
        place for place in places if place.path
    ]
