"""How well a text agrees with the gold text: precision, recall and F by aligned words, by words in no order, and as CleanEval did."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.cleaning.cleaneval import marked
from gristmill.document import Document
from gristmill.evaluation.align import MAX_ALIGNED, MAX_WORDS, common, pairs
from gristmill.evaluation.words import TAGS, bag, marked_words, words


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was right, of how much that was found and how much that was wanted; in words, tags or characters."""

    right: int = 0
    found: int = 0
    wanted: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.found + other.found, self.wanted + other.wanted)

    @property
    def precision(self) -> float:
        """The share of what was found that is right; nothing found is right only if nothing was wanted."""
        return self.right / self.found if self.found else float(not self.wanted)

    @property
    def recall(self) -> float:
        """The share of what was wanted that was found."""
        return self.right / self.wanted if self.wanted else float(not self.found)

    def f(self, beta: float = 1.0) -> float:
        """The weighted harmonic mean of both: a beta of 0.5 has precision count twice as much as recall (Pomikálek 2011, 2.9.1)."""
        return f_score(self.precision, self.recall, beta)


def f_score(precision: float, recall: float, beta: float = 1.0) -> float:
    """F of precision and recall."""
    weight = beta * beta
    return (1 + weight) * precision * recall / (weight * precision + recall) if precision + recall else 0.0


@dataclass(frozen=True, slots=True)
class CleanEval:
    """The scores of the CleanEval competition for one page."""

    text_only: float
    text_and_markup: float | None
    """None if the gold text has no markup."""
    tags: Counts
    """Tags that stand at the same place in both texts."""


def by_alignment(text: str, gold: str, lang: str | None = None) -> Counts:
    """Words of both texts, and how many of them stand in both in the same order, as Evert's `cleaneval.py` counts them.

    The alignment is a longest common subsequence, where `cleaneval.py` has the approximation of Python's difflib.
    """
    found, wanted = words(text, lang)[:MAX_WORDS], words(gold, lang)[:MAX_WORDS]
    return Counts(common(found, wanted), len(found), len(wanted))


def by_bag(text: str, gold: str) -> tuple[float, float, float] | None:
    """Precision, recall and F1 of words in no order, each as often as it occurs; None if there is no gold text."""
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
    """CleanEval's Text Only, from the counts of `by_alignment`, and Text and Markup (Pomikálek 2011, 2.5).

    A score is one minus the insertions and deletions of words that turn one text into the other, divided by the length
    of their alignment. For Text and Markup each tag is a word. (The competition's own program also looked at where
    segments end.)
    """
    if marked_gold is None:
        return CleanEval(_similarity(plain), None, Counts())
    found = marked_words(marked(document.kept()), lang)[:MAX_ALIGNED]
    wanted = marked_words(marked_gold, lang)[:MAX_ALIGNED]
    right = [found[at] for at, _ in pairs(found, wanted)]
    tags = Counts(*(sum(word in TAGS for word in listed) for listed in (right, found, wanted)))
    return CleanEval(_similarity(plain), _similarity(Counts(len(right), len(found), len(wanted))), tags)


def _similarity(counts: Counts) -> float:
    length = counts.found + counts.wanted - counts.right
    return counts.right / length if length else 1.0
