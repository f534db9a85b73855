"""The outline of a page: its kept text as headings, paragraphs, lists, quotations, tables and code.

`reading` makes it of a page and its document, `stored` of a document alone; `writer` makes Markdown of it, `described`
makes JSON. The page `<ol><li>Grind the <b>grain</b>.</ol>` has the outline

    [List("ordered", [Item(1, [Leaf("paragraph", [Span("Grind the "), Span("grain", strong), Span(".")], [0])])])]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

LeafKind = Literal["paragraph", "heading", "term", "code"]
ListKind = Literal["bullet", "ordered", "description"]
LINE_END = "\n"
"""The text of a span that is the end of a line."""


class Marks(NamedTuple):
    """How a piece of text is marked."""

    link: str = ""
    """The address that it links to; empty if it does not."""
    strike: bool = False
    strong: bool = False
    emphasis: bool = False
    code: bool = False

    def common(self, other: Marks) -> Marks:
        """Return the marks that both have: those of the white space between two pieces."""
        return Marks(
            self.link if self.link == other.link else "",
            self.strike and other.strike,
            self.strong and other.strong,
            self.emphasis and other.emphasis,
            self.code and other.code,
        )


PLAIN = Marks()
"""No marks."""


class Span(NamedTuple):
    """A piece of text with its marks: words with single spaces between them, a space, or `LINE_END`."""

    text: str
    marks: Marks = PLAIN


@dataclass(slots=True)
class Leaf:
    """Text without parts: a paragraph, a heading, a term of a description list, or code."""

    kind: LeafKind
    spans: list[Span]
    """Its text; code is one span with all its lines."""
    blocks: list[int]
    """The numbers of the blocks in the document that it is made of."""
    level: int = 0
    """Of a heading: 1 to 6."""
    language: str = ""
    """Of code, as the page names it."""

    @property
    def text(self) -> str:
        """The text without marks; line ends as the page shows them."""
        return "".join([span.text for span in self.spans])


@dataclass(slots=True)
class Item:
    """An item of a list."""

    number: int
    """Of an item of an ordered list, as the page shows it; else 0."""
    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class List:
    """A list; each term of a description list is an item, together with what follows it."""

    kind: ListKind
    items: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class Quote:
    """A quotation that is set off from the text."""

    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Cell:
    """A cell of a table, with all its text; an empty one has none."""

    leaves: list[Node] = field(default_factory=list)
    """Leaves only: in a cell, lists and quotations are not told apart."""
    is_header: bool = False
    columns: int = 1
    rows: int = 1
    """How many columns and rows it spans, as the page says."""


@dataclass(slots=True)
class Table:
    """A table of data, row by row; rows and columns without kept text are left out, and all rows are of one length."""

    rows: list[list[Cell]] = field(default_factory=list)


Node = Leaf | List | Quote | Table


def plain_spans(text: str) -> list[Span]:
    """Make spans of text without marks, with line ends between its lines."""
    spans: list[Span] = []
    for line in text.split("\n"):
        if words := " ".join(line.split()):
            if spans:
                spans.append(Span(LINE_END))
            spans.append(Span(words))
    return spans
