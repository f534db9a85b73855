"""The kinds of near-duplicates that are common on the web: each generates documents from a few source texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.edit import Words, change_rate, revise
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.registry import Registry, part, parts_of

Make = Callable[[Desk, Sequence[Source]], Iterator[Made]]

_TEASER_WORDS = (20, 50)
_TITLE_WORDS = 6
_LEGAL_WORDS = 600
_MAX_POSTS = 24
_POSTS_PER_PAGE = 6
_QUOTES_PER_POST = (0, 0, 1, 1, 2)
"""The numbers of earlier posts that a post quotes, of which one is chosen at random."""


class Maker(NamedTuple):
    """A kind of near-duplicates: the number of source texts that it takes at a time, and its function."""

    takes: int
    make: Make


def _maker(make: Make, takes: int) -> Maker:
    """A function that makes documents of so many texts, or of three and more that are left over at the end."""
    return Maker(takes, make)


KINDS: Registry[Maker] = parts_of("kind of near-duplicates", _maker)


@part("kind of near-duplicates", "unique", takes=1)
def unique(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a text that is there once and must be kept."""
    for source in sources:
        yield desk.page("unique", source.blocks, source.lang)


@part("kind of near-duplicates", "mirror", takes=1)
def mirror(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a page on several hosts."""
    for source in sources:
        first = desk.page("mirror", source.blocks, source.lang)
        yield first
        for _ in range(desk.rng.randint(1, desk.settings.mirrors)):
            yield desk.page("mirror", source.blocks, source.lang, cluster=first.cluster)


@part("kind of near-duplicates", "print", takes=1)
def print_version(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a page and its version for the printer: the text with other short lines and another footer."""
    for source in sources:
        host, number = desk.host(), desk.rng.randrange(1_000_000)
        first = desk.page(
            "print",
            [*source.blocks, desk.block(f"{host}: article {number}, share it, print it")],
            source.lang,
            host=host,
        )
        lines = [
            desk.block(f"§ {at} of {number}") if block.kind == "h" else block for at, block in enumerate(source.blocks)
        ]
        header, footer = desk.block(f"{host}: printed version"), desk.block(f"Address: {first.url}")
        version = desk.page(
            "print", [header, *lines, footer], source.lang, host=host, name="print", cluster=first.cluster
        )
        yield first
        yield replace(version, resemblance=_shared_text(first.blocks, version.blocks))


@part("kind of near-duplicates", "revision", takes=1)
def revision(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a page, and versions of it in which words at random positions were changed, added and left out."""
    for source in sources:
        first = desk.page("revision", source.blocks, source.lang)
        yield first
        for _ in range(desk.settings.revisions):
            yield revised(desk, first, next(desk.resemblances))


def revised(desk: Desk, first: Made, resemblance: float) -> Made:
    """Make a version of a document that has about that resemblance to it."""
    texts = revise([block.text for block in first.blocks], change_rate(resemblance, desk.settings.n), desk.rng)
    blocks = [
        replace(block, text=text, changed=share)
        for block, (text, share) in zip(first.blocks, texts, strict=True)
        if text.strip()
    ]
    return replace(
        desk.page(first.kind, blocks, first.lang, name="version", cluster=first.cluster), resemblance=resemblance
    )


@part("kind of near-duplicates", "forum", takes=3)
def forum(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a thread over some pages: posts that quote earlier posts, some of which are quoted again and again."""
    host, rng = desk.host(), desk.rng
    posts = [block for source in sources for block in source.long][:_MAX_POSTS]
    authors = [f"miller{rng.randrange(100)}" for _ in posts]
    for start in range(0, len(posts), _POSTS_PER_PAGE):
        blocks = []
        for at in range(start, min(start + _POSTS_PER_PAGE, len(posts))):
            blocks.append(desk.block(f"{authors[at]}, #{at + 1}"))
            for quoted in sorted(rng.sample(range(at), min(rng.choice(_QUOTES_PER_POST), at))):
                blocks += [desk.block(f"{authors[quoted]} wrote:"), posts[quoted]]
            blocks.append(posts[at])
        yield desk.page("forum", blocks, sources[0].lang, host=host, name="thread")


@part("kind of near-duplicates", "index", takes=8)
def index(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate articles, and a page that lists them, each with its title and its first words."""
    host = desk.host()
    listed: list[MadeBlock] = []
    for source in sources:
        title = desk.headline(source.set_aside()[1].first(_TITLE_WORDS))
        yield desk.page("index", [title, *source.blocks], source.lang, host=host)
        listed += [title, *(_teaser(block, desk.rng.randint(*_TEASER_WORDS)) for block in source.long[:1])]
    yield desk.page("index", listed, sources[0].lang, host=host, name="index")


def _teaser(block: MadeBlock, words: int) -> MadeBlock:
    """Make a block of the first words of another."""
    all_words = Words.of(block.text)
    return replace(block, text=all_words.first(words), part=min(words / len(all_words.items), 1.0), kind="l")


@part("kind of near-duplicates", "legal", takes=8)
def legal(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages of a host with a long text in common, that of the longest source, somewhere among their own."""
    host = desk.host()
    longest, *others = sorted(sources, key=lambda source: -sum(len(block.text) for block in source.blocks))
    text = desk.block(Words.of(" ".join(block.text for block in longest.blocks)).first(_LEGAL_WORDS))
    for source in others:
        place = desk.rng.randint(0, len(source.blocks))
        yield desk.page("legal", [*source.blocks[:place], text, *source.blocks[place:]], source.lang, host=host)


def _shared_text(first: Sequence[MadeBlock], second: Sequence[MadeBlock]) -> float:
    """The share of all characters in common blocks: about the resemblance, if nothing was changed."""
    lengths = [{block.origin: len(block.text) for block in blocks} for blocks in (first, second)]
    shared = sum(lengths[0][origin] for origin in lengths[0].keys() & lengths[1].keys())
    return shared / max(sum(lengths[0].values()) + sum(lengths[1].values()) - shared, 1)
