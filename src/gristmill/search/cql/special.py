"""Selectors of tokens that are not chosen by the values of one attribute: by place, by word list, by comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.condition import Comparison, Condition, Negation
from gristmill.search.cql.evaluating import Rows, ValueRows, is_true, value_of
from gristmill.search.cql.listed import listed_ids
from gristmill.search.cql.selecting import Numbers, OfValues, Selector, select_tokens
from gristmill.search.cql.terms import (
    CURRENT,
    At,
    Call,
    Compared,
    Holds,
    Listed,
    Of,
    Position,
    Sketched,
    Swapped,
    Term,
    Value,
)
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import holds_of
from gristmill.search.wordlists import WordLists

_TEST_NANOSECONDS = 50.0
"""Cost of testing a token by a condition that is not on its values alone."""


class Tested(Selector):
    """Tokens at positions that pass a test."""

    def __init__(self, size: int, test: Callable[[Numbers], Mask]) -> None:
        self.size = self.count = size
        self.cost = _TEST_NANOSECONDS
        self.test = test

    def at(self, positions: Numbers) -> Mask:
        """Whether these tokens pass."""
        return self.test(np.clip(positions, 0, self.size - 1))

    def block(self, first: int, last: int) -> Mask:
        """Whether the tokens of a block pass."""
        return self.test(np.arange(first, last))

    def positions(self) -> Numbers:
        """Positions of all tokens that pass."""
        return self.scan()


class OfPositions(Selector):
    """Tokens at positions that are known."""

    def __init__(self, size: int, known: Numbers) -> None:
        """Take positions, which ascend."""
        self.size, self.known = size, known
        self.count = len(known)
        self.cost = _TEST_NANOSECONDS

    def at(self, positions: Numbers) -> Mask:
        """Whether these positions are among them."""
        if not len(self.known):
            return np.zeros(len(positions), np.bool_)
        places = np.minimum(np.searchsorted(self.known, positions), len(self.known) - 1)
        found: Mask = self.known[places] == np.clip(positions, 0, self.size - 1)
        return found

    def block(self, first: int, last: int) -> Mask:
        """Which of a block are among them."""
        found = np.zeros(last - first, np.bool_)
        start, end = np.searchsorted(self.known, [first, last])
        found[self.known[start:end] - first] = True
        return found

    def positions(self) -> Numbers:
        """All these positions."""
        return self.known


@dataclass
class Lookup:
    """Looks up the tokens of conditions that need more than the attributes of one token."""

    index: Index
    lists: WordLists
    step: Callable[[], None] = lambda: None
    """Called now and then by what takes long; it raises if nobody waits for the answer."""
    _known: dict[Condition, Numbers] = field(default_factory=dict)
    """Tokens of conditions on word sketches that were looked up before."""

    def select(self, condition: Condition) -> Selector:
        """Make the selector of any condition without labels."""
        return select_tokens(condition, self.index, self.special)

    def at(self, condition: Condition, positions: Numbers) -> Mask:
        """Whether a condition without labels holds of the tokens at some positions."""
        return self.select(condition).at(positions)

    def special(self, condition: Condition) -> Selector:
        """Make the selector of a condition that is none of `gristmill.condition`."""
        match condition:
            case At():
                first, last = min(condition.first, self.index.size), min(condition.last + 1, self.index.size)
                return OfPositions(self.index.size, np.arange(first, last))
            case Listed():
                return self._listed(condition)
            case Of():
                return self._of_structure(condition)
            case Compared() | Holds():
                return self._tested(condition)
            case Sketched() | Swapped():
                return OfPositions(self.index.size, self._sketched(condition))
            case _:
                raise TypeError(condition)

    def _sketched(self, condition: Sketched | Swapped) -> Numbers:
        """Positions of tokens that word sketches know."""
        from gristmill.search.sketches.cql import Sketching  # noqa: PLC0415 (few queries need sketches)

        if condition not in self._known:
            self._known[condition] = Sketching(self.index, self.select, self.step).tokens(condition)
        return self._known[condition]

    def _listed(self, condition: Listed) -> Selector:
        """Tokens whose attribute has a value that is in a list."""
        self.index.attributes.check(Comparison(condition.name, "==", "", place=condition.place))
        attribute = self.index.attributes[condition.name]
        words = self.lists.words(condition.words, condition.place)
        return OfValues(attribute, listed_ids(attribute.lexicon, words, condition))

    def _of_structure(self, condition: Of) -> Selector:
        """Tokens in structures whose attribute has a value, `[_.doc_year = "2015"]`."""
        comparison = next(condition.comparison.comparisons(), None)
        if comparison is None or comparison.name in self.index.attributes:
            return self.select(condition.comparison)
        _, structure = value_of(self.index, Value(CURRENT, comparison.name, comparison.place))
        if structure is None:
            raise TypeError(condition)
        own = _renamed(condition.comparison, comparison.name.partition("_")[2])
        chosen = holds_of(own, structure)
        return Tested(self.index.size, lambda positions: chosen[structure.number_at(positions)])

    def _tested(self, condition: Compared | Holds) -> Selector:
        """Tokens of which a comparison of terms is true; by the values of an attribute if it is on nothing else."""
        terms = [condition.left, condition.right] if isinstance(condition, Compared) else [condition.term]
        values, positional = _used(terms)
        if len(values) == 1 and not positional:
            attribute, structure = value_of(self.index, next(iter(values.values())))
            if isinstance(attribute, Attribute) and structure is None:
                rows = ValueRows(self.index, attribute)
                return OfValues(attribute, np.flatnonzero(is_true(condition, rows, self.at)))

        def test(positions: Numbers) -> Mask:
            rows = Rows(self.index, {CURRENT: np.asarray(positions, np.int64)}, len(positions))
            return is_true(condition, rows, self.at)

        if self.index.size:
            test(np.zeros(1, np.int64))  # what is wrong with it is said at once
        return Tested(self.index.size, test)


def _renamed(condition: Condition, name: str) -> Condition:
    """Give the comparison of a condition, which may be negated, another name of its attribute."""
    if isinstance(condition, Negation):
        return Negation(_renamed(condition.part, name))
    return replace(condition, name=name) if isinstance(condition, Comparison) else condition


def _used(terms: Sequence[Term]) -> tuple[Mapping[str, Value], bool]:
    """The values that terms use, by name, and whether they use a position, too."""
    values: dict[str, Value] = {}
    positional = False
    for term in terms:
        match term:
            case Value():
                values[term.name] = term
            case Position():
                positional = True
            case Call():
                inner, at = _used(term.arguments)
                values |= inner
                positional = positional or at or term.function in {"lbound", "rbound"}
            case _:
                continue
    return values, positional
