"""The language of each block of a page, and of what is kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gristmill.document import Block
from gristmill.language import Identified, Models

_LEAST_ASCII, _LEAST = 25, 7  # characters, also blanks: no identifier is sure of less
_ENOUGH = 200  # characters of a block: with more the answer is the same in all but five of 10,000 blocks
_SURE = 0.5  # of an answer that is more than a guess
_UNTOLD = 60  # characters of a block from which on it counts that its language can't be told
_ENOUGH_OF_PAGE = 4000


def tell_blocks(blocks: Sequence[Block], models: Models) -> None:
    """Give each block its language, where the identifier is sure."""
    long = [block for block in blocks if len(block.text) >= _LEAST_ASCII or (len(block.text) >= _LEAST and not block.text.isascii())]
    answers = models.identify_all([block.text[:_ENOUGH] for block in long], guess=False)
    for block, (lang, confidence) in zip(long, answers, strict=True):
        block.lang = lang if confidence >= _SURE else ""


def running_text(blocks: Sequence[Block]) -> list[Block]:
    """The part of a page by which its language is told before it is cleaned: longer blocks without many links if there are any."""
    return [block for block in blocks if block.words >= 10 and block.link_density < 0.3] or list(blocks)


def language_of(blocks: Sequence[Block], models: Models) -> Identified:
    """The language that most of the text is in, and its share of those blocks that are long enough to tell.

    If it can't be told block by block, the text as a whole is looked at.
    """
    votes: Counter[str] = Counter()
    for block in blocks:
        if block.lang or len(block.text) >= _UNTOLD:
            votes[block.lang] += len(block.text)
    lang = max(votes, key=votes.__getitem__, default="")
    if lang:
        return Identified(lang, votes[lang] / votes.total())
    text: list[str] = []
    length = 0
    for block in blocks:
        text.append(block.text)
        length += len(block.text)
        if length > _ENOUGH_OF_PAGE:
            break
    return models.identify("\n".join(text))
