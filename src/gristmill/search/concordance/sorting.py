"""Numbers by which spans are sorted and grouped: each stands for the values of a key, and is larger the later these come."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gristmill.search.concordance.keys import Key
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.index.lexicon import Ids, Lexicon

_MOST = 1 << 62
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
    collation = _collation(key, ignore_case)
    codes, size = np.zeros(len(spans), np.int64), 1
    for ids in key.columns(spans):
        codes, size = combine(codes, size, *_ranks(ids, key.lexicon(spans.index), collation))
    return codes, size


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
    ranks = np.zeros(len(lexicon) + 1, np.int64)  # the last is that of -1
    ranks[ids] = 1
    ranks[-1] = 0
    found = np.flatnonzero(ranks)
    sorted_by = [collation(value) for value in lexicon.strings(found)]
    order = {value: rank for rank, value in enumerate(sorted(set(sorted_by)), 1)}
    ranks[found] = [order[value] for value in sorted_by]
    return ranks[ids], len(order) + 1


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
