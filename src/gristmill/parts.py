"""Parts of work that is divided among machines by number: `3/16` is the third of sixteen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from gristmill.errors import UsageError

T = TypeVar("T")
_PART = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Part:
    """One of several parts; they are numbered from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Read `3/16`; raises if there is no such part."""
        found = _PART.fullmatch(text)
        if not found:
            raise UsageError(f"a part is a number and a count, such as 3/16, not {text!r}")
        part = cls(int(found[1]), int(found[2]))
        if not 1 <= part.number <= part.count:
            raise UsageError(f"there is no part {part.number} of {part.count}: the first is 1/{part.count or 1}")
        return part

    def of(self, units: Sequence[T]) -> list[T]:
        """Take what is of this part: every so many-th, so that all parts are about equal."""
        return list(units[self.number - 1 :: self.count])

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parts_with(numbers: Sequence[int], count: int) -> list[Part]:
    """List the parts, of so many, that units with these numbers (from 0) are of."""
    return [Part(number, count) for number in sorted({unit % count + 1 for unit in numbers})]
