"""Labelled tokens in the lines of a concordance: where they are in the text that is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.concordance.lines import Label, Line, gaps_before
from gristmill.search.concordance.occurrences import Occurrences

_LINES_AT_ONCE = 500
"""Lines whose labelled tokens are looked up together."""


def with_labels(lines: Iterator[Line], spans: Occurrences) -> Iterator[Line]:
    """Give lines their labelled tokens; the spans are those of the lines, in the same order."""
    if not spans.labels:
        yield from lines
        return
    start = 0
    while some := list(islice(lines, _LINES_AT_ONCE)):
        yield from _labelled(some, spans.take(slice(start, start + len(some))))
        start += len(some)


def _labelled(lines: list[Line], spans: Occurrences) -> Iterator[Line]:
    """Give some lines their labelled tokens.

    The text from the first to the last token of a hit, and to labelled tokens beside it, is looked up; a token is as
    many characters after the hit's start as the words and gaps between them have.
    """
    names, index = spans.labels, spans.index
    places = np.array([spans.places[name] for name in names])
    first = np.where(places < 0, spans.starts, np.minimum(places, spans.starts)).min(axis=0)
    last = np.maximum(places.max(axis=0) + 1, spans.starts + 1)
    tokens = concatenated_ranges(first, last - first)
    words = index.attributes["word"].lexicon.strings(index.attributes["word"].ids[tokens])
    gaps = gaps_before(index, tokens)
    begin = 0
    for number, line in enumerate(lines):
        low, high, start = int(first[number]), int(last[number]), int(spans.starts[number])
        own = slice(begin, begin + high - low)
        begin = own.stop
        lengths = [len(gap) + len(word) for gap, word in zip(gaps[own], words[own], strict=True)]
        ends = np.cumsum(lengths)
        zero = int(ends[start - low]) - len(words[own][start - low])  # where the hit begins
        labels = {}
        for name, place in zip(names, places[:, number].tolist(), strict=True):
            if place >= 0:
                word = words[own][place - low]
                at = len(line.left) + int(ends[place - low]) - len(word) - zero
                labels[name] = Label(place, word, at if _is_at(line, word, at) else None)
        yield replace(line, labels=labels)


def _is_at(line: Line, word: str, at: int) -> bool:
    """Whether a word stands at a place of a line: context that is too long is cut."""
    return at >= 0 and f"{line.left}{line.node}{line.right}"[at : at + len(word)] == word


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the text of a line, and the labels of the token that it is, if it is one."""

    text: str
    labels: tuple[str, ...] = ()


def pieces_of(line: Line) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Divide the left context, the hit and the right context of a line at its labelled tokens."""
    bounds = np.cumsum([0, len(line.left), len(line.node), len(line.right)]).tolist()
    parts = zip((line.left, line.node, line.right), bounds[:-1], bounds[1:], strict=True)
    left, node, right = (_pieces(line, text, begin, end) for text, begin, end in parts)
    return left, node, right


def _pieces(line: Line, text: str, begin: int, end: int) -> list[Piece]:
    """Divide a part of a line, which is from `begin` to `end` of its text."""
    marked: dict[tuple[int, int], tuple[str, ...]] = {}
    for name, label in line.labels.items():
        if label.at is not None and begin <= label.at < end:
            place = label.at - begin, label.at - begin + len(label.word)
            marked[place] = (*marked.get(place, ()), name)
    found, at = [], 0
    for (first, last), names in sorted(marked.items()):
        if first > at:
            found.append(Piece(text[at:first]))
        found.append(Piece(text[first:last], names))
        at = last
    return [*found, Piece(text[at:])] if at < len(text) or not found else found


def with_labels_written(line: Line) -> Line:
    """Write the labels of tokens before them, as in a query, for where nothing else can mark them: `1:mill 2:stone`."""
    if not line.labels:
        return line
    left, node, right = (
        "".join(f"{','.join(piece.labels)}:{piece.text}" if piece.labels else piece.text for piece in part)
        for part in pieces_of(line)
    )
    return replace(line, left=left, node=node, right=right, labels={})
