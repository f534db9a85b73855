"""Numbers in sentence pairs: whether those of both sides agree, however each language writes them.

1,000   1.000   1 000   1'000       one thousand
3.5     3,5     3.50                three and a half
٣٫٥     ३.५                          the same in other digits
12.05.2010      5/12/2010           the numbers 12, 5 and 2010
"""

from __future__ import annotations

import functools
import re
from collections import Counter

_NUMBER = re.compile(r"\d+(?:[.,'’٫٬·]\d+|[ \u00a0\u2009\u202f]\d{3}(?!\d))*")
"""Digits with separators within; a space is one only before three digits."""
_GROUP = re.compile(r"\d+")
_SEPARATOR = re.compile(r"[^\d]")
_THOUSANDS = re.compile(r"\d{1,3}(?:[^\d]\d{3})+")
_SMALL = 12
"""Numbers up to it are often written as words."""
_DECIMAL_MARKS = ".,٫·"
_MAX_DIGITS = 100
"""Digits of a number that are looked at: what is longer is none, and takes long to convert."""
_CACHED_NUMBERS = 1 << 14
"""Numbers whose form is remembered: years and small ones come again and again."""


def agreement(source: str, target: str) -> float:
    """Measure the share of numbers of both sides that the other side has, too; 1 if there are none.

    They are compared as numbers, and as the groups of digits that they are made of, so that dates and times agree in
    any form; what agrees better counts. Small and round numbers that only one side has are left out if the other has
    none that is not on this side: they may be written as words there.
    """
    ours, theirs = _NUMBER.findall(source), _NUMBER.findall(target)
    if ours == theirs:
        return 1.0
    by_value = _share(Counter(map(value, ours)), Counter(map(value, theirs)))
    if by_value == 1.0:
        return 1.0
    return max(by_value, _share(_groups(ours), _groups(theirs)))


@functools.lru_cache(_CACHED_NUMBERS)
def value(number: str) -> str:
    """Write a number in one form: ASCII digits, a point before decimals, nothing between thousands.

    `1.000` and `1,000` are both taken for one thousand: which of them is meant as a decimal can't be told.
    """
    groups = _GROUP.findall(number)
    if len(groups) == 1:
        return str(int(groups[0][:_MAX_DIGITS]))
    signs = _SEPARATOR.findall(number)
    if len(set(signs)) == 1 and _THOUSANDS.fullmatch(number):
        return str(int("".join(groups)[:_MAX_DIGITS]))
    before = number[: -len(groups[-1]) - 1]
    if (
        signs[-1] in _DECIMAL_MARKS
        and signs[-1] not in signs[:-1]
        and (len(signs) == 1 or _THOUSANDS.fullmatch(before))
    ):
        whole = str(int("".join(groups[:-1])[:_MAX_DIGITS]))
        decimals = "".join(str(int(digit)) for digit in groups[-1][:_MAX_DIGITS]).rstrip("0")
        return f"{whole}.{decimals}" if decimals else whole
    return " ".join(str(int(group[:_MAX_DIGITS])) for group in groups)


def _groups(numbers: list[str]) -> Counter[str]:
    return Counter(str(int(group[:_MAX_DIGITS])) for number in numbers for group in _GROUP.findall(number))


def _may_be_words(number: str) -> bool:
    """Tell whether a number may well be written as words: `12`, `40`, `8000`."""
    return number.isdecimal() and (len(number.rstrip("0")) <= 1 or int(number) <= _SMALL)


def _share(ours: Counter[str], theirs: Counter[str]) -> float:
    common = (ours & theirs).total()
    left = ours.total() - common, theirs.total() - common
    if not any(left):
        return 1.0
    if not all(left):  # one side has all numbers of the other, and more
        more = (ours - theirs) or (theirs - ours)
        forgiven = sum(count for number, count in more.items() if _may_be_words(number))
        rest = more.total() - forgiven
        return 1.0 if not rest else 2 * common / (2 * common + rest)
    return 2 * common / (ours.total() + theirs.total())
