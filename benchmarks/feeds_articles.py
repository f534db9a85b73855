"""How much of the text of articles is right, with and without what their feeds say of them.

On newspapers and blogs of the local web, whose text is known: each page cleaned by itself, by headline and summary of
its item, and with all of the feed's help. On gold standards, where the title and the description of a page stand in for
those of a feed.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple

from harness import at_least_one, command_line, find_gold_sets, print_table, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from localweb import NewspaperWeb, ServedWeb
from news_items import AT_ONCE, access, new_items

from gristmill.archive import find_sources, read
from gristmill.cleaning import clean_page
from gristmill.decoding import decode
from gristmill.document import Page
from gristmill.evaluation import read_gold
from gristmill.evaluation.metrics import by_bag
from gristmill.feeds.articles import gather

_SETS = "l3s-gn1,daniel-a,googletrends-a,dragnet-a,andy-a"
_META = re.compile(r"<meta\b[^>]*>", re.IGNORECASE)
_META_NAME = re.compile(r"(?:name|property)\s*=\s*[\"']?([\w:.]+)", re.IGNORECASE)
_CONTENT = re.compile(r"content\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_HEAD_CHARACTERS = 200_000
_CHANGED = 0.02  # of F1, to say that a page is better or worse


class Figures(NamedTuple):
    """F1 of the words of one article by itself, by hints, and with all help."""

    kind: str
    alone: float
    hinted: float
    helped: float


def main() -> None:
    """Measure and print both tables."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--seed", type=int, default=2, help="the seed that the web is made from (default: 2)")
    parser.add_argument("--style", type=int, default=1, choices=(0, 1), help="templates; rules were tuned on 0")
    parser.add_argument("--sites", type=at_least_one, default=4, help="sites of each kind (default: 4)")
    parser.add_argument("--sets", default=_SETS, metavar="A,B", help="gold standards; none if empty")
    arguments = parser.parse_args()
    figures = list(_of_web(NewspaperWeb(arguments.seed, arguments.style, arguments.sites)))
    sets = find_gold_sets(arguments.gold, arguments.sets.split(",")) if arguments.sets else []
    gold = {path.stem: list(_of_gold(path)) for path in sets}
    if arguments.json:
        print(json.dumps({"web": [item._asdict() for item in figures], "gold": gold}))
        return
    kinds = [*dict.fromkeys(item.kind for item in figures)]
    rows = [_row(kind, [item for item in figures if item.kind == kind]) for kind in kinds]
    print_table(
        ["kind of site", "articles", "page alone", "headline, summary", "all help"], [*rows, _row("all", figures)]
    )
    if gold:
        print()
        header = ["gold standard", "pages", "page alone", "by title, description", "better", "worse"]
        print_table(header, [_gold_row(name, pairs) for name, pairs in gold.items()])


def _row(name: str, figures: Sequence[Figures]) -> list[str]:
    count = len(figures)
    return [name, str(count), *(f"{sum(column) / count:.3f}" for column in list(zip(*figures, strict=True))[1:])]


def _of_web(web: NewspaperWeb) -> Iterator[Figures]:
    items = {item.key: item.item for item in new_items(web)}
    truth = {story.url: (paper.kind, story) for paper in web.papers.values() for story in paper.stories}
    with tempfile.TemporaryDirectory() as folder, ServedWeb(web) as served:
        fetched, output = Path(folder, "fetched"), Path(folder, "articles.warc.gz")
        tell(f"fetching {len(items)} articles")
        summary = gather(new_items(web), fetched, output, access(served), AT_ONCE)
        tell(f"taken from: {summary.sources}; not found: {summary.reasons}")
        first = {page.url: page for page in _pages(fetched / "1")}
        helped = {page.attributes["item"]: page for page in _pages(output)}
    for key, item in items.items():
        kind, story = truth[key]
        gold = "\n".join(story.text)
        page = first.get(story.url)
        hints = {"headline": item.title, "summary": item.description}
        yield Figures(kind, _f1(page, {}, gold), _f1(page, hints, gold), _f1(helped.get(key), hints, gold))


def _pages(path: Path) -> Iterator[Page]:
    for source in find_sources([path]):
        yield from (item for item in read(source) if isinstance(item, Page) and item.status == 200)


def _f1(page: Page | None, hints: dict[str, str], gold: str, lang: str | None = None) -> float:
    if page is None:
        return 0.0
    page.attributes = hints
    found = by_bag(clean_page(page, lang).text, gold)
    return found[2] if found else 0.0


def _of_gold(path: Path) -> Iterator[tuple[float, float]]:
    """F1 of each page by itself, and by its own title and description."""
    tell(f"cleaning {path.stem}")
    for gold in read_gold([path])[0].pages:
        head = decode(gold.html).text[:_HEAD_CHARACTERS]
        meta: dict[str, str] = {}
        for tag in _META.findall(head):
            name, content = _META_NAME.search(tag), _CONTENT.search(tag)
            if name and content:
                meta.setdefault(name[1].lower(), unescape(content[1] or content[2] or ""))
        title = _TITLE.search(head)
        hints = {
            "headline": meta.get("og:title") or (unescape(title[1]).strip() if title else ""),
            "summary": meta.get("og:description") or meta.get("description", ""),
        }
        page = Page(gold.url or "", gold.html)
        yield _f1(page, {}, gold.gold, gold.lang), _f1(page, hints, gold.gold, gold.lang)


def _gold_row(name: str, pairs: Sequence[tuple[float, float]]) -> list[str]:
    count = len(pairs)
    means = (f"{sum(column) / count:.4f}" for column in zip(*pairs, strict=True))
    better = sum(hinted > alone + _CHANGED for alone, hinted in pairs)
    worse = sum(hinted < alone - _CHANGED for alone, hinted in pairs)
    return [name, str(count), *means, str(better), str(worse)]


if __name__ == "__main__":
    main()
