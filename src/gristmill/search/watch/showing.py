"""How the lines of a standing query are shown: their order, their length, and how many of a run there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.arguments import wrong_type
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.concordance.lines import Context, Line
from gristmill.search.concordance.sorting import ignoring_case
from gristmill.text.words import pieces

_NEIGHBOURS = 3
"""Words beside the hit that lines are sorted by, as `left` and `right` of a search are."""

_KEYS: dict[str, Callable[[Line], Any]] = {
    "date": lambda line: line.date,
    "left": lambda line: _folded(pieces(line.left)[: -_NEIGHBOURS - 1 : -1]),
    "right": lambda line: _folded(pieces(line.right)[:_NEIGHBOURS]),
    "node": lambda line: _folded(pieces(line.node)),
}
ORDERS = tuple(_KEYS)
"""What lines can be sorted by."""


@dataclass(frozen=True, slots=True)
class Showing:
    """The order, length and number of the lines that a standing query shows of each run."""

    sort: str = ""
    """One of `ORDERS`; if empty, lines are in the order of the corpus."""
    context: int | None = None
    """Characters to each side of a hit."""
    tokens: int | None = None
    """Words to each side, instead of characters; without either, lines are sentences."""
    limit: int = 0
    """Lines of a run that are shown; 0 for all."""

    def __post_init__(self) -> None:
        if self.sort and self.sort not in _KEYS:
            raise UsageError(
                f"lines can't be sorted by {self.sort!r}{did_you_mean(self.sort, ORDERS)} (but by {', '.join(ORDERS)})"
            )
        for name in ("context", "tokens", "limit"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise wrong_type(name, "a whole number", value)
            if (value or 0) < 0:
                raise UsageError(f"{name} must not be negative, but it is {value}")
        if self.context is not None and self.tokens is not None:
            raise UsageError("give the length of lines in characters (context) or in words (tokens), not both")

    @property
    def length(self) -> Context:
        """How much text a line has."""
        if self.context is None and self.tokens is None:
            return Context("sentence")
        return Context("kwic", self.context or 0, self.tokens)

    def arrange(self, lines: Sequence[Line]) -> tuple[list[Line], int]:
        """Sort the lines of a run; return those that are shown, and how many are not."""
        ordered = sorted(lines, key=_KEYS[self.sort]) if self.sort else list(lines)
        shown = ordered[: self.limit] if self.limit else ordered
        return shown, len(ordered) - len(shown)

    def to_table(self) -> dict[str, str | int]:
        """What differs from the defaults, to be stored."""
        given = {"sort": self.sort, "context": self.context, "tokens": self.tokens, "limit": self.limit}
        return {
            name: value for name, value in given.items() if value not in {None, ""} and (name, value) != ("limit", 0)
        }

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Showing:
        """Take what was stored; what is missing is as by default."""
        return cls(table.get("sort", ""), table.get("context"), table.get("tokens"), table.get("limit", 0))


SHAPE = {"sort?": str, "context?": int, "tokens?": int, "limit?": int}
"""What a stored table may have."""


def _folded(words: Sequence[str]) -> list[tuple[str, str]]:
    return [ignoring_case(word.strip()) for word in words]
