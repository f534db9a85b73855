"""Which tokens of an index a condition holds of: by lists of positions where they are short, by scanning where not.

Values are looked up once in the lexicon, so that a regular expression costs as much as there are distinct values, not
tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Mask
from gristmill.condition import AllOf, AnyOf, Comparison, Condition, Negation, literal_regex, matching
from gristmill.search.hits import check_size, distinct, pick
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon

Numbers = npt.NDArray[Any]
"""Positions or ids, ascending and distinct."""

LISTED = 4.0
"""What it costs to test a token in a list of positions.

(Costs are nanoseconds on a machine of 2020; only their ratios matter.)
"""
SORTED = 35.0
"""What it costs to bring a position into its place in the union of several lists."""
_LOOKED_UP = 2.5
_COMPARED = 0.3
BLOCK = 1 << 17
"""Tokens that are scanned at a time: what is computed of them stays in the processor's cache."""


class Selector(ABC):
    """The tokens that a condition selects."""

    size: int
    """Tokens of the index."""
    count: int
    """How many are selected at most."""
    cost: float
    """What it costs to scan a token."""

    @abstractmethod
    def at(self, positions: Numbers) -> Mask:
        """Whether the tokens at these positions are selected.

        A position outside of the index is taken for the nearest one inside.
        """

    @abstractmethod
    def block(self, first: int, last: int) -> Mask:
        """Whether the tokens from `first` to before `last` are selected."""

    @abstractmethod
    def positions(self) -> Numbers:
        """Where all selected tokens stand, ascending."""

    def scan(self) -> Numbers:
        """Where all selected tokens stand, by looking at each token."""
        return scan(self.size, self.block)


class OfValues(Selector):
    """Tokens whose attribute has one of some values, or none of them."""

    def __init__(self, attribute: Attribute, ids: Numbers, negated: bool = False) -> None:
        self.attribute, self.ids, self.negated = attribute, ids, negated
        self._segments: dict[int, tuple[list[int], Mask | None]] = {}
        self.size = len(attribute.ids)
        count = attribute.count(ids)
        self.count = self.size - count if negated else count
        self.cost = _LOOKED_UP if len(ids) > self._few else _COMPARED * len(ids) * attribute.ids.itemsize

    @property
    def _few(self) -> int:
        """So many values are compared faster one by one than looked up."""
        return int(_LOOKED_UP / _COMPARED) // self.attribute.ids.itemsize

    @cached_property
    def _wanted(self) -> Mask:
        """For each value whether its tokens are selected."""
        wanted = np.full(max(1, len(self.attribute.lexicon)), self.negated)
        wanted[self.ids] = not self.negated
        return wanted

    def at(self, positions: Numbers) -> Mask:
        """By the values there."""
        return self.attribute.apply(self._test, positions, np.bool_)

    def block(self, first: int, last: int) -> Mask:
        """By the values there."""
        return self.attribute.apply_between(self._test, first, last, np.bool_)

    def positions(self) -> Numbers:
        """From the inverted lists, unless these are several and much of the index."""
        ids = np.flatnonzero(self._wanted) if self.negated else self.ids
        if len(ids) > 1 and self.count * SORTED > self.size * self.cost:
            return self.scan()
        return self.attribute.positions_of(ids)

    def complement(self) -> OfValues:
        """All other tokens."""
        return OfValues(self.attribute, self.ids, not self.negated)

    def intersection(self, other: OfValues) -> OfValues:
        """Tokens that both select; both are on the same attribute."""
        if self.negated and other.negated:
            return OfValues(self.attribute, merge([self.ids, other.ids]), negated=True)
        if self.negated:
            return other.intersection(self)
        return OfValues(self.attribute, self.ids[other._wanted[self.ids]])

    def _test(self, segment: int, values: Numbers) -> Mask:
        """Which of some values, given by the ids that a segment has for them, are wanted."""
        ids, wanted = self._in_segment(segment)
        if wanted is not None:
            return wanted.take(values, mode="clip")
        found = values == ids[0] if ids else np.zeros(len(values), np.bool_)
        for number in ids[1:]:  # a number of NumPy would have all values cast to its type
            found |= values == number
        return np.logical_not(found, out=found) if self.negated else found

    def _in_segment(self, segment: int) -> tuple[list[int], Mask | None]:
        """The wanted ids as a segment has them; if they are many, rather a table of all its ids."""
        if segment not in self._segments:
            many = len(self.ids) > self._few
            self._segments[segment] = (
                ([], self.attribute.own_values(segment, self._wanted))
                if many
                else (self.attribute.own_ids(segment, self.ids).tolist(), None)
            )
        return self._segments[segment]


class AllTokens(Selector):
    """Every token, `[]`."""

    def __init__(self, size: int) -> None:
        self.size = self.count = size
        self.cost = 0.0

    def at(self, positions: Numbers) -> Mask:
        """Everywhere."""
        return np.ones(len(positions), np.bool_)

    def block(self, first: int, last: int) -> Mask:
        """Everywhere."""
        return np.ones(last - first, np.bool_)

    def positions(self) -> Numbers:
        """All there are."""
        check_size(self.size)
        return np.arange(self.size)


class Both(Selector):
    """Tokens that several others select, all of them; the one that selects the fewest comes first."""

    def __init__(self, parts: Sequence[Selector]) -> None:
        self.parts = sorted(parts, key=lambda part: part.count)
        self.size, self.count = parts[0].size, self.parts[0].count
        self.cost = sum(part.cost for part in parts)

    def at(self, positions: Numbers) -> Mask:
        """Where all select."""
        return reduce(np.logical_and, (part.at(positions) for part in self.parts))

    def block(self, first: int, last: int) -> Mask:
        """Where all select."""
        return reduce(np.logical_and, (part.block(first, last) for part in self.parts))

    def positions(self) -> Numbers:
        """Those of the first that the others select too."""
        if self.count * LISTED > self.size * self.cost:
            return self.scan()
        found = self.parts[0].positions()
        for part in self.parts[1:]:
            found = pick(found, part.at(found))
        return found


class Either(Selector):
    """Tokens that at least one of several others selects."""

    def __init__(self, parts: Sequence[Selector]) -> None:
        self.parts = parts
        self.size = parts[0].size
        self.count = min(self.size, sum(part.count for part in parts))
        self.cost = sum(part.cost for part in parts)

    def at(self, positions: Numbers) -> Mask:
        """Where one selects."""
        return reduce(np.logical_or, (part.at(positions) for part in self.parts))

    def block(self, first: int, last: int) -> Mask:
        """Where one selects."""
        return reduce(np.logical_or, (part.block(first, last) for part in self.parts))

    def positions(self) -> Numbers:
        """Those of all, each once."""
        if self.count * SORTED > self.size * self.cost:
            return self.scan()
        return merge([part.positions() for part in self.parts])


def select_tokens(condition: Condition, index: Index) -> Selector:
    """The tokens of an index that a condition holds of."""
    condition.check(index.attributes, "a token")
    return _select(condition, index, negated=False)


def merge(parts: Sequence[Numbers]) -> Numbers:
    """Ascending and distinct numbers out of several lists."""
    return distinct(np.concatenate(parts))


def scan(size: int, block: Callable[[int, int], Mask]) -> Numbers:
    """Where something holds that is computed block by block."""
    parts, found = [np.empty(0, np.int64)], 0
    for first in range(0, size, BLOCK):
        parts.append(np.flatnonzero(block(first, min(first + BLOCK, size))) + first)
        found += len(parts[-1])
        check_size(found)
    return np.concatenate(parts)


def _ids(comparison: Comparison, lexicon: Lexicon) -> Numbers:
    """The values that a comparison is true of."""
    if comparison.sign == "=":
        return lexicon.matching(comparison.value, comparison.ignore_case)
    if comparison.sign == "==" and comparison.ignore_case:
        return lexicon.matching(literal_regex(comparison.value), ignore_case=True)
    if comparison.sign == "==":
        found = lexicon.find(comparison.value)
        return np.array([found] if found >= 0 else [], np.int64)
    return np.flatnonzero(matching(lexicon.array, comparison.sign, comparison.value, ignore_case=False))


def _select(condition: Condition, index: Index, negated: bool) -> Selector:
    """Compile a condition or its negation; negations go down to the values, by De Morgan."""
    match condition:
        case Comparison():
            attribute = index.attributes[condition.name]
            return OfValues(attribute, _ids(condition, attribute.lexicon), negated)
        case Negation():
            return _select(condition.part, index, not negated)
        case AllOf() | AnyOf():
            parts = [_select(part, index, negated) for part in condition.parts]
            return _all(parts) if isinstance(condition, AllOf) != negated else _any(parts)
        case _:
            return AllTokens(index.size)


def _all(parts: Sequence[Selector]) -> Selector:
    merged = _by_attribute(parts, OfValues.intersection)
    return merged[0] if len(merged) == 1 else Both(merged)


def _any(parts: Sequence[Selector]) -> Selector:
    merged = _by_attribute(parts, lambda one, other: one.complement().intersection(other.complement()).complement())
    return merged[0] if len(merged) == 1 else Either(merged)


def _by_attribute(parts: Sequence[Selector], combine: Callable[[OfValues, OfValues], OfValues]) -> list[Selector]:
    """Conditions on one attribute made into one, as sets of its values."""
    merged: dict[str, Selector] = {}
    others = []
    for part in parts:
        if not isinstance(part, OfValues):
            others.append(part)
            continue
        before = merged.get(part.attribute.name)
        merged[part.attribute.name] = combine(before, part) if isinstance(before, OfValues) else part
    return [*merged.values(), *others]
