"""Measure de-duplication on documents with known truth: one copy of every text is left, and nothing else is lost.

A text is what has a number of its own (`MadeBlock.origin`); its copies are the blocks with that number. Words are those
of `count_words`. A block is left if its verdict is `unique`. All figures belong to the kind and language of the
document in which a text comes first.

- copies: texts of ten words and more that are there several times, whole and unchanged, or in another way of writing.
  One copy ought to be left, so words are counted of all copies but one; gone are those of which no second copy is left.
- revisions: the same for texts of which some copy has been changed, by the resemblance of the documents. What counts is
  the shorter copies.
- parts: words of copies that are only the beginning of a text.
- lost texts: texts of ten words and more of which no whole copy, changed or not, is left; of 10,000 texts.
- unique words: words of texts that are there once, short lines too. Lines of tables, lists and code are texts of their
  own.
- first blocks: texts that are the first block of some document, of any length, there once or several times, of which no
  copy is left.
- stubs: words of blocks with the verdict `stub`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.shards import Shard, read_batches
from gristmill.text.words import count_words

MIN_TEXT_WORDS = 10
"""The number of words from which on a text has an n-gram of ten words."""
MIN_RESEMBLANCE = 0.3
"""The resemblance from which on revisions are to be found."""


class Part(NamedTuple):
    """A part of a whole, as two counts."""

    some: int = 0
    all: int = 0

    def plus(self, some: int, of: int) -> Part:
        """Add to both counts."""
        return Part(self.some + some, self.all + of)

    @property
    def share(self) -> float | None:
        """The part as a share of the whole; None if the whole is 0."""
        return self.some / self.all if self.all else None


@dataclass(slots=True)
class Tally:
    """The counts for some documents."""

    counts: defaultdict[str, Part] = field(default_factory=lambda: defaultdict(Part))
    """The counts by the names of figures.

    `revised 0.3` are revisions of that resemblance, `written upper case` copies in that way of writing.
    """

    def add(self, name: str, some: int, of: int) -> None:
        """Add to the counts of a figure."""
        self.counts[name] = self.counts[name].plus(some, of)

    def take(self, other: Tally) -> None:
        """Add all counts of another tally."""
        for name, part in other.counts.items():
            self.add(name, *part)

    def share(self, name: str) -> float | None:
        """A figure as a share; None if there was nothing to count."""
        return self.counts[name].share if name in self.counts else None

    def figures(self) -> dict[str, float | None]:
        """The figures that have a bound, and after them all others; None where there was nothing to count."""
        return {name: self.share(name) for name in (*BOUNDS, *sorted(self.counts.keys() - BOUNDS.keys()))}

    def as_json(self) -> dict[str, object]:
        """The figures and the counts, to be written as JSON."""
        return {"figures": self.figures(), "counts": {name: list(part) for name, part in sorted(self.counts.items())}}


class Bound(NamedTuple):
    """The bound of a figure."""

    limit: float
    at_least: bool

    def holds(self, figure: float | None) -> bool:
        """Whether a figure keeps to the bound; where there was nothing to count, it does."""
        return figure is None or (figure >= self.limit if self.at_least else figure <= self.limit)

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.limit:.2%}"


BOUNDS = {
    "copies_gone": Bound(0.995, at_least=True),
    "texts_lost": Bound(0.0001, at_least=False),
    "unique_words_lost": Bound(0.005, at_least=False),
    "first_blocks_lost": Bound(0.005, at_least=False),
    "revisions_gone": Bound(0.95, at_least=True),
}


def missed(tally: Tally, names: Iterable[str] = BOUNDS) -> list[str]:
    """List the bounds that do not hold, each with the measured figure."""
    figures = tally.figures()
    return [
        f"{name} {figures[name]:.3%}, must be {BOUNDS[name]}" for name in names if not BOUNDS[name].holds(figures[name])
    ]


class Copy(NamedTuple):
    """A copy of a text: the block, the document it stands in, and the verdict on it."""

    block: MadeBlock
    document: Made
    words: int
    is_first: bool
    verdict: str

    @property
    def is_left(self) -> bool:
        """Whether the block was kept."""
        return self.verdict == "unique"


Tallies = dict[tuple[str, str], Tally]


def measures(documents: Sequence[Made], verdicts: Iterable[Sequence[str]]) -> Tallies:
    """Measure by kind and language of documents, given the verdicts on all their blocks."""
    lowest: dict[int, float] = {}
    for document in documents:
        lowest[document.cluster] = min(lowest.get(document.cluster, 1.0), document.resemblance)
    texts: defaultdict[int, list[Copy]] = defaultdict(list)
    for copy in _copies(documents, verdicts):
        texts[copy.block.origin].append(copy)
    tallies: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    for copies in texts.values():
        first = copies[0].document
        _count(tallies[first.kind, first.lang], copies, lowest[first.cluster])
    return dict(tallies)


def total(tallies: Tallies, wanted: Callable[[str, str], bool] = lambda *_: True) -> Tally:
    """Sum up all tallies, or those of some kinds and languages."""
    found = Tally()
    for (kind, lang), tally in tallies.items():
        if wanted(kind, lang):
            found.take(tally)
    return found


def _copies(documents: Sequence[Made], verdicts: Iterable[Sequence[str]]) -> Iterator[Copy]:
    for document, decided in zip(documents, verdicts, strict=True):
        for at, (block, verdict) in enumerate(zip(document.blocks, decided, strict=True)):
            yield Copy(block, document, count_words(block.text), at == 0, verdict)


def _count(tally: Tally, copies: Sequence[Copy], resemblance: float) -> None:
    whole = [copy for copy in copies if copy.block.part == 1]
    tally.add(
        "stub_words", sum(copy.words for copy in copies if copy.verdict == "stub"), sum(copy.words for copy in copies)
    )
    is_lost = not any(copy.is_left for copy in whole)
    if len(copies) == 1:
        tally.add("unique_words_lost", copies[0].words * is_lost, copies[0].words)
    if any(copy.is_first for copy in copies):
        tally.add("first_blocks_lost", is_lost, 1)
    for copy in copies:
        if copy.block.part < 1:
            tally.add("parts_gone", copy.words * (not copy.is_left), copy.words)
    if not whole or max(copy.words for copy in whole) < MIN_TEXT_WORDS:
        return
    tally.add("texts_lost", is_lost, 1)
    repeated = sum(copy.words for copy in whole) - max(copy.words for copy in whole)
    left = [copy.words for copy in whole if copy.is_left]
    gone = repeated - (sum(left) - max(left, default=0))
    if any(copy.block.changed for copy in copies):
        tally.add(f"revised {resemblance:.1f}", gone, repeated)
        if resemblance >= MIN_RESEMBLANCE:
            tally.add("revisions_gone", gone, repeated)
    else:
        tally.add("copies_gone", gone, repeated)
        for way in sorted({copy.block.written for copy in copies} - {""}):
            tally.add(f"written {way}", gone, repeated)


def read_verdicts(shards: Sequence[Shard]) -> Iterator[list[str]]:
    """Read the verdicts on the blocks of each document of some shards."""
    for shard in shards:
        for batch in read_batches(shard.duplicates, ["blocks.list.element.verdict"]):
            for blocks in batch.column("blocks").to_pylist():
                yield [block["verdict"] for block in blocks]
