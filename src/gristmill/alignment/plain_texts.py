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
    lines: bool = False,
) -> list[AlignedPair]:
    """Align two texts whose lines are paragraphs, or sentences with `lines`; return the pairs of sentences in order.

    >>> for pair in align("The mill is old. It still works.", "Die Mühle ist alt. Sie geht noch.", ("en", "de")):
    ...     print(pair.source, "|", pair.target)
    The mill is old. | Die Mühle ist alt.
    It still works. | Sie geht noch.
    """
    sides = _sentences(source, langs[0], lines), _sentences(target, langs[1], lines)
    beads = align_sentences(
        *sides, source_lang=langs[0], target_lang=langs[1], dictionary=dictionary, embedder=embedder, method=method
    )
    return [
        AlignedPair(
            _joined(sides[0], bead.source_start, bead.source_end),
            _joined(sides[1], bead.target_start, bead.target_end),
            bead.score,
        )
        for bead in beads
    ]


def _sentences(text: str, lang: str, lines: bool) -> Sentences:
    if not lines:
        return Sentences.of_text(text, lang)
    return Sentences.of_lines([line.strip() for line in text.splitlines() if line.strip()], lang)


def _joined(text: Sentences, start: int, end: int) -> str:
    """The text of some sentences in one line."""
    return " ".join(" ".join((text.texts or [])[start:end]).split())
