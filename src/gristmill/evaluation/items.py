"""How good a page is cut into items: precision, recall and F-measure of items, by their boundaries (BOEMIE, 4.3).

An item is right if it begins and ends at the same titles and paragraphs as one of the gold standard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.cleaner import clean_alone
from gristmill.cleaning.items.labelling import spans
from gristmill.cleaning.items.splitting import Nodes, nodes_of, segmented_again
from gristmill.cleaning.languages import Languages
from gristmill.config import CleanConfig
from gristmill.document import Page
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.item_pages import gold_labels
from gristmill.language import Models


@dataclass(frozen=True, slots=True)
class ItemScores:
    """How many items were found, how many there are, and how many of those that were found are right."""

    found: int
    true: int
    right: int

    @property
    def precision(self) -> float:
        """The share of the items that were found which are right."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of the true items that were found."""
        return self.right / self.true if self.true else 0.0

    @property
    def f_measure(self) -> float:
        """Twice the product of both, divided by their sum."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def to_json(self) -> dict[str, float]:
        """The three measures, rounded."""
        names = ("precision", "recall", "f_measure")
        return {name: round(getattr(self, name), 4) for name in names}


def compare_items(pairs: Iterable[tuple[Ints, Ints, Sequence[bool]]]) -> ItemScores:
    """Compare labels that were found with the true ones, page by page; titles without a paragraph are no items."""
    found = true = right = 0
    for own, gold, titles in pairs:
        ours, theirs = (_items(labels, titles) for labels in (own, gold))
        found, true, right = found + len(ours), true + len(theirs), right + len(ours & theirs)
    return ItemScores(found, true, right)


def _items(labels: Ints, titles: Sequence[bool]) -> set[tuple[int, int]]:
    return {(begin, end) for begin, end in spans(labels) if not all(titles[begin:end])}


def labelled_nodes(pages: Sequence[GoldPage], models: Models | None = None) -> list[tuple[Nodes, Ints]]:
    """Clean pages, and label the titles and paragraphs of their main regions by their gold texts."""
    config, known = CleanConfig(), models or Models.load()
    found = []
    for page in pages:
        languages = Languages(known, page.lang or "")
        fetched = Page(page.url or "", page.html)
        document = clean_alone(fetched, languages, config)
        nodes, _ = nodes_of(document, segmented_again(fetched, languages, config))
        found.append((nodes, gold_labels(nodes.texts, page.gold)))
    return found
