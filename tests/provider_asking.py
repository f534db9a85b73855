"""Ask a search provider, as tests of providers do."""

from __future__ import annotations

import asyncio
from collections import Counter

from gristmill.bootstrapping.providers import Result, provider_of, trusted_of
from gristmill.bootstrapping.query import Query
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session

GUITAR = Query((("guitar", "guitars"), ("fret",)), ("and",))
PLAIN = Query((("guitar",), ("fret",)))


def ask(spec: str, query: Query = PLAIN, count: int = 10, lang: str = "en") -> tuple[list[Result], Counter[str]]:
    """Ask a provider one query."""

    async def asking() -> tuple[list[Result], Counter[str]]:
        async with Session.open(Access(), delay=0, trusted=trusted_of(spec)) as session:
            provider = provider_of(spec, session, lang=lang)
            return await provider.search(query, count), provider.left_out

    return asyncio.run(asking())
