"""Evaluate comparisons on values: on one, or on an array of many.

Regular expressions (`regex/`) are matched by RE2, whose time is linear in the text whatever the expression.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from gristmill.arrays.dtypes import Mask
from gristmill.condition.regex import RegexError, compile_pattern, fold_values
from gristmill.lazy import LazyModule

pc = LazyModule("pyarrow.compute")

ORDER: dict[str, Callable[[Any, Any], Any]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_ARROW_ORDER = {"<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal}
_NUMBER = r"\A-?[0-9]{1,300}(?:\.[0-9]{1,300})?\z"
_MAX_CACHED_RESULTS = 1 << 16
_MAX_PLAIN_CHARACTERS = 100


def matching(
    values: pa.Array, sign: str, value: str, ignore_case: bool = False, ignore_diacritics: bool = False
) -> Mask:
    """Mark the values of which a comparison is true.

    `sign` is `=` (regular expression, whole value), `==` (literal) or one of order. If the wanted value of an order is
    a number, values are compared as numbers, and nothing holds of a value that is not one; otherwise by characters.
    """
    if sign in ORDER:
        number = as_number(value)
        return (
            _to_numpy(_ARROW_ORDER[sign](values, value)) if number is None else _compare_numbers(values, sign, number)
        )
    if sign == "==" and not (ignore_case or ignore_diacritics):
        return _to_numpy(pc.equal(values, value))
    pattern = compile_pattern(
        value, is_literal=sign == "==", ignore_case=ignore_case, ignore_diacritics=ignore_diacritics
    )
    return _to_numpy(pc.match_substring_regex(fold_values(values) if ignore_diacritics else values, pattern.re2))


@lru_cache(_MAX_CACHED_RESULTS)
def matches(value: str, sign: str, wanted: str, ignore_case: bool, ignore_diacritics: bool = False) -> bool:
    """Whether a comparison is true of one value."""
    return bool(matching(pa.array([value]), sign, wanted, ignore_case, ignore_diacritics)[0])


def literal_regex(value: str) -> str:
    """Make the regular expression that matches nothing but this value."""
    return re.escape(value)


def as_number(value: str) -> float | None:
    """Convert a value in decimal digits to a number; None if it isn't one."""
    return float(value) if re.fullmatch(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?", value) else None


def is_plain(regex: str) -> bool:
    """Whether a regular expression is a short word of letters and digits, which matches nothing but itself."""
    return regex.isalnum() and len(regex) < _MAX_PLAIN_CHARACTERS


def regex_problem(regex: str) -> RegexError | None:
    """Say what is wrong with a regular expression, if anything: its `sentence` is about the expression beside it."""
    if is_plain(regex):
        return None
    try:
        compile_pattern(regex)
    except RegexError as error:
        return error
    return None


def _compare_numbers(values: pa.Array, sign: str, number: float) -> Mask:
    found = _to_numpy(pc.match_substring_regex(values, _NUMBER))
    numbers = values.filter(pa.array(found)).cast(pa.float64()).to_numpy(zero_copy_only=False)
    found[found] = ORDER[sign](numbers, number)
    return found


def _to_numpy(mask: pa.Array) -> Mask:
    found: Mask = mask.to_numpy(zero_copy_only=False)
    return found
