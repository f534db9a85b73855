"""Elements around the blocks of a page, so that each can be scrolled to and marked: `#gm-block-7`.

A page in a sandboxed frame runs no script, so all that can be changed from outside is its fragment. A block whose tags
are balanced gets one element, which `:target` marks; of others each piece of text gets one, and all are marked.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

_EMPTY = frozenset({"br", "col", "hr", "wbr", "img"})
"""Tags that open nothing."""
_MAX_TOGETHER = 200
TARGET = "outline:3px solid #1d5fd1!important;outline-offset:2px;background:#ffe9a8!important;color:#000!important"
"""How a block is marked."""


class Mark(NamedTuple):
    """A block of the page: its number, where it stands in the text, how it is marked, and what is said of it."""

    number: int
    start: int
    end: int
    classes: str
    about: str


@dataclass(slots=True)
class Token:
    """A piece of the new page: text, or a tag; `name` is empty for text."""

    text: str
    name: str = ""
    closes: bool = False
    start: int = 0
    """Where it stands in the source, in bytes."""
    is_blank: bool = False


def put_marks(tokens: list[Token], marks: Sequence[Mark], places: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    """Put the new page together, with an element around each block; also return the blocks that need several."""
    before: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    fragments = []
    at = 0
    for mark, (start, end) in zip(marks, places, strict=True):
        while at < len(tokens) and (tokens[at].start < start or tokens[at].name):
            at += 1
        first = last = at
        while at < len(tokens) and tokens[at].start < end:
            if not tokens[at].name and not tokens[at].is_blank:
                last = at
            at += 1
        if first >= len(tokens) or tokens[first].start >= end:
            continue
        at = last + 1
        runs = _runs(tokens, first, last)
        if len(runs) > 1:
            fragments.append(mark.number)
        for number, (begin, stop) in enumerate(runs):
            identifier = "" if number else f' id="gm-block-{mark.number}"'
            classes = f"gm-block gm-of-{mark.number} {mark.classes}"
            opened = f'<gm-block{identifier} class="{html.escape(classes)}" title="{html.escape(mark.about)}">'
            before.setdefault(begin, []).append(opened)
            after.setdefault(stop, []).append("</gm-block>")
    parts: list[str] = []
    for number, token in enumerate(tokens):
        parts += before.get(number, ())
        parts.append(token.text)
        parts += after.get(number, ())
    return "".join(parts), fragments


def _runs(tokens: Sequence[Token], first: int, last: int) -> list[tuple[int, int]]:
    """Find what an element can be put around: all of the block if its tags are balanced, or else each text in it."""
    if first == last:
        return [(first, last)]
    closers, openers = _unbalanced(tokens[first : last + 1])
    begin = _extended(tokens, first, -1, closers, closes=False)
    stop = _extended(tokens, last, 1, openers[::-1], closes=True)
    if begin is not None and stop is not None:
        return [(begin, stop)]
    return [
        (number, number) for number in range(first, last + 1) if not tokens[number].name and not tokens[number].is_blank
    ]


def _unbalanced(tokens: Sequence[Token]) -> tuple[list[str], list[str]]:
    """List the names of end tags without their start tags, and of start tags without their end tags."""
    closers: list[str] = []
    openers: list[str] = []
    for token in tokens:
        if not token.name or token.name in _EMPTY:
            continue
        if not token.closes:
            openers.append(token.name)
        elif openers and openers[-1] == token.name:
            openers.pop()
        else:
            closers.append(token.name)
    return closers, openers


def _extended(tokens: Sequence[Token], at: int, step: int, names: Sequence[str], *, closes: bool) -> int | None:
    """Go on over the tags of these names that stand right beside a block; None if others are between."""
    for name in names:
        at += step
        while 0 <= at < len(tokens) and tokens[at].is_blank and not tokens[at].name:
            at += step
        if not 0 <= at < len(tokens) or tokens[at].name != name or tokens[at].closes != closes:
            return None
    return at


def style_of_parts(fragments: Sequence[int]) -> str:
    """CSS by which all parts of a block are marked when the first of them is; of some blocks, as it takes time."""
    rules = (f":root:has(#gm-block-{number}:target) .gm-of-{number}" for number in fragments[:_MAX_TOGETHER])
    selectors = ",".join(rules)
    return f"{selectors}{{{TARGET}}}" if selectors else ""
