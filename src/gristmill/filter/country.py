"""The filter `country`: in which country the server of a page is, by ranges of IP addresses that the user gives."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar

from gristmill.document import Document
from gristmill.errors import UsageError
from gristmill.filter.ip_ranges import Ranges, read_ranges
from gristmill.filter.registry import DocumentFilter, Finding
from gristmill.registry import part


@part("filter", "country")
@dataclass(frozen=True)
class Country(DocumentFilter):
    """Notes the country of the server by its IP address, and drops other countries than those asked for (texrex, 3.5).

    The address is that in the archive (WARC-IP-Address). `file` has ranges of addresses: a CSV file of
    `first,last,country` or `network,country`, or a folder with the CSV files of GeoLite2 Country. The country is stored
    as the attribute `country`. With `only=DE,AT` other countries are dropped, with `without=US` those; a page whose
    country is not known stays, unless `unknown=false`.
    """

    file: str = ""
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    unknown: bool = True

    paths: ClassVar[tuple[str, ...]] = ("file",)
    needed: ClassVar[tuple[str, ...]] = ("file",)

    def check(self) -> None:
        """Check that the file has ranges."""
        if not self.file:
            raise UsageError("the filter 'country' needs ranges of addresses: country:file=RANGES.csv")
        self._ranges  # noqa: B018 (reading it tells)

    def mark(self, document: Document) -> None:
        """Note the country in the document."""
        document.country = self._ranges.country(document.ip)

    def judge(self, document: Document) -> Finding:
        """Find the country."""
        found = self._ranges.country(document.ip)
        if not found:
            why = f"no range has the address {document.ip}" if document.ip else "the archive has no IP address"
            return Finding(self.unknown, f"the country is not known: {why}")
        only, without = (tuple(code.upper() for code in codes) for codes in (self.only, self.without))
        passed = (not only or found in only) and found not in without
        return Finding(passed, f"the server is in {found}{'' if passed else ', which was not asked for'}")

    @functools.cached_property
    def _ranges(self) -> Ranges:
        return read_ranges(self.file)
