"""The kinds of near-duplicates that the web is full of: each makes documents of a few source texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.edit import Words, change_rate, revise
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.registry import Registry

Make = Callable[[Desk, Sequence[Source]], Iterator[Made]]

_TEASER_WORDS = (20, 50)
_TITLE_WORDS = 6
_LEGAL_WORDS = 600
_POSTS = 24
_POSTS_A_PAGE = 6
_QUOTES = (0, 0, 1, 1, 2)
"""How many earlier posts a post quotes, each as likely as the next."""


class Maker(NamedTuple):
    """How many source texts a kind takes at a time, and what it makes of them."""

    takes: int
    make: Make


KINDS: Registry[Maker] = Registry("kind of near-duplicates")


def kind_of_near_duplicates(name: str, takes: int) -> Callable[[Make], Make]:
    """Register a function that makes documents of so many texts, or of the three and more that are left over at the end."""

    def file(make: Make) -> Make:
        KINDS.register(name)(Maker(takes, make))
        return make

    return file


@kind_of_near_duplicates("unique", takes=1)
def unique(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """A text that is there once and must not be touched."""
    for source in sources:
        yield desk.page("unique", source.blocks, source.lang)


@kind_of_near_duplicates("mirror", takes=1)
def mirror(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """The same page on several hosts."""
    for source in sources:
        first = desk.page("mirror", source.blocks, source.lang)
        yield first
        for _ in range(desk.rng.randint(1, desk.settings.mirrors)):
            yield desk.page("mirror", source.blocks, source.lang, cluster=first.cluster)


@kind_of_near_duplicates("print", takes=1)
def print_version(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """A page and its version for the printer: the same text, with other short lines between and another footer."""
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


@kind_of_near_duplicates("revision", takes=1)
def revision(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """A page, and versions of it in which words at random places were changed, added and left out."""
    for source in sources:
        first = desk.page("revision", source.blocks, source.lang)
        yield first
        for _ in range(desk.settings.revisions):
            yield revised(desk, first, next(desk.resemblances))


def revised(desk: Desk, first: Made, resemblance: float) -> Made:
    """A version of a document that has about that resemblance to it."""
    texts = revise([block.text for block in first.blocks], change_rate(resemblance, desk.settings.n), desk.rng)
    blocks = [
        replace(block, text=text, changed=share)
        for block, (text, share) in zip(first.blocks, texts, strict=True)
        if text.strip()
    ]
    return replace(
        desk.page(first.kind, blocks, first.lang, name="version", cluster=first.cluster), resemblance=resemblance
    )


@kind_of_near_duplicates("forum", takes=3)
def forum(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """A thread over some pages: posts that quote earlier posts, of the same page and of pages before it, some of them again and again."""
    host, rng = desk.host(), desk.rng
    posts = [block for source in sources for block in source.long][:_POSTS]
    authors = [f"miller{rng.randrange(100)}" for _ in posts]
    for start in range(0, len(posts), _POSTS_A_PAGE):
        blocks = []
        for at in range(start, min(start + _POSTS_A_PAGE, len(posts))):
            blocks.append(desk.block(f"{authors[at]}, #{at + 1}"))
            for quoted in sorted(rng.sample(range(at), min(rng.choice(_QUOTES), at))):
                blocks += [desk.block(f"{authors[quoted]} wrote:"), posts[quoted]]
            blocks.append(posts[at])
        yield desk.page("forum", blocks, sources[0].lang, host=host, name="thread")


@kind_of_near_duplicates("index", takes=8)
def index(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Articles, and a page that lists them, each with its title and its first words."""
    host = desk.host()
    listed: list[MadeBlock] = []
    for source in sources:
        title = desk.headline(source.set_aside()[1].first(_TITLE_WORDS))
        yield desk.page("index", [title, *source.blocks], source.lang, host=host)
        listed += [title, *(_teaser(block, desk.rng.randint(*_TEASER_WORDS)) for block in source.long[:1])]
    yield desk.page("index", listed, sources[0].lang, host=host, name="index")


def _teaser(block: MadeBlock, words: int) -> MadeBlock:
    """The first words of a block."""
    all_words = Words.of(block.text)
    return replace(block, text=all_words.first(words), part=min(words / len(all_words.items), 1.0), kind="l")


@kind_of_near_duplicates("legal", takes=8)
def legal(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Pages of a host that have the same long text, that of the longest source, somewhere among their own."""
    host = desk.host()
    longest, *others = sorted(sources, key=lambda source: -sum(len(block.text) for block in source.blocks))
    text = desk.block(Words.of(" ".join(block.text for block in longest.blocks)).first(_LEGAL_WORDS))
    for source in others:
        place = desk.rng.randint(0, len(source.blocks))
        yield desk.page("legal", [*source.blocks[:place], text, *source.blocks[place:]], source.lang, host=host)


def _shared_text(first: Sequence[MadeBlock], second: Sequence[MadeBlock]) -> float:
    """The share of all characters that stands in blocks of both: about the resemblance, if nothing was changed."""
    lengths = [{block.origin: len(block.text) for block in blocks} for blocks in (first, second)]
    shared = sum(lengths[0][origin] for origin in lengths[0].keys() & lengths[1].keys())
    return shared / max(sum(lengths[0].values()) + sum(lengths[1].values()) - shared, 1)
