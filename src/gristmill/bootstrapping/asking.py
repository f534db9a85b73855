"""Ask a search provider the queries of a round, as fast as it lets us.

That a provider limits its users, or fails now and then, is normal: it is left alone for a while, and asked again. What
it does not answer in the end is noted, with the reason.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from gristmill.bootstrapping.config import QueriesConfig
from gristmill.bootstrapping.providers import Provider, ProviderError, provider_of, trusted_of
from gristmill.bootstrapping.store import ASKED, REFUSED, Asked, Store
from gristmill.errors import GristmillError
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session
from gristmill.progress import Advance

_FIRST_PAUSE_SECONDS = 2.0  # after a failure; twice as many after each further one
_MAX_FAILURES = 6  # in a row, after which a provider is left alone
_MAX_FIRST_FAILURES = 2  # of one that has answered nothing in the round: it may not be there at all


@asynccontextmanager
async def opened(spec: str, access: Access, lang: str, delay: float) -> AsyncIterator[Provider]:
    """Open a provider that a line of text names: `searxng:http://localhost:8888`."""
    async with Session.open(access, delay=delay, trusted=trusted_of(spec)) as session:
        yield provider_of(spec, session, lang=lang)


class Asking:
    """Asks the queries of a round one after the other; those that fail for a while come again at the end."""

    def __init__(
        self,
        store: Store,
        provider: Provider,
        config: QueriesConfig,
        *,
        advance: Advance,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._provider = provider
        self._config = config
        self._advance = advance
        self._sleep = sleep
        self._tries: Counter[int] = Counter()
        self._failures = 0
        self._why = ""

    async def run(self, number: int, count: int) -> None:
        """Ask for so many results of each query of a round that was not asked yet.

        Raises if the provider answers none, or says that it never will: then they are all asked when it goes on.
        """
        waiting = deque(self._store.to_ask(number))
        failed: list[Asked] = []
        while waiting:
            asked = waiting.popleft()
            pause = await self._ask(asked, count)
            if pause is None:
                continue
            self._tries[asked.id] += 1
            (failed if self._tries[asked.id] > self._config.retries else waiting).append(asked)
            most = _MAX_FAILURES if self._store.states(number)[ASKED] else _MAX_FIRST_FAILURES
            if pause > self._config.max_wait or self._failures >= most:
                break
            if waiting:
                await self._sleep(pause)
        self._give_up(number, [*failed, *waiting])

    async def _ask(self, asked: Asked, count: int) -> float | None:
        """Ask a query; returns the seconds to wait before the next one if it failed for a reason that may pass."""
        try:
            results = await self._provider.search(asked.query, count)
        except ProviderError as error:
            self._why = str(error)
            if error.is_fatal:
                raise GristmillError(self._why) from error
            if error.retry_seconds is None:
                self._store.refuse(asked.id, self._why)
                self._advance(1)
                return None
            self._failures += 1
            return max(error.retry_seconds, _FIRST_PAUSE_SECONDS * 2.0 ** (self._failures - 1))
        self._failures = 0
        self._store.answer(asked.id, results[:count])
        self._advance(1)
        return None

    def _give_up(self, number: int, left: list[Asked]) -> None:
        states = self._store.states(number)
        if left and not (states[ASKED] or states[REFUSED]):
            raise GristmillError(f"{self._provider.name} has answered no query: {self._why}")
        self._store.give_up([asked.id for asked in left], self._why)
