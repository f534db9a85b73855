"""Fair turns: places that are few, given to those who wait for them, each asker in turn.

    turns = Turns(places=2, at_most=1)
    await turns.take("a")  # waits until there is a place, and until it is the turn of "a"
    turns.give_back("a")

Whoever asks a hundred times waits for the hundred; somebody who asks once waits for a place only, not behind them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Hashable


class Turns:
    """A number of places; who waits longest without having had a turn is next."""

    def __init__(self, places: int, at_most: int | None = None) -> None:
        """Make so many places, of which one asker has `at_most` at a time: all, if None."""
        self._free = places
        self._at_most = places if at_most is None else at_most
        self._held: Counter[Hashable] = Counter()
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """The calls that wait, by who asks; whoever had a turn goes to the end."""

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(len(queue) for queue in self._waiting.values())

    async def take(self, asker: Hashable) -> None:
        """Wait for a place; whoever gets one must give it back."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(asker, deque()).append(turn)
        self._call_next()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(asker, turn)
            else:  # it got its place in the same moment
                self.give_back(asker)
            raise

    def give_back(self, asker: Hashable) -> None:
        """Take back a place, and give it to the next."""
        self._free += 1
        self._held[asker] -= 1
        if not self._held[asker]:
            del self._held[asker]
        self._call_next()

    def _call_next(self) -> None:
        for asker in list(self._waiting) * self._at_most:
            if not self._free:
                return
            if self._held[asker] < self._at_most:
                self._give(asker)

    def _give(self, asker: Hashable) -> None:
        """Give a place to the first of an asker's calls that still waits."""
        queue = self._waiting.pop(asker, None) or deque()
        while queue:
            turn = queue.popleft()
            if not turn.done():  # else it was given up a moment ago
                self._free -= 1
                self._held[asker] += 1
                turn.set_result(None)
                break
        if queue:
            self._waiting[asker] = queue

    def _forget(self, asker: Hashable, turn: asyncio.Future[None]) -> None:
        queue = self._waiting.get(asker, deque())
        if turn in queue:
            queue.remove(turn)
        if asker in self._waiting and not queue:
            del self._waiting[asker]
