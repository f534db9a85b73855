"""Ranked retrieval by a look at every unit, in plain Python written from docs/find.md, which `find` must equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from gristmill.search.index.plain import PlainDocument

Words = list[str]


@dataclass(frozen=True)
class ByHand:
    """A unit: its words as written, and what is known of it."""

    words: Words
    document: int
    start: int
    values: dict[str, float | None]


def all_units(documents: Sequence[PlainDocument], unit: str) -> list[ByHand]:
    """All units of a kind, in the order of the text."""
    found: list[ByHand] = []
    for number, document in enumerate(documents):
        tokens = [
            (token[0], paragraph.attributes)
            for paragraph in document.paragraphs
            for sentence in paragraph.sentences
            for token in sentence
        ]
        for length in _lengths(document, unit, len(tokens)):
            some, tokens = tokens[:length], tokens[length:]
            start = found[-1].start + len(found[-1].words) if found else 0
            values = {
                "length": float(length),
                "date": _day(document.attributes.get("published", "")) or _day(document.attributes.get("date", "")),
                "yield": None,
                "quality": _mean([_quality(attributes.get("bpc", "")) for _, attributes in some]),
                "dup": _mean([round(1000 * float(attributes["dup"])) for _, attributes in some if "dup" in attributes]),
                "year": float(document.attributes["year"]) if document.attributes.get("year") else None,
            }
            found.append(ByHand([word for word, _ in some], number, start, values))
    return found


def _lengths(document: PlainDocument, unit: str, tokens: int) -> Iterator[int]:
    if unit == "document":
        yield tokens
    elif unit.startswith("window:"):
        size = int(unit.removeprefix("window:"))
        yield from (min(size, tokens - start) for start in range(0, tokens, size))
    else:
        for paragraph in document.paragraphs:
            lengths = [len(sentence) for sentence in paragraph.sentences]
            yield from [sum(lengths)] if unit == "paragraph" else lengths


def _day(text: str) -> float | None:
    try:
        return float(date.fromisoformat((text + "-01-01")[:10]).toordinal()) if text else None
    except ValueError:
        return None


def _quality(letter: str) -> int | None:
    return 950 - 100 * "abcdefghij".index(letter) if letter else None


def _mean(values: Sequence[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) // len(known) / 1000 if known else None


def levels(values: Sequence[float | None]) -> list[int]:
    """The levels of values: 0 if one is not known, otherwise 1 and one more for each cut that it reaches."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return [0] * len(values)
    cuts = {known[len(known) * step // 15] for step in range(1, 15)} - {known[0]}
    return [0 if value is None else 1 + sum(cut <= value for cut in cuts) for value in values]


def occurrences(words: Words, term: Sequence[str]) -> int:
    """How often words stand one after the other, whatever their case."""
    lowered = [word.lower() for word in words]
    return sum(lowered[at : at + len(term)] == list(term) for at in range(len(words) - len(term) + 1))


@dataclass(frozen=True)
class Asked:
    """Terms with their signs, and by what to rank."""

    terms: tuple[tuple[str, tuple[str, ...]], ...]
    by: tuple[str, ...]
    match_all: bool
    k1: float = 1.2
    b: float = 0.75


def best_by_hand(units: Sequence[ByHand], asked: Asked, is_allowed: Callable[[int], bool]) -> list[tuple[int, float]]:
    """Numbers and scores of all units that match, the best first."""
    wanted = list(dict.fromkeys(term for sign, term in asked.terms if sign != "-"))
    required = set(wanted) if asked.match_all else {term for sign, term in asked.terms if sign == "+"}
    excluded = {term for sign, term in asked.terms if sign == "-"}
    mean = sum(len(unit.words) for unit in units) / len(units)
    having = {term: sum(occurrences(unit.words, term) > 0 for unit in units) for term in wanted}
    of_units = {name: levels([unit.values[name] for unit in units]) for name in units[0].values}
    found = []
    for number, unit in enumerate(units):
        times = {term: occurrences(unit.words, term) for term in wanted}
        if not any(times.values()) or not all(times[term] for term in required):
            continue
        if any(occurrences(unit.words, term) for term in excluded) or not is_allowed(unit.document):
            continue
        score = 0.0
        for term, f in times.items():
            if not f:
                continue
            rarity = math.log1p((len(units) - having[term] + 0.5) / (having[term] + 0.5))
            score += rarity * ((asked.k1 + 1) * f / (f + asked.k1 * (1 - asked.b + asked.b * len(unit.words) / mean)))
        found.append((_sort_key(number, unit, score, of_units, asked.by), number, score))
    return [(number, score) for _, number, score in sorted(found)]


def _sort_key(
    number: int, unit: ByHand, score: float, of_units: dict[str, list[int]], by: Sequence[str]
) -> tuple[float, ...]:
    names = [(name.removeprefix("-"), name.startswith("-")) for name in by if name != "bm25"]
    key: list[float] = []
    for name, low_first in names:
        level = of_units[name][number]
        key.append(math.inf if level == 0 else level if low_first else -level)
    key += [-score] if "bm25" in by else []
    for name, low_first in names:
        value = unit.values[name]
        key.append(math.inf if value is None else value if low_first else -value)
    return (*key, number)
