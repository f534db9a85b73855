"""The filter `fineweb-quality`: the rules of FineWeb besides those of Gopher and C4."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.document import Document
from gristmill.filter.c4 import QUOTES, STOPS
from gristmill.filter.registry import (
    DocumentFilter,
    Finding,
    above,
    check_shares,
    counted,
    finding,
    share_above,
    share_below,
)
from gristmill.filter.repetition import repeated_lines
from gristmill.registry import parameters_of, part

_QUOTES = ('"', "'", *QUOTES)


@part("filter", "fineweb-quality")
@dataclass(frozen=True)
class FineWebQuality(DocumentFilter):
    """Keeps documents whose lines are mostly sentences, and rarely short or repeated (FineWeb: Penedo et al. 2024).

    A line may end in the marks of any script, or in quotation marks if `quotes` is set; it is short up to `short`
    characters; `breaks` are line ends per word, of which lists have many. The thresholds are those of the published
    program.
    """

    punctuation: float = 0.12
    short_lines: float = 0.67
    short: int = 30
    repeated: float = 0.01
    breaks: float = 0.3
    quotes: bool = True

    def check(self) -> None:
        """Check that the thresholds are shares."""
        check_shares(
            "fineweb-quality", **{key: value for key, value in parameters_of(self).items() if isinstance(value, float)}
        )

    def judge(self, document: Document) -> Finding:
        """Compute the figures of lines, and compare them with the thresholds."""
        lines = [line for line in document.folded.split("\n") if line.strip()]
        count, words = max(len(lines), 1), max(document.words, 1)
        ends = (*STOPS, *(_QUOTES if self.quotes else ()))
        punctuation = sum([line.endswith(ends) for line in lines]) / count
        short = sum([len(line) <= self.short for line in lines]) / count
        _, repeated = repeated_lines(lines)
        breaks = max(len(lines) - 1, 0) / words
        return finding(
            f"{counted(len(lines), 'lines')}, {punctuation:.1%} end as sentences do, {short:.1%} are short, "
            f"{repeated:.1%} of characters are in repeated ones, {breaks:.2f} line ends a word",
            share_below(punctuation, self.punctuation, "of lines end as sentences do"),
            share_above(short, self.short_lines, f"of lines have {self.short} characters or fewer"),
            share_above(repeated, self.repeated, "of characters are in repeated lines"),
            above(breaks, self.breaks, "line ends a word"),
        )
