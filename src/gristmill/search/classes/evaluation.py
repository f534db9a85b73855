"""Evaluate classes of names as RoDEO does (section 4.3): by expected types, and their similarity in WordNet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gristmill.errors import UsageError
from gristmill.search.classes.classes import Classes
from gristmill.search.classes.nouns import classes_in
from gristmill.search.classes.wordnet import WordNet
from gristmill.table import Column, Table

MIN_RELATEDNESS = 0.21
"""A class is correct if its relatedness with an expected type is over this."""


@dataclass(frozen=True, slots=True)
class TypeAccuracy:
    """How right the classes of the names of an expected type are."""

    type: str
    names: int
    """Names of which a class was found."""
    without: int
    """Names of which none was found; they do not count for the accuracy."""
    correct: int
    classes: int
    accuracy: float
    """The share of correct classes of each name, averaged over names."""


@dataclass(frozen=True, slots=True)
class JudgedName:
    """A name with the classes that were found, and those of them that are correct."""

    name: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    correct: tuple[str, ...]

    @property
    def accuracy(self) -> float:
        """Number of correct types divided by the number of all types."""
        return len(self.correct) / len(self.found) if self.found else 0.0


@dataclass(frozen=True, slots=True, repr=False)
class ClassEvaluation(Table):
    """The accuracy of classes over all names, and by expected type."""

    min_relatedness: float
    names: list[JudgedName]
    rows: list[TypeAccuracy]

    @property
    def columns(self) -> list[Column]:
        """The type, how many names and classes it has, the accuracy."""
        return [
            Column("type"),
            Column("names"),
            Column("without", "without a class"),
            Column("correct"),
            Column("classes"),
            Column("accuracy"),
        ]

    def facts(self) -> dict[str, object]:
        """What the result says besides its rows: each name, with what was found and what of it is correct."""
        judged = [
            {"name": one.name, "expected": one.expected, "found": one.found, "correct": one.correct}
            for one in self.names
        ]
        return {"min_relatedness": self.min_relatedness, "names": judged}

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"accuracy {self.rows[0].accuracy:.2f} of {self.rows[0].names:,} names"


def evaluate(
    expected: Mapping[str, Sequence[str]],
    find: Callable[[str], Classes],
    wordnet: WordNet,
    *,
    min_relatedness: float = MIN_RELATEDNESS,
) -> ClassEvaluation:
    """Compare the classes that are found of names with their expected types.

    A class is correct if it is that type, or if the relatedness of the two is over the threshold. A name without any
    class counts for no accuracy; how many these are is in the result.
    """
    judged = []
    for name, types in expected.items():
        found = tuple(row.noun for row in find(name).best)
        correct = tuple(noun for noun in found if is_correct(noun, types, wordnet, min_relatedness))
        judged.append(JudgedName(name, tuple(types), found, correct))
    types = list(dict.fromkeys(one for some in expected.values() for one in some))
    rows = [_accuracy("all", judged)]
    rows += [_accuracy(one, [name for name in judged if one in name.expected]) for one in types]
    return ClassEvaluation(
        min_relatedness, judged, [rows[0], *sorted(rows[1:], key=lambda row: (-row.names, row.type))]
    )


def is_correct(noun: str, types: Iterable[str], wordnet: WordNet, min_relatedness: float = MIN_RELATEDNESS) -> bool:
    """Whether a noun is one of some types, or related enough to one, in any of their senses."""
    ours = classes_in(wordnet, noun)
    return any(
        noun.lower() == one.lower() or wordnet.most_similar(ours, classes_in(wordnet, one)) > min_relatedness
        for one in types
    )


def _accuracy(name: str, judged: Sequence[JudgedName]) -> TypeAccuracy:
    with_classes = [one for one in judged if one.found]
    mean = sum(one.accuracy for one in with_classes) / len(with_classes) if with_classes else 0.0
    correct, found = (sum(len(getattr(one, field)) for one in judged) for field in ("correct", "found"))
    return TypeAccuracy(name, len(with_classes), len(judged) - len(with_classes), correct, found, mean)


def read_expected(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Read expected types: a line for each name, a tab, and its types with commas between."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"can't read the expected types in {os.fspath(path)}: {getattr(error, 'strerror', None) or error}"
        ) from error
    found: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, tab, types = line.partition("\t")
        listed = [one.strip() for one in types.split(",") if one.strip()]
        if not tab or not name.strip() or not listed:
            raise UsageError(f"{os.fspath(path)}, line {number}: write a name, a tab, and types with commas between")
        found[name.strip()] = listed
    if not found:
        raise UsageError(f"there are no names in {os.fspath(path)}")
    return found
