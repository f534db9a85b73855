"""Who gets the lines of a standing query by mail, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.errors import UsageError
from gristmill.search.watch.address import mail_address
from gristmill.search.watch.schedule import PERIODS

SHAPE = {"to": [str], "every": str, "first": int}
"""What a stored table has."""
_MAX_RECIPIENTS = 50


@dataclass(frozen=True, slots=True)
class Mail:
    """Who gets what a standing query finds, and how often."""

    to: tuple[str, ...] = ()
    every: str = "daily"
    """One of `PERIODS`."""
    first: int = 0
    """The number of the first shard whose lines are sent."""

    def __post_init__(self) -> None:
        if self.every not in PERIODS:
            raise UsageError(f"mail is sent {' or '.join(PERIODS)}, not {self.every!r}")
        if len(self.to) > _MAX_RECIPIENTS:
            raise UsageError(f"a watch can send mail to {_MAX_RECIPIENTS} addresses, not to {len(self.to)}")

    @classmethod
    def of(cls, to: Sequence[str], every: str, first: int) -> Mail:
        """Check the addresses; one that is given twice is there once."""
        return cls(tuple(dict.fromkeys(map(mail_address, to))), every, first)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Mail:
        """Take what was stored; nobody gets mail if it is empty."""
        if not table:
            return cls()
        found = cls.of(table["to"], table["every"], max(table["first"], 0))
        if list(found.to) != table["to"]:  # the user allows addresses as they are written
            raise UsageError("each address must be there once, its domain in lower case")
        return found

    def to_table(self) -> dict[str, Any]:
        """What is stored."""
        return {"to": list(self.to), "every": self.every, "first": self.first}
