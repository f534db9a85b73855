"""Lines of a concordance: a hit, the text around it as it stood there, and where that is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.errors import UsageError
from gristmill.notebook import Value
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.index.index import Index
from gristmill.table import csv_text

VIEWS = ("kwic", "sentence")
_MAX_LINES_AT_ONCE = 500
"""Lines whose words are looked up together."""
_MAX_TOKENS_AT_ONCE = 500_000
"""Tokens that are looked up together, unless one line has more: hits can be whole documents."""
_CHARACTERS_PER_TOKEN = 4
"""Characters of a token and its space, at least, in most texts; where they are fewer, lines are made twice."""
_MAX_DOCUMENTS_ONE_BY_ONE = 16
"""Values of up to so many documents are looked up one by one, which is faster than to make an array of them."""
_MAX_SENTENCE_TOKENS = 1000
"""Tokens to each side that are shown of what the web takes for a sentence."""
_GAPS = ("", " ", "\n")
"""What may stand between two tokens: nothing, a space, the end of a block."""
_JOINER = "\u200d"
_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_DIRECTED = _RIGHT_TO_LEFT | {"L"}


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled token of a hit."""

    position: int
    """Its position in the index."""
    word: str
    at: int | None = None
    """Where it is in `left + node + right`, in characters; None if it is not shown."""


@dataclass(frozen=True, slots=True)
class AlignedText:
    """What a hit of a parallel corpus is aligned with: sentences in the other language."""

    text: str
    """Empty if there are none."""
    lang: str
    doc: str = ""
    """The id of their document."""
    url: str = ""
    score: float = 0.0
    """How sure the alignment is, from 0 to 1."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where a query in that language matches, in characters."""

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """The text in pieces, each with whether it is marked."""
        edges = [0, *(edge for mark in self.marks for edge in mark), len(self.text)]
        found = [(self.text[start:end], bool(place % 2)) for place, (start, end) in enumerate(pairwise(edges))]
        return [(text, marked) for text, marked in found if text]


@dataclass(frozen=True, slots=True)
class Line:
    """One hit: `left + node + right` is the text with its spaces; blocks are divided by a line end."""

    left: str
    node: str
    right: str
    doc: str
    """The document's id."""
    url: str
    host: str
    date: str
    block: int | None
    """Number of the block in its document, from 0, as `gristmill why` shows it; None if the index has none."""
    position: int
    """Position of the hit's first token in the index."""
    length: int = 1
    """Number of its tokens."""
    lang: str = ""
    title: str = ""
    """Title of the document; `lang` is its language."""
    labels: dict[str, Label] = field(default_factory=dict)
    """The labelled tokens of the hit, in the order of the query; those that it has."""
    aligned: AlignedText | None = None
    """What it is aligned with in the other language of a parallel corpus, if that was asked for."""

    @property
    def from_right(self) -> bool:
        """Whether it is read from the right, so that what comes before the hit is shown to its right.

        The letters of the hit decide, and those around it if it has none.
        """
        return is_right_to_left(self.node if _has_direction(self.node) else f"{self.left}{self.right}")

    def to_json(self) -> dict[str, Any]:
        """All fields, for programs; labels only if there are some."""
        record = asdict(self)
        if not self.labels:
            del record["labels"]
        if self.aligned is None:
            del record["aligned"]
        return record

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Line:
        """Make a line of what `to_json` gave."""
        labels = {name: Label(**label) for name, label in record.get("labels", {}).items()}
        aligned = record.get("aligned")
        if aligned is not None:
            aligned = AlignedText(**{**aligned, "marks": tuple(map(tuple, aligned["marks"]))})
        return cls(**{**record, "labels": labels, "aligned": aligned})


@dataclass(frozen=True, slots=True)
class Context:
    """How much text is shown to each side of a hit: characters, or tokens if these are given, or the sentence."""

    view: str = "kwic"
    characters: int = 40
    tokens: int | None = None

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise UsageError(f"there is no view {self.view!r} (there are: {', '.join(VIEWS)})")
        if self.characters < 0 or (self.tokens or 0) < 0:
            raise UsageError("the context must not be negative")

    @property
    def limit(self) -> int | None:
        """Characters to each side at most; None if there is no limit."""
        return self.characters if self.view == "kwic" and self.tokens is None else None

    def bounds(self, spans: Occurrences) -> tuple[Ids, Ids]:
        """Bounds of the context of each span, which stay within the document."""
        if self.view == "sentence":
            sentences = spans.index.structures["s"]
            first = sentences.starts[sentences.number_at(spans.starts)].astype(np.int64)
            last = sentences.ends[sentences.number_at(spans.ends - 1)].astype(np.int64)
            return np.maximum(first, spans.starts - _MAX_SENTENCE_TOKENS), np.minimum(
                last, spans.ends + _MAX_SENTENCE_TOKENS
            )
        tokens = self.characters if self.tokens is None else self.tokens
        return np.maximum(spans.first, spans.starts - tokens), np.minimum(spans.last, spans.ends + tokens)


def make_lines(spans: Occurrences, context: Context) -> Iterator[Line]:
    """Make the lines of spans, in their order; some hundred at a time are looked up."""
    start = 0
    while start < len(spans):
        some = spans.take(slice(start, start + _MAX_LINES_AT_ONCE))
        first, last = context.bounds(some)
        fitting = max(int(np.searchsorted(np.cumsum(last - first), _MAX_TOKENS_AT_ONCE, side="right")), 1)
        yield from _lines(some if fitting == len(some) else some.take(slice(fitting)), context)
        start += fitting


_ALIGNED = "aligned"
LINE_FIELDS = tuple(one.name for one in fields(Line) if one.name != _ALIGNED)
"""Names of the columns of lines in a table."""
_ALIGNED_FIELDS = ("text", "doc", "url", "score")


def line_fields(*, aligned: bool) -> tuple[str, ...]:
    """Name the columns of lines in a table; with those of the other language, if it is beside them."""
    return (*LINE_FIELDS, _ALIGNED, *(f"{_ALIGNED}_{name}" for name in _ALIGNED_FIELDS[1:])) if aligned else LINE_FIELDS


def line_cells(line: Line) -> list[Value]:
    """Give the fields of a line as cells of a table; line ends become spaces, as many programs take each for a hit."""
    labels = " ".join(f"{name}={label.word}" for name, label in line.labels.items())
    values = [labels if name == "labels" else getattr(line, name) for name in LINE_FIELDS]
    if line.aligned is not None:
        values += [getattr(line.aligned, name) for name in _ALIGNED_FIELDS]
    return [value.replace("\n", " ") if isinstance(value, str) else value for value in values]


def lines_csv(lines: Sequence[Line]) -> str:
    """Write lines as comma-separated values."""
    aligned = any(line.aligned is not None for line in lines)
    return csv_text(line_fields(aligned=aligned), map(line_cells, lines))


def _lines(spans: Occurrences, context: Context) -> Iterator[Line]:
    ids, urls, hosts, dates, langs, titles = _of_documents(spans, ("id", "url", "host", "date", "lang", "title"))
    places = zip(
        ids,
        urls,
        hosts,
        dates,
        _blocks(spans),
        spans.starts.tolist(),
        spans.lengths.tolist(),
        langs,
        titles,
        strict=True,
    )
    for (left, node, right), place in zip(_texts(spans, context), places, strict=True):
        yield Line(left, node, right, *place)


def _texts(spans: Occurrences, context: Context) -> list[tuple[str, str, str]]:
    """Text to the left of each span, the span, and text to the right, with the spaces that were there.

    Forty characters could be forty tokens, but seldom are: some tokens are looked up, and all only for the lines that
    these do not fill.
    """
    first, last = context.bounds(spans)
    if context.limit is None:
        return [text for text, _ in _texts_between(spans, first, last, None)]
    near = context.limit // _CHARACTERS_PER_TOKEN + 1
    low, high = np.maximum(first, spans.starts - near), np.minimum(last, spans.ends + near)
    found = _texts_between(spans, low, high, context.limit)
    filled = np.array([sides for _, sides in found], np.bool_).reshape(-1, 2)
    missing = np.flatnonzero(((low > first) & ~filled[:, 0]) | ((high < last) & ~filled[:, 1]))
    again = _texts_between(spans.take(missing), first[missing], last[missing], context.limit) if len(missing) else []
    for place, text in zip(missing.tolist(), again, strict=True):
        found[place] = text
    return [text for text, _ in found]


_Text = tuple[tuple[str, str, str], tuple[bool, bool]]
"""Text to the left of a span, the span, and text to the right; and whether each side is as long as it may be."""


def _texts_between(spans: Occurrences, first: Ids, last: Ids, limit: int | None) -> list[_Text]:
    """Text around each span, not beyond the bounds, and of `limit` characters on each side at most.

    The words of all contexts stand in one list (a ragged array); `begins` says where those of each span start:

        contexts (3, 8) and (20, 22): places [3, 4, 5, 6, 7, 20, 21], lengths [5, 2]
        begins [0, 5]: prefix sums of the lengths, less the lengths
        The span (5, 6) of the first context is words[0 + 5 - 3 : 0 + 6 - 3] = words[2:3].
    """
    index = spans.index
    places = concatenated_ranges(first, last - first)
    words = index.attributes["word"].lexicon.strings(index.attributes["word"].ids[places])
    gaps = gaps_before(index, places)
    begins = np.cumsum(last - first) - (last - first)
    found: list[_Text] = []
    for begin, *lengths in zip(
        begins.tolist(), *((bound - first).tolist() for bound in (spans.starts, spans.ends, last)), strict=True
    ):
        start, end, stop = (begin + length for length in lengths)
        left, left_filled = _fitting_left(
            list(map(str.__add__, words[begin:start], gaps[begin + 1 : start + 1])), limit
        )
        right, right_filled = _fitting_right(list(map(str.__add__, gaps[end:stop], words[end:stop])), limit)
        node = words[start] + "".join(map(str.__add__, gaps[start + 1 : end], words[start + 1 : end]))
        found.append(((left, node, right), (left_filled, right_filled)))
    return found


def gaps_before(index: Index, places: Ids) -> list[str]:
    """What stands before each of these tokens: nothing, a space, or the end of a block."""
    paragraphs = index.structures["p"]
    begins = paragraphs.starts[paragraphs.number_at(places)] == places
    kinds = np.where(begins, 2, ~index.is_glued(places))
    return [_GAPS[kind] for kind in kinds.tolist()]


def _of_documents(spans: Occurrences, names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Some attributes of each span's document, empty where an index has none.

    The lines of a page are often of a few documents, so each is looked up once.
    """
    numbers = spans.documents.tolist()
    documents = list(dict.fromkeys(numbers))
    for name in names:
        attribute = spans.index.structures["doc"].attributes.get(name)
        if attribute is None:
            yield [""] * len(numbers)
        elif len(documents) <= _MAX_DOCUMENTS_ONE_BY_ONE:
            found = {number: attribute.lexicon[int(attribute.ids[number])] for number in documents}
            yield [found[number] for number in numbers]
        else:
            yield attribute.values(spans.documents)


def _blocks(spans: Occurrences) -> list[int | None]:
    """Numbers of the spans' paragraphs in their documents, if the index has them."""
    paragraphs = spans.index.structures["p"]
    numbers = paragraphs.attributes.get("number")
    return (
        [int(value) for value in numbers.values(paragraphs.number_at(spans.starts))] if numbers else [None] * len(spans)
    )


def _fitting_right(pieces: list[str], limit: int | None) -> tuple[str, bool]:
    """Pieces after a hit that fit into `limit` characters, and whether there are some that do not.

    If the first that does not fit is so long that much would be left empty, its beginning comes too.
    """
    fitting, room = _count_fitting(pieces, limit)
    if fitting == len(pieces):
        return "".join(pieces), False
    rest = cut_end(pieces[fitting], room) if limit is not None and room * 2 >= limit else ""
    return "".join(pieces[:fitting]) + rest, True


def _fitting_left(pieces: list[str], limit: int | None) -> tuple[str, bool]:
    """Pieces before a hit that fit into `limit` characters, counted from the last one, and whether some do not.

    If the first that does not fit is so long that much would be left empty, its end comes too.
    """
    fitting, room = _count_fitting(pieces[::-1], limit)
    if fitting == len(pieces):
        return "".join(pieces), False
    first = len(pieces) - fitting
    rest = cut_start(pieces[first - 1], room) if limit is not None and room * 2 >= limit else ""
    return rest + "".join(pieces[first:]), True


def _count_fitting(pieces: Sequence[str], room: int | None) -> tuple[int, int]:
    """Number of pieces that fit into so many characters, and the number of characters that are left."""
    if room is None:
        return len(pieces), 0
    for number, piece in enumerate(pieces):
        if len(piece) > room:
            return number, room
        room -= len(piece)
    return len(pieces), room


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text are of a script that is read from the right."""
    kinds = [unicodedata.bidirectional(character) for character in text]
    return sum(kind in _RIGHT_TO_LEFT for kind in kinds) > kinds.count("L")


def _has_direction(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in _DIRECTED for character in text)


def cut_end(text: str, length: int) -> str:
    """Cut the end of a text off; no letter loses its accents, nor a joined character a part."""
    while 0 < length < len(text) and (_goes_on(text[length]) or text[length - 1] == _JOINER):
        length -= 1
    return text[:length]


def cut_start(text: str, length: int) -> str:
    """Cut the beginning of a text off; no letter loses its accents, nor a joined character a part."""
    start = max(len(text) - length, 0)
    while 0 < start < len(text) and (_goes_on(text[start]) or text[start - 1] == _JOINER):
        start += 1
    return text[start:]


def _goes_on(character: str) -> bool:
    """Whether a character is part of the one before it."""
    return character == _JOINER or unicodedata.category(character).startswith("M")
