"""Search engines that answer in JSON, page by page: their description, and the provider that asks them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any
from urllib.parse import quote

from gristmill.bootstrapping.providers.answers import BUSY_SECONDS, get_json
from gristmill.bootstrapping.providers.found import Found, printable
from gristmill.bootstrapping.providers.provider import ProviderError, Result
from gristmill.bootstrapping.providers.variants import variants
from gristmill.bootstrapping.query import Query
from gristmill.fetching.session import Session
from gristmill.fetching.urls import normalise, origin_of

_MAX_RESULTS_A_PAGE = 1_000
_PLACEHOLDER = re.compile(r"\{(query|page|start|count|lang|key)\}")
Row = tuple[object, object, object]
"""Address, title and snippet of a result, as they come."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How a search engine is asked, and where the results are in its answer."""

    name: str
    address: str
    """Its address, with `{query}`, `{page}`, `{start}`, `{count}`, `{lang}`, `{key}` where these belong."""
    results: str = "results"
    """Path to the list of results: `data.items`."""
    url: str = "url"
    title: str = "title"
    """Paths, within a result, to its address and title."""
    snippet: str = "snippet"
    """Path, within a result, to some text of the page."""
    unanswered: str = ""
    """Path to the list of what the engine itself got no answer from."""
    forms: str = "or"
    """How forms of words are asked for, one of `FORMS`."""
    max_words: int = 0
    page_results: int = 10
    """Results of a page, as `{count}` asks for."""
    first_page: int = 1
    """What `{page}` is for the first page."""
    first_result: int = 0
    """What `{start}` is for the first page."""
    max_pages: int = 20
    lang: str = ""
    key: str = ""
    header: str = ""
    """A header with `{key}` in it: `Authorization: Bearer {key}`."""
    refused: str = "it may need a key, or not answer programs"
    """What to do if the engine refuses to answer."""

    @property
    def where(self) -> str:
        """The engine as errors name it, without what could be secret."""
        return f"{self.name} at {origin_of(normalise(self.filled('', 0)))}"

    @property
    def has_pages(self) -> bool:
        """Whether there is more than one page of results to ask for."""
        return "{page}" in self.address or "{start}" in self.address

    @property
    def secrets(self) -> dict[str, str]:
        """The header that has the key."""
        name, colon, value = self.header.partition(":")
        return {name.strip(): value.strip().replace("{key}", self.key)} if colon else {}

    def filled(self, query: str, page: int) -> str:
        """Return the address for a page of results, counted from 0."""
        values = {
            "query": query,
            "page": str(self.first_page + page),
            "start": str(self.first_result + page * self.page_results),
            "count": str(self.page_results),
            "lang": self.lang,
            "key": self.key,
        }
        return _PLACEHOLDER.sub(lambda name: quote(values[name[1]], safe="", errors="replace"), self.address)


class EngineProvider:
    """Asks a search engine for pages of results, until there are enough or a page has nothing new."""

    def __init__(self, engine: Engine, session: Session) -> None:
        self.name = engine.name
        self.max_words = engine.max_words
        self.left_out: Counter[str] = Counter()
        self._engine = engine
        self._session = session
        self._has_answered = False
        """Whether results were where they should be before."""

    async def search(self, query: Query, count: int) -> list[Result]:
        """Return at most so many results. If the engine stops answering amid the pages, those before count."""
        found = Found(self._session, self.left_out, count)
        try:
            await self._search(query, found)
        except ProviderError:
            if not found.results:
                raise
            self.left_out["page without an answer"] += 1
        return found.results

    async def _search(self, query: Query, found: Found) -> None:
        asked = variants(query, self._engine.forms)
        for page in range(self._engine.max_pages if self._engine.has_pages else 1):
            pages = [await self._page(variant, page) for variant in asked]
            new = [0] * len(asked)
            for row in zip_longest(*pages):
                for number, result in enumerate(row):
                    new[number] += result is not None and found.add(*result)
            asked = [variant for variant, more in zip(asked, new, strict=True) if more]
            if found.is_full or not asked:
                return

    async def _page(self, query: Query, page: int) -> list[Row]:
        engine = self._engine
        answer = await get_json(
            self._session,
            engine.filled(query.text, page),
            engine.where,
            secrets=engine.secrets,
            refused=engine.refused,
        )
        return list(self._rows(answer))

    def _rows(self, answer: Any) -> Iterator[Row]:
        """Yield the results of an answer. What a result lacks is None."""
        listed = _at(answer, self._engine.results)
        if listed is None and self._has_answered:  # some engines leave an empty list out
            return
        if not isinstance(listed, list):
            raise ProviderError(
                f"{self._engine.where} has no list {self._engine.results!r} in its answer{_keys(answer)}"
            )
        self._has_answered = True
        if not listed:
            self._check_answered(answer)
        if len(listed) > _MAX_RESULTS_A_PAGE:
            self.left_out["too many results on a page"] += len(listed) - _MAX_RESULTS_A_PAGE
        for result in listed[:_MAX_RESULTS_A_PAGE]:
            url, title, snippet = self._engine.url, self._engine.title, self._engine.snippet
            yield _at(result, url), _at(result, title), _at(result, snippet)

    def _check_answered(self, answer: Any) -> None:
        """Raise if there are no results since others did not answer, as rate limits do that."""
        engine = self._engine
        failed = _at(answer, engine.unanswered) if engine.unanswered else None
        if isinstance(failed, list) and failed:
            reasons = "; ".join(" ".join(map(printable, item)) for item in failed[:5] if isinstance(item, list))
            raise ProviderError(
                f"{engine.where} got no answer itself: {reasons or 'it does not say why'}", BUSY_SECONDS
            )


def _at(value: Any, path: str) -> Any:
    """Return what is at a path such as `data.items.0`; None if there is nothing. An empty path is the value itself."""
    for name in filter(None, path.split(".")):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isdecimal() and len(name) < 7 and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value


def _keys(answer: Any) -> str:
    """Name what is in an answer, for an error."""
    if not isinstance(answer, dict):
        return ""
    names = [printable(name)[:40] for name in list(answer)[:10]]
    return f" (it has: {', '.join(names) or 'nothing'})"
