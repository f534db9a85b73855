"""Keywords: what is typical of a corpus or subcorpus, by its frequency there and in a reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.annotation.provided import made_of
from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.search.coverage import NOTHING_MISSING, Missing, notes_of_two, with_missing
from gristmill.search.hits import pick
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import Counted, counted, counts_in_both
from gristmill.search.statistics.dispersion import COLUMNS as DISPERSION
from gristmill.search.statistics.dispersion import dispersion as dispersion_of
from gristmill.search.statistics.measures import Scores, keyness_log_likelihood, per_million, simple_maths
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Keys, Values, names_of
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Table
from gristmill.wording import plural

WITH_LETTER = r".*\pL.*"
"""Regular expression for the values that are compared, if nothing else is said: those with a letter.

Otherwise punctuation and numbers would come first.
"""
_ANNOTATED = {"tag": "are no tags", "xpos": "is no xpos", "feats": "are no feats", "deprel": "is no deprel"}
"""Attributes that a word has of a tagger or parser only, and how it is said that there are none."""


_COLUMNS = (
    Column("frequency"),
    Column("reference_frequency", "in reference"),
    Column("per_million", "per million"),
    Column("reference_per_million", "per million there"),
    Column(
        "simple_maths",
        "simple maths",
        about="The ratio of both frequencies per million, with a constant added to both: "
        "1 brings rare words forward, 100 common ones.",
    ),
    Column(
        "ll",
        "log-likelihood",
        about="How sure the difference is: above 6.63 by chance in one of a hundred cases; negative if rarer here.",
    ),
)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A value, its frequencies in focus and reference, and how typical it is of the focus by both measures.

    If that was asked for, also how it is spread over the focus: in how many documents it is, DP and ARF.
    """

    value: str
    frequency: int
    reference_frequency: int
    per_million: float
    reference_per_million: float
    simple_maths: float
    ll: float
    documents: int | None = None
    dp: float | None = None
    arf: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Keywords(Table):
    """Keywords, the first of all `types`; sizes are in tokens."""

    attribute: str
    size: int
    reference_size: int
    types: int
    rows: list[Keyword]
    dispersion: bool = False
    """Whether the rows say how a keyword is spread over the focus."""
    missing: Missing = NOTHING_MISSING
    """What is missing of the attribute, and of tags if these were asked for: such tokens are not in `size`."""
    reference_missing: Missing = NOTHING_MISSING
    """The same in the reference."""

    @property
    def columns(self) -> list[Column]:
        """The keyword, its frequencies in focus and reference, and both measures; dispersion if it was asked for."""
        return [Column("value", self.attribute), *_COLUMNS, *(DISPERSION if self.dispersion else ())]

    def facts(self) -> dict[str, Any]:
        """What the result says besides its rows."""
        facts = with_missing(Table.facts(self), "reference")
        return {name: value for name, value in facts.items() if name != "dispersion"}

    def notes(self) -> list[str]:
        """Say what is missing of the attribute in focus and reference, in lines."""
        return notes_of_two(self.missing, self.reference_missing, "reference")

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        here, there = plural(self.size, "token"), plural(self.reference_size, "token")
        return f"{here}, compared with {there}"


@dataclass(frozen=True, slots=True)
class KeyStrings:
    """Values by their keys: text is made of those that are asked for, as mostly few of them are shown."""

    values: Values
    keys: Keys

    def take(self, places: pa.Array) -> KeyStrings:
        """Take some of the values."""
        return KeyStrings(self.values, self.keys[places.to_numpy()])

    def to_pylist(self) -> list[str]:
        """All values as text."""
        found: list[str] = self.values.strings(self.keys).to_pylist()
        return found


@dataclass(frozen=True, slots=True)
class Aligned:
    """The values of two corpora, sorted by code points, and the frequencies of each in both."""

    strings: pa.LargeStringArray | KeyStrings
    one: Ids
    two: Ids
    one_size: int
    two_size: int

    @property
    def log_likelihood(self) -> Scores:
        """Log-likelihood of each value; negative if it is typical of the second corpus."""
        return keyness_log_likelihood(self.one, self.one_size, self.two, self.two_size)

    def simple_maths(self, smoothing: float) -> Scores:
        """Simple maths of each value; below 1 if it is typical of the second corpus."""
        return simple_maths(self.one, self.one_size, self.two, self.two_size, smoothing)

    def take(self, places: Ids) -> Aligned:
        """Keep some of the values."""
        return Aligned(
            self.strings.take(pa.array(places)), self.one[places], self.two[places], self.one_size, self.two_size
        )

    def rows(self, smoothing: float) -> list[Keyword]:
        """All values as keywords."""
        columns = [self.one, self.two, per_million(self.one, self.one_size), per_million(self.two, self.two_size)]
        columns += [self.simple_maths(smoothing), self.log_likelihood]
        return [
            Keyword(*row)
            for row in zip(self.strings.to_pylist(), *(column.tolist() for column in columns), strict=True)
        ]


def keywords(
    index: Index,
    reference: Index | None = None,
    attribute: str = "lemma",
    *,
    subcorpus: Subcorpus | None = None,
    reference_subcorpus: Subcorpus | None = None,
    ignore_case: bool = False,
    matching: str | None = WITH_LETTER,
    tag: str | None = None,
    punctuation: bool = False,
    min_frequency: int = 1,
    smoothing: float = 1.0,
    order: str = "simple_maths",
    dispersion: bool = False,
    limit: int | None = None,
) -> Keywords:
    """Find what is more frequent in a corpus or subcorpus than in a reference, the most typical first.

    The reference is another index, or a subcorpus of either, or else the rest of the documents. At the end of the list,
    if it is not limited, is what is typical of the reference. Punctuation is left out unless it is asked for, and so
    are numbers, unless `matching` says what is wanted. `min_frequency` is the least frequency in both together.
    `smoothing` is the constant of simple maths. `dispersion` adds how each keyword is spread over the focus. Tokens
    whose tagger does not provide the attribute, or the tag, are not counted, unless all of one side are such; if it is
    tags that all of one side lack, or features or relations, there is nothing to compare, and the error says so.
    """
    if not 0 < smoothing < math.inf:
        raise UsageError(f"the constant of simple maths must be above 0 and finite, not {smoothing:g}")
    if punctuation and matching == WITH_LETTER:
        matching = None
    names = [*names_of(attribute), *(() if tag is None else ("tag",))]
    focus, other = choices(index, reference, subcorpus, reference_subcorpus, tag, names)
    for asked in dict.fromkeys(base for name in names for base in made_of(name)):
        if asked in _ANNOTATED:
            _check_compared(focus, other, asked)
    name, both = _of_one_corpus(focus, other, attribute, ignore_case, punctuation, matching) or _of_two(
        focus, other, attribute, ignore_case, punctuation, matching
    )
    if min_frequency > 1:
        both = both.take(np.flatnonzero(both.one + both.two >= min_frequency))
    scores = both.log_likelihood if order == "ll" else both.simple_maths(smoothing)
    rows = both.take(best(scores, limit)).rows(smoothing)
    if dispersion:
        found = counted(Values(focus.index, attribute, ignore_case=ignore_case), focus)
        rows = _with_dispersion(rows, found, focus)
    return Keywords(name, focus.size, other.size, len(both.one), rows, dispersion, focus.missing, other.missing)


def _check_compared(focus: Choice, other: Choice, attribute: str) -> None:
    """Raise if a side has no tags at all, say: whatever is counted by them would be of the other side alone."""
    notes = without_any(focus.missing, other.missing, "reference", attribute)
    if notes:
        raise UsageError(
            f"{'; '.join(notes)}: nothing can be compared by {attribute} (other taggers or parsers: gristmill annotate)"
        )


def without_any(missing: Missing, there: Missing, other: str, attribute: str = "tag") -> list[str]:
    """Say which of two sides has no tags at all, or nothing of another attribute, and in which languages."""
    sides = {"corpus": missing, other: there}
    return [
        f"there {_ANNOTATED[attribute]} in the {name}{side.langs_without(attribute)}"
        for name, side in sides.items()
        if side.lacks_all(attribute)
    ]


def _of_two(
    focus: Choice, other: Choice, attribute: str, ignore_case: bool, punctuation: bool, matching: str | None
) -> tuple[str, Aligned]:
    """Count in two choices of tokens, of one corpus or two. The name of what is counted comes with it."""
    pair = []
    for choice in (focus, other):
        found = counted(Values(choice.index, attribute, ignore_case=ignore_case), choice)
        pair.append((found if punctuation else found.words()).filtered(matching=matching))
    return pair[0].values.name, align(*pair)


def _of_one_corpus(
    focus: Choice, rest: Choice, attribute: str, ignore_case: bool, punctuation: bool, matching: str | None
) -> tuple[str, Aligned] | None:
    """Count in some documents and in all others of a corpus, where values are told apart by their keys.

    None if these are not the choices, or values are too many. The name of what is counted comes with it.
    """
    if focus.index is not rest.index:
        return None
    values = Values(focus.index, attribute, ignore_case=ignore_case)
    counts = counts_in_both(values, focus, rest)
    if counts is None:
        return None
    keys = np.flatnonzero(counts[0] + counts[1])
    wanted = np.ones(len(keys), np.bool_) if punctuation else values.are_words(keys)
    if matching is not None:
        wanted &= values.first_matches(keys, matching)
    keys = pick(keys, wanted)
    one, two = (found[keys] for found in counts)
    return values.name, Aligned(KeyStrings(values, keys), one, two, focus.size, rest.size)


def _with_dispersion(rows: list[Keyword], found: Counted, focus: Choice) -> list[Keyword]:
    """Add how keywords are spread over the focus; what does not occur there is in no document, and has no DP."""
    strings = found.values.strings(found.keys)
    where = pc.index_in(pa.array([row.value for row in rows], strings.type), value_set=strings)
    places = where.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    there = places[places >= 0]
    spread = dispersion_of(found.values, focus, found.keys[there], found.counts[there])
    known = iter(zip(*(column.tolist() for column in spread), strict=True))
    each = (next(known) if place >= 0 else (0, None, 0.0) for place in places.tolist())
    return [
        replace(row, documents=documents, dp=dp, arf=arf) for row, (documents, dp, arf) in zip(rows, each, strict=True)
    ]


def choices(
    index: Index,
    reference: Index | None,
    subcorpus: Subcorpus | None,
    reference_subcorpus: Subcorpus | None,
    tag: str | None = None,
    names: Sequence[str] = (),
) -> tuple[Choice, Choice]:
    """The tokens of focus and reference that have the attributes that are named, neither of them empty."""
    if reference is None and reference_subcorpus is None:
        if subcorpus is None:
            raise UsageError(
                "there is nothing to compare with: name another corpus, "
                "or choose documents (--where) to compare with the others"
            )
        reference_subcorpus = subcorpus.rest
    pair = Choice(index, subcorpus, tag, names), Choice(reference or index, reference_subcorpus, tag, names)
    for choice, name in zip(pair, ("corpus", "reference"), strict=True):
        if not choice.size:
            what = (
                f"no document of the {name} meets the condition"
                if choice.subcorpus is not None
                else f"the {name} is empty"
            )
            condition = choice.subcorpus.condition if choice.subcorpus is not None else ""
            raise UsageError(f"{what} {condition}".strip() + ": there is nothing to compare")
    return pair


def align(one: Counted, two: Counted) -> Aligned:
    """Bring the values of two corpora together by their text, as their ids are of different lexicons.

    one: a 3, b 5;  two: b 2, c 7
    Where the values of two stand in one: b at 1, c nowhere, so c is new and comes after those of one.
    values [a, b, c], frequencies in one [3, 5, 0], in two [0, 2, 7]
    """
    strings, others = (side.values.strings(side.keys) for side in (one, two))
    where = pc.index_in(others, value_set=strings).to_numpy(zero_copy_only=False)
    new = np.isnan(where) if where.dtype.kind == "f" else np.zeros(len(where), np.bool_)
    every = pa.chunked_array([strings, others.filter(pa.array(new))]).combine_chunks()
    ones, twos = np.zeros(len(every), np.int64), np.zeros(len(every), np.int64)
    ones[: len(strings)] = one.counts
    twos[where[~new].astype(np.int64)] = two.counts[~new]
    twos[len(strings) :] = two.counts[new]
    order = pc.sort_indices(every).to_numpy()
    return Aligned(every.take(pa.array(order)), ones[order], twos[order], one.size, two.size)
