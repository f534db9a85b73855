"""Alignment of many pairs of short texts, such as pages, together: faster, and each learns from all the others.

Texts are put one behind the other, with an empty sentence between them, and are aligned as one. The table that is
searched is made of boxes, one for each pair, which only a step from empty sentence to empty sentence connects; and no
bead may have sentences of two texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.alignment.aligning import DEFAULT, align
from gristmill.alignment.bands import is_small
from gristmill.alignment.by_words import align_by_words
from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.embeddings import Embedder
from gristmill.alignment.texts import PARAGRAPH, Beads, Sentences
from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of

MAX_SENTENCES = 20_000
"""Sentences of both sides that are aligned together, about."""

TextPair = tuple[Sentences, Sentences]

_NOTHING = np.zeros(1, np.int64)
_EMPTY = Sentences([], _NOTHING, _NOTHING, _NOTHING, [PARAGRAPH])
"""A text of one empty sentence."""


def align_many(
    pairs: Sequence[TextPair],
    *,
    source_lang: str = "",
    target_lang: str = "",
    dictionary: Dictionary | None = None,
    embedder: Embedder | None = None,
    method: str = "",
) -> list[Beads]:
    """Align many pairs of texts, and return the beads of each.

    By the method `words`, short texts are aligned together, so that what is learned is learned from all of them: the
    beads of a pair depend on which others are given with it. Long texts are aligned one by one, and so are all by
    other methods.
    """
    found: dict[int, Beads] = {}
    by_words = embedder is None and method in {"", DEFAULT}
    short = [number for number, pair in enumerate(pairs) if by_words and is_small(*map(len, pair))]
    for group in _groups(pairs, short):
        found |= zip(group, _together([pairs[number] for number in group], dictionary), strict=True)
    for number, (source, target) in enumerate(pairs):
        if number not in found:
            found[number] = align(
                source,
                target,
                source_lang=source_lang,
                target_lang=target_lang,
                dictionary=dictionary,
                embedder=embedder,
                method=method,
            )
    return [found[number] for number in range(len(pairs))]


def _groups(pairs: Sequence[TextPair], chosen: Sequence[int]) -> list[list[int]]:
    """Divide pairs, given by number, into groups of about so many sentences as are aligned together.

    A limit of 100 and pairs of 60, 60 and 10 sentences: these end at 60, 120 and 130, and are in groups 0, 1 and 1.
    """
    sizes = np.array([sum(map(len, pairs[number])) for number in chosen], np.int64)
    group_of = np.cumsum(sizes) // MAX_SENTENCES
    return [
        [chosen[place] for place in np.flatnonzero(group_of == group).tolist()]
        for group in np.unique(group_of).tolist()
    ]


def _together(pairs: Sequence[TextPair], dictionary: Dictionary | None) -> list[Beads]:
    """Align pairs of texts as one pair, and take the beads apart again."""
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    source, target = (joined(texts, between=True) for texts in sides)
    parts = tuple(np.array(list(map(len, texts)), np.int64) for texts in sides)
    beads = align_by_words(source, target, dictionary, (parts[0], parts[1]))
    starts = starts_of(parts[0] + 1), starts_of(parts[1] + 1)
    # The bead between two texts is the last of those that begin before the second text begins.
    edges = np.searchsorted(beads.source_start + beads.target_start, starts[0][1:-1] + starts[1][1:-1])
    bounds = [0, *edges.tolist(), len(beads) + 1]
    return [
        _taken(beads, bounds[number], bounds[number + 1] - 1, int(starts[0][number]), int(starts[1][number]))
        for number in range(len(pairs))
    ]


def joined(texts: Sequence[Sentences], *, between: bool = False) -> Sentences:
    """Put texts together to one, `between` two of them an empty sentence if that is asked for."""
    words: list[str] = []
    counts, characters, blocks = ([np.zeros(0, np.int64)] for _ in range(3))
    kinds: list[str] = []
    block = 0
    parts = [part for text in texts for part in (_EMPTY, text)][1:] if between else texts
    for text in parts:
        words += text.words
        kinds += text.kinds
        counts.append(text.counts)
        characters.append(text.characters)
        blocks.append(text.blocks + block)
        block += int(text.blocks[-1]) + 1 if len(text) else 0
    return Sentences(words, np.concatenate(counts), np.concatenate(characters), np.concatenate(blocks), kinds)


def joined_beads(beads: Sequence[Beads]) -> Beads:
    """Put the beads of texts together that `joined` puts together."""
    columns: dict[str, list[Ints]] = {}
    for side in ("source", "target"):
        sizes = np.array([getattr(some, f"{side}_end")[-1] if len(some) else 0 for some in beads], np.int64)
        for edge in ("start", "end"):
            parts = (getattr(some, f"{side}_{edge}") for some in beads)
            columns[f"{side}_{edge}"] = [part + before for part, before in zip(parts, starts_of(sizes), strict=False)]
    scores = np.concatenate([np.zeros(0, np.float32), *(some.score for some in beads)])
    made = {name: np.concatenate([np.zeros(0, np.int64), *parts]) for name, parts in columns.items()}
    return Beads(**made, score=scores)


def _taken(beads: Beads, first: int, last: int, source: int, target: int) -> Beads:
    """Take the beads of one text, which begins at the sentences `source` and `target` of all texts."""
    some = slice(first, last)
    return Beads(
        beads.source_start[some] - source,
        beads.source_end[some] - source,
        beads.target_start[some] - target,
        beads.target_end[some] - target,
        beads.score[some],
    )
