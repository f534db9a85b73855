"""Common Crawl's index as a search provider: pages in a language with words of the query in their addresses.

The index has no texts, so this is no search for words in pages: a page about guitars at `/page?id=7` is not found.
Addresses are taken from random parts of the index, once for all queries, and queries look them up there.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass
from random import Random
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.bootstrapping.providers.found import Found, printable
from gristmill.bootstrapping.providers.provider import Provider, ProviderError, Result
from gristmill.bootstrapping.providers.registry import web_address
from gristmill.bootstrapping.query import Query
from gristmill.commoncrawl.cdx import CRAWL_NAME
from gristmill.commoncrawl.index import Index
from gristmill.commoncrawl.servers import Pace, Servers
from gristmill.commoncrawl.wanted import Wanted
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.session import Session
from gristmill.registry import part

_LATEST = "latest"
_EXAMPLE = "commoncrawl:CC-MAIN-2026-42,server=http://localhost:8000"
_NO_LETTERS = re.compile(r"[\W_]+")


@part("search provider", "commoncrawl")
@dataclass(frozen=True)
class CommonCrawl:
    """A crawl of Common Crawl, or the latest."""

    domains: tuple[str, ...] = ()
    """Only pages of these domains, and of hosts below them: `.is`."""
    addresses: int = 100_000
    """How many addresses of the language are taken from the index."""
    row_groups: int = 20
    """Most row groups of the index, some hundred megabytes each, that are looked through for them."""
    seed: int = 0
    """Another number, other row groups."""
    server: str = ""
    """Where the files and the index are, if not at Common Crawl."""

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Make the provider; the index is asked with the first query."""
        self._check(place)
        wanted = Wanted(domains=self.domains, languages=(lang,) if lang else ())
        wanted.check()
        servers = Servers()
        if self.server:
            address = f"{web_address(self.server, _EXAMPLE)}/"
            servers = Servers(data=address, index=address)
        index = Index(servers, session, session, Pace(rate=0.0))  # the session has a pause between two requests
        return CommonCrawlProvider(self, place, index, wanted, session)

    def trusted(self, place: str) -> list[str]:
        """Return the address of the server, if one was named."""
        self._check(place)
        return [web_address(self.server, _EXAMPLE)] if self.server else []

    def _check(self, place: str) -> None:
        if place != _LATEST and not CRAWL_NAME.fullmatch(place):
            raise UsageError(f"{place!r} is not a crawl: commoncrawl:latest or commoncrawl:CC-MAIN-2026-42")


class _Pool(NamedTuple):
    """Addresses of the index, and their words."""

    urls: list[str]
    texts: pa.Array
    """The addresses as `_words` gives them, with a space before the first word."""


class CommonCrawlProvider:
    """Looks words up in addresses of an index."""

    name = "commoncrawl"
    max_words = 0

    def __init__(self, settings: CommonCrawl, crawl: str, index: Index, wanted: Wanted, session: Session) -> None:
        self.left_out: Counter[str] = Counter()
        self._settings = settings
        self._crawl = crawl
        self._index = index
        self._wanted = wanted
        self._session = session
        self._lock = asyncio.Lock()
        self._pool: _Pool | None = None

    async def search(self, query: Query, count: int) -> list[Result]:
        """Return the addresses that have most words of a query, in one of their forms; filter words don't count."""
        async with self._lock:
            if self._pool is None:
                self._pool = await self._read()
        found = Found(self._session, self.left_out, count)
        for number in _ranked(self._pool.texts, query):
            if found.is_full:
                break
            found.add(self._pool.urls[number])
        return found.results

    async def _read(self) -> _Pool:
        """Take addresses from the index, in random order."""
        try:
            urls = await self._addresses()
        except GristmillError as error:
            raise ProviderError(f"Common Crawl: {printable(str(error))}", is_fatal=True) from error
        Random(self._settings.seed).shuffle(urls)
        texts = pa.array([f" {_words(unquote(url.partition('//')[2]))}" for url in urls], pa.large_string())
        return _Pool(urls, texts)

    async def _addresses(self) -> list[str]:
        """Ask the index for addresses, row group after row group, until there are enough."""
        crawls = (await self._index.crawls())[:1] if self._crawl == _LATEST else [self._crawl]
        done: dict[str, str] = {}
        found: dict[str, None] = {}
        groups = 0
        async with aclosing(self._index.ask(self._wanted, crawls, done, seed=self._settings.seed)) as pieces:
            async for piece in pieces:
                done[piece.step] = piece.value
                found.update(dict.fromkeys(capture.url for capture in piece.captures))
                self.left_out["entry of the index that can't be used"] += piece.refused.total()
                groups += piece.step.startswith("rows ")
                if groups >= self._settings.row_groups or len(found) >= self._settings.addresses:
                    break
        self.left_out += Counter()  # without reasons that nothing was left out for
        return list(found)[: self._settings.addresses]


def _ranked(texts: pa.Array, query: Query) -> Ids:
    """Return the numbers of the texts that have a word of a query, those that have most words first."""
    having = np.zeros(len(texts), np.int64)
    for forms in query.words:
        having += np.any([_contains(texts, pattern) for pattern in map(_pattern, forms) if pattern], axis=0)
    order = np.argsort(-having, kind="stable")
    found: Ids = order[: np.count_nonzero(having)]
    return found


def _contains(texts: pa.Array, pattern: str) -> Ids:
    found: Ids = pc.match_substring(texts, pattern).to_numpy(zero_copy_only=False)
    return found


def _pattern(form: str) -> str:
    """Return what an address must have: a word that begins so; in other than Latin letters, these anywhere."""
    words = _words(form)
    return f" {words}" if words.isascii() and words else words


def _words(text: str) -> str:
    """Return the words of an address or a form: in lower case, without accents, with spaces between them."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(letter)
    )
    return _NO_LETTERS.sub(" ", plain).strip()
