"""The language of each block of a page, and of what is kept of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from gristmill.document import Block, folded
from gristmill.language import Identified, Models

_LEAST_ASCII, _LEAST = 25, 7  # characters, also blanks: no identifier is sure of less
_ENOUGH = 200  # characters of a block: with more the answer is the same in all but five of 10,000 blocks
_SURE = 0.5  # of an answer that is more than a guess
_UNTOLD = 60  # characters of a block from which on it counts that its language can't be told
_ENOUGH_OF_PAGE = 4000


def tell_blocks(blocks: Sequence[Block], texts: Sequence[str], models: Models) -> None:
    """Give each block its language, where the identifier is sure; texts are those of the blocks with white space folded."""
    long = [
        (block, text)
        for block, text in zip(blocks, texts, strict=True)
        if len(text) >= _LEAST_ASCII or (len(text) >= _LEAST and not text.isascii())
    ]
    answers = models.identify_all([text[:_ENOUGH] for _, text in long], guess=False)
    for (block, _), (lang, confidence) in zip(long, answers, strict=True):
        block.lang = lang if confidence >= _SURE else ""


def running_text(blocks: Sequence[Block]) -> list[Block]:
    """The part of a page by which its language is told before it is cleaned: longer blocks without many links if there are any."""
    return [block for block in blocks if block.words >= 10 and block.link_density < 0.3] or list(blocks)


def language_of(blocks: Sequence[Block], models: Models) -> Identified:
    """The language that most of the text is in, and its share of those blocks that are long enough to tell.

    If it can't be told block by block, the text as a whole is looked at.
    """
    texts = folded(blocks)
    votes: Counter[str] = Counter()
    for block, text in zip(blocks, texts, strict=True):
        if block.lang or len(text) >= _UNTOLD:
            votes[block.lang] += len(text)
    lang = max(votes, key=votes.__getitem__, default="")
    if lang:
        return Identified(lang, votes[lang] / votes.total())
    lengths = list(accumulate(map(len, texts)))
    return models.identify("\n".join(texts[: bisect_right(lengths, _ENOUGH_OF_PAGE) + 1]))
