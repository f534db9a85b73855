"""The stages of a corpus with what is left after each, in pages, blocks and words, and what each left out, and why.

At every stage, what it was given is what is left and what was left out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from gristmill.corpus.funnel import reason_words
from gristmill.corpus.reader import REPLACED
from gristmill.filter import FILTERS
from gristmill.registry import parse_spec
from gristmill.report.outcomes import BOILERPLATE, DUPLICATE, KEPT, ROLE, ROLE_NAMES, STUB
from gristmill.report.totals import CorpusFigures

_WORDS = {
    BOILERPLATE: "boilerplate: the score is above the threshold",
    ROLE: "the role is not text",
    DUPLICATE: "repeated elsewhere",
    STUB: "stubs between repeated blocks",
    KEPT: "kept text",
}
_OF_CLEANING = (BOILERPLATE, ROLE)
_OF_DEDUP = (DUPLICATE, STUB)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a stage left out for one reason; a number is None where nothing of the kind can be left out there."""

    reason: str
    label: str
    pages: int | None
    blocks: int | None = None
    words: int | None = None
    is_page: bool = True
    """Whether pages are listed under this reason."""


@dataclass(frozen=True, slots=True)
class StageSize:
    """A stage: what is left after it, and what it left out; there are no blocks and words before cleaning."""

    name: str
    label: str
    pages: int
    blocks: int | None = None
    words: int | None = None
    losses: list[Loss] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Overview:
    """All stages, from records to kept text."""

    stages: list[StageSize]

    def to_json(self) -> dict[str, Any]:
        """All figures, for programs."""
        return {"stages": [asdict(stage) for stage in self.stages]}


def label_of(reason: str) -> str:
    """Say a reason in words."""
    name, _, role = reason.partition("/")
    return f"boilerplate: {role}" if role else _WORDS.get(reason, reason_words(name))


def overview(figures: CorpusFigures) -> Overview:
    """Add up the stages of a corpus."""
    return Overview(_Stages(figures).stages())


class _Stages:
    """Takes what is left out at each stage from what was there before."""

    def __init__(self, figures: CorpusFigures) -> None:
        corpus, totals = figures.corpus, figures.totals
        self._counts = corpus.counts
        amounts = totals.outcomes.trimmed().reshape(-1, 2, len(ROLE_NAMES)).sum(axis=2).tolist()
        self._blocks = dict(zip(totals.outcomes.numbers, amounts, strict=True))
        self._pages = _pages(figures, "reason")
        self._unread = _pages(figures, "unread")
        self._cleaned = int(totals.pages[0])
        self._filters = _asked(figures)

    def stages(self) -> list[StageSize]:
        counts = self._counts
        read = StageSize("records", "records read", counts["records"])
        skipped = [
            Loss(reason, reason_words(reason), count, is_page=False) for reason, count in counts["skipped"].items()
        ]
        items = counts.get("items", 0)
        label = f"pages read, and {items:,} items cut out of them" if items else "pages read"
        pages = StageSize("pages", label, counts["pages"], losses=skipped)
        unread = [
            Loss(reason, reason_words(reason), count)
            for reason, count in self._in_order(self._unread)
            if count or self._stage_of(reason) == "page"
        ]
        blocks, words = (sum(amount[unit] for amount in self._blocks.values()) for unit in (0, 1))
        cleaned = StageSize("cleaned", "pages cleaned", self._cleaned, blocks, words, unread)
        text = _after(
            "text", "text after cleaning", cleaned, [self._loss(name, 0, is_page=False) for name in _OF_CLEANING]
        )
        filtered = _after("filters", "passed the filters", text, self._filter_losses())
        left_out = [self._loss(REPLACED, self._pages.get(REPLACED, 0))] if self._pages.get(REPLACED) else []
        repeated = [self._loss(DUPLICATE, self._pages.get(DUPLICATE, 0)), self._loss(STUB, 0, is_page=False)]
        return [read, pages, cleaned, text, filtered, _after("kept", "kept", filtered, [*left_out, *repeated])]

    def _loss(self, reason: str, pages: int, *, is_page: bool = True) -> Loss:
        blocks, words = self._blocks.get(reason, (0, 0))
        return Loss(reason, label_of(reason), pages, blocks, words, is_page)

    def _filter_losses(self) -> list[Loss]:
        """What filters of blocks left out, then what those of documents did."""
        later = {reason: count - self._unread.get(reason, 0) for reason, count in self._pages.items()}
        others = {KEPT, REPLACED, *_OF_CLEANING, *_OF_DEDUP}
        names = dict.fromkeys([*self._filters, *later, *self._blocks])
        wanted = [name for name in names if name and name not in others and self._stage_of(name) != "page"]
        found = [self._loss(name, later.get(name, 0), is_page=name in self._pages) for name in wanted]
        return sorted(found, key=lambda loss: self._stage_of(loss.reason) != "block")

    def _in_order(self, counts: dict[str, int]) -> list[tuple[str, int]]:
        """Reasons in the order in which filters are asked, those that left nothing out included; then others."""
        names = dict.fromkeys([*self._filters, *counts])
        return [(name, counts.get(name, 0)) for name in names if name]

    @staticmethod
    def _stage_of(name: str) -> str:
        return str(FILTERS[name].stage) if name in FILTERS else "document"


def _asked(figures: CorpusFigures) -> list[str]:
    return [parse_spec(spec)[0] for spec in figures.corpus.config.filter.filters]


def _pages(figures: CorpusFigures, dimension: str) -> dict[str, int]:
    group = figures.totals.groups[dimension]
    counts = zip(group.numbers, group.trimmed()[:, 0].tolist(), strict=True)
    return {name: count for name, count in counts if name}


def _after(name: str, label: str, before: StageSize, losses: list[Loss]) -> StageSize:
    pages = before.pages - sum(loss.pages or 0 for loss in losses)
    blocks = (before.blocks or 0) - sum(loss.blocks or 0 for loss in losses)
    words = (before.words or 0) - sum(loss.words or 0 for loss in losses)
    return StageSize(name, label, pages, blocks, words, losses)
