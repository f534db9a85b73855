"""Compute all scores of one cleaned page; `summary.py` makes figures of them."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.document import Document
from gristmill.evaluation.align import MAX_WORDS
from gristmill.evaluation.fragments import fragments
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.metrics import CleanEval, Counts, by_alignment, by_bag, by_cleaneval
from gristmill.evaluation.nodes import (
    by_nodes,
    gold_with_undecided,
    is_canola,
    is_cut,
    keeps,
    perfect_fragments,
    text_nodes,
)
from gristmill.evaluation.words import has_markup

RELIABILITIES = (100, 0)
"""The reliability thresholds of Table 2.5 in Pomikálek's thesis, in per cent."""


@dataclass(frozen=True, slots=True)
class NodeScores:
    """The scores that only a page of Canola, with judged text nodes, has."""

    characters: dict[int, Counts]
    """The counts of characters by the threshold of reliability."""
    with_undecided: Counts
    """The counts of aligned words, with the undecided nodes as part of the gold text."""
    perfect: list[int]
    """The lengths of the fragments of a perfect cleaning."""


@dataclass(frozen=True, slots=True)
class PageScore:
    """The scores of one method on one page."""

    id: str
    seconds: float
    words: Counts
    bag: tuple[float, float, float] | None
    """Precision, recall and F1 of bags of words; None if the page has no gold text."""
    cleaneval: CleanEval | None
    """CleanEval's scores; None if the page has no gold text."""
    fragments: list[int]
    nodes: NodeScores | None = None
    error: str = ""
    """The exception that the method raised, as text."""
    cut: bool = False
    """Whether the page was too long to be compared to its end."""

    @property
    def f1(self) -> float:
        """F1 of bags of words, by which pages are ranked; 1 for a page without gold text."""
        return self.bag[2] if self.bag else 1.0


def score(page: GoldPage, document: Document, seconds: float = 0.0, error: str = "") -> PageScore:
    """Compare a cleaned page with its gold text."""
    text = document.text
    counts = by_alignment(text, page.gold, page.lang)
    has_gold = bool(page.gold.strip())
    marked = page.annotated if page.annotated and has_markup(page.annotated) else None
    nodes, nodes_cut = _node_scores(page, document) if is_canola(page.annotated) else (None, False)
    return PageScore(
        page.id,
        seconds,
        counts,
        by_bag(text, page.gold),
        by_cleaneval(document, counts, marked, page.lang) if has_gold else None,
        fragments(document),
        nodes,
        error,
        nodes_cut or max(counts.found, counts.wanted) >= MAX_WORDS,
    )


def _node_scores(page: GoldPage, document: Document) -> tuple[NodeScores, bool]:
    nodes = text_nodes(page.annotated or "")
    kept = keeps(document, nodes)
    scores = NodeScores(
        {reliability: by_nodes(nodes, kept, reliability) for reliability in RELIABILITIES},
        by_alignment(document.text, gold_with_undecided(nodes), page.lang),
        perfect_fragments(nodes),
    )
    return scores, is_cut(document, nodes)
