"""A list of words or n-grams as a user puts it together, on the command line and in the web app."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.search.index.index import Index
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import WordList, word_list
from gristmill.search.subcorpus import Subcorpus


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What is listed, and how; see `word_list` and `ngrams`."""

    attribute: str = "word"
    n: int = 1
    """Tokens of each value; more than one for n-grams."""
    ignore_case: bool = False
    matching: str | None = None
    tag: str | None = None
    punctuation: bool = False
    min_frequency: int | None = None
    """By default 1, and 2 for n-grams."""
    stop_words: bool = True
    order: str = "frequency"
    collation: str | None = None
    """Language in whose order values are sorted, if they are."""
    dispersion: bool = False
    within: str | None = None
    """Structure that n-grams don't go beyond, a sentence by default."""

    def misplaced(self) -> list[str]:
        """Names of options that are given, but are not for such a list."""
        if self.n == 1:
            return ["within"] if self.within is not None else []
        given = {
            "tag": self.tag is not None,
            "stop_words": not self.stop_words,
            "order": self.order != "frequency",
            "collation": self.collation is not None,
            "dispersion": self.dispersion,
        }
        return [name for name, is_given in given.items() if is_given]

    def run(
        self, index: Index, part: Subcorpus | None, *, limit: int | None = None, report: Report = silent
    ) -> WordList:
        """Make the list, of a subcorpus if one is given."""
        if self.collation is not None and self.n == 1 and self.order != "value":
            raise UsageError("a collation is for lists that are sorted by value: choose that order, too")
        wrong = self.misplaced()
        if wrong:
            kind = "n-grams" if self.n == 1 else "lists of words, not for n-grams"
            raise UsageError(f"{wrong[0].replace('_', ' ')} is for {kind}: leave it out")
        if self.n == 1:
            return word_list(
                index,
                self.attribute,
                subcorpus=part,
                ignore_case=self.ignore_case,
                matching=self.matching,
                tag=self.tag,
                punctuation=self.punctuation,
                min_frequency=self.min_frequency or 1,
                stop_words=self.stop_words,
                order=self.order,
                collation=self.collation,
                dispersion=self.dispersion,
                limit=limit,
            )
        return ngrams(
            index,
            self.n,
            self.attribute,
            subcorpus=part,
            ignore_case=self.ignore_case,
            matching=self.matching,
            punctuation=self.punctuation,
            min_frequency=self.min_frequency or 2,
            within=self.within or "s",
            limit=limit,
            totals=True,  # which are shown above the list
            report=report,
        )
