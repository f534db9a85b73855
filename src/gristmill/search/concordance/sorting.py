"""Numbers by which spans are sorted and grouped: each stands for the values of a key, and is larger the later these come."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.search.concordance.keys import Key
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.index.lexicon import Lexicon

_MOST = 1 << 62
_LONG = 8
"""Hits of up to so many tokens are sorted by all of these at once; of longer ones only those are looked at that are alike so far."""
_SPARSE = 16
"""Looking up ids in a table of all values is worth it unless there are so many times more values."""
_MARKS = re.compile("[\u0300-\u036f]+")
_NUMBER = re.compile("[0-9]{1,18}")

Collation = Callable[[str], Any]


def sort_order(spans: Occurrences, keys: Sequence[Key]) -> Ids:
    """The numbers of the spans as the keys sort them; those that are alike by all keys stay in text order."""
    columns = []
    for key in keys:
        codes, _ = key_codes(spans, key, ignore_case="case" not in key.flags)
        columns.append(-codes if "descending" in key.flags else codes)
    return np.lexsort(columns[::-1]) if columns else np.arange(len(spans))


def key_codes(spans: Occurrences, key: Key, *, ignore_case: bool) -> tuple[Ids, int]:
    """A number for each span, and a number that is larger than all of them. What has no such token comes first."""
    collation, lexicon = _collation(key, ignore_case), key.lexicon(spans.index)
    if not key.whole:
        return _ranks(key.ids(spans), lexicon, collation)
    longest = int(spans.lengths.max(initial=0))
    if longest > _LONG:
        return _codes_of_long(spans, lambda some, nth: _ranks(key.at(nth).ids(some), lexicon, collation)), len(spans)
    codes, size = np.zeros(len(spans), np.int64), 1
    for nth in range(1, longest + 1):
        codes, size = combine(codes, size, *_ranks(key.at(nth).ids(spans), lexicon, collation))
    return codes, size


def _codes_of_long(spans: Occurrences, ranks_of: Callable[[Occurrences, int], tuple[Ids, int]]) -> Ids:
    """For each span, how many come before it, by the ranks of their first tokens, then of their second ones, and so on.

    A token is only looked at if all before it are those of another span too: long hits mostly differ soon.
    """
    codes, alike, nth = np.zeros(len(spans), np.int64), np.arange(len(spans)), 0
    while len(alike):
        nth += 1
        ranks, size = ranks_of(spans.take(alike), nth)
        keys = codes[alike] * size + ranks
        order = np.argsort(keys, kind="stable")
        alike, ranks, keys, old = alike[order], ranks[order], keys[order], codes[alike[order]]
        first = _first_alike(keys)
        codes[alike] = old + first - _first_alike(old)
        repeated = np.bincount(first, minlength=len(first))[first] > 1
        alike = alike[repeated & (ranks > 0)]  # those without an nth token are at their end
    return codes


def _first_alike(numbers: Ids) -> Ids:
    """For each of some sorted numbers, the place where it comes first."""
    places = np.arange(len(numbers))
    places[1:][numbers[1:] == numbers[:-1]] = 0
    return np.maximum.accumulate(places)


def combine(codes: Ids, size: int, more: Ids, more_size: int) -> tuple[Ids, int]:
    """One number for two, in the same order as the pairs."""
    if size * more_size > _MOST:
        distinct, codes = np.unique(codes, return_inverse=True)
        size = len(distinct)
    return codes * more_size + more, size * more_size


def _ranks(ids: Ids, lexicon: Lexicon, collation: Collation | None) -> tuple[Ids, int]:
    """The rank of each id's value, from 1; 0 for none. Only values that occur are looked at, as these are often few."""
    if collation is None:
        return ids + 1, len(lexicon) + 1
    if len(ids) < len(lexicon) // _SPARSE:
        found, places = np.unique(ids, return_inverse=True)
        missing = int(len(found) > 0 and found[0] < 0)
        order, size = _order(lexicon.strings(found[missing:]), collation)
        return np.concatenate([np.zeros(missing, np.int64), order])[places], size
    ranks = np.zeros(len(lexicon) + 1, np.int64)  # the last is that of -1
    ranks[ids] = 1
    ranks[-1] = 0
    found = np.flatnonzero(ranks)
    ranks[found], size = _order(lexicon.strings(found), collation)
    return ranks[ids], size


def _order(values: Sequence[str], collation: Collation) -> tuple[Ids, int]:
    """The rank of each of some values, from 1, and a number above all of these."""
    sorted_by = [collation(value) for value in values]
    order = {value: rank for rank, value in enumerate(sorted(set(sorted_by)), 1)}
    return np.array([order[value] for value in sorted_by], np.int64), len(order) + 1


def _collation(key: Key, ignore_case: bool) -> Collation | None:
    """What values are compared by; None if by themselves, as which they are sorted already."""
    if "retrograde" in key.flags:
        return _backwards_ignoring_case if ignore_case else _backwards
    if not ignore_case:
        return None
    return _number_or_text if key.structure else ignoring_case


def ignoring_case(value: str) -> tuple[str, str]:
    """Letters first without their accents, so that é stands with e in every language, then with them."""
    folded = unicodedata.normalize("NFD", value.casefold())
    return _MARKS.sub("", folded), folded


def _backwards(value: str) -> str:
    return value[::-1]


def _backwards_ignoring_case(value: str) -> tuple[str, str]:
    plain, folded = ignoring_case(value)
    return plain[::-1], folded[::-1]


def _number_or_text(value: str) -> tuple[int, int, tuple[str, str]]:
    """Numbers of words, years: by their size, before all text."""
    number = _NUMBER.fullmatch(value)
    return (0, int(value), ("", "")) if number else (1, 0, ignoring_case(value))
