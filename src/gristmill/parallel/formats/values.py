"""Values of beads as text: in one line, without what no line or XML can hold; and where a side of a bead stood."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gristmill.parallel.reader import FoundBeads

_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Control characters and whatever some program takes for the end of a line."""
_NO_CHARACTERS = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Halves of surrogate pairs, and what Unicode says is no character: XML has no place for them."""
DECIMALS = 4
"""Decimals of scores: they are stored in single precision."""


def one_line(text: str) -> str:
    """Write a text in one line: control characters and line ends become spaces, what is no character `\\ufffd`."""
    if text.isprintable():  # as nearly all are: then there is none of these, nor another space than ` `
        return text
    return _NO_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", _BREAKS.sub(" ", text)).strip()


def place(block: int, start: int, end_block: int, end: int) -> str:
    """Say where a text is in its document: `3:0-3:57` is block 3 from its beginning to before character 57."""
    return f"{block}:{start}-{end_block}:{end}" if block >= 0 else ""


def places(found: FoundBeads, side: str) -> list[str]:
    """Say where one side of each bead is in its document."""
    names = ("block", "start", "end_block", "end")
    return list(map(place, *(found.beads.column(f"{side}_{name}").to_pylist() for name in names)))


def columns(found: FoundBeads, *names: str) -> Iterator[tuple[Any, ...]]:
    """Give the values of some columns, bead by bead."""
    return zip(*(found.beads.column(name).to_pylist() for name in names), strict=True)
