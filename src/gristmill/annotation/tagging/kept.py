"""The words that taggers keep between texts: those of the languages that were read last, within one bound for all."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakKeyDictionary

DEFAULT_BYTES = 256 << 20


class Keeper(Protocol):
    """Something that keeps words, and can forget them."""

    def kept_bytes(self) -> int:
        """Estimate how many bytes its words take."""

    def forget(self) -> None:
        """Forget at least half of the words; the results never change."""


class _Kept:
    """All that keep words, and when each was used last."""

    def __init__(self) -> None:
        self.most_bytes = DEFAULT_BYTES
        self._used: WeakKeyDictionary[Keeper, int] = WeakKeyDictionary()
        self._time = 0

    def use(self, keeper: Keeper) -> None:
        """Note that words of a keeper were used, and let others forget theirs, the longest unused first."""
        self._time += 1
        self._used[keeper] = self._time
        keepers = sorted(self._used.items(), key=lambda item: item[1])
        sizes = {id(other): other.kept_bytes() for other, _ in keepers}
        for other, _ in keepers:
            while sum(sizes.values()) > self.most_bytes:
                other.forget()
                before, sizes[id(other)] = sizes[id(other)], other.kept_bytes()
                if sizes[id(other)] >= before:  # it keeps nothing that it could forget
                    break


_kept = _Kept()
use = _kept.use


def limit(most_bytes: int) -> None:
    """Bound the bytes of all words together."""
    _kept.most_bytes = most_bytes
