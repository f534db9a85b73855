"""What in a passage may be the answer: words that stand for the question word, names, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gristmill.answers.analysis import Analysis
from gristmill.answers.question import Question

_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\.?")
_SHOWN = frozenset(("#person", "#place", "#number", "#date"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """Some words of a passage that may be the answer."""

    start: int
    end: int
    item: str
    """What they are: a class such as `#date`, or the word that stands for the question word."""

    @property
    def is_shown(self) -> bool:
        """Whether it is marked as the answer: only what the type of the question tells."""
        return self.item in _SHOWN


def find_candidates(question: Question, passage: Analysis, matched: set[int]) -> tuple[Candidate, ...]:
    """Find what may be the answer, and is not what the question says already (`matched`)."""
    found: list[Candidate] = []
    for item in question.items:
        if item.startswith("#"):
            found += _of_class(item, passage, matched)
        else:
            found += [
                Candidate(at, at + 1, item)
                for at, (word, root) in enumerate(zip(passage.folded, passage.roots, strict=True))
                if item in {word, root} and at not in matched
            ]
    return tuple(found)


def _of_class(item: str, passage: Analysis, matched: set[int]) -> Iterator[Candidate]:
    if item in {"#person", "#place"}:
        wanted = item.removeprefix("#")
        for name in passage.names:
            if name.kind in {wanted, "name"} and matched.isdisjoint(range(name.start, name.end)):
                yield Candidate(name.start, name.end, item)
        return
    test = _is_number if item == "#number" else _is_date
    at = 0
    while at < len(passage.words):
        end = at
        while (
            end < len(passage.words)
            and end not in matched
            and (test(passage, end) or (end > at and _joins(passage, end) and test(passage, end + 1)))
        ):
            end += 1
        if end > at:
            yield Candidate(at, end, item)
        at = max(end, at + 1)


def _joins(passage: Analysis, at: int) -> bool:
    """Tell whether a word is a hyphen within a number: `twenty-two`."""
    return passage.words[at] in {"-", "‐", "‑"} and at + 1 < len(passage.words)


def _is_number(passage: Analysis, at: int) -> bool:
    return passage.tags[at] == "NUM" or passage.words[at].replace(",", "").replace(".", "").isdecimal()


def _is_date(passage: Analysis, at: int) -> bool:
    """Tell whether a word is a year, a date, or belongs to a month or a day."""
    months, days = passage.rules.months, passage.rules.days
    word, folded = passage.words[at], passage.folded[at]
    if _YEAR.fullmatch(word) or _DATE.fullmatch(word) or folded in days:
        return True
    if folded in months:
        return word[:1].isupper()
    beside = [place for place in (at - 1, at + 1) if 0 <= place < len(passage.words)]
    near = any(passage.folded[place] in months and passage.words[place][:1].isupper() for place in beside)
    return near and word.rstrip(".thsndr").isdecimal()
