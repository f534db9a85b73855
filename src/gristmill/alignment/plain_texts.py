"""Align two texts that are given as plain text: `gristmill.align`, and the command of that name."""

from __future__ import annotations

from typing import NamedTuple

from gristmill.alignment.aligning import align as align_sentences
from gristmill.alignment.dictionary import Dictionary
from gristmill.alignment.embeddings import Embedder
from gristmill.alignment.texts import Sentences


class AlignedPair(NamedTuple):
    """The text of both sides of a bead, and how likely it is right; a side may be empty."""

    source: str
    target: str
    score: float


def align(
    source: str,
    target: str,
    langs: tuple[str, str] = ("und", "und"),
    *,
    dictionary: Dictionary | None = None,
    embedder: Embedder | None = None,
    method: str = "",
) -> list[AlignedPair]:
    """Align two texts whose lines are paragraphs, and return the pairs of sentences in order.

    >>> for pair in align("The mill is old. It still works.", "Die Mühle ist alt. Sie geht noch.", ("en", "de")):
    ...     print(pair.source, "|", pair.target)
    The mill is old. | Die Mühle ist alt.
    It still works. | Sie geht noch.
    """
    sides = Sentences.of_text(source, langs[0]), Sentences.of_text(target, langs[1])
    beads = align_sentences(
        *sides, source_lang=langs[0], target_lang=langs[1], dictionary=dictionary, embedder=embedder, method=method
    )
    texts = sides[0].texts or [], sides[1].texts or []
    return [
        AlignedPair(
            " ".join(texts[0][bead.source_start : bead.source_end]),
            " ".join(texts[1][bead.target_start : bead.target_end]),
            bead.score,
        )
        for bead in beads
    ]
