"""Addresses of pages that a corpus should not have: by lists of domains, and by words in them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import unquote

from gristmill.errors import UsageError
from gristmill.filter.addresses import AddressLists, place_of, read_addresses
from gristmill.filter.registry import FILTERS, Fetched, Finding, PageFilter, check_positive, counted
from gristmill.filter.words import read_list

_NO_WORD = re.compile(r"[\W_]+")


@FILTERS.register("blocklist")
@dataclass(frozen=True)
class Blocklist(PageFilter):
    """No page whose address is on a list, or has words of a list in it (FineWeb: Penedo et al. 2024; UT1 block lists).

    `lists` is a folder of lists, such as the UT1 lists with a folder for each category, of which `categories` names
    some; or one file. An entry is a domain, which stands for its subdomains too, or the beginning of an address.
    `words` are those that an address must not have; of `soft_words` it must have fewer than `soft`; `parts` must not
    stand in it even within words. These are files with a word a line.
    """

    lists: str = ""
    categories: tuple[str, ...] = ()
    words: str = ""
    soft_words: str = ""
    soft: int = 2
    parts: str = ""

    paths: ClassVar[tuple[str, ...]] = ("lists", "words", "soft_words", "parts")

    def check(self) -> None:
        """There is a list at least, and all can be read."""
        if not (self.lists or self.words or self.soft_words or self.parts):
            raise UsageError(
                "the filter 'blocklist' needs a list: blocklist:lists=FOLDER with domains, or words=FILE, soft_words=FILE, parts=FILE"
            )
        check_positive("blocklist", soft=self.soft)
        self._addresses, self._words, self._soft_words, self._parts  # noqa: B018 (reading them tells)

    def judge(self, page: Fetched) -> Finding:
        """Find an entry that the address falls under, or words that are in it."""
        if self._addresses and (listed := self._addresses.find(place_of(page.url))):
            return Finding(False, f"{listed.entry} is in the list {listed.list}")
        if not (self.words or self.soft_words or self.parts):
            return Finding(True, "not on the lists")
        address = unquote(page.url).lower()
        words = set(_NO_WORD.split(address))
        if banned := self._words & words:
            return Finding(False, f"the word {min(banned)!r} of the list {self.words}")
        soft = self._soft_words & words
        if len(soft) >= self.soft:
            return Finding(
                False, f"{counted(len(soft), 'words')} of the list {self.soft_words}: {', '.join(sorted(soft)[:5])}"
            )
        letters = _NO_WORD.sub("", address)
        if part := next((part for part in self._parts if part in letters), ""):
            return Finding(False, f"{part!r} of the list {self.parts}")
        return Finding(True, "not on the lists")

    @functools.cached_property
    def _addresses(self) -> AddressLists | None:
        return read_addresses(self.lists, self.categories) if self.lists else None

    @functools.cached_property
    def _words(self) -> frozenset[str]:
        return _read(self.words)

    @functools.cached_property
    def _soft_words(self) -> frozenset[str]:
        return _read(self.soft_words)

    @functools.cached_property
    def _parts(self) -> tuple[str, ...]:
        return tuple(sorted(_read(self.parts)))


def _read(path: str) -> frozenset[str]:
    """The entries of a word list, as they stand in addresses: of several words as one, and without lines that are comments."""
    entries = read_list(path, comments=True) if path else ()
    return frozenset(_NO_WORD.sub("", "".join(entry)) for entry in entries) - {""}
