"""How much of the form of a page is left in its Markdown, next to trafilatura: headings, items, cells, code, emphasis.

Both outputs are rendered by markdown-it to HTML, and compared with the source, as far as its text is in that output:
what a tool does not take for text is not held against it here. Headings, items, cells and preformatted text are
compared as a whole, by their text without white space; emphasis, code within lines and links word by word.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin

import lxml.etree
import lxml.html
import pyarrow.parquet as pq
import trafilatura
from harness import at_least_one, command_line, find_gold_sets, print_table, spread, tell
from markdown_it import MarkdownIt

import gristmill

_SETS = {"wcxb-a": ("documentation", "article"), "andy-a": ("",)}
"""The sets, and of each the kinds of pages that are looked at; an empty one stands for all."""
_KINDS = ("heading", "item", "cell", "code", "strong", "emphasis", "code in lines", "link")
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
_LISTS = frozenset("ul ol dl menu".split())
_CELLS = frozenset({"td", "th"})
_MARKS = {
    "strong": frozenset({"b", "strong"}),
    "emphasis": frozenset("em i cite dfn var".split()),
    "code in lines": frozenset("code kbd samp tt".split()),
}
_HIDDEN = frozenset("script style template noscript iframe svg head textarea button select object video audio".split())
_ITEMS = frozenset({"li", "dt", "dd"})
_BLOCKS = _LISTS | _ITEMS | _HEADINGS | frozenset("p pre div blockquote table".split())
_KEY = 80  # characters of an item that are compared
_CONTEXT = 40  # characters before or behind a thing, by which it is found again
_NOTHING = dict.fromkeys(map(ord, "\xad\u200b\ufeff*_`|~\\"))
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_LONG = 40  # characters of a line
_SIGNS = ("**", "](", "| ---", "```")


@dataclass(frozen=True, slots=True)
class Case:
    """A page to be written as Markdown."""

    kind: str
    html: bytes
    url: str


class Thing(NamedTuple):
    """A heading, an item, a marked word and so on."""

    kind: str
    key: tuple[str, str]
    """By which it is compared: its text, and the level of a heading or the address of a link."""
    start: int
    end: int
    """Where it is in the text without white space."""


@dataclass(slots=True)
class Form:
    """What is in a page, or in rendered Markdown."""

    text: str
    """All text without white space and signs of Markdown."""
    things: list[Thing]

    def count(self, kind: str, within: str | None = None) -> Counter[tuple[str, str]]:
        """Count the things of a kind, all or those that are in another text, with what is before or behind them."""
        return Counter(
            thing.key for thing in self.things if thing.kind == kind and (within is None or self._is_in(thing, within))
        )

    def _is_in(self, thing: Thing, text: str) -> bool:
        before, behind = max(0, thing.start - _CONTEXT), thing.end + _CONTEXT
        return self.text[before : thing.end] in text or self.text[thing.start : behind] in text


@dataclass(slots=True)
class Counts:
    """For one kind of things: how many the source has in the text that is kept, and how many of these come back."""

    wanted: int = 0
    written: int = 0
    right: int = 0

    @property
    def recall(self) -> float:
        """Share of what the source has that comes back."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Share of what comes back that the source has."""
        return self.right / self.written if self.written else 1.0


@dataclass(slots=True)
class Result:
    """How one tool did on the pages of one kind."""

    counts: dict[str, Counts] = field(default_factory=lambda: {kind: Counts() for kind in _KINDS})
    seconds: float = 0.0
    pages: int = 0
    left_over: int = 0
    """Pages on which signs of Markdown are left in the rendered text, though the source does not have them."""
    doubled: int = 0
    """Pages on which a text of forty characters or more is there more often than in the source."""


def with_gristmill(case: Case) -> str:
    """Clean a page and write it as Markdown."""
    return gristmill.markdown(case.html, url=case.url or None)


def with_trafilatura(case: Case) -> str:
    """Do the same with trafilatura, with all that it can keep."""
    return (
        trafilatura.extract(
            case.html,
            url=case.url or None,
            output_format="markdown",
            include_comments=False,
            include_formatting=True,
            include_links=True,
            include_tables=True,
        )
        or ""
    )


TOOLS: dict[str, Callable[[Case], str]] = {"gristmill": with_gristmill, "trafilatura": with_trafilatura}


def read_cases(folder: Path, limit: int) -> Iterator[Case]:
    """Read pages of each kind, from all over their set."""
    for path in find_gold_sets(folder, list(_SETS)):
        table = pq.read_table(path)
        rows = table.select([name for name in ("html", "url", "split") if name in table.column_names]).to_pylist()
        for kind in _SETS[path.stem]:
            chosen = [row for row in rows if not kind or row.get("split") == kind]
            for place in spread(range(len(chosen)), limit):
                row = chosen[place]
                yield Case(f"{path.stem} {kind}".strip(), row["html"], row.get("url") or "")


def form_of(html: str, url: str) -> Form:
    """Read what is in HTML."""
    try:
        tree = lxml.html.document_fromstring(html)
    except (lxml.etree.ParserError, ValueError):
        return Form("", [])
    for element in list(tree.iter(*_HIDDEN)):
        element.drop_tree()
    base = next((urljoin(url, element.get("href", "")) for element in tree.iter("base")), url)
    return _Reader(base).read(tree)


class _Reader:
    """Reads a tree from its beginning to its end, and counts characters."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.parts: list[str] = []
        self.size = 0
        self.things: list[Thing] = []
        self.starts: list[int] = []
        self.around: list[lxml.html.HtmlElement] = []
        self.own_ends: dict[lxml.html.HtmlElement, int] = {}
        self.last: dict[str, Thing] = {}
        self.is_glued = False

    def read(self, tree: lxml.html.HtmlElement) -> Form:
        """Read all of it."""
        for event, element in lxml.etree.iterwalk(tree, events=("start", "end")):
            if event == "start":
                self.end_items(element)
                self.starts.append(self.size)
                self.around.append(element)
                self.add(element.text)
            else:
                self.around.pop()
                start = self.starts.pop()
                self.end_items(element)
                self.end(element, start)
                self.add(element.tail)
        text = "".join(self.parts)
        named = [thing._replace(key=(text[thing.start : thing.end], thing.key[1])) for thing in self.things]
        return Form(text, named)

    def end_items(self, element: lxml.html.HtmlElement) -> None:
        """End the first texts of items, by which they are compared, where a block begins or ends."""
        if element.tag in _BLOCKS:
            self.is_glued = False
            for item, start in zip(self.around, self.starts, strict=True):
                if item.tag in _ITEMS and start < self.size:
                    self.own_ends.setdefault(item, self.size)

    def add(self, text: str | None) -> None:
        """Add text, and what its words are; a word that goes on in other tags with the same mark is one word."""
        if not text or not self.around:
            return
        glued = self.is_glued and not text[0].isspace()
        self.is_glued = not text[-1].isspace()
        names = {item.tag for item in self.around}
        marks = [kind for kind, tags in _MARKS.items() if names & tags and not names & (_HEADINGS | {"pre"})]
        link = next((item.get("href") for item in self.around[::-1] if item.tag == "a" and item.get("href")), None)
        if link and "pre" not in names and not link.strip().lower().startswith(("javascript:", "data:")):
            marks.append("link")
        for word in text.split():
            written = squeezed(word)
            for mark in marks if written else ():
                goal = _address(link, self.base) if mark == "link" and link else ""
                last = self.last.get(mark)
                begin = last.start if glued and last and last.end == self.size and last.key[1] == goal else self.size
                if last and begin < self.size:
                    self.things.remove(last)
                self.last[mark] = Thing(mark, ("", goal), begin, self.size + len(written))
                self.things.append(self.last[mark])
            self.parts.append(written)
            self.size += len(written)
            glued = False

    def end(self, element: lxml.html.HtmlElement, start: int) -> None:
        """Note what an element is, at its end."""
        if self.size == start or not isinstance(element.tag, str):
            return
        if element.tag in _HEADINGS:
            self.things.append(Thing("heading", ("", element.tag), start, self.size))
        elif element.tag in _ITEMS:
            end = min(self.own_ends.get(element, self.size), start + _KEY)
            self.things.append(Thing("description" if element.tag == "dd" else "item", ("", ""), start, end))
        elif element.tag in _CELLS and _is_in_data_table(element):
            self.things.append(Thing("cell", ("", ""), start, self.size))
        elif element.tag == "pre":
            self.things.append(Thing("code", ("", ""), start, self.size))


def _is_in_data_table(cell: lxml.html.HtmlElement) -> bool:
    table = next(cell.iterancestors("table"), None)
    if table is None or next(table.iterdescendants("table"), None) is not None:
        return False
    if any("\n" in element.text_content().strip() for element in table.iterdescendants("pre")):
        return False  # a listing with the numbers of its lines
    return any(len([child for child in row if child.tag in _CELLS]) > 1 for row in table.iter("tr"))


def _address(link: str, base: str) -> str:
    """Return an address in a form in which equal ones are equal: absolute, and without percent signs."""
    try:
        return unquote(urljoin(base, " ".join(link.split()))).rstrip("/")
    except ValueError:
        return link


def squeezed(text: str) -> str:
    """Return a text without white space, invisible characters, and signs that Markdown has."""
    return "".join(text.split()).translate(_NOTHING)


def compare(source: Form, written: Form, result: Result) -> None:
    """Count what comes back."""
    for kind in _KINDS:
        wanted, has = source.count(kind, written.text), written.count(kind)
        counts = result.counts[kind]
        counts.wanted += wanted.total()
        counts.right += (wanted & has).total()
        # What is elsewhere in the source, in other surroundings, is neither right nor wrong; nor is a description
        # whose term was not kept.
        known = source.count(kind) + (source.count("description") if kind == "item" else Counter())
        counts.written += (wanted & has).total() + (has - known).total()
    result.pages += 1


def has_signs_left(source: str, rendered: str) -> bool:
    """Tell whether signs of Markdown are shown to a reader, outside of code, though the source does not have them."""
    tree = lxml.html.document_fromstring(rendered)
    for element in list(tree.iter("pre", "code")):
        element.drop_tree()
    text = tree.text_content()
    return any(text.count(sign) > source.count(sign) for sign in _SIGNS)


def doubled(source: Form, markdown: str) -> bool:
    """Tell whether a paragraph is written more often than the source has it."""
    lines = Counter(squeezed(line).lstrip("->#") for line in markdown.splitlines() if len(line) >= _LONG)
    return any(number > source.text.count(line) > 0 for line, number in lines.items())


def main() -> None:
    """Measure, and print a table for each kind of pages."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--limit", type=at_least_one, default=40, help="pages of each kind (default: 40)")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    results: dict[str, dict[str, Result]] = {}
    for case in read_cases(options.gold, options.limit):
        text = gristmill.decode(case.html).text
        source = form_of(text, case.url)
        for name, write in TOOLS.items():
            result = results.setdefault(case.kind, {}).setdefault(name, Result())
            begun = time.process_time()
            markdown = write(case)
            result.seconds += time.process_time() - begun
            rendered = str(_PARSER.render(markdown)) or "<p></p>"
            compare(source, form_of(rendered, case.url), result)
            result.left_over += has_signs_left(text, rendered)
            result.doubled += doubled(source, markdown)
        tell(f"{case.kind}: {result.pages}")
    if options.json:
        print(json.dumps({kind: {name: asdict(one) for name, one in by.items()} for kind, by in results.items()}))
        return
    for kind, by_tool in results.items():
        print(f"\n{kind}, {next(iter(by_tool.values())).pages} pages")
        rows = [
            [name, *(_cell(one.counts[item]) for item in _KINDS), *map(str, (one.left_over, one.doubled)), _time(one)]
            for name, one in by_tool.items()
        ]
        print_table(["", *_KINDS, "signs left over", "doubled", "ms/page"], rows)


def _cell(counts: Counts) -> str:
    """Share of what the source has that comes back, share of what is written that the source has, and how many."""
    return f"{counts.recall:.3f} {counts.precision:.3f} ({counts.wanted})" if counts.wanted else "-"


def _time(result: Result) -> str:
    return f"{1000 * result.seconds / result.pages:.1f}"


if __name__ == "__main__":
    main()
