"""What can be typed at a place of a text: the results of completion."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something that can be typed: what is shown, what is put into the text, and how often it occurs, if it does."""

    label: str
    insert: str
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """What can stand from `start` to before `end` of a text, instead of what stands there."""

    start: int
    end: int
    kind: str = ""
    """What it is: an attribute, a value, a structure, a subcorpus; empty if there is nothing."""
    items: list[Suggestion] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)
