"""All scores of one cleaned page."""

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
"""The thresholds at which Table 2.5 of the thesis has its figures."""


@dataclass(frozen=True, slots=True)
class NodeScores:
    """What only a page with judged text nodes can tell."""

    characters: dict[int, Counts]
    """By the least reliability."""
    with_undecided: Counts
    """Aligned words, with the undecided nodes as part of the gold text."""
    perfect: list[int]
    """The fragments of a perfect cleaning."""


@dataclass(frozen=True, slots=True)
class PageScore:
    """How one method did on one page."""

    id: str
    seconds: float
    words: Counts
    bag: tuple[float, float, float] | None
    """None if the page has no gold text; so too below."""
    cleaneval: CleanEval | None
    fragments: list[int]
    nodes: NodeScores | None = None
    error: str = ""
    """What the method raised."""
    cut: bool = False
    """The page was too long to be compared to its end."""

    @property
    def f1(self) -> float:
        """By which pages are said to be bad: F1 of words in no order; a page without gold text is not."""
        return self.bag[2] if self.bag else 1.0


def score(page: GoldPage, document: Document, seconds: float = 0.0, error: str = "") -> PageScore:
    """Compare a cleaned page with its gold."""
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
