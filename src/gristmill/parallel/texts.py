"""The text of a document as the aligner takes it: its sentences, and where each stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.alignment import Sentences
from gristmill.annotation.annotation import Annotation
from gristmill.arrays.dtypes import Floats, Ints
from gristmill.document import Block


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The sentences of all annotated blocks of a document, in their order, with their texts and places."""

    sentences: Sentences
    blocks: Ints
    """The number of the block of each sentence."""
    starts: Ints
    ends: Ints
    """Where each sentence begins and ends in the text of its block, in characters."""
    boilerplate: Floats
    """The boilerplate score of the block of each sentence."""
    texts: list[str]


def placed_text(blocks: Sequence[Block], annotations: Mapping[int, Annotation]) -> PlacedText:
    """Put the sentences of a document together, given its blocks and their annotations, by the numbers of blocks."""
    words: list[str] = []
    counts: list[int] = []
    numbers: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    for number, annotation in annotations.items():
        text, token = blocks[number].text, 0
        words += annotation.words
        for count in annotation.sentences:
            last = token + count - 1
            start, end = annotation.starts[token], annotation.starts[last] + len(annotation.words[last])
            counts.append(count)
            numbers.append(number)
            starts.append(start)
            ends.append(end)
            texts.append(" ".join(text[start:end].split()))
            token += count
    kinds = [blocks[number].kind for number in numbers]
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    placed = np.array(numbers, np.int64)
    return PlacedText(
        Sentences(words, np.array(counts, np.int64), lengths, placed, list(kinds), texts),
        placed,
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array([blocks[number].score for number in numbers], np.float64),
        texts,
    )
