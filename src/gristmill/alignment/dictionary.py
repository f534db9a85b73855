"""Dictionaries: which words of two languages are translations of each other, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.alignment.vocabulary import fold
from gristmill.arrays.dtypes import Floats, Ints, Matrix
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.alignment.cooccurrences import Cooccurrences

SCHEMA = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("probability", pa.float32(), nullable=False),
        pa.field("reverse", pa.float32(), nullable=False),
    ]
)
"""A pair of words: how often the target is there where the source is, and the other way round."""
MOST_TRANSLATIONS = 8
"""Translations that are kept for a word."""
DISCOUNT = 1.0
"""What is taken from counts, so that what was seen once says nothing."""
MIN_PROBABILITY = 0.05
MIN_STRENGTH = 0.1
"""How strong a pair must be, next to the best pairs of its two words: others are there because of these."""
MIN_LIFT = 2.0
"""How many times as often as by chance two words must be together."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Pairs of folded words with their probabilities, in the order of source and target; see `SCHEMA`."""

    sources: list[str]
    targets: list[str]
    probability: Matrix
    reverse: Matrix
    _index: dict[str, int] = field(init=False, repr=False, compare=False)
    _starts: Ints = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the words of the source."""
        index: dict[str, int] = {}
        for word in self.sources:
            index.setdefault(word, len(index))
        numbers = np.fromiter(map(index.__getitem__, self.sources), np.int64, len(self.sources))
        object.__setattr__(self, "_index", index)
        object.__setattr__(self, "_starts", starts_of(np.bincount(numbers, minlength=len(index))))

    def __len__(self) -> int:
        """How many pairs of words there are."""
        return len(self.sources)

    def translations(self, word: str) -> list[tuple[str, float]]:
        """The translations of a word, and how often each is there, the most frequent first."""
        number = self._index.get(fold(word))
        if number is None:
            return []
        rows = range(int(self._starts[number]), int(self._starts[number + 1]))
        found = [(self.targets[row], float(self.probability[row])) for row in rows]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))

    def rates(self, source: Sequence[str], target: Sequence[str]) -> tuple[Ints, Ints, Floats]:
        """Find the pairs of words of two vocabularies: numbers of words in these, and the higher probability."""
        theirs = {word: number for number, word in enumerate(target)}
        found = np.fromiter((self._index.get(word, -1) for word in source), np.int64, len(source))
        numbers = np.flatnonzero(found >= 0)
        firsts = self._starts[found[numbers]]
        counts = self._starts[found[numbers] + 1] - firsts
        rows = concatenated_ranges(firsts, counts)
        others = np.fromiter((theirs.get(self.targets[row], -1) for row in rows.tolist()), np.int64, len(rows))
        both = np.flatnonzero(others >= 0)
        rates = np.maximum(self.probability[rows[both]], self.reverse[rows[both]])
        return np.repeat(numbers, counts)[both], others[both], rates.astype(np.float64)

    def reversed(self) -> Dictionary:
        """The dictionary of the other direction."""
        return Dictionary.of(
            zip(self.targets, self.sources, self.reverse.tolist(), self.probability.tolist(), strict=True)
        )

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str, float, float]]) -> Dictionary:
        """Make a dictionary of pairs of words with both probabilities; of several of a pair the highest count."""
        best: dict[tuple[str, str], tuple[float, float]] = {}
        for source, target, probability, reverse in entries:
            key = fold(source), fold(target)
            if all(key):
                old = best.get(key, (0.0, 0.0))
                best[key] = max(old[0], probability), max(old[1], reverse)
        ordered = sorted(best)
        return cls(
            [source for source, _ in ordered],
            [target for _, target in ordered],
            np.array([best[key][0] for key in ordered], np.float32),
            np.array([best[key][1] for key in ordered], np.float32),
        )

    @classmethod
    def joined(cls, *many: Dictionary) -> Dictionary:
        """Join dictionaries; of several probabilities of a pair the highest count."""
        return cls.of(
            entry
            for one in many
            for entry in zip(one.sources, one.targets, one.probability.tolist(), one.reverse.tolist(), strict=True)
        )

    @classmethod
    def learned(cls, counted: Cooccurrences) -> Dictionary:
        """Learn a dictionary from counts of words that are together in beads."""
        sources, targets, counts = _sorted_by_words(counted)
        source_counts, target_counts = counted.source_counts[sources], counted.target_counts[targets]
        left = np.maximum(counts - DISCOUNT, 0.0)
        lift = left * max(counted.beads, 1) / np.maximum(source_counts * target_counts, 1)
        probability, reverse = left / np.maximum(source_counts, 1), left / np.maximum(target_counts, 1)
        kept = np.flatnonzero((np.maximum(probability, reverse) >= MIN_PROBABILITY) & (lift >= MIN_LIFT))
        strength = probability * reverse
        best = np.zeros(len(counted.source_words)), np.zeros(len(counted.target_words))
        np.maximum.at(best[0], sources, strength)
        np.maximum.at(best[1], targets, strength)
        kept = kept[strength[kept] >= MIN_STRENGTH * np.minimum(best[0][sources[kept]], best[1][targets[kept]])]
        kept = kept[_strongest(sources[kept], strength[kept])]
        kept = kept[_strongest(targets[kept], strength[kept])]
        source_words, target_words = counted.source_words, counted.target_words
        return cls.of(
            (source_words[source], target_words[target], forward, backward)
            for source, target, forward, backward in zip(
                sources[kept].tolist(),
                targets[kept].tolist(),
                np.minimum(probability[kept], 1.0).tolist(),
                np.minimum(reverse[kept], 1.0).tolist(),
                strict=True,
            )
        )

    def write(self, path: Path) -> None:
        """Write it as Parquet; the same dictionary gives the same bytes."""
        columns = [self.sources, self.targets, self.probability, self.reverse]
        pq.write_table(pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA), path, compression="zstd")

    @classmethod
    def read(cls, path: Path) -> Dictionary:
        """Read what `write` wrote."""
        table = pq.read_table(path)
        if table.schema.names != SCHEMA.names:
            raise UsageError(f"{path} is not a dictionary: it has the columns {', '.join(table.schema.names)}")
        columns = [table.column(name) for name in SCHEMA.names]
        return cls(
            columns[0].to_pylist(),
            columns[1].to_pylist(),
            columns[2].to_numpy().astype(np.float32),
            columns[3].to_numpy().astype(np.float32),
        )


def _sorted_by_words(counted: Cooccurrences) -> tuple[Ints, Ints, Floats]:
    """The pairs in the order of their words, which does not depend on when each was seen first."""
    sources, targets, counts = counted.pairs()
    ranks = []
    for words in (counted.source_words, counted.target_words):
        rank = np.zeros(len(words), np.int64)
        rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
        ranks.append(rank)
    order = np.lexsort((ranks[1][targets], ranks[0][sources]))
    return sources[order], targets[order], counts[order]


def _strongest(words: Ints, values: Floats) -> Ints:
    """Choose for each word the pairs with the highest values."""
    order = np.lexsort((-values, words))
    ordered = words[order]
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, np.int64)
    rank = np.arange(len(ordered)) - np.repeat(firsts, np.diff(np.append(firsts, len(ordered))))
    return np.sort(order[rank < MOST_TRANSLATIONS])
