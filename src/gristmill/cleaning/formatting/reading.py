"""Read the outline of a page: of its markup, and of the document that cleaning made of it.

The page is cut into blocks again, as it was when it was cleaned, but here with the tags within and around the blocks.
Then all goes once through the kept text, in order. The text itself is that of the document: where pieces of the page
do not add up to it, the text of the document counts, without marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.formatting.escaping import address, usable_base
from gristmill.cleaning.formatting.layout import Layout, Placed
from gristmill.cleaning.formatting.outline import LINE_END, Leaf, Marks, Node, Span, plain_spans
from gristmill.cleaning.formatting.tree import Tree
from gristmill.cleaning.methods.chosen import is_known, method_named
from gristmill.cleaning.preformatted import as_written
from gristmill.cleaning.segmented import Segmentation
from gristmill.columns import Columns, Int32
from gristmill.document import Document
from gristmill.errors import UsageError
from gristmill.kernel import cut, find_pieces, follow, hide, resolve, to_characters, tokenise, written_between
from gristmill.kernel.elements import CODES
from gristmill.kernel.rows import (
    CLASS_END,
    CLASS_START,
    CLOSED,
    CLOSING,
    CODE,
    END,
    FIRST_PIECE,
    FROM,
    HOLDER,
    IS_RAW,
    PIECE_END,
    PIECE_START,
    PREFORMATTED_BLOCK,
    SEPARATOR,
    START,
    TAG_BEFORE,
    TAG_BEHIND,
    TAGS_BEFORE,
    UP_TO,
)
from gristmill.kernel.rows import LINE_END as NEW_LINE
from gristmill.kernel.rules import RULES
from gristmill.text.composition import clean_text

_MARKS = {  # in the order of the fields of `Marks`
    "strike": ("del", "s", "strike"),
    "strong": ("b", "strong"),
    "emphasis": ("em", "i", "cite", "dfn", "var"),
    "code": ("code", "kbd", "samp", "tt"),
}
_MARK_OF = {CODES[name]: mark for mark, names in _MARKS.items() for name in names}
_A, _BASE = CODES["a"], CODES["base"]
_MAX_BLOCKS_OF_LINK = 100  # that a link is repeated for; without limit, time and space would be quadratic
_LANGUAGE = re.compile(r"(?:^|[\s{])(?:language|lang|highlight-source|highlight|brush)[-:]\s?([A-Za-z0-9+#._-]{1,30})")
_NO_LANGUAGE = frozenset("none default text plain plaintext nohighlight notranslate code source auto".split())
_AROUND_CODE = 3  # elements around code that may name its language


def read(source: bytes, document: Document, kept: list[int], base: str) -> list[Node]:
    """Return the outline of the kept blocks of a document, given its page in UTF-8 and the address of the page."""
    return _Reader(source, document, kept, base).outline()


@dataclass(slots=True)
class _Text:
    """The kept part of a block."""

    block: int
    """Its number among the blocks that the page is cut into here."""
    pieces: list[int]
    numbers: list[int]
    """The blocks of the document that its pieces belong to; mostly one."""


@dataclass(slots=True)
class _Link:
    """A link that is open."""

    tag: int
    blocks: int = 0
    """How many blocks it was written for."""
    last_block: int = -1
    href: str | None = None


@dataclass(slots=True)
class _Open:
    """The inline elements that are open, by their marks: for each the tag that ends the block element around it."""

    marks: dict[str, list[int]] = field(default_factory=lambda: {mark: [] for mark in _MARKS})
    link: _Link | None = None
    link_ends: int = 0


class _Reader:
    """A page and its document."""

    def __init__(self, source: bytes, document: Document, kept: list[int], base: str) -> None:
        self.data, self.columns = source, document.as_columns()
        self.tags = tokenise(source)
        self.rules = RULES["block"]
        self.elements, self.tops = follow(self.tags, self.rules)
        own, numbers = self._cut_as(document.method)
        self.texts = self._find_texts(numbers, own, kept)
        self.base = self._find_base(base)
        self.addresses: dict[bytes, str] = {}

    def _cut_as(self, method: str) -> tuple[Int32, list[int]]:
        """Cut the page into the blocks of the document, and number them.

        A method may have cut pages in another way when the document was made, so that the other ways are tried, too.
        """
        for segmentation in dict.fromkeys((_segmentation(method), *RULES)):
            own = self._cut(segmentation)
            numbers = _numbers(own, self.columns)
            if numbers is not None:
                return own, numbers
        raise UsageError("the document does not belong to this page: pass what clean made of the same page")

    def _cut(self, segmentation: str) -> Int32:
        """Cut the page in one way, and return the places of its blocks in characters."""
        data, tags = self.data, self.tags
        self.is_same = segmentation == "block"
        if self.is_same:
            self.hidden = hide(data, tags, self.rules, self.elements, self.tops)
            self.pieces = find_pieces(data, tags, self.rules, self.hidden)
            self.blocks = cut(data, tags, self.rules, self.elements, self.tops, self.pieces)
            own = self.blocks.copy()
        else:
            rules = RULES[segmentation]
            elements, tops = follow(tags, rules)
            self.hidden = hide(data, tags, rules, elements, tops)
            self.pieces = find_pieces(data, tags, rules, self.hidden)
            own = cut(data, tags, rules, elements, tops, self.pieces.copy())
            self.blocks = cut(data, tags, self.rules, self.elements, self.tops, self.pieces)
        if not data.isascii():
            to_characters(data, own)
        return own

    def outline(self) -> list[Node]:
        """Make the outline."""
        holders = self.blocks[HOLDER].tolist()
        is_written = self.blocks[PREFORMATTED_BLOCK].tolist()
        texts = self.columns.text
        placed = []
        for text in self.texts:
            written = [texts[number] for number in text.numbers]
            is_code = bool(is_written[text.block]) and any("\n" in part for part in written)
            placed.append(Placed(holders[text.block], sum(map(len, written)), is_code))
        layout = Layout(self.data, self.tags, self.elements, placed)
        tree = Tree(layout)
        for text, spans in zip(self.texts, self._spans(is_written), strict=True):
            holder = holders[text.block]
            heading = layout.heading[holder]
            if is_written[text.block]:
                language = self._language(layout, text, holder)
                tree.add(Leaf("code", spans, text.numbers, language=language), holder, layout.preformatted[holder])
            elif heading:
                level = int(layout.names[heading][1])
                tree.add(Leaf("heading", spans, text.numbers, level), holder, heading)
            else:
                tree.add(Leaf("paragraph", spans, text.numbers), holder)
        return tree.finish()

    def _find_texts(self, numbers: list[int], own: Int32, kept: list[int]) -> list[_Text]:
        """Find the kept pieces of each block; `numbers` are those in the document of the document's own blocks."""
        number_of = np.full(self.pieces.shape[1], -1, np.int64)
        is_kept = np.zeros(len(self.columns) + 1, np.bool_)
        is_kept[kept] = True
        first = [*own[FIRST_PIECE].tolist(), self.pieces.shape[1]]
        for block, number in enumerate(numbers):
            if is_kept[number]:  # the last one, -1, is no block and never kept
                number_of[first[block] : first[block + 1]] = number
        found: list[_Text] = []
        starts = self.blocks[FIRST_PIECE]
        kept_pieces = np.flatnonzero(number_of >= 0)
        block_of = starts.searchsorted(kept_pieces, "right") - 1
        for piece, block in zip(kept_pieces.tolist(), block_of.tolist(), strict=True):
            if not found or found[-1].block != block:
                found.append(_Text(block, [], []))
            found[-1].pieces.append(piece)
            number = int(number_of[piece])
            if not found[-1].numbers or found[-1].numbers[-1] != number:
                found[-1].numbers.append(number)
        return found

    def _find_base(self, base: str) -> str:
        """Return the address that links are relative to: that of `<base>`, or that of the page."""
        tags = np.flatnonzero(self.tags[CODE] == _BASE)[:1].tolist()
        base = usable_base(base)
        for tag in tags:
            start, end = self.tags[[START, END], tag].tolist()
            given = address(_value(attributes(self.data[start:end]).get(b"href", b"")), base)
            return usable_base(given) or base
        return base

    def _spans(self, is_written: list[int]) -> Iterator[list[Span]]:
        """Make the spans of all kept texts, in order."""
        rows = self.pieces[[PIECE_START, PIECE_END, SEPARATOR, IS_RAW, TAGS_BEFORE]]
        marking = _Marking(self)
        for text in self.texts:
            if is_written[text.block]:
                yield [Span(self._code(text))]
                continue
            parts = []
            previous = text.pieces[0] - 1
            for piece in text.pieces:
                begin, end, separator, is_raw, before = rows[:, piece].tolist()
                raw = self.data[begin:end]
                written = (raw if is_raw else resolve(raw)).decode("utf-8", "replace")
                if piece != previous + 1 and not separator:
                    separator = 1  # what stood between them was left out
                previous = piece
                parts.append((separator, written, marking.at(before, text.block)))
            yield self._checked(_joined(parts), text.numbers)

    def _checked(self, spans: list[Span], numbers: list[int]) -> list[Span]:
        """Return spans if they are the text of these blocks of the document, and else its text without marks."""
        found = "".join([span.text for span in spans])
        if self.is_same:
            is_same = found.replace(LINE_END, " ") == self.columns.folded[numbers[0]]
        else:
            is_same = "".join(found.split()) == "".join("".join([self.columns.folded[n] for n in numbers]).split())
        return spans if is_same else plain_spans("\n".join([self.columns.text[number] for number in numbers]))

    def _code(self, text: _Text) -> str:
        """Return the text of preformatted blocks, with its lines."""
        if self.is_same:
            return self.columns.text[text.numbers[0]]
        first, last = self.blocks[[TAG_BEFORE, TAG_BEHIND], text.block].tolist()
        written = written_between(self.data, self.tags, self.rules, self.hidden, first, last).decode("utf-8", "replace")
        wanted = [self.columns.text[number] for number in text.numbers]
        whole = as_written(written, unusual=True)
        is_whole = "".join(whole.split()) == "".join("".join(wanted).split())
        return whole if is_whole else "\n".join(wanted)

    def _language(self, layout: Layout, text: _Text, holder: int) -> str:
        """Return the language that code is in, as classes say: `language-python` and the like."""
        tags: list[int] = []
        element = layout.preformatted[holder]
        for _ in range(_AROUND_CODE):
            if element:
                tags.append(layout.opened[element])
                element = layout.parents[element]
        first = int(self.pieces[TAGS_BEFORE, text.pieces[0]])
        inside = range(max(first - _AROUND_CODE, tags[0] + 1), first) if tags else range(0)
        for tag in [*inside, *tags]:
            begin, end = self.tags[[CLASS_START, CLASS_END], tag].tolist()
            match = _LANGUAGE.search(self.data[begin:end].decode("utf-8", "replace"))
            if match and match[1].lower() not in _NO_LANGUAGE:
                return match[1]
        return ""

    def address_of(self, tag: int) -> str:
        """Return the address that a link goes to; equal ones are read once."""
        start, end = self.tags[[START, END], tag].tolist()
        href = attributes(self.data[start:end]).get(b"href", b"")
        found = self.addresses.get(href)
        if found is None:
            found = self.addresses[href] = address(_value(href), self.base)
        return found


class _Marking:
    """The inline elements that are open, tag by tag: one pass over the tags of a page."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        codes = reader.tags[CODE]
        is_mark = np.zeros(len(CODES) + 2, np.bool_)
        is_mark[[_A, *_MARK_OF]] = True
        found = np.flatnonzero(is_mark[codes])
        self.tags: list[int] = found.tolist()
        self.codes: list[int] = codes[found].tolist()
        self.closing: list[int] = reader.tags[CLOSING, found].tolist()
        self.ends: list[int] = reader.elements[CLOSED, reader.tops[found]].tolist()
        self.next = 0
        self.open = _Open()

    def at(self, before: int, block: int) -> Marks:
        """Return the marks of the text that has so many tags before it; it must be asked for in order."""
        while self.next < len(self.tags) and self.tags[self.next] < before:
            self._step(self.next)
            self.next += 1
        opened = self.open.marks
        for ends in opened.values():
            while ends and ends[-1] < before:
                ends.pop()
        marks = Marks("", *(bool(opened[mark]) for mark in _MARKS))
        link = self.open.link
        if link and self.open.link_ends < before:
            self.open.link = link = None
        if link:
            if block != link.last_block:
                link.last_block, link.blocks = block, link.blocks + 1
            if link.href is None:
                link.href = self.reader.address_of(link.tag)
            if link.href and link.blocks <= _MAX_BLOCKS_OF_LINK:
                return marks._replace(link=link.href)
        return marks

    def _step(self, place: int) -> None:
        """Open or close an element."""
        tag, code, ends = self.tags[place], self.codes[place], self.ends[place]
        if code == _A:
            self.open.link = None if self.closing[place] else _Link(tag)
            self.open.link_ends = ends
            return
        opened = self.open.marks[_MARK_OF[code]]
        if not self.closing[place]:
            opened.append(ends)
        elif opened:
            opened.pop()


def _segmentation(method: str) -> Segmentation:
    """Return how pages are cut for a method; one that is not known here cuts as most do."""
    return method_named(method).segmentation if is_known(method) else "block"


def _numbers(own: Int32, columns: Columns) -> list[int] | None:
    """Return for each block that was cut its number in the document; -1 if it has no text and is not there.

    If the blocks of the document were not cut so, return None.
    """
    places = list(zip(columns.start.tolist(), columns.end.tolist(), strict=True))
    numbers: list[int] = []
    following = 0
    for place in zip(own[FROM].tolist(), own[UP_TO].tolist(), strict=True):
        is_there = following < len(places) and places[following] == place
        numbers.append(following if is_there else -1)
        following += is_there
    return numbers if following == len(places) else None


def _joined(parts: list[tuple[int, str, Marks]]) -> list[Span]:
    """Make spans of pieces, each with what separates it from the one before; white space is folded."""
    spans: list[Span] = []
    gap = ""
    for separator, text, marks in parts:
        if separator == NEW_LINE:
            gap = LINE_END
        elif separator or text[0].isspace():
            gap = gap or " "
        words = clean_text(text)
        if words:
            if gap and spans:
                spans.append(Span(gap, marks.common(spans[-1].marks)))
            spans.append(Span(words, marks))
            gap = ""
        if text[-1].isspace():
            gap = gap or " "
    return spans


def _value(value: bytes) -> str:
    return resolve(value, True).decode("utf-8", "replace")
