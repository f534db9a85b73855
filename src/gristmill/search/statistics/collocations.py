"""Collocations: what stands near the hits of a query more often than by chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.search.concordance.contexts import WINDOW_TOKENS, window_tokens
from gristmill.search.coverage import ALL_COUNTED, NOTHING_MISSING, Missing, with_missing
from gristmill.search.cql.query import spelling_notes
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.measures import ASSOCIATION
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.tally import tally
from gristmill.search.statistics.values import Keys, Values
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Table
from gristmill.wording import plural

_MAX_CELLS = 1 << 17
"""Tokens of windows that are looked at together: they should stay in the processor's cache."""
_MAX_PAIRWISE_TOKENS = 24
"""Width of windows up to which each two tokens are compared to find repeated ones.

Those of wider windows are sorted.
"""


_COLUMNS = (
    Column("together"),
    Column("frequency"),
    Column(
        "logdice",
        "logDice",
        about="The share of both words that stands together: 14 if they always do, 1 less for half of it.",
    ),
    Column(
        "t",
        "T-score",
        about="How sure it is that they stand together more often than by chance; favours frequent words.",
    ),
    Column("mi", "MI", about="How many times as often as by chance, in bits; favours rare words."),
    Column("mi3", "MI3", about="MI with the frequency cubed, so that rare words do not come first."),
    Column("ll", "log-likelihood", about="How unlikely it is by chance; above 6.63 in one of a hundred cases."),
)


@dataclass(frozen=True, slots=True)
class Collocate:
    """A value near the node: the number of hits that have it near them, its frequency, and the five measures."""

    value: str
    together: int
    frequency: int
    logdice: float
    t: float
    mi: float
    mi3: float
    ll: float


@dataclass(frozen=True, slots=True, repr=False)
class Collocations(Table):
    """Collocates, of all `types` that are frequent enough; near `hits` hits in `size` tokens."""

    attribute: str
    size: int
    hits: int
    types: int
    rows: list[Collocate]
    left_out: int = 0
    """Number of collocates that are punctuation and not among the rows."""
    missing: Missing = NOTHING_MISSING
    """What is missing of the attributes of the query and of the collocates."""
    spelt: tuple[str, ...] = ()
    """Words of the query that are no words of the corpus: their characters in a row were looked for."""
    hints: tuple[str, ...] = ()
    """Why the query may have no hits."""

    def with_hints(self, hints: Iterable[str]) -> Collocations:
        """Say why there is nothing."""
        return replace(self, hints=tuple(hints))

    @property
    def columns(self) -> list[Column]:
        """The collocate, both frequencies, and the five measures."""
        return [Column("value", self.attribute), *_COLUMNS]

    def facts(self) -> dict[str, Any]:
        """What the result says besides its rows."""
        facts = with_missing(Table.facts(self) | {"notes": self.notes(), "spelt": list(self.spelt)})
        return {name: value for name, value in facts.items() if value or name not in {"notes", "spelt", "hints"}}

    def notes(self) -> list[str]:
        """Say what one should know of the figures, in lines."""
        rare = ["everything is too rare: ask for a lower min_together and min_frequency"] if self.hits else []
        found = [] if self.types else [*rare, *self.hints]
        return [*spelling_notes(self.spelt if self.hits else ()), *self.missing.notes(), *found]

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        left_out = f"; {self.left_out:,} of punctuation left out" if self.left_out else ""
        hits, found = plural(self.hits, "hit"), plural(self.types, "collocate")
        return f"{hits} in {plural(self.size, 'token')}; {found}{left_out}"


def collocations(
    index: Index,
    hits: Hits,
    attribute: str = "lemma",
    *,
    window: int | str | None = None,
    within: str | None = None,
    subcorpus: Subcorpus | None = None,
    ignore_case: bool = False,
    matching: str | None = None,
    punctuation: bool = False,
    min_frequency: int = 5,
    min_together: int = 3,
    order: str = "logdice",
    limit: int | None = None,
    asked: Iterable[str] = (),
    spelt: tuple[str, ...] = (),
) -> Collocations:
    """Find the collocates of hits, the strongest first by one of the measures of association.

    A window is a number of tokens on each side of a hit (5), or on its left and right (`"3,0"`), and ends where the
    document does, or with `within="s"` the sentence; or it is all of the sentence (`"s"`; also `within="s"` alone). As
    in the Sketch Engine, a collocate counts once for a hit, however often it stands in its window, and a token in the
    windows of several hits counts for each of them. Frequencies are those in the subcorpus, if one is given.
    `min_frequency` is the least frequency in the corpus, `min_together` the least number of hits. Punctuation is left
    out unless it is asked for, but it takes its place in windows. Tokens whose tagger does not provide the attribute,
    or those that the query of the hits `asked` for, don't count, nor do the hits there, unless all hits are there.
    """
    values = Values(index, attribute, ignore_case=ignore_case)
    choice, missing, hits = _counted_where(index, subcorpus, hits, [*values.names, *asked])
    keys, together = tally(_near(values, choice, hits, _windows(index, hits, window, within)), values.space)
    near = together >= min_together
    keys, together = keys[near], together[near]
    everything = counted(values, choice)
    frequency = everything.counts[np.searchsorted(everything.keys, keys)]
    kept = frequency >= min_frequency
    if matching is not None:
        kept &= values.first_matches(keys, matching)
    wanted = kept if punctuation else kept & values.are_words(keys)
    left_out = int(np.count_nonzero(kept) - np.count_nonzero(wanted))
    keys, together, frequency = keys[wanted], together[wanted], frequency[wanted]
    scores = {name: measure(together, len(hits), frequency, choice.size) for name, measure in ASSOCIATION.items()}
    places = best(scores[order], limit)
    strings = values.strings(keys[places]).to_pylist()
    columns = [
        together[places].tolist(),
        frequency[places].tolist(),
        *(scores[name][places].tolist() for name in ASSOCIATION),
    ]
    rows = [Collocate(*row) for row in zip(strings, *columns, strict=True)]
    return Collocations(values.name, choice.size, len(hits), len(keys), rows, left_out, missing, spelt)


def _counted_where(
    index: Index, subcorpus: Subcorpus | None, hits: Hits, names: Iterable[str]
) -> tuple[Choice, Missing, Hits]:
    """Choose the tokens that have some attributes, and the hits there; if no hit is, all tokens of the subcorpus."""
    choice = Choice(index, subcorpus, names=names)
    found = choice.restrict(hits)
    if len(found) or not choice.missing.is_partial:
        return choice, choice.missing, found
    everything = Choice(index, subcorpus)
    return everything, replace(choice.missing, then=ALL_COUNTED), everything.restrict(hits)


def _windows(index: Index, hits: Hits, window: int | str | None, within: str | None) -> tuple[Ids, Ids]:
    """Number of tokens that the window of each hit has before the hit, and after it."""
    if window is None:
        window = within or WINDOW_TOKENS
    whole = str(window) in index.structures
    structure = index.structure(str(window) if whole else within or "doc")
    numbers = last = structure.number_at(hits.starts)
    if not hits.single:
        last = structure.number_at(hits.ends - 1)
    before, after = hits.starts - structure.bounds[numbers], structure.bounds[last + 1] - hits.ends
    if whole:
        return before, after
    left, right = window_tokens(window, index)
    return np.minimum(before, left), np.minimum(after, right)


def _near(values: Values, choice: Choice, hits: Hits, windows: tuple[Ids, Ids]) -> Iterator[Keys]:
    """The keys of each hit's neighbours, each once for a hit; hits with windows of a similar length come together."""
    for bucket, width in _by_width(windows[0] + windows[1]):
        for start in range(0, len(bucket), max(_MAX_CELLS // width, 1)):
            some = bucket[start : start + max(_MAX_CELLS // width, 1)]
            yield _distinct_in_columns(
                _neighbours(values, choice, hits.starts[some], hits.ends[some], windows[0][some], windows[1][some])
            )


def _by_width(widths: Ids) -> Iterator[tuple[Ids, int]]:
    """Groups of hits by the length of their windows, each with its greatest length.

    So short sentences do not cost what long ones do: the neighbours of a group are a rectangular array.
    """
    limits = [0, _MAX_PAIRWISE_TOKENS]
    while limits[-1] < int(widths.max(initial=0)):
        limits.append(limits[-1] * 2)
    for low, high in pairwise(limits):
        places = np.flatnonzero((widths > low) & (widths <= high))
        if len(places):
            yield places, int(widths[places].max())


def _neighbours(values: Values, choice: Choice, starts: Ids, ends: Ids, before: Ids, after: Ids) -> Keys:
    """Keys of the tokens in the windows: a row for each place, a column for each hit; -1 beyond a window.

    hits at 5 and 9, each of one token; windows: 2 before and 1 after the first, 1 before and none after the second
    rows: 2 before [key(3), -1], 1 before [key(4), key(8)], 1 after [key(6), -1]
    """
    left, right = np.arange(int(before.max()), 0, -1).reshape(-1, 1), np.arange(int(after.max())).reshape(-1, 1)
    return np.concatenate(
        [
            _keys(values, choice, starts - left, left <= before, starts),
            _keys(values, choice, ends + right, right < after, starts),
        ]
    )


def _keys(values: Values, choice: Choice, positions: Ids, there: Mask, starts: Ids) -> Keys:
    """Keys of tokens; -1 for those that are not there, whose positions may be beyond the ends of the stream."""
    if positions.size and int(positions[-1].max()) >= values.index.size:
        positions = np.minimum(positions, values.index.size - 1)
    found = values.keys(positions, near=starts)
    known = choice.holds(positions)
    if known is not None:
        there = there & known
    np.copyto(found, -1, where=~there)
    return found


def _distinct_in_columns(keys: Keys) -> Keys:
    """The different keys of each column, all columns together."""
    wanted = keys >= 0
    if len(keys) > _MAX_PAIRWISE_TOKENS:
        keys = np.sort(keys, axis=0)
        wanted = keys >= 0
        wanted[1:] &= keys[1:] != keys[:-1]
    else:
        for place in range(1, len(keys)):
            wanted[place] &= (keys[:place] != keys[place]).all(axis=0)
    return keys[wanted]
