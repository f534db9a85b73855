"""Ranges of IP addresses with their countries, read from CSV files.

Forms of lines: `first,last,country` and `network,country`, where addresses are written as usual or as whole numbers
(those below 2^32 are of version 4), and networks as `192.0.2.0/24`. A line of headings is passed over. A folder may
hold GeoLite2 Country of MaxMind as it is distributed: `*Blocks-IPv4.csv`, `*Blocks-IPv6.csv`, and `*Locations-en.csv`,
which says which country each number stands for. Ranges must not overlap; if they do, the one that begins last counts.
"""

from __future__ import annotations

import csv
import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array, Hashes
from gristmill.errors import UsageError

_COUNTRY = re.compile(r"[A-Za-z]{2,3}")
_SHIFTS = {4: 0, 6: 64}
"""Bits of an address that do not count: of one of version 6 the upper half does, as no network is smaller."""
_FORMS = "FIRST,LAST,COUNTRY or NETWORK,COUNTRY"
_Range = tuple[int, int, int, str]
"""Version, first and last number, and country."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Ranges of one version in the order of their beginnings; a code is the number of a country."""

    firsts: Hashes
    lasts: Hashes
    codes: Array

    @classmethod
    def of(cls, ranges: Iterable[_Range], numbers: Mapping[str, int], shift: int) -> _Table:
        ordered = sorted((first >> shift, last >> shift, numbers[country]) for _, first, last, country in ranges)
        columns = list(zip(*ordered, strict=True)) or [(), (), ()]
        return cls(np.array(columns[0], np.uint64), np.array(columns[1], np.uint64), np.array(columns[2], np.int64))

    def code(self, number: int) -> int:
        """Find the code of an address; -1 if it is in no range."""
        at = int(np.searchsorted(self.firsts, np.uint64(number), "right")) - 1
        return int(self.codes[at]) if at >= 0 and number <= int(self.lasts[at]) else -1


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of addresses of version 4 and 6, and the countries that they are in."""

    tables: Mapping[int, _Table]
    names: Sequence[str]

    def country(self, address: str) -> str:
        """Find the country of an address; empty if it is none, or in no range."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return ""
        mapped = getattr(found, "ipv4_mapped", None) or found
        code = self.tables[mapped.version].code(int(mapped) >> _SHIFTS[mapped.version])
        return self.names[code] if code >= 0 else ""


def read_ranges(path: str) -> Ranges:
    """Read ranges from a CSV file, or from the files of GeoLite2 in a folder; raises `UsageError` if there are none."""
    place = Path(path)
    try:
        ranges = list(_geolite(place) if place.is_dir() else _lines(place))
    except (OSError, ValueError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"can't read the ranges of addresses {path}: {why}") from error
    if not ranges:
        raise UsageError(f"there are no ranges of IP addresses in {path}: lines are {_FORMS}")
    names = sorted({country for *_, country in ranges})
    numbers = {name: number for number, name in enumerate(names)}
    tables = {
        version: _Table.of((item for item in ranges if item[0] == version), numbers, shift)
        for version, shift in _SHIFTS.items()
    }
    return Ranges(tables, names)


def _lines(path: Path) -> Iterator[_Range]:
    for number, row in enumerate(_rows(path)):
        found = _range(row)
        if found:
            yield found
        elif number and any(cell.strip() for cell in row):
            raise UsageError(f"{path}, line {number + 1}: not {_FORMS}: {','.join(row)[:80]!r}")


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.reader(file)


def _range(row: Sequence[str]) -> _Range | None:
    """Read a line; None if it is no range."""
    cells = [cell.strip() for cell in row]
    if len(cells) < 2 or not _COUNTRY.fullmatch(cells[2] if len(cells) > 2 else cells[1]):
        return None
    try:
        if len(cells) == 2:
            return _network(cells[0], cells[1])
        first, last = (ipaddress.ip_address(int(cell) if cell.isdecimal() else cell) for cell in cells[:2])
    except ValueError:
        return None
    return (first.version, int(first), int(last), cells[2].upper()) if first.version == last.version else None


def _network(text: str, country: str) -> _Range:
    network = ipaddress.ip_network(text, strict=False)
    return network.version, int(network[0]), int(network[-1]), country.upper()


def _geolite(folder: Path) -> Iterator[_Range]:
    """Read GeoLite2 Country: a network and the number of its country a line, and the codes of the numbers."""
    places = sorted(folder.glob("*Locations-en.csv"))
    blocks = sorted([*folder.glob("*Blocks-IPv4.csv"), *folder.glob("*Blocks-IPv6.csv")])
    if not places or not blocks:
        raise UsageError(f"{folder} has no files *Blocks-IPv4.csv and *Locations-en.csv, as GeoLite2 Country has them")
    codes = {
        row["geoname_id"]: row["country_iso_code"] for row in _records(places[0], "geoname_id", "country_iso_code")
    }
    for path in blocks:
        for row in _records(path, "network", "geoname_id", "registered_country_geoname_id"):
            country = codes.get(row["geoname_id"] or row["registered_country_geoname_id"], "")
            if country:
                yield _network(row["network"], country)


def _records(path: Path, *needed: str) -> Iterator[dict[str, str]]:
    """Read a file with headings."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, restval="")
        missing = [name for name in needed if name not in (reader.fieldnames or ())]
        if missing:
            raise UsageError(f"{path} has no column {', '.join(missing)}")
        yield from reader
