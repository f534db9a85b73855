"""The functions of conditions in CQL, with the names and meanings that CQP gives them.

They are computed for all rows of a table at once: a row is a way to match, or a distinct value of an attribute. A
result has no value in rows in which an argument has none, such as a label that is not set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Mask
from gristmill.condition.regex import fold_text

_LEADING_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,15})")


@dataclass(frozen=True, slots=True)
class Numbers:
    """A whole number in each row."""

    values: npt.NDArray[np.int64]
    known: Mask
    """Whether there is one."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A text in each row."""

    values: pa.Array
    known: Mask
    """Whether there is one."""


Column = Numbers | Texts


@dataclass(frozen=True, slots=True)
class Function:
    """A function: what its arguments are, and how it is computed from them."""

    kinds: tuple[str, ...]
    """`text`, `number`, `position` (of a token, or its label), `value` (an attribute of a token), `structure`."""
    compute: Callable[..., Column] | None = None
    """Its result for columns of arguments; None if it is looked up in the index."""
    in_token_only: bool = False

    @property
    def arguments(self) -> int:
        """How many arguments it has."""
        return len(self.kinds)


def both_known(columns: Sequence[Column]) -> Mask:
    """In which rows all columns have a value."""
    known: Mask = np.logical_and.reduce([column.known for column in columns])
    return known


def _arithmetic(operation: Callable[[Any, Any], Any]) -> Callable[..., Column]:
    def compute(left: Numbers, right: Numbers) -> Column:
        return Numbers(operation(left.values, right.values), both_known([left, right]))

    return compute


def _length(text: Texts) -> Column:
    return Numbers(pc.utf8_length(text.values).to_numpy(zero_copy_only=False).astype(np.int64), text.known)


def _leading_number(text: Texts) -> Column:
    found = [_LEADING_NUMBER.match(value) for value in text.values.to_pylist()]
    return Numbers(np.array([int(match[1]) if match else 0 for match in found], np.int64), text.known)


def _common_prefix(one: str, other: str) -> str:
    size = next((number for number, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    return one[: min(len(one), len(other)) if size is None else size]


def _of_texts(function: Callable[[str, str], str]) -> Callable[..., Column]:
    def compute(one: Texts, other: Texts) -> Column:
        pairs = zip(one.values.to_pylist(), other.values.to_pylist(), strict=True)
        return Texts(pa.array([function(*pair) for pair in pairs], pa.large_string()), both_known([one, other]))

    return compute


def _is_prefix(one: Texts, other: Texts) -> Column:
    pairs = zip(one.values.to_pylist(), other.values.to_pylist(), strict=True)
    return Numbers(np.array([text.startswith(prefix) for prefix, text in pairs], np.int64), both_known([one, other]))


def _normalized(text: str, how: str) -> str:
    text = text.lower() if "c" in how else text
    return fold_text(text) if "d" in how else text


FUNCTIONS = {
    "f": Function(("value",)),
    "strlen": Function(("text",), _length),
    "distance": Function(("position", "position"), _arithmetic(lambda left, right: right - left)),
    "dist": Function(("position", "position"), _arithmetic(lambda left, right: right - left)),
    "distabs": Function(("position", "position"), _arithmetic(lambda left, right: abs(right - left))),
    "add": Function(("number", "number"), _arithmetic(np.add)),
    "sub": Function(("number", "number"), _arithmetic(np.subtract)),
    "mul": Function(("number", "number"), _arithmetic(np.multiply)),
    "int": Function(("text",), _leading_number),
    "prefix": Function(("text", "text"), _of_texts(_common_prefix)),
    "minus": Function(("text", "text"), _of_texts(lambda one, other: one[len(_common_prefix(one, other)) :])),
    "is_prefix": Function(("text", "text"), _is_prefix),
    "normalize": Function(("text", "text"), _of_texts(_normalized)),
    "lbound": Function(("structure",), in_token_only=True),
    "rbound": Function(("structure",), in_token_only=True),
    "lbound_of": Function(("structure", "position")),
    "rbound_of": Function(("structure", "position")),
    "ignore": Function(
        ("position",), lambda at: Numbers(np.ones(len(at.values), np.int64), np.ones(len(at.values), np.bool_))
    ),
}
"""All functions by their names."""
