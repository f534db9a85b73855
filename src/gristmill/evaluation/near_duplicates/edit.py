"""Change texts at random: words are replaced, inserted, left out, shuffled.

The same seed gives the same text on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gristmill.text.scripts import has_unspaced_script
from gristmill.text.words import pieces

RESEMBLANCES = tuple(tenth / 10 for tenth in range(1, 11))


class Words(NamedTuple):
    """The words of a text, or pieces as long as words in scripts without spaces; and what stands between them."""

    items: list[str]
    between: str

    @classmethod
    def of(cls, text: str) -> Words:
        """Split a text."""
        return cls(pieces(text), "") if has_unspaced_script(text) else cls(text.split(), " ")

    def text(self) -> str:
        """Join the words to a text again."""
        return self.between.join(self.items).strip()

    def first(self, count: int) -> str:
        """The first words of the text."""
        return self.part(0, count)

    def part(self, start: int, count: int) -> str:
        """A number of words of the text from a position on."""
        return self.between.join(self.items[start : start + count]).strip()


def change_rate(resemblance: float, n: int = 10) -> float:
    """The share of words to change at random so that two texts have that resemblance (Broder 1997, section 2).

    An n-gram stays whole with a chance of s = (1 - rate)^n, and the resemblance of texts that share s of their n-grams
    is s / (2 - s).
    """
    if not 0 < resemblance <= 1:
        raise ValueError(f"a resemblance is more than 0 and at most 1, not {resemblance}")
    shared = 2 * resemblance / (1 + resemblance)
    return 1 - float(shared ** (1 / n))


def revise(texts: Sequence[str], rate: float, rng: random.Random) -> list[tuple[str, float]]:
    """Change a share of the words of texts at random positions, and say which share of each was changed.

    A third of the changes each replaces a word, puts one before it, or leaves it out. New words are other words of the
    same texts.
    """
    taken_apart = [Words.of(text) for text in texts]
    ends = np.cumsum([0, *(len(words.items) for words in taken_apart)]).tolist()
    places = sorted(rng.sample(range(ends[-1]), round(rate * ends[-1])))
    bounds = np.searchsorted(places, ends).tolist()
    vocabulary = [word for words in taken_apart for word in words.items]
    revised = []
    for at, words in enumerate(taken_apart):
        here = places[bounds[at] : bounds[at + 1]]
        _change(words.items, [place - ends[at] for place in here], vocabulary, rng)
        revised.append((words.text(), len(here) / max(ends[at + 1] - ends[at], 1)))
    return revised


def _change(words: list[str], places: Sequence[int], vocabulary: Sequence[str], rng: random.Random) -> None:
    """Change words in place, the last position first, so that the positions before it stay valid."""
    for place in reversed(places):
        new = rng.choice(vocabulary)
        change = rng.randrange(3)
        if change == 0:
            words[place] = new if new != words[place] else str(rng.randrange(10_000))
        elif change == 1:
            words.insert(place, new)
        else:
            del words[place]


def shuffle(texts: Sequence[str], *seed: int) -> list[str]:
    """Shuffle the words of texts: they keep their lengths and their words, but hardly any n-gram."""
    taken_apart = [Words.of(text) for text in texts]
    words = np.array([word for text in taken_apart for word in text.items], object)
    shuffled = words[np.argsort(np.random.PCG64(seed).random_raw(len(words)), kind="stable")].tolist()
    ends = np.cumsum([0, *(len(text.items) for text in taken_apart)]).tolist()
    return [text.between.join(shuffled[ends[at] : ends[at + 1]]).strip() for at, text in enumerate(taken_apart)]
