"""Words of a page and of its gold text as numbers, so that any choice of blocks is scored fast; for training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from gristmill.evaluation.metrics import f_score
from gristmill.evaluation.words import plain_words


@dataclass(slots=True)
class Bag:
    """The words of a page and of its gold text as numbers: `metrics.by_bag` for any choice of blocks, but faster."""

    words: npt.NDArray[np.intp]
    blocks: npt.NDArray[np.intp]
    """The number of the block in which each word stands."""
    gold: npt.NDArray[np.intp]
    """The count of each word in the gold text."""
    gold_words: int

    @classmethod
    def of(cls, texts: Sequence[str], gold: str) -> Bag:
        """Number the words of the blocks and of the gold text."""
        numbers: dict[str, int] = {}
        words = [[numbers.setdefault(word, len(numbers)) for word in plain_words(text)] for text in texts]
        wanted = plain_words(gold)
        counts = np.bincount([numbers[word] for word in wanted if word in numbers] or [0], minlength=len(numbers) + 1)
        counts[0] -= not any(word in numbers for word in wanted)
        blocks = np.repeat(np.arange(len(texts)), list(map(len, words)))
        return cls(np.array(list(chain.from_iterable(words)), np.intp), blocks, counts, len(wanted))

    def scores(self, kept: npt.NDArray[np.bool_]) -> tuple[float, float, float]:
        """Precision, recall and F1 of bags of words if these blocks are kept.

        They are 1 if there is no gold text, and nothing is kept.
        """
        counts = np.bincount(self.words[kept[self.blocks]], minlength=len(self.gold))
        if not self.gold_words and not counts.any():
            return 1.0, 1.0, 1.0
        hits = int(np.minimum(counts, self.gold).sum())
        if not hits:
            return 0.0, 0.0, 0.0
        precision, recall = hits / int(counts.sum()), hits / self.gold_words
        return precision, recall, f_score(precision, recall)
