"""Evaluate comparisons on values: on one, or on an array of many.

Regular expressions are those of RE2, whose time is linear in the text whatever the expression.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from gristmill.arrays.dtypes import Mask
from gristmill.lazy import LazyModule

pc = LazyModule("pyarrow.compute")

ORDER: dict[str, Callable[[Any, Any], Any]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_ARROW_ORDER = {"<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal}
_NUMBER = r"\A-?[0-9]{1,300}(?:\.[0-9]{1,300})?\z"
_MAX_CACHED_RESULTS = 1 << 16


def matching(values: pa.Array, sign: str, value: str, ignore_case: bool) -> Mask:
    """Mark the values of which a comparison is true.

    `sign` is `=` (regular expression, whole value), `==` (literal) or one of order. If the wanted value of an order is
    a number, values are compared as numbers, and nothing holds of a value that is not one; otherwise by characters.
    """
    if sign in ORDER:
        number = as_number(value)
        return (
            _to_numpy(_ARROW_ORDER[sign](values, value)) if number is None else _compare_numbers(values, sign, number)
        )
    if sign == "==" and not ignore_case:
        return _to_numpy(pc.equal(values, value))
    regex = literal_regex(value) if sign == "==" else value
    return _to_numpy(pc.match_substring_regex(values, rf"\A(?:{regex})\z", ignore_case=ignore_case))


@lru_cache(_MAX_CACHED_RESULTS)
def matches(value: str, sign: str, wanted: str, ignore_case: bool) -> bool:
    """Whether a comparison is true of one value."""
    return bool(matching(pa.array([value]), sign, wanted, ignore_case)[0])


def literal_regex(value: str) -> str:
    """Make the regular expression that matches nothing but this value."""
    return re.escape(value)


def as_number(value: str) -> float | None:
    """Convert a value in decimal digits to a number; None if it isn't one."""
    return float(value) if re.fullmatch(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?", value) else None


@lru_cache(256)
def regex_problem(regex: str) -> str | None:
    """Say what is wrong with a regular expression, if anything.

    It must be valid on its own (`a)(b` isn't) and in a group (`\\Qa` isn't).
    """
    try:
        for tried in (regex, rf"\A(?:{regex})\z"):
            pc.match_substring_regex(pa.array([""]), tried)
    except UnicodeEncodeError:
        return "it is not valid Unicode text"
    except pa.ArrowInvalid as error:
        return str(error).removeprefix("Invalid regular expression: ")
    return None


def _compare_numbers(values: pa.Array, sign: str, number: float) -> Mask:
    found = _to_numpy(pc.match_substring_regex(values, _NUMBER))
    numbers = values.filter(pa.array(found)).cast(pa.float64()).to_numpy(zero_copy_only=False)
    found[found] = ORDER[sign](numbers, number)
    return found


def _to_numpy(mask: pa.Array) -> Mask:
    found: Mask = mask.to_numpy(zero_copy_only=False)
    return found
