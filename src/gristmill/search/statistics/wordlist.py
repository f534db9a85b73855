"""Word lists: the values of an attribute by their frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.language.stoplist import stop_list
from gristmill.registry import did_you_mean
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import Counted, counted
from gristmill.search.statistics.dispersion import dispersion as dispersion_of
from gristmill.search.statistics.measures import per_million
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Values
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Table

ORDERS = ("frequency", "documents", "value")
"""What a word list can be sorted by."""


@dataclass(frozen=True, slots=True)
class WordListRow:
    """A value, its frequency, and its rate per million tokens.

    If that was asked for, also the number of documents that have it, and how unevenly it is spread (DP, from 0 to 1).
    """

    value: str
    frequency: int
    per_million: float
    documents: int | None = None
    dp: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class WordList(Table):
    """Values by frequency, of all `types` that passed the filters.

    These occur `occurrences` times in the `size` tokens of the corpus or subcorpus.
    """

    attribute: str
    size: int
    types: int
    occurrences: int
    rows: list[WordListRow]
    left_out: int = 0
    """Tokens of punctuation, or n-grams with punctuation, that were not counted; `size` includes them."""
    n: int = 1
    """Tokens of each value: more than one for n-grams."""
    dispersion: bool = False
    """Whether the rows say in how many documents a value is, and how unevenly."""

    @property
    def columns(self) -> list[Column]:
        """The value, its frequency and its rate; dispersion if it was asked for."""
        heading = f"{self.n}-gram" if self.n > 1 else self.attribute
        columns = [Column("value", heading), Column("frequency"), Column("per_million", "per million")]
        return [*columns, Column("documents"), Column("dp", "DP", "{:.3f}".format)] if self.dispersion else columns

    def facts(self) -> dict[str, Any]:
        """What the result says besides its rows; `n` if these are n-grams."""
        facts = Table.facts(self)
        return {name: value for name, value in facts.items() if name != "dispersion" and (name, value) != ("n", 1)}

    def _summary(self) -> str:
        return (
            f"{self.types:,} different values of {self.attribute}, {self.occurrences:,} times in {self.size:,} tokens"
        )


def word_list(
    index: Index,
    attribute: str = "word",
    *,
    subcorpus: Subcorpus | None = None,
    ignore_case: bool = False,
    matching: str | None = None,
    tag: str | None = None,
    punctuation: bool = False,
    min_frequency: int = 1,
    stop_words: bool = True,
    order: str = "frequency",
    dispersion: bool = False,
    limit: int | None = None,
) -> WordList:
    """Count the values of an attribute, or of several joined (`lemma+tag`), the most frequent first.

    Values of the same frequency are in the order of code points. `matching` is a regular expression for the whole
    value, of the first attribute if there are several, and `tag` one for the tags of tokens that count. Punctuation,
    which is what has no letter or digit, is left out unless it is asked for; frequencies per million are of all tokens.
    Without `stop_words` the frequent words of the corpus's languages are left out. `dispersion` adds the number of
    documents and DP.
    """
    if order not in ORDERS:
        raise UsageError(
            f"a word list has no order {order!r}{did_you_mean(order, ORDERS)} (there are: {', '.join(ORDERS)})"
        )
    choice = Choice(index, subcorpus, tag)
    values = Values(index, attribute, ignore_case=ignore_case)
    without = None if stop_words else stop_words_of(index, subcorpus)
    everything = counted(values, choice)
    wanted = everything if punctuation else everything.words()
    found = wanted.filtered(matching=matching, min_frequency=min_frequency, without=without)
    places = _places(found, choice, order, limit)
    dispersion = dispersion or order == "documents"
    rows = _rows(found, places, choice if dispersion else None)
    left_out = int(everything.counts.sum() - wanted.counts.sum())
    types, occurrences = len(found.keys), int(found.counts.sum())
    return WordList(values.name, choice.size, types, occurrences, rows, left_out, dispersion=dispersion)


def stop_words_of(index: Index, subcorpus: Subcorpus | None = None) -> list[str]:
    """Stop words of all languages that documents are in, as far as there are lists."""
    langs = index.structure("doc").attribute("lang")
    ids = langs.ids if subcorpus is None else langs.ids[subcorpus.numbers]
    names = langs.lexicon.strings(np.unique(ids))
    words = sorted(frozenset().union(*map(stop_list, names)))
    if not words and names:
        raise UsageError(
            f"there is no stop list for {', '.join(names)}: say --matching or --tag to choose words instead"
        )
    return words


def _places(found: Counted, choice: Choice, order: str, limit: int | None) -> Ids:
    """Places of the first `limit` values in some order."""
    if order == "value":
        return np.arange(len(found.keys))[:limit]
    if order == "frequency":
        return best(found.counts, limit)
    documents, _ = dispersion_of(found.values, choice, found.keys, found.counts)
    by_frequency = best(found.counts)
    return by_frequency[best(documents[by_frequency], limit)]


def _rows(found: Counted, places: Ids, choice: Choice | None) -> list[WordListRow]:
    """Rows for the values at these places; with dispersion over the tokens of `choice` if it is given."""
    keys, counts = found.keys[places], found.counts[places]
    strings = found.values.strings(keys).to_pylist()
    columns = [strings, counts.tolist(), per_million(counts, found.size).tolist()]
    if choice is not None:
        order = np.argsort(keys)
        documents, dp = dispersion_of(found.values, choice, keys[order], counts[order])
        back = np.argsort(order)
        columns += [documents[back].tolist(), dp[back].tolist()]
    return [WordListRow(*row) for row in zip(*columns, strict=True)]
