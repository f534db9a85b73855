"""Compare a text with the gold text by aligned words, by bags of words, and as CleanEval did."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.cleaning.cleaneval import marked
from gristmill.document import Document
from gristmill.evaluation.align import MAX_ALIGNED_WORDS, MAX_WORDS, common, pairs
from gristmill.evaluation.words import TAGS, bag, marked_words, words


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of right, found and wanted items: words, tags or characters."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.found + other.found, self.wanted + other.wanted)

    @property
    def precision(self) -> float:
        """The share of the found items that are right; if none were found, 1 if none were wanted, else 0."""
        return self.right / self.found if self.found else float(not self.wanted)

    @property
    def recall(self) -> float:
        """The share of the wanted items that were found; if none were wanted, 1 if none were found, else 0."""
        return self.right / self.wanted if self.wanted else float(not self.found)

    def f(self, beta: float = 1.0) -> float:
        """The weighted harmonic mean of precision and recall.

        With a beta of 0.5 precision counts twice as much as recall (Pomikálek 2011, 2.9.1).
        """
        return f_score(self.precision, self.recall, beta)


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean of precision and recall."""
    weight = beta * beta
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class CleanEval:
    """The scores of the CleanEval competition for one page."""

    text_only: float
    text_and_markup: float | None
    """The score with markup; None if the gold text has none."""
    tags: Counts
    """The counts of tags that stand at the same place in both texts."""


def by_alignment(text: str, gold: str, lang: str | None = None) -> Counts:
    """Count the words of both texts, and those that stand in both in the same order, as Evert's `cleaneval.py` does.

    The alignment is a longest common subsequence, where `cleaneval.py` has the approximation of Python's difflib.
    """
    found, wanted = words(text, lang)[:MAX_WORDS], words(gold, lang)[:MAX_WORDS]
    return Counts(common(found, wanted), len(found), len(wanted))


def by_bag(text: str, gold: str) -> tuple[float, float, float] | None:
    """Precision, recall and F1 of bags of words (multisets); None if there is no gold text."""
    found, wanted = bag(text), bag(gold)
    if not wanted:
        return None
    right = (found & wanted).total()
    if not right:
        return 0.0, 0.0, 0.0
    counts = Counts(right, found.total(), wanted.total())
    return counts.precision, counts.recall, counts.f()


def by_cleaneval(
    document: Document, plain: Counts, marked_gold: str | None = None, lang: str | None = None
) -> CleanEval:
    """Compute CleanEval's scores: Text Only, from the counts of `by_alignment`, and Text and Markup.

    A score is one minus the insertions and deletions of words that turn one text into the other, divided by the length
    of their alignment (Pomikálek 2011, 2.5). For Text and Markup each tag is a word. (The competition's own program
    also looked at where segments end.)
    """
    if marked_gold is None:
        return CleanEval(_similarity(plain), None, Counts())
    found = marked_words(marked(document.kept()), lang)[:MAX_ALIGNED_WORDS]
    wanted = marked_words(marked_gold, lang)[:MAX_ALIGNED_WORDS]
    right = [found[at] for at, _ in pairs(found, wanted)]
    tags = Counts(*(sum(word in TAGS for word in listed) for listed in (right, found, wanted)))
    return CleanEval(_similarity(plain), _similarity(Counts(len(right), len(found), len(wanted))), tags)


def _similarity(counts: Counts) -> float:
    length = counts.found + counts.wanted - counts.right
    return counts.right / length if length else 1.0
