"""One way to find parts by name: cleaning methods, filters, de-duplication methods, export formats."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from gristmill.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """Parts of one kind by name, in the order in which they were registered."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._parts: dict[str, T] = {}

    def register(self, name: str) -> Callable[[T], T]:
        """Make a decorator that files its function or class under `name`."""

        def file(part: T) -> T:
            if name in self._parts:
                raise ValueError(f"two {self.kind}s named {name!r}")
            self._parts[name] = part
            return part

        return file

    def __getitem__(self, name: str) -> T:
        """The part of that name; the error for a wrong name lists the right ones."""
        if name in self._parts:
            return self._parts[name]
        close = difflib.get_close_matches(name, self._parts, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"there is no {self.kind} {name!r}{hint} (there are: {', '.join(self._parts)})")

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._parts)

    def items(self) -> Iterator[tuple[str, T]]:
        """Names and parts."""
        return iter(self._parts.items())
