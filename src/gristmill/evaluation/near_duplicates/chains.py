"""Generate pages that repeat the page before them, again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.evaluation.near_duplicates.desk import Desk, Source
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.registry import part

_MAX_POSTS = 12


@part("kind of near-duplicates", "chain", takes=6)
def chain(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate pages of a host, each of which begins with the second half of the page before it."""
    host = desk.host()
    before: list[MadeBlock] = []
    for source in sources:
        before = [*before[len(before) // 2 :], *source.blocks]
        yield desk.page("chain", before, source.lang, host=host)


@part("kind of near-duplicates", "growing", takes=3)
def growing(desk: Desk, sources: Sequence[Source]) -> Iterator[Made]:
    """Generate a thread that was fetched after every post: each page is the page before it and one post more."""
    host = desk.host()
    posts = [block for source in sources for block in source.long][:_MAX_POSTS]
    blocks: list[MadeBlock] = []
    for number, post in enumerate(posts, 1):
        blocks += [desk.block(f"miller{desk.rng.randrange(100)}, #{number}"), post]
        yield desk.page("growing", blocks, sources[0].lang, host=host, name="thread")
