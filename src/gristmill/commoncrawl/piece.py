"""A piece of the answer of an index: what is kept as soon as it is there, so that it is not asked for again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from gristmill.commoncrawl.capture import Capture, refusal


@dataclass(slots=True)
class Piece:
    """Captures that one step of asking an index has given."""

    step: str
    """The name of the step."""
    value: str = ""
    """What later steps must know of it."""
    captures: list[Capture] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """How many entries were not used, by reason (`REFUSALS`)."""


def piece_of(step: str, captures: Iterable[Capture], value: str = "", *, is_in_file: bool = True) -> Piece:
    """Make a piece of captures as the index has them, which may be anything."""
    piece = Piece(step, value)
    for capture in captures:
        if reason := refusal(capture, is_in_file=is_in_file):
            piece.refused[reason] += 1
        else:
            piece.captures.append(capture)
    return piece
