"""Finite automata for patterns of tokens, such as `[tag="DET"]? [tag="ADJ"]* [tag="NOUN"]+`.

The places of tokens in a pattern are numbered, and it is worked out which places can come first, last, and after each
other (Glushkov's construction). Sets of places that can come next are the states of the automaton. What a token can be
is its code, with a bit for each condition that it meets.

    "a" "b"+ | "a"      places 0: "a", 1: "b", 2: "a"     first {0, 2}, last {1, 2}, after 0: {1}, after 1: {1}
    state 0             {0, 2} can come next; with an "a" the next state has {1}, and accepts, as place 2 is a last one
    state 1             {1} can come next; with a "b" the next state has {1} and accepts: it is the same
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from gristmill.condition import Condition
from gristmill.search.cql.part_parsing import MAX_UNBOUNDED_TIMES
from gristmill.search.cql.query import Alternatives, Node, Repeat, Sequence, Token

COLUMNS = 256
"""Columns of the kernel's table: codes that there can be."""
MAX_CONDITIONS = 8
"""Different conditions of a pattern: each is a bit of a code."""
_MAX_PLACES = 64
"""Places of tokens, with repetitions written out."""
_MAX_STATES = 500
_MAX_CELLS = 1 << 14
"""States times codes: the work of making the table."""
_DEAD = -1

Table = npt.NDArray[np.int32]


class TooLargeError(Exception):
    """An automaton that would have too many places or states."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """An automaton over the codes of tokens."""

    conditions: list[Condition]
    """The condition that each bit of a code stands for."""
    table: Table
    """For each state and code the next state, or -1."""
    accepting: int
    """The first of the states that accept; they come last."""

    def rows(self, codes: npt.NDArray[np.uint8] | None = None) -> Table:
        """Lay the table out for the kernel, with states named by where their rows begin.

        With `codes`, columns are for other numbers, of which these are the codes: if tokens with the id 7 have the code
        2, column 7 is that for the code 2.
        """
        rows = np.full((len(self.table), COLUMNS), _DEAD, np.int32)
        chosen = self.table if codes is None else self.table[:, codes]
        rows[:, : chosen.shape[1]] = np.where(chosen >= 0, chosen * COLUMNS, _DEAD)
        return rows.ravel()


def is_pattern(node: Node) -> TypeGuard[Token | Sequence | Alternatives | Repeat]:
    """Whether a part of a query consists of tokens only."""
    match node:
        case Token():
            return True
        case Sequence() | Alternatives():
            return all(map(is_pattern, node.parts))
        case Repeat():
            return is_pattern(node.part)
        case _:
            return False


def automaton_of(node: Node) -> Automaton:
    """Make the automaton of a pattern of tokens. Raises if it is too large.

    Repetitions that have no bound but that of the parser have none here, so that longer spans than those of
    `MAX_UNBOUNDED_TIMES` tokens may be too many.
    """
    places = _Places()
    whole = places.part(node)
    if len(places.conditions) > MAX_CONDITIONS:
        raise TooLargeError
    return _determined(places, whole)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a pattern: the places, as bits, that can come first and last, and whether it can be empty."""

    first: int = 0
    last: int = 0
    empty: bool = True


@dataclass
class _Places:
    """The places of tokens in a pattern."""

    numbers: list[int] = field(default_factory=list)
    """For each place the number of its condition."""
    following: list[int] = field(default_factory=list)
    """For each place those, as bits, that can come after it."""
    conditions: dict[Condition, int] = field(default_factory=dict)

    def part(self, node: Node) -> _Part:
        """Number the places of a part."""
        match node:
            case Token():
                return self.place(node.condition)
            case Sequence():
                made = _Part()
                for part in node.parts:
                    made = self.then(made, self.part(part))
                return made
            case Alternatives():
                parts = [self.part(part) for part in node.parts]
                return _Part(
                    _united(part.first for part in parts),
                    _united(part.last for part in parts),
                    any(part.empty for part in parts),
                )
            case Repeat():
                return self.repeated(node)
            case _:
                raise TypeError(node)

    def place(self, condition: Condition) -> _Part:
        """Number the place of a token."""
        bit = 1 << len(self.numbers)
        self.numbers.append(self.conditions.setdefault(condition, len(self.conditions)))
        self.following.append(0)
        if len(self.numbers) > _MAX_PLACES:
            raise TooLargeError
        return _Part(bit, bit, empty=False)

    def then(self, one: _Part, other: _Part) -> _Part:
        """Put a part behind another."""
        self.follow(one.last, other.first)
        return _Part(
            one.first | other.first if one.empty else one.first,
            one.last | other.last if other.empty else other.last,
            one.empty and other.empty,
        )

    def follow(self, last: int, first: int) -> None:
        """Note that some places can come after some others."""
        for place in _bits(last):
            self.following[place] |= first

    def repeated(self, node: Repeat) -> _Part:
        """Write repetitions out; the last one, if there is no bound, can come again."""
        unbounded = node.most >= MAX_UNBOUNDED_TIMES
        copies = max(1, node.least) if unbounded else node.most
        made = _Part()
        for number in range(copies):
            before = len(self.numbers)
            part = self.part(node.part)
            if len(self.numbers) == before:  # as in ("a"{0}){5}
                return part
            if unbounded and number == copies - 1:
                self.follow(part.last, part.first)
            if number >= node.least:
                part = _Part(part.first, part.last)
            made = self.then(made, part)
        return made


def _determined(places: _Places, whole: _Part) -> Automaton:
    """Make states of the sets of places that can come next."""
    codes = 1 << len(places.conditions)
    allowed = [
        sum(1 << place for place, number in enumerate(places.numbers) if code >> number & 1) for code in range(codes)
    ]
    begin = whole.first, False
    states = {begin: 0}
    rows: list[list[int]] = []
    waiting = [begin]
    for following, _ in waiting:
        row = []
        for code in range(codes):
            matched = following & allowed[code]
            if not matched:
                row.append(_DEAD)
                continue
            reached = _united(places.following[place] for place in _bits(matched)), bool(matched & whole.last)
            if reached not in states:
                states[reached] = len(states)
                waiting.append(reached)
                if len(states) > _MAX_STATES or len(states) * codes > _MAX_CELLS:
                    raise TooLargeError
            row.append(states[reached])
        rows.append(row)
    return _sorted(list(places.conditions), np.array(rows, np.int32), [accepts for _, accepts in states])


def _sorted(conditions: list[Condition], table: Table, accepts: list[bool]) -> Automaton:
    """Number the states anew, so that those that accept come last. The first state, which has no token, does not.

    States 0, 1, 2, of which 1 accepts, are put into the order 0, 2, 1: their new numbers are 0, 2, 1.
    """
    order = np.argsort(accepts, kind="stable")
    numbers = np.append(np.argsort(order), _DEAD).astype(np.int32)  # the last one is for -1
    return Automaton(conditions, numbers[table[order]], len(accepts) - sum(accepts))


def _united(sets: Iterator[int]) -> int:
    united = 0
    for one in sets:
        united |= one
    return united


def _bits(places: int) -> Iterator[int]:
    while places:
        low = places & -places
        yield low.bit_length() - 1
        places ^= low
