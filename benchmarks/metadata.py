"""How often author, date, headline and other metadata are found, next to trafilatura, and who is right if they differ.

No gold standard has metadata, so three things are measured. How many pages have a value, and how many of the values of
both agree. Who is right where they differ: `metadata_judged.json` has verdicts on pages drawn at random, by their ids.
And what is found without any declaration: tags and JSON-LD are removed from pages that declare a date or an author, and
what bylines, `<time>` and the address tell is compared with what was declared.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from harness import command_line, find_gold_sets, print_table, spread, tell
from trafilatura import extract_metadata

from gristmill.cleaning import clean_page
from gristmill.document import Document, Page

_SETS = ("andy-a", "googletrends-a", "wcxb-a", "daniel-a")
_JUDGED = Path(__file__).with_name("metadata_judged.json")
_FIELDS = {
    "headline": "title",
    "author": "author",
    "published": "date",
    "site_name": "sitename",
    "description": "description",
    "categories": "categories",
    "keywords": "tags",
    "image": "image",
}
"""Our fields, and how trafilatura calls them."""
_DECLARED = frozenset({"json-ld", "opengraph", "meta"})
_DECLARATIONS = re.compile(rb"<meta\b[^>]*>|<script\b[^>]*ld\+json.*?</script>", re.IGNORECASE | re.DOTALL)
_NAMES = re.compile(r"; |, | and | & ")
_SEED = 18


@dataclass(frozen=True, slots=True)
class Compared:
    """A page, and what both say of it, by our names of fields."""

    id: str
    body: bytes
    document: Document
    ours: dict[str, str]
    theirs: dict[str, str]


def _pages(gold: Path, limit: int | None) -> Iterator[tuple[str, Page]]:
    for path in find_gold_sets(gold, _SETS):
        table = pq.read_table(path, columns=["id", "url", "html"])
        rows = range(table.num_rows)
        for row in rows if limit is None else spread(rows, limit):
            one = {name: table[name][row].as_py() for name in table.column_names}
            yield f"{path.stem}/{one['id']}", Page(one["url"] or "", one["html"])


def _text(value: Any) -> str:
    return "; ".join(value) if isinstance(value, list) else value or ""


def _compare(name: str, page: Page, times: list[tuple[float, float]]) -> Compared:
    start = time.perf_counter()
    document = clean_page(page)
    middle = time.perf_counter()
    found = extract_metadata(page.body, default_url=page.url or None)
    times.append((middle - start, time.perf_counter() - middle))
    theirs = found.as_dict()
    return Compared(
        name,
        page.body,
        document,
        {field: _text(getattr(document, field)) for field in _FIELDS},
        {field: _text(theirs.get(their)) for field, their in _FIELDS.items()},
    )


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def same(field: str, one: str, other: str) -> bool:
    """Whether two values agree: the same day, one author in common, or one text within the other."""
    if field == "published":
        return one[:10] == other[:10]
    if field == "author":
        return bool({_letters(name) for name in _NAMES.split(one)} & {_letters(name) for name in _NAMES.split(other)})
    one, other = _letters(one), _letters(other)
    return one in other or other in one


def _verdicts(pages: list[Compared], field: str) -> tuple[str, str]:
    """The shares of judged pages, of those on which both differ today, on which each is right."""
    judged = json.loads(_JUDGED.read_text()).get(field, {}) if _JUDGED.exists() else {}
    some = [judged[page.id] for page in pages if page.id in judged and _differ(page, field)]
    if not some:
        return "", ""
    ours, theirs = (f"{sum(verdict in (who, 'both') for verdict in some)}/{len(some)}" for who in ("ours", "theirs"))
    return ours, theirs


def _differ(page: Compared, field: str) -> bool:
    ours, theirs = page.ours[field], page.theirs[field]
    return bool(ours and theirs) and not same(field, ours, theirs)


def _row(pages: list[Compared], field: str) -> list[str]:
    both = [page for page in pages if page.ours[field] and page.theirs[field]]
    agree = sum(same(field, page.ours[field], page.theirs[field]) for page in both)
    return [
        field,
        *(f"{sum(map(bool, values)) / len(pages):.2f}" for values in _columns(pages, field)),
        f"{agree / len(both):.3f}" if both else "",
        *_verdicts(pages, field),
    ]


def _columns(pages: list[Compared], field: str) -> tuple[list[str], list[str]]:
    return [page.ours[field] for page in pages], [page.theirs[field] for page in pages]


def _without_declarations(pages: list[Compared], field: str) -> list[str]:
    """Compare what is found without tags and JSON-LD with what these declare, for us and for trafilatura."""
    declared = [page for page in pages if page.document.metadata_from.get(field) in _DECLARED]
    row = [field, str(len(declared))]
    readers: tuple[Callable[[Page], str], ...] = (
        lambda page: getattr(clean_page(page), field),
        lambda page: _text(getattr(extract_metadata(page.body, default_url=page.url or None), _FIELDS[field], "")),
    )
    for read in readers:
        found = [(read(Page(page.document.url, _DECLARATIONS.sub(b"", page.body))), page) for page in declared]
        some = [(value, page) for value, page in found if value]
        right = sum(same(field, value, page.ours[field]) for value, page in some)
        row += [f"{len(some) / len(declared):.2f}", f"{right / len(some):.3f}"]
    return row


def main() -> None:
    """Print the tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--limit", type=int, metavar="N", help="pages of each gold standard (default: all)")
    parser.add_argument(
        "--differences", metavar="FIELD", choices=_FIELDS, help="print 30 on which both differ, to judge"
    )
    given = parser.parse_args()
    times: list[tuple[float, float]] = []
    pages = [_compare(name, page, times) for name, page in _pages(given.gold, given.limit)]
    if given.differences:
        field = given.differences
        differing = sorted((page for page in pages if _differ(page, field)), key=lambda page: page.id)
        for page in random.Random(_SEED).sample(differing, min(30, len(differing))):
            print(json.dumps([page.id, page.document.url, page.ours[field], page.theirs[field]], ensure_ascii=False))
        return
    rows = [_row(pages, field) for field in _FIELDS]
    bare = [_without_declarations(pages, field) for field in ("published", "author")]
    medians = [statistics.median(column) * 1000 for column in zip(*times, strict=True)]
    if given.json:
        print(json.dumps({"pages": len(pages), "fields": rows, "undeclared": bare, "milliseconds": medians}))
        return
    tell(f"{len(pages):,} pages of {', '.join(_SETS)}")
    print_table(["field", "ours", "trafilatura", "agree", "ours right", "trafilatura right"], rows)
    print()
    print_table(["undeclared", "pages", "found", "right", "by trafilatura", "right"], bare)
    print()
    print(f"a page, cleaned with its metadata: {medians[0]:.2f} ms; trafilatura's metadata alone: {medians[1]:.2f} ms")


if __name__ == "__main__":
    main()
