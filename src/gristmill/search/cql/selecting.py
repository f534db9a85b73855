"""Selectors: the tokens of an index that a condition holds of.

A selector goes through lists of positions where they are short, and scans the tokens where not; which is cheaper is
told by costs in nanoseconds, measured on a machine of 2020, of which only the ratios matter. For a token that is in
1,000 of 1,000,000 places, a list costs 1,000 x 4 and a scan 1,000,000 x 0.3 x 4 bytes: the list is taken.

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
from gristmill.condition import AllOf, Always, AnyOf, Comparison, Condition, Negation, matching
from gristmill.search.cql.deriving import clauses_of
from gristmill.search.hits import check_size, distinct, pick
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon

Numbers = npt.NDArray[Any]
"""Positions or ids, ascending and distinct."""

LIST_NANOSECONDS = 4.0
"""Cost of testing a token in a list of positions."""
MERGE_NANOSECONDS = 35.0
"""Cost of bringing a position into its place in the union of several lists."""
_LOOKUP_NANOSECONDS = 2.5
"""Cost of looking up in a table whether the value of a token is wanted."""
_COMPARE_NANOSECONDS_PER_BYTE = 0.3
"""Cost of comparing the value of a token with a wanted one, for each byte of an id."""
BLOCK_TOKENS = 1 << 17
"""Tokens that are scanned at a time: what is computed of them stays in the processor's cache."""


class Selector(ABC):
    """The tokens that a condition selects."""

    size: int
    """Number of tokens of the index."""
    count: int
    """Number of tokens that are selected at most."""
    cost: float
    """Cost of scanning a token, in nanoseconds."""

    @abstractmethod
    def at(self, positions: Numbers) -> Mask:
        """Whether the tokens at these positions are selected.

        A position outside of the index stands for the nearest one inside.
        """

    @abstractmethod
    def block(self, first: int, last: int) -> Mask:
        """Whether the tokens from `first` to before `last` are selected."""

    @abstractmethod
    def positions(self) -> Numbers:
        """Positions of all selected tokens, ascending."""

    def scan(self) -> Numbers:
        """Positions of all selected tokens, found by looking at each token."""
        return scan(0, self.size, self.block)


class OfValues(Selector):
    """Tokens whose attribute has one of some values, or none of them."""

    def __init__(self, attribute: Attribute, ids: Numbers, negated: bool = False) -> None:
        self.attribute, self.ids, self.negated = attribute, ids, negated
        self._segments: dict[int, tuple[list[int], Mask | None]] = {}
        self.size = len(attribute.ids)
        count = attribute.count(ids)
        self.count = self.size - count if negated else count
        self.cost = (
            _LOOKUP_NANOSECONDS
            if len(ids) > self._few
            else _COMPARE_NANOSECONDS_PER_BYTE * len(ids) * attribute.ids.itemsize
        )

    @property
    def _few(self) -> int:
        """Number of values that are compared faster one by one than looked up."""
        return int(_LOOKUP_NANOSECONDS / _COMPARE_NANOSECONDS_PER_BYTE) // self.attribute.ids.itemsize

    @cached_property
    def wanted(self) -> Mask:
        """For each value whether its tokens are selected."""
        wanted = np.full(max(1, len(self.attribute.lexicon)), self.negated)
        wanted[self.ids] = not self.negated
        return wanted

    def at(self, positions: Numbers) -> Mask:
        """Whether the values of these tokens are wanted."""
        return self.attribute.apply(self._test, positions, np.bool_)

    def block(self, first: int, last: int) -> Mask:
        """Whether the values of the tokens of a block are wanted."""
        return self.attribute.apply_between(self._test, first, last, np.bool_)

    def positions(self) -> Numbers:
        """Positions from the inverted lists, unless these are several and much of the index."""
        ids = np.flatnonzero(self.wanted) if self.negated else self.ids
        if len(ids) > 1 and self.count * MERGE_NANOSECONDS > self.size * self.cost:
            return self.scan()
        return self.attribute.positions_of(ids)

    def complement(self) -> OfValues:
        """Select all other tokens."""
        return OfValues(self.attribute, self.ids, not self.negated)

    def intersection(self, other: OfValues) -> OfValues:
        """Select the tokens that both select; both are on the same attribute."""
        if self.negated and other.negated:
            return OfValues(self.attribute, merge([self.ids, other.ids]), negated=True)
        if self.negated:
            return other.intersection(self)
        return OfValues(self.attribute, self.ids[other.wanted[self.ids]])

    def _test(self, segment: int, values: Numbers) -> Mask:
        """Whether values, given by the ids that a segment has for them, are wanted."""
        ids, wanted = self._in_segment(segment)
        if wanted is not None:
            return wanted.take(values, mode="clip")
        found = values == ids[0] if ids else np.zeros(len(values), np.bool_)
        for number in ids[1:]:  # a number of NumPy would have all values cast to its type
            found |= values == number
        return np.logical_not(found, out=found) if self.negated else found

    def _in_segment(self, segment: int) -> tuple[list[int], Mask | None]:
        """The wanted ids as a segment numbers them; if they are many, a table of all its ids instead."""
        if segment not in self._segments:
            many = len(self.ids) > self._few
            self._segments[segment] = (
                ([], self.attribute.own_values(segment, self.wanted))
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
        """True everywhere."""
        return np.ones(len(positions), np.bool_)

    def block(self, first: int, last: int) -> Mask:
        """True everywhere."""
        return np.ones(last - first, np.bool_)

    def positions(self) -> Numbers:
        """Positions of all tokens."""
        check_size(self.size)
        return np.arange(self.size)


class NoTokens(Selector):
    """No token."""

    def __init__(self, size: int) -> None:
        self.size, self.count, self.cost = size, 0, 0.0

    def at(self, positions: Numbers) -> Mask:
        """False everywhere."""
        return np.zeros(len(positions), np.bool_)

    def block(self, first: int, last: int) -> Mask:
        """False everywhere."""
        return np.zeros(last - first, np.bool_)

    def positions(self) -> Numbers:
        """No positions."""
        return np.empty(0, np.int64)


class Others(Selector):
    """The tokens that another selector does not select."""

    def __init__(self, part: Selector) -> None:
        self.part, self.size, self.cost = part, part.size, part.cost
        self.count = part.size

    def at(self, positions: Numbers) -> Mask:
        """Whether these tokens are not selected."""
        return ~self.part.at(positions)

    def block(self, first: int, last: int) -> Mask:
        """Whether the tokens of a block are not selected."""
        return ~self.part.block(first, last)

    def positions(self) -> Numbers:
        """Positions of all other tokens."""
        return self.scan()


class Both(Selector):
    """Tokens that all of several selectors select; the one that selects the fewest comes first."""

    def __init__(self, parts: Sequence[Selector]) -> None:
        self.parts = sorted(parts, key=lambda part: part.count)
        self.size, self.count = parts[0].size, self.parts[0].count
        self.cost = sum(part.cost for part in parts)

    def at(self, positions: Numbers) -> Mask:
        """Whether all parts select these tokens."""
        return reduce(np.logical_and, (part.at(positions) for part in self.parts))

    def block(self, first: int, last: int) -> Mask:
        """Whether all parts select the tokens of a block."""
        return reduce(np.logical_and, (part.block(first, last) for part in self.parts))

    def positions(self) -> Numbers:
        """Positions of the rarest part that the others select too."""
        if self.count * LIST_NANOSECONDS > self.size * self.cost:
            return self.scan()
        found = self.parts[0].positions()
        for part in self.parts[1:]:
            found = pick(found, part.at(found))
        return found


class Either(Selector):
    """Tokens that at least one of several selectors selects."""

    def __init__(self, parts: Sequence[Selector]) -> None:
        self.parts = parts
        self.size = parts[0].size
        self.count = min(self.size, sum(part.count for part in parts))
        self.cost = sum(part.cost for part in parts)

    def at(self, positions: Numbers) -> Mask:
        """Whether one of the parts selects these tokens."""
        return reduce(np.logical_or, (part.at(positions) for part in self.parts))

    def block(self, first: int, last: int) -> Mask:
        """Whether one of the parts selects the tokens of a block."""
        return reduce(np.logical_or, (part.block(first, last) for part in self.parts))

    def positions(self) -> Numbers:
        """Positions of all parts, each once."""
        if self.count * MERGE_NANOSECONDS > self.size * self.cost:
            return self.scan()
        return merge([part.positions() for part in self.parts])


Special = Callable[[Condition], "Selector"]
"""A function that makes the selector of a condition which is not on the attributes of one token alone."""


def select_tokens(condition: Condition, index: Index, special: Special | None = None) -> Selector:
    """Make the selector of the tokens that a condition holds of."""
    index.attributes.check(condition)
    return _Selecting(index, special).select(condition, negated=False)


def merge(parts: Sequence[Numbers]) -> Numbers:
    """Merge several lists into ascending and distinct numbers."""
    return distinct(np.concatenate(parts))


def scan(first: int, last: int, block: Callable[[int, int], Mask]) -> Numbers:
    """Find where, from `first` to before `last`, something holds that is computed block by block."""
    parts, found = [np.empty(0, np.int64)], 0
    for start in range(first, last, BLOCK_TOKENS):
        parts.append(np.flatnonzero(block(start, min(start + BLOCK_TOKENS, last))))
        parts[-1] += start
        found += len(parts[-1])
        check_size(found)
    return np.concatenate(parts)


def _ids(comparison: Comparison, lexicon: Lexicon) -> Numbers:
    """Ids of the values that a comparison is true of."""
    if comparison.sign in {"=", "=="}:
        return lexicon.matching(
            comparison.value,
            comparison.ignore_case,
            comparison.ignore_diacritics,
            is_literal=comparison.sign == "==",
        )
    return np.flatnonzero(matching(lexicon.array, comparison.sign, comparison.value))


class _Selecting:
    """Compiles conditions."""

    def __init__(self, index: Index, special: Special | None) -> None:
        self.index, self.special = index, special

    def select(self, condition: Condition, negated: bool) -> Selector:
        """Compile a condition or its negation; negations are pushed down to the values, by De Morgan."""
        match condition:
            case Comparison():
                return _compared(condition, self.index, negated)
            case Negation():
                return self.select(condition.part, not negated)
            case AllOf() | AnyOf():
                parts = [self.select(part, negated) for part in condition.parts]
                return _all(parts) if isinstance(condition, AllOf) != negated else _any(parts)
            case Always():
                return NoTokens(self.index.size) if negated else AllTokens(self.index.size)
            case _:
                return self.selected_specially(condition, negated)

    def selected_specially(self, condition: Condition, negated: bool) -> Selector:
        """Compile a condition that is not on the attributes of one token alone, or its negation."""
        if self.special is None:
            raise TypeError(condition)
        found = self.special(condition)
        if not negated:
            return found
        return found.complement() if isinstance(found, OfValues) else Others(found)


def _compared(comparison: Comparison, index: Index, negated: bool) -> Selector:
    """Compile a comparison, or its negation."""
    if index.attributes.is_derived(comparison.name):
        return _derived(comparison, index, negated)
    attribute = index.attributes[comparison.name]
    return OfValues(attribute, _ids(comparison, attribute.lexicon), negated)


def _derived(comparison: Comparison, index: Index, negated: bool) -> Selector:
    """Compile a comparison with a derived attribute, or its negation, by the stored ones that it is made of."""
    clauses = clauses_of(comparison, index.attributes)
    if not clauses:
        return OfValues(index.attributes.stored["word"], np.empty(0, np.int64), negated)
    both, either = (_any, _all) if negated else (_all, _any)
    return either([both([OfValues(*part, negated) for part in clause]) for clause in clauses])


def _all(parts: Sequence[Selector]) -> Selector:
    merged = _by_attribute(parts, OfValues.intersection)
    return merged[0] if len(merged) == 1 else Both(merged)


def _any(parts: Sequence[Selector]) -> Selector:
    merged = _by_attribute(parts, lambda one, other: one.complement().intersection(other.complement()).complement())
    return merged[0] if len(merged) == 1 else Either(merged)


def _by_attribute(parts: Sequence[Selector], combine: Callable[[OfValues, OfValues], OfValues]) -> list[Selector]:
    """Combine conditions on one attribute into one, as sets of its values."""
    merged: dict[str, Selector] = {}
    others = []
    for part in parts:
        if not isinstance(part, OfValues):
            others.append(part)
            continue
        before = merged.get(part.attribute.name)
        merged[part.attribute.name] = combine(before, part) if isinstance(before, OfValues) else part
    return [*merged.values(), *others]
