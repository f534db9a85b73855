"""Dimensions by which units are ranked: their values, and the levels that values are quantised to.

Values are of units (`length`), means over their tokens (`quality`, `dup`), or of their documents (all others). A value
that is not known is NaN; it has the level 0 and comes last. The known values have 15 levels: they are cut so that the
levels have about as many units each, and equal values have the same level. With three levels:

    values   1 1 2 3 5 7 9      cuts 2 and 5, the values at one and two thirds      levels  1 1 2 2 3 3 3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import numpy as np

from gristmill.arrays.dtypes import Floats, Ids
from gristmill.arrays.ragged import starts_of
from gristmill.condition.values import as_number
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.ranked.cells import LEVELS, MAX_DIMENSIONS, Levels

STANDARD = ("length", "date", "yield", "quality")
"""Dimensions that every index of units has."""
BM25_KEY = "bm25"
_MEANS = {"quality": "bpc", "dup": "dup"}
"""Dimensions that are means of an attribute of paragraphs."""
_NUMERIC_SHARE = 0.5
"""An attribute is one of numbers if so many of its values that are not empty are numbers."""

Yields = Callable[[], Mapping[str, float]]
"""Finds, for each host, the share of the words of its pages that is kept."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key to rank by: a dimension or `bm25`; `reverse` if the lowest values come first."""

    name: str
    reverse: bool = False


def parse_keys(by: str | Sequence[str]) -> tuple[Key, ...]:
    """Read keys such as `date,-length`; raises if `bm25`, which has no levels, is not the last one."""
    names = [part.strip() for part in (by.split(",") if isinstance(by, str) else by)]
    keys = tuple(Key(name.removeprefix("-"), name.startswith("-")) for name in names if name)
    if not keys:
        raise UsageError(f"say by what to rank: {BM25_KEY}, or dimensions such as date,quality")
    if len({key.name for key in keys}) < len(keys):
        raise UsageError(f"a key stands twice in {','.join(names)}")
    if any(key.name == BM25_KEY for key in keys[:-1]):
        raise UsageError(
            f"{BM25_KEY} is the last key, as what comes after it would hardly count: write date,{BM25_KEY}"
        )
    if Key(BM25_KEY, reverse=True) in keys:
        raise UsageError(f"the best come first: write {BM25_KEY} without a minus")
    return keys


def dimensions_for(index: Index, keys: Sequence[Key]) -> tuple[str, ...]:
    """Name the dimensions of an index of units that can be ranked by these keys: the standard ones, then others."""
    others = sorted({key.name for key in keys} - {*STANDARD, BM25_KEY})
    known = known_dimensions(index)
    for name in others:
        if name not in known:
            listed = ", ".join((BM25_KEY, *known))
            raise UsageError(f"units can't be ranked by {name!r}{did_you_mean(name, known)} (there are: {listed})")
    if len(STANDARD) + len(others) > MAX_DIMENSIONS:
        raise UsageError(f"units have at most {MAX_DIMENSIONS} dimensions")
    return (*STANDARD, *others)


def known_dimensions(index: Index) -> list[str]:
    """Name all dimensions that the units of an index can have."""
    docs, paragraphs = index.structure("doc"), index.structure("p")
    numeric = [name for name in docs.attributes if name not in STANDARD and _is_numeric(docs, name)]
    return [*STANDARD, *(["dup"] if "dup" in paragraphs.attributes else []), *numeric]


def _is_numeric(docs: Structure, name: str) -> bool:
    given = [value for value in docs.attribute(name).lexicon.array.to_pylist()[:1000] if value]
    return sum(as_number(value) is not None for value in given) > _NUMERIC_SHARE * len(given)


def values_of(index: Index, name: str, bounds: Ids, yields: Yields) -> tuple[Floats, bool]:
    """Compute the values of a dimension, and whether they are of units; otherwise they are of documents."""
    if name == "length":
        return np.diff(bounds).astype(np.float64), True
    if name in _MEANS:
        return _means(index.structure("p"), _MEANS[name], bounds), True
    docs = index.structure("doc")
    if name == "date":
        return _dates(docs), False
    if name == "yield":
        found = yields() if "host" in docs.attributes else {}
        return _of_values(docs, "host", lambda host: found.get(host, np.nan)), False
    return _of_values(docs, name, _number), False


def _of_values(docs: Structure, name: str, convert: Callable[[str], float]) -> Floats:
    """Convert the value of each document; each distinct one once."""
    if name not in docs.attributes:
        return np.full(len(docs), np.nan)
    attribute = docs.attribute(name)
    values = np.array([convert(value) for value in attribute.lexicon.array.to_pylist()], np.float64)
    found: Floats = values[attribute.ids]
    return found


def _number(value: str) -> float:
    number = as_number(value)
    return np.nan if number is None or not np.isfinite(number) else number


def _dates(docs: Structure) -> Floats:
    """The day on which each document was published, or else fetched, as a number."""
    published = _of_values(docs, "published", day_number)
    return np.where(np.isnan(published), _of_values(docs, "date", day_number), published)


@cache
def day_number(text: str) -> float:
    """Number the day that a date begins with: 1 is the first of the year 1; a month or a year is its first day."""
    try:
        parts = [int(part) for part in text[:10].split("-")]
        year, month, day = (*parts, 1, 1)[:3]
        return float(date(year, month, day).toordinal())
    except (ValueError, TypeError):
        return np.nan


def _means(paragraphs: Structure, name: str, bounds: Ids) -> Floats:
    """Compute the means of an attribute of paragraphs over the tokens of units, rounded down to thousandths."""
    if name not in paragraphs.attributes:
        return np.full(len(bounds) - 1, np.nan)
    attribute = paragraphs.attribute(name)
    convert = _quality if name == "bpc" else _thousandths
    values = np.array([convert(value) for value in attribute.lexicon.array.to_pylist()], np.int64)[attribute.ids]
    known = values >= 0
    sums = _sums(paragraphs, np.where(known, values, 0), bounds)
    tokens = _sums(paragraphs, known.astype(np.int64), bounds)
    return np.where(tokens > 0, sums // np.maximum(tokens, 1) / 1000, np.nan)


def _quality(letter: str) -> int:
    """The quality of a paragraph in thousandths: `a`, a boilerplate score from 0 to 0.1, is 1 - 0.05."""
    place = "abcdefghij".find(letter) if letter else -1
    return 950 - 100 * place if place >= 0 else -1


def _thousandths(value: str) -> int:
    number = as_number(value)
    return -1 if number is None or not 0 <= number <= 1 else round(1000 * number)


def _sums(paragraphs: Structure, values: Ids, bounds: Ids) -> Ids:
    """Add up the values of the tokens of each unit, where all tokens of a paragraph have the same."""
    of_paragraphs = paragraphs.bounds.astype(np.int64)
    before = starts_of(values * np.diff(of_paragraphs))
    inside = np.minimum(paragraphs.number_at(bounds), max(len(paragraphs) - 1, 0)) if len(paragraphs) else bounds
    at_bounds = before[inside] + (bounds - of_paragraphs[inside]) * values[inside] if len(values) else bounds * 0
    return np.diff(at_bounds)


def quantised(values: Floats) -> tuple[Levels, Floats]:
    """Find the level of each value, and the cuts between levels: the lowest value of each level but the first."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return np.zeros(len(values), np.uint8), np.empty(0)
    places = len(known) * np.arange(1, LEVELS - 1) // (LEVELS - 1)
    cuts = np.unique(known[places])
    levels = 1 + np.searchsorted(cuts[cuts > known[0]], values, side="right")
    levels[np.isnan(values)] = 0
    return levels.astype(np.uint8), cuts[cuts > known[0]]
