"""The filter `blocklist`: addresses that a corpus should not have, by lists of domains and by words in them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import unquote

from gristmill.errors import UsageError
from gristmill.filter.addresses import AddressLists, place_of, read_addresses
from gristmill.filter.registry import Fetched, Finding, PageFilter, check_positive, counted
from gristmill.filter.words import read_list
from gristmill.registry import part

_BETWEEN_WORDS = re.compile(r"[\W_]+")


@part("filter", "blocklist")
@dataclass(frozen=True)
class Blocklist(PageFilter):
    """Drops pages whose address is on a list, or has words of a list (FineWeb: Penedo et al. 2024; UT1 block lists).

    `lists` is a file, or a folder of lists such as the UT1 lists, with a folder for each category, of which
    `categories` names some. An entry is a domain, which stands for its subdomains too, or the beginning of an address.
    An address must not have any of `words`, must have fewer than `soft` of `soft_words`, and must not have any of
    `parts` even within words. These three are files with a word a line.
    """

    lists: str = ""
    categories: tuple[str, ...] = ()
    words: str = ""
    soft_words: str = ""
    soft: int = 2
    parts: str = ""

    paths: ClassVar[tuple[str, ...]] = ("lists", "words", "soft_words", "parts")

    def check(self) -> None:
        """Check that there is at least one list, and that all can be read."""
        if not (self.lists or self.words or self.soft_words or self.parts):
            raise UsageError(
                "the filter 'blocklist' needs a list: "
                "blocklist:lists=FOLDER with domains, or words=FILE, soft_words=FILE, parts=FILE"
            )
        check_positive("blocklist", soft=self.soft)
        self._addresses, self._words, self._soft_words, self._parts  # noqa: B018 (reading them tells)

    def judge(self, page: Fetched) -> Finding:
        """Find an entry that covers the address, or words that are in it."""
        if self._addresses and (listed := self._addresses.find(place_of(page.url))):
            return Finding(False, f"{listed.entry} is in the list {listed.list}")
        if not (self.words or self.soft_words or self.parts):
            return Finding(True, "not on the lists")
        address = unquote(page.url).lower()
        words = set(_BETWEEN_WORDS.split(address))
        if banned := self._words & words:
            return Finding(False, f"the word {min(banned)!r} of the list {self.words}")
        soft = self._soft_words & words
        if len(soft) >= self.soft:
            return Finding(
                False, f"{counted(len(soft), 'words')} of the list {self.soft_words}: {', '.join(sorted(soft)[:5])}"
            )
        letters = _BETWEEN_WORDS.sub("", address)
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
    """Read a word list, with entries of several words as one word, as in addresses; `#` begins a comment."""
    entries = read_list(path, comments=True) if path else ()
    return frozenset(_BETWEEN_WORDS.sub("", "".join(entry)) for entry in entries) - {""}
