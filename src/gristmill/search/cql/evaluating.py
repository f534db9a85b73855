"""Evaluation of conditions that compare tokens with each other, or by functions, for many rows at once.

A row is a way to match: for each label the position of its token. Or it is a distinct value of one attribute, where a
condition is on nothing else: `[strlen(word) > 12]` is then as fast as a regular expression.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Mask
from gristmill.condition import AllOf, Always, AnyOf, Condition, Negation
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.cql.frontier import UNSET
from gristmill.search.cql.functions import FUNCTIONS, Column, Numbers, Texts, both_known
from gristmill.search.cql.terms import (
    CURRENT,
    Call,
    Compared,
    Holds,
    Number,
    Of,
    Position,
    Term,
    Text,
    Value,
)
from gristmill.search.hits import Edges
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.derived import MISSING
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure, StructureAttribute

_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_BOUNDS = {"lbound", "rbound", "lbound_of", "rbound_of"}


class Select(Protocol):
    """A function that tells of which tokens, given by their positions, a condition without labels holds."""

    def __call__(self, condition: Condition, positions: Edges) -> Mask:
        """Tell of which of the tokens at these positions the condition holds."""


def value_of(index: Index, value: Value) -> tuple[Attribute | StructureAttribute, Structure | None]:
    """Find the attribute of a value: one of tokens, or one of a structure, `doc_year`."""
    if value.name in index.attributes:
        return index.attributes[value.name], None
    if value.name in MISSING:
        raise value.place.error(f"{MISSING[value.name]}:")
    kind, _, name = value.name.partition("_")
    if kind in index.structures and name in index.structures[kind].attributes:
        return index.structures[kind].attributes[name], index.structures[kind]
    known = list(index.attributes)
    raise value.place.error(
        f"a token has no attribute {value.name!r}{did_you_mean(value.name, known)} (there are: {', '.join(known)}; "
        "and those of structures, such as doc_year):"
    )


@dataclass
class Rows:
    """Ways to match: where the token with each label is, row by row."""

    index: Index
    places: Mapping[str, Edges]
    size: int

    def position(self, label: str) -> Numbers:
        """Positions of the tokens with a label."""
        found = self.places.get(label)
        if found is None:
            return Numbers(np.full(self.size, UNSET), np.zeros(self.size, np.bool_))
        return Numbers(found, found != UNSET)

    def ids(self, value: Value) -> tuple[npt.NDArray[Any], Mask, Attribute | StructureAttribute]:
        """The ids of a value, row by row, in which rows there is one, and the attribute that these are of."""
        attribute, structure = value_of(self.index, value)
        at = self.position(value.label)
        places = np.where(at.known, at.values, 0)
        return attribute.ids[places if structure is None else structure.number_at(places)], at.known, attribute

    def text(self, value: Value) -> Texts:
        """The text of a value, row by row."""
        ids, known, attribute = self.ids(value)
        return Texts(attribute.lexicon.array.take(pa.array(np.asarray(ids, np.int64))), known)

    def frequency(self, value: Value) -> Numbers:
        """How frequent a value is in the corpus, row by row; for structures, how many have it."""
        ids, known, attribute = self.ids(value)
        return Numbers(attribute.counts[ids], known)


@dataclass
class ValueRows:
    """The distinct values of one attribute of the current token, each a row."""

    index: Index
    attribute: Attribute

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.attribute.lexicon)

    @cached_property
    def _known(self) -> Mask:
        return np.ones(self.size, np.bool_)

    def position(self, label: str) -> Numbers:
        """Raise: a value has no position."""
        raise TypeError(label)

    def text(self, value: Value) -> Texts:
        """All values."""
        del value
        return Texts(self.attribute.lexicon.array, self._known)

    def frequency(self, value: Value) -> Numbers:
        """How frequent each is."""
        del value
        return Numbers(self.attribute.counts, self._known)


def check_names(condition: Condition, index: Index) -> None:
    """Raise if a condition uses an attribute that there is not."""
    match condition:
        case Negation():
            check_names(condition.part, index)
        case AllOf() | AnyOf():
            for part in condition.parts:
                check_names(part, index)
        case Compared():
            for term in (condition.left, condition.right):
                _check_term(term, index)
        case Holds():
            _check_term(condition.term, index)
        case Of():
            for comparison in condition.comparison.comparisons():
                value_of(index, Value(condition.label, comparison.name, comparison.place))
        case _:
            index.attributes.check(condition)


def _check_term(term: Term, index: Index) -> None:
    if isinstance(term, Value):
        value_of(index, term)
    elif isinstance(term, Call):
        for argument in term.arguments:
            _check_term(argument, index)


def is_true(condition: Condition, rows: Rows | ValueRows, select: Select) -> Mask:
    """Tell in which rows a condition holds. `select` evaluates what is on one token without labels."""
    found: Mask
    match condition:
        case Always():
            found = np.ones(rows.size, np.bool_)
        case Negation():
            found = ~is_true(condition.part, rows, select)
        case AllOf() | AnyOf():
            combine = np.logical_and if isinstance(condition, AllOf) else np.logical_or
            found = combine.reduce([is_true(part, rows, select) for part in condition.parts])
        case Compared():
            found = _compare(condition, rows)
        case Holds():
            column = _column(condition.term, rows)
            is_number = isinstance(column, Numbers) and isinstance(condition.term, Call)
            found = column.known & (column.values != 0) if is_number else column.known
        case Of():
            at = rows.position(condition.label)
            found = np.zeros(rows.size, np.bool_)
            found[at.known] = select(Of(CURRENT, condition.comparison), at.values[at.known])
        case _:
            found = select(condition, rows.position(CURRENT).values)
    return found


def _compare(test: Compared, rows: Rows | ValueRows) -> Mask:
    """Compare two terms in each row; nothing holds where one has no value."""
    if isinstance(rows, Rows) and isinstance(test.left, Value) and isinstance(test.right, Value) and test.sign == "=":
        return _same_values(test, rows)
    left, right = _column(test.left, rows), _column(test.right, rows)
    if isinstance(left, Numbers) != isinstance(right, Numbers):
        raise test.place.error("a text is compared with a number, here:")
    if isinstance(left, Texts) and test.sign != "=":
        raise test.place.error(f"texts are the same (=) or not (!=); {test.sign} is for numbers:")
    equal = (
        pc.equal(left.values, right.values).to_numpy(zero_copy_only=False)
        if isinstance(left, Texts)
        else _ORDER[test.sign](left.values, right.values)
    )
    holds: Mask = both_known([left, right]) & (equal != test.negated)
    return holds


def _same_values(test: Compared, rows: Rows) -> Mask:
    """Compare the values of two attributes by their ids."""
    if not isinstance(test.left, Value) or not isinstance(test.right, Value):
        raise TypeError(test)
    one, one_known, first = rows.ids(test.left)
    other, other_known, second = rows.ids(test.right)
    holds: Mask = one_known & other_known & ((_translated(first, second)[one] == other) != test.negated)
    return holds


def _translated(one: Attribute | StructureAttribute, other: Attribute | StructureAttribute) -> Edges:
    """For each value of one attribute its id in the other, or -1."""
    if one is other:
        return np.arange(len(one.lexicon))
    found = pc.fill_null(pc.index_in(one.lexicon.array, value_set=other.lexicon.array), -1)
    ids: Edges = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return ids


def _column(term: Term, rows: Rows | ValueRows) -> Column:
    """Compute a term in each row."""
    match term:
        case Number():
            return Numbers(np.full(rows.size, term.number), np.ones(rows.size, np.bool_))
        case Text():
            return Texts(pa.repeat(pa.scalar(term.text, pa.large_string()), rows.size), np.ones(rows.size, np.bool_))
        case Position():
            return rows.position(term.label)
        case Value():
            return rows.text(term)
        case Call():
            return _called(term, rows)


def _called(call: Call, rows: Rows | ValueRows) -> Column:
    """Compute a function in each row."""
    function = FUNCTIONS[call.function]
    if call.function == "f":
        value = call.arguments[0]
        if not isinstance(value, Value):
            raise call.place.error("f is the frequency of an attribute's value, as in f(word) or f(1.lemma):")
        return rows.frequency(value)
    if call.function in _BOUNDS:
        return _bound(call, rows)
    columns = [_column(argument, rows) for argument in call.arguments]
    for kind, column in zip(function.kinds, columns, strict=True):
        if isinstance(column, Texts) != (kind == "text"):
            wanted = "a text, such as a.lemma" if kind == "text" else "a number, or a label"
            raise call.place.error(f"{call.function} needs {wanted}, here:")
    if function.compute is None:
        raise TypeError(call)
    return function.compute(*columns)


def _bound(call: Call, rows: Rows | ValueRows) -> Column:
    """Find the first or last token of the structures around tokens; or whether tokens are these themselves."""
    name, *around = call.arguments
    if not isinstance(name, Text):
        raise TypeError(call)
    try:
        structure = rows.index.structure(name.text)
    except UsageError as error:
        raise call.place.error(f"{error}:") from None
    at = _column(around[0], rows) if around else rows.position(CURRENT)
    if not isinstance(at, Numbers):
        raise call.place.error(f"{call.function} needs the label of a token, here:")
    inside = at.known & (at.values >= 0) & (at.values < rows.index.size)
    numbers = structure.number_at(np.where(inside, at.values, 0))
    bounds = structure.bounds[numbers + (call.function[0] == "r")].astype(np.int64) - (call.function[0] == "r")
    return Numbers(bounds, inside) if around else Numbers((bounds == at.values).astype(np.int64), inside)
