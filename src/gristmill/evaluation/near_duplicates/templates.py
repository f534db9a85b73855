"""Generate short unique texts beside copied text: headlines, short paragraphs, pages around a quotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.edit import Words
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.registry import part

_HEADLINE_WORDS = (3, 7)
_NOTICE_WORDS = (20, 40)
_SHORT_WORDS = (10, 30)
_SHORT_TEXTS = 10
_SHORT_PAGES = 3


@part("kind of near-duplicates", "template", takes=6)
def template(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages of a host, each with a headline, its own text, and the notice of the host somewhere.

    Every other page is on a second host too, which has another notice. The headline is there once, or on both copies,
    and must be left on one.
    """
    *others, last = sources
    hosts = [(desk.host(), notice) for notice in _in_pieces(desk, last, _NOTICE_WORDS, 2)]
    for number, source in enumerate(others):
        headline = desk.headline(desk.excerpt(source.set_aside()[1], *_HEADLINE_WORDS))
        cluster = desk.cluster()
        for host, notice in hosts[: 1 + number % 2]:
            place = desk.rng.randint(0, len(source.blocks))
            blocks = [headline, *source.blocks[:place], notice, *source.blocks[place:]]
            yield desk.page("template", blocks, source.lang, host=host, cluster=cluster)


@part("kind of near-duplicates", "short", takes=6)
def short(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages, and others of nothing but their paragraphs in another order, with short paragraphs between.

    A short paragraph stands on one to three of those pages, each time between others.
    """
    *others, last = sources
    for source in others:
        yield desk.page("short", source.blocks, source.lang)
    copied = [block for source in others for block in source.long]
    pages: list[list[MadeBlock]] = [[desk.rng.choice(copied)] for _ in range(_SHORT_PAGES)]
    for text in _in_pieces(desk, last, _SHORT_WORDS, _SHORT_TEXTS):
        for page in desk.rng.sample(pages, desk.rng.randint(1, _SHORT_PAGES)):
            page += [text, desk.rng.choice(copied)]
    for page in pages:
        yield desk.page("short", page, last.lang)


def _in_pieces(desk: Desk, source: Source, sizes: tuple[int, int], most: int) -> list[MadeBlock]:
    """Split the blocks of a source into blocks of some words each, at least one and at most `most`."""
    found = []
    for block in source.long:
        words, start = Words.of(block.text), 0
        while start == 0 or start + sizes[0] <= len(words.items):
            count = desk.rng.randint(*sizes)
            found.append(desk.block(words.part(start, count)))
            start += count
    return found[:most]


@part("kind of near-duplicates", "quotation", takes=3)
def quotation(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages, and one that quotes a paragraph or two of them within its own text."""
    *others, last = sources
    for source in others:
        yield desk.page("quotation", source.blocks, source.lang)
    quotable = [block for source in others for block in source.long]
    blocks = list(last.blocks)
    for quoted in desk.rng.sample(quotable, min(desk.rng.randint(1, 2), len(quotable))):
        blocks.insert(desk.rng.randint(1, len(blocks)), quoted)
    yield desk.page("quotation", blocks, last.lang)
