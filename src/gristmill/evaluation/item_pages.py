"""Pages of several items whose items are known: made up of articles, or told by gold texts with empty lines.

A gold text of such a page has the texts of its items in their order, with an empty line between two. There are no
published pages with their items that we could use, so articles of gold standards are put together: a page has a menu,
one to six items and a footer, laid out by a table or by divisions. An item is the first paragraphs of an article: one,
or up to two, four or six on a page. Two of three have their title, as the paper says that it is optional.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from random import Random

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.items.labelling import BEGIN, INSIDE, OUTSIDE
from gristmill.evaluation.gold import GoldPage

Article = tuple[str, list[str]]
"""A title, which may be empty, and paragraphs."""
_MARKED = re.compile(r"<([hpl])>(.*?)(?=<[hpl]>|\Z)", re.IGNORECASE | re.DOTALL)
_MIN_WORDS = 8  # of a paragraph that is taken
_MAX_TITLE_WORDS = 20
_ITEMS = 1, 6
_MOST_PARAGRAPHS = 1, 2, 4, 6  # of an item, on a page: news in brief, or articles
_TITLED = 2 / 3
_EMPTY_LINES = re.compile(r"\n\s*\n")
_MENU = "Home News Sport Weather Business Travel Culture Science Archive Contact".split()
_LAYOUTS = (
    "<table><tr><td width=150>{menu}</td><td>{items}</td></tr></table>{footer}",
    "<div id=menu>{menu}</div><div id=main>{items}</div><div id=footer>{footer}</div>",
)


def article_of(page: GoldPage) -> Article | None:
    """Take the title and the paragraphs of a gold text; None if there are no paragraphs."""
    if page.annotated and _MARKED.match(page.annotated.lstrip()):
        pieces = [(kind.lower(), " ".join(text.split())) for kind, text in _MARKED.findall(page.annotated)]
    else:
        lines = [" ".join(line.split()) for line in page.gold.split("\n") if line.strip()]
        pieces = [("h" if not at and not line.endswith(".") else "p", line) for at, line in enumerate(lines)]
    title = pieces[0][1] if pieces and pieces[0][0] == "h" else ""
    paragraphs = [text for kind, text in pieces if kind == "p" and len(text.split()) >= _MIN_WORDS]
    return (title if len(title.split()) <= _MAX_TITLE_WORDS else "", paragraphs) if paragraphs else None


def made_up(pages: Sequence[GoldPage], count: int, seed: int) -> list[GoldPage]:
    """Make so many pages, each of articles of different gold pages; the same seed gives the same pages."""
    articles = [article for page in pages if (article := article_of(page))]
    random = Random(seed)
    return [
        _page(random.sample(articles, min(random.randint(*_ITEMS), len(articles))), random, number)
        for number in range(count)
        if len(articles) > 1
    ]


def _page(articles: Sequence[Article], random: Random, number: int) -> GoldPage:
    shown, golds = [], []
    most = random.choice(_MOST_PARAGRAPHS)
    for title, paragraphs in articles:
        some = paragraphs[: random.randint(1, most)]
        head = title if random.random() < _TITLED else ""
        shown.append((f"<h3>{escape(head)}</h3>" if head else "") + "".join(f"<p>{escape(text)}</p>" for text in some))
        golds.append("\n".join(filter(None, [head, *some])))
    menu = "<ul>" + "".join(f'<li><a href="/{name}">{name}</a>' for name in _MENU) + "</ul>"
    body = random.choice(_LAYOUTS).format(menu=menu, items="".join(shown), footer="<p>All rights reserved</p>")
    html = f"<!DOCTYPE html><html><title>News</title><body>{body}</body></html>"
    return GoldPage("made-up", f"{number}", html.encode(), "\n\n".join(golds))


def gold_labels(texts: Sequence[str], gold: str) -> Ints:
    """Label nodes by a gold text: each is found in the items in their order, or in none.

    Nodes a, x, b and c with the gold text `a`, an empty line, `b c`: begin, outside, begin, inside.
    """
    items = [" ".join(part.split()) for part in _EMPTY_LINES.split(gold) if part.strip()]
    labels, item, place = [], 0, 0
    last = -1
    for text in texts:
        found = next(
            (
                (at, where)
                for at in range(item, len(items))
                if (where := _find(items[at], text, place if at == item else 0))
            ),
            None,
        )
        if found is None:
            labels.append(OUTSIDE)
            continue
        item, place = found
        labels.append(INSIDE if item == last else BEGIN)
        last = item
    for at, (one, two) in enumerate(pairwise(labels)):
        if one == OUTSIDE and two == INSIDE:
            labels[at] = INSIDE  # something in between that the gold text leaves out
    return np.array(labels, np.intp)


def _find(item: str, text: str, start: int) -> int:
    """Return where a text ends in an item, from some place on; 0 if it is not there."""
    at = item.find(text, start)
    return at + len(text) if at >= 0 else 0
