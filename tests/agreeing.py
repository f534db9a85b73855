"""Queries that mean the same in Sketch Engine, CQP and here, and a count of what they find by brute force, for tests.

`data/cql_agreement.tsv` has a query a line: as Sketch Engine and Gristmill take it, as CQP takes it, and as a pattern
in JSON that needs no parser. A pattern is a list of steps, one after the other:

    {"lemma": "go"}             a token whose lemma matches a regular expression as a whole; `tag!` for one that does
                                not, `word==` for the value itself; of a list of such objects one must hold
    "<s>", "</s>"               the start and the end of a structure; ["<p>", {"kind": "h"}] of some structures
    {"alternatives": [[...]]}   one of several patterns
    {"times": 2, "of": [...]}   a pattern, so many times

or an object with such a list as `match`, and `within`, `containing` or `same`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from managers_reading import Loaded

FILE = Path(__file__).parent / "data" / "cql_agreement.tsv"
Spans = set[tuple[int, int]]


@dataclass(frozen=True)
class Agreed:
    """A query that means the same everywhere."""

    query: str
    """As Sketch Engine and Gristmill take it."""
    cqp: str
    pattern: Any


def agreed() -> list[Agreed]:
    rows = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()[1:]]
    return [Agreed(query, cqp, json.loads(pattern)) for query, cqp, pattern in rows]


class Counting:
    """Counts patterns in a corpus as a manager has loaded it; spans may go over the ends of documents."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.places: dict[str, dict[str, set[int]]] = {}
        for name in loaded.tokens[0]:
            self.places[name] = defaultdict(set)
            for place, token in enumerate(loaded.tokens):
                self.places[name][token[name]].add(place)

    def spans(self, pattern: Any) -> Spans:
        if isinstance(pattern, list):
            return self._sequence(pattern)
        found = self._sequence(pattern["match"])
        if "within" in pattern:
            ends = dict(self._regions(*pattern["within"]))
            starts = sorted(ends)
            found = {(a, b) for a, b in found if (at := bisect_right(starts, a)) and b <= ends[starts[at - 1]]}
        if "containing" in pattern:
            inner = sorted(self.spans(pattern["containing"]))  # all of the same length
            found = {(a, b) for a, b in found if (at := bisect_left(inner, (a, a))) < len(inner) and inner[at][1] <= b}
        if "same" in pattern:
            one, name, other, other_name = pattern["same"]
            tokens = self.loaded.tokens
            found = {
                (start, end) for start, end in found if tokens[start + one][name] == tokens[start + other][other_name]
            }
        return found

    def _sequence(self, steps: list[Any]) -> Spans:
        found: Spans | None = None
        for step in steps:
            spans = self._step(step)
            if found is None:
                found = spans
                continue
            ends = defaultdict(list)
            for start, end in spans:
                ends[start].append(end)
            found = {(start, end) for start, middle in found for end in ends.get(middle, ())}
        return found or set()

    def _step(self, step: Any) -> Spans:
        match step:
            case str():
                return self._edges(step, {})
            case [str() as tag, dict() as where]:
                return self._edges(tag, where)
            case {"alternatives": alternatives}:
                return set().union(*(self._sequence(one) for one in alternatives))
            case {"times": times, "of": steps}:
                return self._sequence(steps * times)
            case {"whole": [name, where]}:
                return self._regions(name, where)
        tests = step if isinstance(step, list) else [step]
        return {(place, place + 1) for test in tests for place in self._tokens(test)}

    def _tokens(self, test: dict[str, str]) -> set[int]:
        found = set(range(len(self.loaded.tokens)))
        for key, value in test.items():
            name = key.rstrip("!=")
            pattern = re.compile(re.escape(value) if "==" in key else value)
            there = set().union(*(self.places[name][one] for one in self.places[name] if pattern.fullmatch(one)))
            found = found - there if "!" in key else found & there
        return found

    def _edges(self, tag: str, where: dict[str, str]) -> Spans:
        regions = self._regions(tag.strip("</>"), where)
        return {(end, end) if tag.startswith("</") else (start, start) for start, end in regions}

    def _regions(self, name: str, where: dict[str, str]) -> Spans:
        return {
            (region.start, region.end)
            for region in self.loaded.structures[name]
            if all(re.fullmatch(regex, region.attributes[attribute]) for attribute, regex in where.items())
        }
