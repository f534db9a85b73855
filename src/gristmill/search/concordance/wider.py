"""Wider context: the text around a hit, block by block, for who wants to read on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill.errors import UsageError
from gristmill.search.concordance.lines import gaps_before, is_right_to_left
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index

TOKENS = 150
"""Tokens to each side."""
MAX_TOKENS = 2_000
_MAX_HIT_TOKENS = 10_000


@dataclass(frozen=True, slots=True)
class WideBlock:
    """A block, or what is shown of it: the text before the hit, of the hit, and after it; parts may be empty."""

    number: int | None
    """Its number in the document, as the page inspector has it; None if the index does not say."""
    before: str
    hit: str
    after: str


@dataclass(frozen=True, slots=True)
class Wider:
    """The text around a hit, and the document that it is of."""

    doc: str
    url: str
    title: str
    host: str
    date: str
    lang: str
    from_right: bool
    position: int
    length: int
    blocks: list[WideBlock]
    more_before: bool
    """Whether the document has more text before what is shown, and after it."""
    more_after: bool

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


def wider_context(index: Index, position: int, length: int = 1, tokens: int = TOKENS) -> Wider:
    """Show so many tokens to each side of a hit, which begins at a position and has some tokens."""
    if not 0 <= position < index.size or not 1 <= length <= _MAX_HIT_TOKENS:
        raise UsageError(f"there is no hit at the position {position:,}: the corpus has {index.size:,} tokens")
    if not 0 <= tokens <= MAX_TOKENS:
        raise UsageError(f"at most {MAX_TOKENS:,} tokens can be shown to each side, not {tokens:,}")
    span = Occurrences(index, Hits(np.array([position]), np.array([position + length])))
    first, last = int(span.first[0]), int(span.last[0])
    end = min(position + length, last)
    start, stop = max(first, position - tokens), min(last, end + tokens)
    blocks = _blocks(index, start, position, end, stop)
    text = "".join(block.before + block.hit + block.after for block in blocks)
    about = {name: _of_document(span, name) for name in ("id", "url", "title", "host", "date", "lang")}
    return Wider(
        about.pop("id"),
        **about,
        from_right=is_right_to_left(text),
        position=position,
        length=end - position,
        blocks=blocks,
        more_before=start > first,
        more_after=stop < last,
    )


def _blocks(index: Index, start: int, hit: int, end: int, stop: int) -> list[WideBlock]:
    """Divide the text from `start` to before `stop` into blocks, and each into what is before, in and after the hit."""
    places = np.arange(start, stop)
    words = index.attributes["word"].lexicon.strings(index.attributes["word"].ids[places])
    gaps = gaps_before(index, places)
    paragraphs = index.structures["p"]
    numbers = paragraphs.number_at(places)
    edges = [*np.flatnonzero(np.diff(numbers, prepend=-1)).tolist(), len(places)]
    own = paragraphs.attributes.get("number")
    found = []
    for first, last in pairwise(edges):
        cuts = [min(max(place - start, first), last) for place in (hit, end)]
        before, inside, after = (
            "".join(map(str.__add__, ["", *gaps[begin + 1 : finish]], words[begin:finish]))
            for begin, finish in ((first, cuts[0]), (cuts[0], cuts[1]), (cuts[1], last))
        )
        if first < cuts[0] < last:
            before += gaps[cuts[0]]
        if cuts[0] < cuts[1] < last:
            after = gaps[cuts[1]] + after
        number = int(own.values(numbers[first : first + 1])[0]) if own else None
        found.append(WideBlock(number, before, inside, after))
    return found


def _of_document(span: Occurrences, name: str) -> str:
    attribute = span.index.structures["doc"].attributes.get(name)
    return attribute.values(span.documents)[0] if attribute else ""
