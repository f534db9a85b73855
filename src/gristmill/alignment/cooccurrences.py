"""Counts of words that stand together in beads, from which a dictionary is learned; they add up over many tasks.

Memory is bounded: at most `most_pairs` pairs of words are kept, 32 to 64 bytes each, and `MOST_WORDS` different words
of each language. Where there are more, the pairs that were counted least are dropped. What is kept depends only on what
was added, and in which order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.evidence import PAIR_SHIFT, words_of_beads
from gristmill.alignment.texts import Beads, Sentences
from gristmill.alignment.vocabulary import Encoded, encode
from gristmill.arrays.dtypes import Floats, Ints
from gristmill.errors import UsageError
from gristmill.kernel import PairTable

MOST_PAIRS = 1 << 21
"""Pairs of words that are kept, unless it is said otherwise."""
MOST_WORDS = 1 << 20
"""Different words of each language that are kept; later ones are not counted."""
MIN_SCORE = 0.5
"""Beads that are less likely to be right are not counted."""
MOST_WORDS_OF_BEAD = 40
SCHEMA = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("count", pa.int64(), nullable=False),
    ]
)
"""A pair of words. Where one word is empty, it is the count of the other; where both are, of all beads."""


class Cooccurrences:
    """In how many beads words, and pairs of words of two languages, are."""

    def __init__(self, most_pairs: int = MOST_PAIRS) -> None:
        """Begin with nothing; `most_pairs` bounds the memory."""
        self.beads = 0
        self._sides = _Words(), _Words()
        self._table = PairTable(most_pairs)

    @property
    def source_words(self) -> list[str]:
        """The words of the source, by number."""
        return list(self._sides[0].numbers)

    @property
    def target_words(self) -> list[str]:
        """The words of the target, by number."""
        return list(self._sides[1].numbers)

    @property
    def source_counts(self) -> Ints:
        """In how many beads each word of the source is."""
        return self._sides[0].counts

    @property
    def target_counts(self) -> Ints:
        """In how many beads each word of the target is."""
        return self._sides[1].counts

    @property
    def dropped(self) -> int:
        """How many pairs were dropped to keep within the bound."""
        return int(self._table.dropped)

    def pairs(self) -> tuple[Ints, Ints, Floats]:
        """The pairs: numbers of words of the source and of the target, and in how many beads both are."""
        keys, counts = self._table.pairs()
        return keys >> PAIR_SHIFT, keys & ((1 << PAIR_SHIFT) - 1), counts.astype(np.float64)

    def add(self, source: Sentences, target: Sentences, beads: Beads, min_score: float = MIN_SCORE) -> None:
        """Count the words of the beads of two texts that have sentences on both sides and a score that high."""
        chosen = np.flatnonzero(
            (beads.source_end > beads.source_start)
            & (beads.target_end > beads.target_start)
            & (beads.score >= min_score)
        )
        if not len(chosen):
            return
        bounds = (
            np.stack([beads.source_start[chosen], beads.source_end[chosen]], axis=1),
            np.stack([beads.target_start[chosen], beads.target_end[chosen]], axis=1),
        )
        texts = encode(source.words, source.counts), encode(target.words, target.counts)
        source_words, source_starts = self._sides[0].add(texts[0], bounds[0])
        target_words, target_starts = self._sides[1].add(texts[1], bounds[1])
        self._table.add_beads(source_words, source_starts, target_words, target_starts, MOST_WORDS_OF_BEAD)
        self.beads += len(chosen)

    def merge(self, other: Cooccurrences) -> None:
        """Add the counts of another task."""
        sources, targets, counts = other.pairs()
        to_source = self._sides[0].merge(other._sides[0])
        to_target = self._sides[1].merge(other._sides[1])
        sources, targets = to_source[sources], to_target[targets]
        known = (sources >= 0) & (targets >= 0)
        keys = sources[known] << PAIR_SHIFT | targets[known]
        self._table.add_pairs(keys, counts[known].astype(np.int64))
        self.beads += other.beads

    def dictionary(self) -> Dictionary:
        """Learn a dictionary from the counts."""
        return Dictionary.learned(self)

    def write(self, path: Path) -> None:
        """Write it as Parquet, sorted by words: the same counts give the same bytes."""
        sources, targets, counts = self.pairs()
        source_words, target_words = (
            np.array([*self.source_words, ""], object),
            np.array([*self.target_words, ""], object),
        )
        names = [
            *source_words[sources],
            *source_words[:-1],
            *[""] * (len(target_words) - 1),
            "",
        ]
        others = [*target_words[targets], *[""] * (len(source_words) - 1), *target_words[:-1], ""]
        numbers = np.concatenate([counts.astype(np.int64), self.source_counts, self.target_counts, [self.beads]])
        table = pa.table({"source": names, "target": others, "count": numbers}, schema=SCHEMA)
        pq.write_table(table.sort_by([("source", "ascending"), ("target", "ascending")]), path, compression="zstd")

    @classmethod
    def read(cls, path: Path, most_pairs: int = MOST_PAIRS) -> Cooccurrences:
        """Read what `write` wrote."""
        table = pq.read_table(path)
        if table.schema.names != SCHEMA.names:
            raise UsageError(f"{path} has no counts of words: it has the columns {', '.join(table.schema.names)}")
        made = cls(most_pairs)
        names, others = table.column("source").to_pylist(), table.column("target").to_pylist()
        numbers = table.column("count").to_numpy()
        rows: tuple[list[int], ...] = ([], [], [])
        for row, (name, other) in enumerate(zip(names, others, strict=True)):
            if name and other:
                rows[2].append(row)
            elif name or other:
                rows[0 if name else 1].append(row)
            else:
                made.beads = int(numbers[row])
        made._sides[0].take([names[row] for row in rows[0]], numbers[rows[0]])
        made._sides[1].take([others[row] for row in rows[1]], numbers[rows[1]])
        of_source, of_target = made._sides[0].numbers, made._sides[1].numbers
        keys = [of_source[names[row]] << PAIR_SHIFT | of_target[others[row]] for row in rows[2]]
        made._table.add_pairs(np.array(keys, np.int64), np.array(numbers[rows[2]], np.int64))
        return made


class _Words:
    """The words of one language: their numbers, and in how many beads each is."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._counts = np.zeros(64, np.int64)

    @property
    def counts(self) -> Ints:
        return self._counts[: len(self.numbers)]

    def take(self, words: list[str], counts: Ints) -> Ints:
        """Add words with their counts; return their numbers, -1 where there is no more room."""
        numbers = self.numbers
        found = np.zeros(len(words), np.int64)
        for place, word in enumerate(words):
            number = numbers.get(word, -1)
            if number < 0 and len(numbers) < MOST_WORDS:
                number = numbers[word] = len(numbers)
            found[place] = number
        if len(numbers) > len(self._counts):
            self._counts = np.append(self._counts, np.zeros(len(numbers), np.int64))
        known = found >= 0
        np.add.at(self._counts, found[known], np.asarray(counts)[known])
        return found

    def merge(self, other: _Words) -> Ints:
        return self.take(list(other.numbers), other.counts)

    def add(self, text: Encoded, bounds: Ints) -> tuple[Ints, Ints]:
        """Count the words of beads; return the numbers of their words, and where those of each bead begin."""
        words, starts, counts = words_of_beads(text, bounds, least=1, most=1.0)
        used = np.flatnonzero(counts)
        mapping = np.full(len(text.forms), -1, np.int64)
        mapping[used] = self.take([text.forms[number] for number in used.tolist()], counts[used])
        numbers = mapping[words]
        known = numbers >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        return numbers[known], starts.astype(np.int64)
