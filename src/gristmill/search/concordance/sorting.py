"""Codes by which spans are sorted and grouped.

A code is a number for the value of a key: equal for equal values, and larger the later the value comes. Codes of
several keys, or of several tokens, are packed into one by `combine`.
"""

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
from gristmill.text.collation import Collator

_MAX_CODE = 1 << 62
"""Codes stay below this number, so that they fit into 64 bits."""
_MAX_TOKENS_SORTED_AT_ONCE = 8
"""Hits of up to so many tokens are sorted by all tokens at once.

Of longer ones only those tokens are looked at before which hits are alike.
"""
_MAX_VALUES_PER_ID = 16
"""Ids are looked up in a table of all values, unless there are so many times more values than ids."""
_ACCENTS = re.compile("[\u0300-\u036f]+")
_NUMBER = re.compile("[0-9]{1,18}")

Collation = Callable[[str], Any]
"""Makes of a value what it is compared by."""


def sort_order(spans: Occurrences, keys: Sequence[Key], collator: Collator | None = None) -> Ids:
    """Numbers of the spans as the keys sort them; those that are alike by all keys stay in text order.

    Values are in the order of a collator; without one they are in that of code points.
    """
    columns = []
    for key in keys:
        ignore_case = collator is not None and "case" not in key.flags
        codes, _ = key_codes(spans, key, ignore_case=ignore_case, collator=collator)
        columns.append(-codes if "descending" in key.flags else codes)
    return np.lexsort(columns[::-1]) if columns else np.arange(len(spans))


def key_codes(spans: Occurrences, key: Key, *, ignore_case: bool, collator: Collator | None = None) -> tuple[Ids, int]:
    """A code for each span, and a number above all codes. Spans without such a token come first."""
    collation, lexicon = _collation(key, ignore_case, collator), key.lexicon(spans.index)
    if not key.whole:
        return _ranks(key.ids(spans), lexicon, collation)
    longest = int(spans.lengths.max(initial=0))
    if longest > _MAX_TOKENS_SORTED_AT_ONCE:
        return _codes_of_long(spans, lambda some, nth: _ranks(key.at(nth).ids(some), lexicon, collation)), len(spans)
    codes, size = np.zeros(len(spans), np.int64), 1
    for nth in range(1, longest + 1):
        codes, size = combine(codes, size, *_ranks(key.at(nth).ids(spans), lexicon, collation))
    return codes, size


def _codes_of_long(spans: Occurrences, ranks_of: Callable[[Occurrences, int], tuple[Ids, int]]) -> Ids:
    """For each span, how many come before it, by the ranks of their first tokens, then of their second ones, and so on.

    A token is only looked at if all before it are those of another span too: long hits mostly differ soon.

        spans "b", "a b", "a c": ranks of the first tokens [2, 1, 1] give the codes [2, 0, 0]
        The last two are alike. Ranks of their second tokens [2, 3] give the codes [0, 1].
        So the codes are [2, 0, 1].
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
    """For each of some sorted numbers, the place where it comes first: [3, 3, 7, 7, 7] gives [0, 0, 2, 2, 2]."""
    places = np.arange(len(numbers))
    places[1:][numbers[1:] == numbers[:-1]] = 0
    return np.maximum.accumulate(places)


def combine(codes: Ids, size: int, more: Ids, more_size: int) -> tuple[Ids, int]:
    """Pack two codes into one, in the order of the pairs; return it with a number above all.

    With codes below 10 and further codes below 100, the pair (3, 42) is 342. If the product of both sizes is too large,
    the first codes are replaced by their ranks among those that occur.
    """
    if size * more_size > _MAX_CODE:
        distinct, codes = np.unique(codes, return_inverse=True)
        size = len(distinct)
    return codes * more_size + more, size * more_size


def _ranks(ids: Ids, lexicon: Lexicon, collation: Collation | None) -> tuple[Ids, int]:
    """The rank of each id's value, from 1, with 0 for no value; and a number above all ranks.

    Only values that occur are looked at, as these are often few.
    """
    if collation is None:
        return ids + 1, len(lexicon) + 1
    if len(ids) < len(lexicon) // _MAX_VALUES_PER_ID:
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
    """The rank of each of some values, from 1, and a number above all ranks."""
    sorted_by = [collation(value) for value in values]
    order = {value: rank for rank, value in enumerate(sorted(set(sorted_by)), 1)}
    return np.array([order[value] for value in sorted_by], np.int64), len(order) + 1


def _collation(key: Key, ignore_case: bool, collator: Collator | None) -> Collation | None:
    """What values are compared by; None if by themselves, as they are sorted in the lexicon."""
    if collator is not None:
        return _collation_of_language(key, ignore_case, collator)
    if "retrograde" in key.flags:
        return _backwards_ignoring_case if ignore_case else _backwards
    if not ignore_case:
        return None
    return _number_or_text if key.structure else ignoring_case


def _collation_of_language(key: Key, ignore_case: bool, collator: Collator) -> Collation:
    if "retrograde" in key.flags:
        return collator.key_backwards if ignore_case else collator.key_backwards_with_case
    by_word = collator.key if ignore_case else collator.key_with_case
    if not key.structure:
        return by_word

    def number_or_word(value: str) -> tuple[int, int, str]:
        number = _NUMBER.fullmatch(value)
        return (0, int(value), "") if number else (1, 0, by_word(value))

    return number_or_word


def ignoring_case(value: str) -> tuple[str, str]:
    """Compare letters first without their accents, so that é stands with e in every language, then with them."""
    folded = unicodedata.normalize("NFD", value.casefold())
    return _ACCENTS.sub("", folded), folded


def _backwards(value: str) -> str:
    return value[::-1]


def _backwards_ignoring_case(value: str) -> tuple[str, str]:
    plain, folded = ignoring_case(value)
    return plain[::-1], folded[::-1]


def _number_or_text(value: str) -> tuple[int, int, tuple[str, str]]:
    """Compare numbers, such as years, by their size and before all text."""
    number = _NUMBER.fullmatch(value)
    return (0, int(value), ("", "")) if number else (1, 0, ignoring_case(value))
