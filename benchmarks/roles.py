"""Measure roles: what annotators, or the pages themselves, call a block, and which role it is given.

Six tables, each with a row for what is known of a block and a column for each role, in blocks:

- L3S-GN1: its annotators' classes, by the words of a block.
- schema.org: of pages that mark their parts by `itemprop` and `itemtype`, all gold standards together. Roles are found
  without these attributes.
- CleanEval and CleanPortalEval: headings, paragraphs and list items of the gold text.
- Canola: text nodes that the annotators call good and bad.
- The gold text of each set: the blocks that are in it, and those that are not.
- The bundled sample: what its truth calls content, comment and boilerplate.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from harness import at_least_one, command_line, find_gold_sets, print_table, tell

from gristmill.archive import find_sources, read
from gristmill.cleaning.features import Features
from gristmill.cleaning.roles import roles_of
from gristmill.cleaning.segmentation import segment
from gristmill.cleaning.segmented import Segmented
from gristmill.decoding import decode
from gristmill.document import Page
from gristmill.evaluation.align import pairs
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.labels import block_labels
from gristmill.evaluation.nodes import is_canola, text_nodes
from gristmill.evaluation.words import plain_words
from gristmill.language import Models
from gristmill.roles import ROLES
from gristmill.sample import WARC, truth

Table = Counter[tuple[str, str]]
"""How many blocks have been called one thing, and given a role."""
Called = tuple[str, str]
"""A piece of text, and what it is called."""

_L3S = {"0": "not content", "1": "headline", "2": "full text", "3": "supplemental", "4": "related", "5": "comments"}
_L3S_CLASS = re.compile(r"x-nc-sel([0-5])")
_CLEANEVAL_KINDS = {"h": "heading", "p": "paragraph", "l": "list item"}
_CLEANEVAL_PART = re.compile(r"<([hpl])>([^<]*)", re.IGNORECASE)
_PROPERTIES = {
    "headline": "headline",
    "author": "author",
    "datepublished": "date",
    "datemodified": "date",
    "datecreated": "date",
    "articlebody": "articleBody",
    "comment": "comment",
    "commenttext": "comment",
    "caption": "caption",
    "recipeingredient": "recipe",
    "ingredients": "recipe",
    "recipeinstructions": "recipe",
}
_TYPES = {
    "comment": "comment",
    "usercomments": "comment",
    "sitenavigationelement": "navigation",
    "breadcrumblist": "navigation",
    "wpfooter": "footer",
}
_VOID = frozenset("area base br col embed frame hr img input link meta param source track wbr".split())
_MOST = 0.6  # of the words of a block that must be called the same


class _Spans(HTMLParser):
    """Collects the places in a page of elements of which something is known, and all texts with what is known."""

    def __init__(self, call: Callable[[dict[str, str | None]], str]) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[Called] = []
        self.spans: list[tuple[int, int, str]] = []
        self._call = call
        self._open: list[tuple[str, str, int, bool]] = [("", "", 0, False)]
        self._lines = [0]

    def read(self, page: str) -> None:
        """Read a whole page."""
        for line in page.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)
        self.feed(page)
        self.close()
        for _, name, start, is_own in self._open:
            if is_own:
                self.spans.append((start, len(page), name))

    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            name = self._call(dict(attrs))
            self._open.append((tag, name or self._open[-1][1], self._place(), bool(name)))

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at][0] == tag:
                self.spans += [(start, self._place(), name) for _, name, start, is_own in self._open[at:] if is_own]
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        if data.strip() and self._open[-1][0] not in {"script", "style"}:
            self.texts.append((data, self._open[-1][1]))


def _by_words(texts: Sequence[str], called: Sequence[Called]) -> list[str]:
    """What each block is called, if that is the same for most of its words: both are aligned word by word."""
    block_words = [(word, at) for at, text in enumerate(texts) for word in plain_words(text)]
    other_words = [(word, name) for text, name in called for word in plain_words(text)]
    names: list[Counter[str]] = [Counter() for _ in texts]
    for left, right in pairs([word for word, _ in block_words], [word for word, _ in other_words]):
        names[block_words[left][1]][other_words[right][1]] += 1
    sizes = Counter(at for _, at in block_words)
    found = []
    for at, counts in enumerate(names):
        name, number = counts.most_common(1)[0] if counts else ("", 0)
        found.append(name if number >= _MOST * sizes[at] else "")
    return found


def _l3s_class(attributes: dict[str, str | None]) -> str:
    found = _L3S_CLASS.search(attributes.get("class") or "")
    return _L3S[found[1]] if found else ""


def _schema_name(attributes: dict[str, str | None]) -> str:
    properties = (attributes.get("itemprop") or "").lower().split()
    kind = (attributes.get("itemtype") or "").lower().rstrip("/").rpartition("/")[2]
    return _TYPES.get(kind) or next((_PROPERTIES[name] for name in properties if name in _PROPERTIES), "")


def _by_places(segmented: Segmented, page: str) -> list[str]:
    """What the innermost marked element around each block calls it."""
    reader = _Spans(_schema_name)
    reader.read(page)
    columns = segmented.columns
    found = []
    for start, end in zip(columns.start.tolist(), columns.end.tolist(), strict=True):
        around = [
            (span_end - begin, name) for begin, span_end, name in reader.spans if begin <= start and end <= span_end
        ]
        found.append(min(around)[1] if around else "")
    return found


def _cleaneval(annotated: str) -> list[Called]:
    return [(text, _CLEANEVAL_KINDS[tag.lower()]) for tag, text in _CLEANEVAL_PART.findall(annotated)]


def _l3s(annotated: str) -> list[Called]:
    reader = _Spans(_l3s_class)
    reader.read(annotated)
    return reader.texts


def measure(page: GoldPage, models: Models, tables: dict[str, Table]) -> None:
    """Add the blocks of a page to the tables that it is for."""
    source = decode(page.html, page.lang).text
    segmented = segment(source)
    roles = roles_of(Features(segmented, models)).tolist()
    texts = segmented.texts

    def add(table: str, called: Sequence[str]) -> None:
        tables.setdefault(table, Counter()).update(
            (name, role) for name, role in zip(called, roles, strict=True) if name
        )

    shares = block_labels(texts, page.gold).tolist()
    add("gold text", [f"{page.gold_set}: {'in it' if share >= _MOST else 'not'}" for share in shares])
    if "itemprop" in source or "itemtype" in source:
        add("schema.org", _by_places(segmented, source))
    if is_canola(page.annotated):
        add("Canola", _by_words(texts, [(node.text, node.verdict) for node in text_nodes(page.annotated or "")]))
    elif page.annotated and "x-nc-sel" in page.annotated:
        add("L3S-GN1", _by_words(texts, _l3s(page.annotated)))
    elif page.annotated:
        add("CleanEval and CleanPortalEval", _by_words(texts, _cleaneval(page.annotated)))


def measure_sample(models: Models, table: Table) -> None:
    """Add the blocks of the bundled sample."""
    known = truth()
    for page in (page for source in find_sources([WARC]) for page in read(source)):
        if isinstance(page, Page) and page.url in known:
            segmented = segment(decode(page.body).text)
            roles = roles_of(Features(segmented, models)).tolist()
            called = {
                block["text"]: f"{known[page.url]['type']}: {block['role']}" for block in known[page.url]["blocks"]
            }
            names = [called.get(text, "") for text in segmented.texts]
            table.update((name, role) for name, role in zip(names, roles, strict=True) if name)


def print_roles(name: str, table: Table) -> None:
    """Print a table of what blocks are called against their roles."""
    print(f"\n{name}")
    rows = []
    for called in sorted({called for called, _ in table}):
        numbers = [table[called, role] for role in ROLES]
        rows.append([called, *map(str, numbers), str(sum(numbers))])
    print_table(["", *ROLES, "all"], rows)


def _pages(folder: Path, names: Sequence[str], limit: int | None) -> Iterator[GoldPage]:
    for path in find_gold_sets(folder, names):
        pages = read_gold([path])[0].select(limit=limit).pages
        tell(f"{path.stem}: {len(pages)} pages")
        yield from pages


def read_arguments() -> argparse.Namespace:
    """The options of this run."""
    parser = command_line(f"Roles of blocks against annotations. {__doc__}")
    parser.add_argument(
        "--sets", default="", metavar="A,B", help="gold standards, by the names of their files (default: all)"
    )
    parser.add_argument("--limit", type=at_least_one, metavar="N", help="pages of each gold standard (default: all)")
    return parser.parse_args()


def main() -> None:
    """Measure page after page, then print."""
    arguments = read_arguments()
    models = Models.load()
    tables: dict[str, Table] = {}
    for page in _pages(arguments.gold, [name for name in arguments.sets.split(",") if name], arguments.limit):
        measure(page, models, tables)
    measure_sample(models, tables.setdefault("sample", Counter()))
    if arguments.json:
        print(
            json.dumps(
                {name: {" / ".join(key): number for key, number in table.items()} for name, table in tables.items()}
            )
        )
    else:
        for name, table in tables.items():
            print_roles(name, table)


if __name__ == "__main__":
    main()
