"""A shard as `corpus.toml` has it. `manifest.py` has the list of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xxhash

if TYPE_CHECKING:
    from gristmill.archive import Source


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """A shard as the manifest has it: its name, and the sources that it is made of."""

    name: str
    first: str
    """The name of its first source."""
    files: int
    """The number of its sources."""
    bytes: int
    fingerprint: str
    """A hash of what the sources hold."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Libraries of other versions than those of the corpus, if it was added on another day."""

    @classmethod
    def of(cls, number: int, sources: Sequence[Source]) -> ShardEntry:
        """Make the entry of the shard with that number."""
        size = sum(source.size for source in sources)
        return cls(f"{number:05d}", sources[0].name, len(sources), size, fingerprint_of(sources))

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ShardEntry:
        """Make an entry of a table of the right shape, such as `to_table` gives."""
        return cls(**{name: table[name] for name in cls.__slots__ if name in table})

    def to_table(self) -> dict[str, Any]:
        """Return the entry as it is written."""
        table = {name: getattr(self, name) for name in self.__slots__ if name != "versions"}
        return table | ({"versions": dict(self.versions)} if self.versions else {})


def fingerprint_of(sources: Sequence[Source]) -> str:
    """Hash what sources hold."""
    held = (f"{source.size}\t{source.signature}\t{source.start}" for source in sources)
    return xxhash.xxh3_64_hexdigest("\n".join(held).encode())
