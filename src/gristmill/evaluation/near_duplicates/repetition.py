"""Generate any amount of text from a few texts, to measure how cost grows with size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from gristmill.evaluation.near_duplicates.edit import RESEMBLANCES, change_rate, revise, shuffle
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.language import identify
from gristmill.text.words import count_words

_MAX_BLOCKS = 1 << 20  # of a document: the origin of a block is document * _MAX_BLOCKS + place


def repeat(texts: Sequence[Sequence[str]], words: int, seed: int = 0, duplicates: float = 0.2) -> Iterator[Made]:
    """Generate documents of at least so many words in total; the given share of them repeats earlier ones.

    The first round is the texts themselves; in later rounds their words are shuffled, so that they repeat nothing. Half
    of the duplicates are an earlier document, revised to a resemblance of 0.1 to 1; the other half are new but for
    every other block, which is one of an earlier document. Any document can be made again from its number, so nothing
    is kept in memory.
    """
    originals = _Originals(texts, seed, duplicates)
    made = number = 0
    while made < words:
        document = originals.duplicate(number) if originals.is_duplicate(number) else originals.document(number)
        yield document
        made += max(sum(count_words(block.text) for block in document.blocks), 1)
        number += 1


class _Originals:
    """The documents by number, most of which do not repeat others."""

    def __init__(self, texts: Sequence[Sequence[str]], seed: int, duplicates: float) -> None:
        self._texts = [kept for text in texts if (kept := [block for block in map(str.strip, text) if block])]
        if not self._texts:
            raise ValueError("there is no text to repeat")
        self._langs = [identify("\n".join(text)).lang for text in self._texts]
        self._seed = seed
        self._share = duplicates

    def is_duplicate(self, number: int) -> bool:
        """Whether the document with that number repeats an earlier one; the first never does."""
        return number > 0 and random.Random(f"{self._seed} {number}").random() < self._share

    def document(self, number: int) -> Made:
        """Make the original document with that number."""
        turn, at = divmod(number, len(self._texts))
        texts = shuffle(self._texts[at], self._seed, number) if turn else self._texts[at]
        blocks = tuple(MadeBlock(text, number * _MAX_BLOCKS + place) for place, text in enumerate(texts))
        return Made(f"https://site-{number % 1000}.example/{number}", blocks, "repeated", number, lang=self._langs[at])

    def duplicate(self, number: int) -> Made:
        """Make the document with that number as one that repeats an earlier one."""
        rng = random.Random(f"{self._seed} duplicate {number}")
        earlier, own = self.document(self._earlier(number, rng)), self.document(number)
        if rng.random() < 0.5:
            return _revision(earlier, own.url, rng)
        blocks = [earlier.blocks[at % len(earlier.blocks)] if at % 2 else block for at, block in enumerate(own.blocks)]
        return replace(own, blocks=(*blocks, *earlier.blocks[:1]) if len(blocks) == 1 else tuple(blocks))

    def _earlier(self, number: int, rng: random.Random) -> int:
        """Choose an original before that number at random: the one that was drawn, or the nearest before it."""
        found = rng.randrange(number)
        while self.is_duplicate(found):
            found -= 1
        return found


def _revision(earlier: Made, url: str, rng: random.Random) -> Made:
    resemblance = rng.choice(RESEMBLANCES)
    texts = revise([block.text for block in earlier.blocks], change_rate(resemblance), rng)
    blocks = [
        replace(block, text=text, changed=share)
        for block, (text, share) in zip(earlier.blocks, texts, strict=True)
        if text.strip()
    ]
    return replace(earlier, url=url, blocks=tuple(blocks), resemblance=resemblance)
