"""Conditions on derived attributes, put as conditions on the stored ones that they are made of.

So `[lc="the"]` looks for some words (the, The, THE), and `[lempos="go-v"]` for a lemma with some tags, by the inverted
lists of these, and neither has to be derived as a whole.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.arrays.dtypes import Mask
from gristmill.condition import Comparison, literal_regex, matching
from gristmill.corpus.attributes import LEMPOS, LOWER_CASED, lempos_letter, lower_cased_texts
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.derived import TokenAttributes

Clause = list[tuple[Attribute, npt.NDArray[Any]]]
"""Attributes, each with ids of which a token must have one."""

_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
_ENDING = re.compile(r"-([a-z])\Z")
_GROUP = re.compile(r"\([^()\[\]\\]*\)\Z")
"""An expression that is one group without brackets within, so that what is beside `|` in it ends with it."""
_DOTTED_I = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}"
"""The one letter with an ASCII lower case, i, that regular expressions don't find by it, ignoring case."""


def clauses_of(comparison: Comparison, attributes: TokenAttributes) -> list[Clause]:
    """Say which tokens a comparison with a derived attribute holds of: those that meet all of one of the clauses."""
    if comparison.name == LEMPOS:
        return _of_lempos(comparison, attributes)
    base = attributes.stored[LOWER_CASED[comparison.name]]
    if _is_literal(comparison) and comparison.value.isascii():
        return [[(base, _written_as(base, comparison.value))]]
    return [[(base, np.flatnonzero(_holds(comparison, attributes.lowered(base.name))))]]


def _holds(comparison: Comparison, values: pa.Array) -> Mask:
    """Of which values a comparison is true."""
    return matching(values, comparison.sign, comparison.value, comparison.ignore_case, comparison.ignore_diacritics)


def _is_literal(comparison: Comparison) -> bool:
    """Whether a comparison is with one value."""
    if comparison.ignore_case or comparison.ignore_diacritics:
        return False
    return comparison.sign == "==" or (comparison.sign == "=" and not _META.search(comparison.value))


def _written_as(base: Attribute, value: str) -> npt.NDArray[Any]:
    """The ids of the values that are an ASCII text in lower case.

    An expression that ignores case finds them, and some more: ſ is taken for s, but is no capital of it.
    """
    regex = literal_regex(value).replace("i", f"[i{_DOTTED_I}]")
    ids = base.lexicon.matching(regex, ignore_case=True)
    lowered = lower_cased_texts(base.lexicon.strings(ids))
    return ids[np.array([one == value for one in lowered], np.bool_)]


def _of_lempos(comparison: Comparison, attributes: TokenAttributes) -> list[Clause]:
    """Divide `go-v` and `.*ing-v` into what is said of the lemma and of the letter; otherwise all pairs are tried."""
    lemma, tag = attributes.stored["lemma"], attributes.stored["tag"]
    ending = _ENDING.search(comparison.value)
    head = comparison.value[:-2]
    if _is_literal(comparison):
        found = lemma.lexicon.find(head) if ending else -1
        return [[(lemma, np.array([found])), (tag, _tags(tag, ending[1]))]] if ending and found >= 0 else []
    is_plain = comparison.sign == "=" and not (comparison.ignore_case or comparison.ignore_diacritics)
    if is_plain and ending and not head.endswith("\\") and ("|" not in head or _GROUP.match(head)):
        return [[(lemma, lemma.lexicon.matching(head)), (tag, _tags(tag, ending[1]))]]
    pairs = attributes[LEMPOS]
    return [[(pairs, np.flatnonzero(_holds(comparison, pairs.lexicon.array)))]]


def _tags(tag: Attribute, letter: str) -> npt.NDArray[Any]:
    """The ids of the tags that have a letter."""
    values = tag.lexicon.array.to_pylist()
    return np.array([number for number, value in enumerate(values) if lempos_letter(value) == letter], np.int64)
