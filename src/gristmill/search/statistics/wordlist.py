"""Word lists: the values of an attribute by their frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.language.stoplist import stop_list
from gristmill.registry import did_you_mean
from gristmill.search.collating import collator_for, sorted_places
from gristmill.search.coverage import NOTHING_MISSING, Missing, with_missing
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import Counted, counted
from gristmill.search.statistics.dispersion import COLUMNS as DISPERSION
from gristmill.search.statistics.dispersion import Dispersion
from gristmill.search.statistics.dispersion import dispersion as dispersion_of
from gristmill.search.statistics.measures import per_million
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Values
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Table
from gristmill.text.collation import Collator
from gristmill.wording import plural

ORDERS = ("frequency", "documents", "arf", "value")
"""What a word list can be sorted by."""
_NOUNS = {"word": "words", "lc": "words", "lemma": "lemmas", "lemma_lc": "lemmas", "tag": "tags", "xpos": "tags"}
"""What the values of an attribute are called."""
_BY_SPREAD = frozenset({"documents", "arf"})
"""Orders for which the dispersion of all values must be known."""


@dataclass(frozen=True, slots=True)
class WordListRow:
    """A value, its frequency, and its rate per million tokens.

    If that was asked for, also the number of documents that have it, how unevenly it is spread (DP, from 0 to 1), and
    its average reduced frequency.
    """

    value: str
    frequency: int
    per_million: float
    documents: int | None = None
    dp: float | None = None
    arf: float | None = None


class Totals(NamedTuple):
    """What a list says of all values, not only of its rows: see `WordList`."""

    types: int
    occurrences: int
    left_out: int


class _CountedLater(Table):
    """A table whose totals may be counted only when one of them is asked for."""

    __slots__ = ("_count",)
    _count: Callable[[], Totals]

    def __getattr__(self, name: str) -> int:
        """Count the totals: this is called for attributes that have no value yet."""
        if name not in Totals._fields:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        for field, total in zip(Totals._fields, self._count(), strict=True):
            object.__setattr__(self, field, total)  # as dataclasses do that are frozen
        found: int = object.__getattribute__(self, name)
        return found


@dataclass(frozen=True, slots=True, repr=False)
class WordList(_CountedLater):
    """Values by frequency, of all `types` that passed the filters.

    These occur `occurrences` times in the `size` tokens of the corpus or subcorpus. In a list of the most frequent
    bigrams these numbers are counted when they are asked for.
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
    missing: Missing = NOTHING_MISSING
    """What is missing of the attribute, and of tags if these were asked for: rates relate to the other tokens."""

    def counted_later(self, count: Callable[[], Totals]) -> WordList:
        """Return this list with totals that are counted when they are asked for."""
        for name in Totals._fields:
            object.__delattr__(self, name)
        object.__setattr__(self, "_count", count)
        return self

    @property
    def columns(self) -> list[Column]:
        """The value, its frequency and its rate; dispersion if it was asked for."""
        heading = f"{self.n}-gram" if self.n > 1 else self.attribute
        columns = [Column("value", heading), Column("frequency"), Column("per_million", "per million")]
        return [*columns, *DISPERSION] if self.dispersion else columns

    def facts(self) -> dict[str, Any]:
        """What the result says besides its rows; `n` if these are n-grams."""
        facts = with_missing(Table.facts(self))
        return {name: value for name, value in facts.items() if name != "dispersion" and (name, value) != ("n", 1)}

    def notes(self) -> list[str]:
        """Say what one should know of the figures, in lines."""
        return self.missing.notes()

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        kind = f"{self.n}-grams" if self.n > 1 else _NOUNS.get(self.attribute, "values")
        left_out = ""
        if self.left_out:
            how = "" if self.types else " (ask for punctuation to keep them)"
            left_out = f"; {self.left_out:,} {'with' if self.n > 1 else 'tokens of'} punctuation left out{how}"
        different = f"{self.types:,} different {kind}, which occur {self.occurrences:,} times"
        return f"{plural(self.size, 'token')}; {different}{left_out}"


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
    collation: str | None = None,
    dispersion: bool = False,
    limit: int | None = None,
) -> WordList:
    """Count the values of an attribute, or of several joined (`lemma+tag`), the most frequent first.

    Values of the same frequency are in the order of code points. If `order` is `value`, all are in the order of
    `collation`, the code of a language, by default that of most of the text (`codepoints` for code points). `matching`
    is a regular expression for the whole value, of the first attribute if there are several, and `tag` one for the tags
    of tokens that count. Punctuation,
    which is what has no letter or digit, is left out unless it is asked for; frequencies per million are of all tokens.
    If the taggers of some tokens do not provide the attribute, or the tag, rates are those among the others.
    Without `stop_words` the frequent words of the corpus's languages are left out. `dispersion` adds the number of
    documents, DP and ARF.
    """
    if order not in ORDERS:
        raise UsageError(
            f"a word list has no order {order!r}{did_you_mean(order, ORDERS)} (there are: {', '.join(ORDERS)})"
        )
    values = Values(index, attribute, ignore_case=ignore_case)
    choice = Choice(index, subcorpus, tag)
    known = choice.knowing([*values.names, *(() if tag is None else ("tag",))])
    without = None if stop_words else stop_words_of(index, subcorpus)
    everything = counted(values, choice)
    wanted = everything if punctuation else everything.words()
    found = wanted.filtered(matching=matching, min_frequency=min_frequency, without=without)
    spread = dispersion_of(values, choice, found.keys, found.counts) if order in _BY_SPREAD else None
    collator = collator_for(index, subcorpus, collation) if order == "value" else None
    places = _places(found, spread, order, limit, collator)
    chosen = found.where(places)
    if spread is not None:
        spread = spread.take(places)
    elif dispersion:
        spread = dispersion_of(values, choice, chosen.keys, chosen.counts)
    rows = _rows(chosen, spread, known)
    left_out = int(everything.counts.sum() - wanted.counts.sum())
    types, occurrences = len(found.keys), int(found.counts.sum())
    dispersed, missing = spread is not None, known.missing
    return WordList(values.name, choice.size, types, occurrences, rows, left_out, dispersion=dispersed, missing=missing)


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


def _places(found: Counted, spread: Dispersion | None, order: str, limit: int | None, collator: Collator | None) -> Ids:
    """Places of the first `limit` values in some order; of values that are alike, the most frequent comes first."""
    if collator is not None:
        return np.array(sorted_places(found.values.strings(found.keys).to_pylist(), collator)[:limit], np.int64)
    if order == "value":
        return np.arange(len(found.keys))[:limit]
    if spread is None:
        return best(found.counts, limit)
    by_frequency = best(found.counts)
    scores = spread.arf if order == "arf" else spread.documents
    return by_frequency[best(scores[by_frequency], limit)]


def _rows(found: Counted, spread: Dispersion | None, known: Choice) -> list[WordListRow]:
    """Rows for these values, with their dispersion if it is given; rates are those among the tokens that are known."""
    strings = found.values.strings(found.keys).to_pylist()
    counts = counted(found.values, known).at(found.keys) if known.missing.is_partial else found.counts
    columns = [found.counts, per_million(counts, known.size), *(spread or ())]
    return [WordListRow(*row) for row in zip(strings, *(column.tolist() for column in columns), strict=True)]
