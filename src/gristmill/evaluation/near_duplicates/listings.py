"""Generate pages with tables, lists and code, whose lines are alike but are no duplicates to be dropped.

Lines are alike within a page. No two pages share ten words, but for those that are copied as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.edit import Words
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.registry import part

_ROWS = (6, 14)  # this range, like the next ones, is one to choose from at random
_REMARK_WORDS = (10, 16)
_NAME_WORDS = (1, 3)
_PAGES_PER_COPY = 4
"""One page in so many is copied as a whole."""


@part("kind of near-duplicates", "table", takes=1)
def table(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages with a timetable: rows of a time, two places and a remark that is the same in most of them."""
    for source in sources:
        blocks, words = source.set_aside()
        yield from _with_lines(desk, "table", source, blocks, _timetable(desk, words))


@part("kind of near-duplicates", "listing", takes=1)
def listing(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages with two of these: a list of prices, ratings, JSON, code."""
    for source in sources:
        blocks, words = source.set_aside()
        chosen = desk.rng.sample((_prices, _ratings, _json, _code), 2)
        yield from _with_lines(
            desk, "listing", source, blocks, [line for lines in chosen for line in lines(desk, words)]
        )


def _with_lines(
    desk: Desk, kind: str, source: Source, blocks: Sequence[MadeBlock], lines: Sequence[MadeBlock]
) -> Iterator[Made]:
    place = desk.rng.randint(min(1, len(blocks)), len(blocks))
    page = desk.page(kind, [*blocks[:place], *lines, *blocks[place:]], source.lang)
    yield page
    if desk.rng.randrange(_PAGES_PER_COPY) == 0:
        yield desk.page(kind, page.blocks, source.lang, cluster=page.cluster)


def _timetable(desk: Desk, words: Words) -> list[MadeBlock]:
    remarks = [desk.excerpt(words, *_REMARK_WORDS) for _ in range(2)]
    places = [desk.excerpt(words, *_NAME_WORDS) for _ in range(3)]
    lines = []
    for row in range(1, desk.rng.randint(*_ROWS) + 1):
        start, end = desk.rng.sample(places, 2)
        cells = (f"{5 + row}:{desk.rng.randrange(60):02d}", start, end, remarks[desk.rng.randrange(4) == 0])
        lines += [desk.line(cell, "p", "html/body/table/tr/td", row) for cell in cells]
    return lines


def _prices(desk: Desk, words: Words) -> list[MadeBlock]:
    remark = desk.excerpt(words, *_REMARK_WORDS)
    names = [desk.excerpt(words, *_NAME_WORDS) for _ in range(desk.rng.randint(*_ROWS))]
    return [desk.line(f"{name}, {remark}: {desk.rng.randrange(1, 100)}.50", "l", "html/body/ul/li") for name in names]


def _ratings(desk: Desk, _: Words) -> list[MadeBlock]:
    path = desk.rng.choice(("html/body/ul/li", "html/body/div"))
    stars = [desk.rng.randint(3, 5) for _ in range(desk.rng.randint(*_ROWS))]
    readers = desk.rng.randrange(100_000)
    texts = [f"{'★' * count}{'☆' * (5 - count)}({readers + desk.rng.randint(0, 2)})" for count in stars]
    return [desk.line(text, "l" if path.endswith("li") else "p", path) for text in texts]


def _json(desk: Desk, words: Words) -> list[MadeBlock]:
    shop = f"shop{desk.rng.randrange(1_000_000)}"
    name = desk.excerpt(words, *_NAME_WORDS)
    texts = [
        f'{{"{shop}_id": {number}, "{shop}_name": "{name}", '
        f'"{shop}_price": {desk.rng.randrange(1, 5)}.50, "{shop}_sold": true}}'
        for number in range(desk.rng.randint(*_ROWS))
    ]
    return [desk.line(text, "p", "html/body/pre") for text in texts]


def _code(desk: Desk, _: Words) -> list[MadeBlock]:
    name = f"mill{desk.rng.randrange(1_000_000)}"
    texts = [
        f"{name}.open(port={number})\nfor {name}_sack in {name}.sacks():\n"
        f"    {name}.grind({name}_sack)\n    {name}.log({name}_sack.weight)"
        for number in range(desk.rng.randint(*_ROWS))
    ]
    return [desk.line(text, "p", "html/body/pre/code") for text in texts]
