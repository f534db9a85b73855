"""Texts that are divided into sentences, and beads: sentences of two texts that are translations of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gristmill.annotation import tokenise
from gristmill.arrays.dtypes import Ints, Matrix
from gristmill.arrays.ragged import starts_of

PARAGRAPH = "p"


@dataclass(frozen=True, slots=True)
class Sentences:
    """One text, divided into sentences, as columns."""

    words: list[str]
    """The forms of all tokens, sentence after sentence."""
    counts: Ints
    """How many tokens each sentence has."""
    characters: Ints
    """How many characters each sentence has."""
    blocks: Ints
    """The number of the block that each sentence is of; all the same where blocks are not known."""
    kinds: list[str]
    """The kind of that block: p, h or l, for paragraph, heading and list item."""
    texts: list[str] | None = None
    """The text of each sentence; only embeddings need it."""

    def __post_init__(self) -> None:
        """Raise if columns don't fit together."""
        sentences = len(self.counts)
        lengths = {len(self.characters), len(self.blocks), len(self.kinds)}
        if self.texts is not None:
            lengths.add(len(self.texts))
        if lengths != {sentences}:
            raise ValueError("columns of sentences differ in length")
        if int(np.sum(self.counts)) != len(self.words) or (sentences and int(np.min(self.counts)) < 0):
            raise ValueError("the counts of sentences are not those of their words")

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.counts)

    @classmethod
    def of_blocks(cls, blocks: Iterable[str], lang: str = "und", kinds: Sequence[str] | None = None) -> Sentences:
        """Divide the blocks of a text (paragraphs, headings, list items) into sentences."""
        texts: list[str] = []
        words: list[str] = []
        counts: list[int] = []
        numbers: list[int] = []
        kind_of: list[str] = []
        for number, block in enumerate(blocks):
            tokens = tokenise(block, lang)
            words += tokens.words
            counts += tokens.sentences
            first = 0
            for count in tokens.sentences:
                last = first + count - 1
                texts.append(block[tokens.starts[first] : tokens.starts[last] + len(tokens.words[last])])
                first += count
            numbers += [number] * len(tokens.sentences)
            kind_of += [kinds[number] if kinds else PARAGRAPH] * len(tokens.sentences)
        return cls._made(words, counts, texts, numbers, kind_of)

    @classmethod
    def of_text(cls, text: str, lang: str = "und") -> Sentences:
        """Divide a text into sentences; its lines are paragraphs."""
        return cls.of_blocks([line for line in text.splitlines() if line.strip()], lang)

    @classmethod
    def of_lines(cls, lines: Iterable[str], lang: str = "und") -> Sentences:
        """Take a text that is divided already: each line is a sentence, and borders of blocks are not known."""
        texts = list(lines)
        words: list[str] = []
        counts: list[int] = []
        for text in texts:
            tokens = tokenise(text, lang).words
            words += tokens
            counts.append(len(tokens))
        return cls._made(words, counts, texts, [0] * len(texts), [PARAGRAPH] * len(texts))

    @classmethod
    def _made(
        cls, words: list[str], counts: list[int], texts: list[str], blocks: list[int], kinds: list[str]
    ) -> Sentences:
        characters = np.fromiter(map(len, texts), np.int64, len(texts))
        return cls(words, np.array(counts, np.int64), characters, np.array(blocks, np.int64), kinds, texts)


class Bead(NamedTuple):
    """Sentences of the source that are translated by some of the target, as half-open ranges of their numbers."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int
    score: float


@dataclass(frozen=True, slots=True)
class Beads:
    """The beads of two texts, in order, as columns; together they have all sentences of both texts.

    Those that have no translation are beads with one empty side.
    """

    source_start: Ints
    source_end: Ints
    target_start: Ints
    target_end: Ints
    score: Matrix
    """How likely each bead is right, 0 to 1."""

    def __len__(self) -> int:
        """How many beads there are."""
        return len(self.score)

    def __iter__(self) -> Iterator[Bead]:
        """The beads one by one."""
        columns = (self.source_start, self.source_end, self.target_start, self.target_end, self.score)
        return (Bead(*row) for row in zip(*(column.tolist() for column in columns), strict=True))

    @classmethod
    def of_counts(cls, sources: Ints, targets: Ints, score: Matrix | None = None) -> Beads:
        """Make beads, given how many sentences each has on both sides."""
        source, target = starts_of(sources), starts_of(targets)
        scores = np.zeros(len(sources), np.float32) if score is None else score
        return cls(source[:-1], source[1:], target[:-1], target[1:], scores)

    @property
    def source_bounds(self) -> Ints:
        """Where each bead begins in the source, and at the end where the last one ends."""
        return np.append(self.source_start, self.source_end[-1:] if len(self) else [0]).astype(np.int64)

    @property
    def target_bounds(self) -> Ints:
        """Where each bead begins in the target, and at the end where the last one ends."""
        return np.append(self.target_start, self.target_end[-1:] if len(self) else [0]).astype(np.int64)
