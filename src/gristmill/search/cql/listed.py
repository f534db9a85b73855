"""Values of an attribute that are in a list of words, for lists with a million words as for short ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.condition import matching
from gristmill.condition.regex import fold_values
from gristmill.condition.values import regex_problem
from gristmill.search.cql.terms import Listed
from gristmill.search.index.lexicon import Lexicon

MAX_EXPRESSIONS = 2_000
"""Lines of a list whose lines are regular expressions: each is compared with all values."""
_EXPRESSIONS_AT_ONCE = 50
_MAX_WORDS_ONE_BY_ONE = 100
"""Words that are looked up one by one, which is faster than comparing all values with them."""
_DOTLESS = (("ı", "\ue000"), ("İ", "\ue001"))
"""Letters that are not those of i and I in any case, and what stands for them meanwhile."""


def listed_ids(lexicon: Lexicon, words: Sequence[str], listed: Listed) -> Ids:
    """Ids of the values that are in a list, ascending; or that one of its expressions matches."""
    if listed.regex:
        return _matching(lexicon, words, listed)
    if not (listed.ignore_case or listed.ignore_diacritics):
        if len(words) <= _MAX_WORDS_ONE_BY_ONE:
            return np.array(sorted({found for word in words if (found := lexicon.find(word)) >= 0}), np.int64)
        return _members(lexicon.array, _array(words))
    return _members(_folded(lexicon.array, listed), _folded(_array(words), listed))


def _members(values: pa.Array, wanted: pa.Array) -> Ids:
    found: Ids = np.flatnonzero(pc.is_in(values, value_set=wanted).to_numpy(zero_copy_only=False))
    return found


def _array(words: Sequence[str]) -> pa.Array:
    """Words as an array; what is not valid Unicode text is in no corpus."""
    try:
        return pa.array(words, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([word for word in words if not any("\ud800" <= c <= "\udfff" for c in word)], pa.large_string())


def _folded(values: pa.Array, listed: Listed) -> pa.Array:
    """Values in a form in which those are alike that differ in case or in diacritics, as far as these don't count.

    Capitals are made small twice, as some letters have several small ones: Σ of ς and σ, S of ſ and s.
    """
    if listed.ignore_diacritics:
        values = fold_values(values)
    if listed.ignore_case:
        for letter, other in _DOTLESS:
            values = pc.replace_substring(values, letter, other)
        values = pc.utf8_lower(pc.utf8_upper(pc.utf8_lower(values)))
    return values


def _matching(lexicon: Lexicon, lines: Sequence[str], listed: Listed) -> Ids:
    """Ids of the values that one of some expressions matches; several expressions are compared at once."""
    if len(lines) > MAX_EXPRESSIONS:
        raise listed.place.error(
            f"the list ${listed.words} has {len(lines):,} lines, and at most {MAX_EXPRESSIONS:,} can be expressions "
            f"(without RE(...) its lines are taken literally):"
        )
    for line in lines:
        if problem := regex_problem(line):
            raise listed.place.error(f"{line!r:.100} in the list is not a regular expression, {problem}:")
    values = lexicon.array
    found = np.zeros(len(values), np.bool_)
    for start in range(0, len(lines), _EXPRESSIONS_AT_ONCE):
        together = "|".join(f"(?:{line})" for line in lines[start : start + _EXPRESSIONS_AT_ONCE])
        if regex_problem(together) is None:
            found |= matching(values, "=", together, listed.ignore_case, listed.ignore_diacritics)
        else:  # too large together
            for line in lines[start : start + _EXPRESSIONS_AT_ONCE]:
                found |= matching(values, "=", line, listed.ignore_case, listed.ignore_diacritics)
    return np.flatnonzero(found)
