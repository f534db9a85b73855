"""What a store says of an object without sending it: its size, and which version of it is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import xxhash

from gristmill.stores.address import Address

SIGNATURE_PREFIX = "stored-"
"""How signatures begin that are made of what a store says, and not of the bytes."""
_HASH = re.compile(r"\"?[0-9a-f]{32}(?:-\d+)?\"?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Stored:
    """An object in a store."""

    address: Address
    size: int
    version: str = ""
    """Its ETag, or else when it was last changed, as the store writes it; empty if the store says neither."""
    content_type: str = ""

    @property
    def signature(self) -> str:
        """A short text that is another one if the object is; empty if nothing is known of its version.

        An ETag of 32 digits is a hash of the content, so that copies have the same signature. Other ETags, and times,
        mean something only together with the address.
        """
        if not self.version:
            return ""
        place = "" if _HASH.fullmatch(self.version) else f" {self.address}"
        return SIGNATURE_PREFIX + xxhash.xxh3_128_hexdigest((self.version.strip('"') + place).encode())


Check = Callable[[Stored], None]


class Fetching(Protocol):
    """How bytes of one object are got; each request is made once, and raises whatever the library raises."""

    def describe(self) -> Stored:
        """Ask the store what is there."""

    def fetch(self, begin: int, end: int, known: Stored | None, check: Check, parts: list[bytes]) -> None:
        """Append the bytes from `begin` to `end` to `parts` as they come, so that those before a failure are kept.

        Before the first of them, `check` is told what the store says of the object; it raises if that is another one
        than is `known`. Fewer bytes may come than were asked for.
        """

    def close(self) -> None:
        """Give up connections and disk space that only this object needs."""
