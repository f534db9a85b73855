"""Two corpora compared, as ukWaC was with the BNC (Ferraresi et al. 2008, section 3).

Separate lists of nouns, verbs and adjectives are made for both, and compared by log-likelihood (Rayson and Garside
2000): so the words come up that are most typical of each corpus when it is compared to the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from gristmill.notebook import Value
from gristmill.search.coverage import NOTHING_MISSING, Missing, notes_of_two, with_missing
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.keywords import WITH_LETTER, Aligned, Keyword, align, choices, without_any
from gristmill.search.statistics.ranking import best
from gristmill.search.statistics.values import Values, names_of
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Part, Table

TAGS = ("NOUN", "VERB", "ADJ")
"""Parts of speech that are compared, if nothing else is said."""
_SMOOTHING = 1.0
"""Constant of simple maths, which a comparison does not show."""
FIGURES = ("value", "frequency", "reference_frequency", "per_million", "reference_per_million", "ll")
"""The fields of a keyword that a comparison shows; simple maths is not among them, as its constant is fixed."""
_SIDES = ("corpus", "other")
_NAMES = {"reference_frequency": "other_frequency", "reference_per_million": "other_per_million"}
"""Names of fields where the reference is the other corpus."""


@dataclass(frozen=True, slots=True)
class Typical:
    """For one part of speech, the words most typical of each of two corpora.

    In both lists `frequency` is that in the corpus, and `reference_frequency` that in the other.
    """

    tag: str
    corpus: list[Keyword]
    other: list[Keyword]
    corpus_types: int = 0
    """How many words are typical of the corpus, of which its list has the first."""
    other_types: int = 0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Sizes of two corpora, and how much of their vocabulary is shared; pairs are of corpus and other."""

    tokens: tuple[int, int]
    documents: tuple[int, int]
    types: tuple[int, int]
    shared_types: int
    shared_tokens: tuple[int, int]
    """Tokens of each that are of a type which the other has too."""

    def rows(self) -> list[list[Value]]:
        """Figures of both corpora under their names; shares as text."""
        shared = self.shared_types, self.shared_types
        return [
            ["documents", *self.documents],
            ["tokens", *self.tokens],
            ["types", *self.types],
            ["types in both", *shared],
            ["share of types", *map(_share, shared, self.types)],
            ["share of tokens", *map(_share, self.shared_tokens, self.tokens)],
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Table):
    """What two corpora have in common, and what is typical of each, by part of speech."""

    attribute: str
    vocabulary: Vocabulary
    typical: list[Typical]
    missing: Missing = NOTHING_MISSING
    """What is missing of tags and of the attribute: the lists are of the other tokens, and rates relate to these."""
    other_missing: Missing = NOTHING_MISSING

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """One record: the vocabulary, and for each part of speech the words of both sides."""
        del first
        typical = {
            part.tag: {
                side: [{_NAMES.get(name, name): getattr(row, name) for name in FIGURES} for row in getattr(part, side)]
                for side in _SIDES
            }
            for part in self.typical
        }
        missing = with_missing({"missing": self.missing, "other_missing": self.other_missing}, "other")
        notes = {"notes": self.notes()} if self.notes() else {}
        totals = {part.tag: {"corpus": part.corpus_types, "other": part.other_types} for part in self.typical}
        return {
            **(asked or {}),
            "attribute": self.attribute,
            **asdict(self.vocabulary),
            **missing,
            **notes,
            "typical": typical,
            "totals": totals,
            "facts": [list(map(str, row)) for row in self.vocabulary.rows()],
            "heading": self.heading,
        }

    def notes(self) -> list[str]:
        """Say what is missing in both corpora, in lines."""
        lists = [f"{note}: no lists by part of speech" for note in self.without_tags()]
        alike = [
            f"{part.tag}: no words that are typical of either"
            for part in self.typical
            if not lists and not part.corpus and not part.other
        ]
        return [*notes_of_two(self.missing, self.other_missing, "other"), *lists, *alike]

    def without_tags(self) -> list[str]:
        """Say which of the two has no tags at all: then words can't be compared by part of speech."""
        return without_any(self.missing, self.other_missing, "other")

    @property
    def columns(self) -> list[Column]:
        """A word a row, with its part of speech and the side that it is typical of."""
        return [Column("tag"), Column("typical_of"), *(Column(_NAMES.get(name, name)) for name in FIGURES)]

    def cells(self) -> list[list[Value]]:
        """The words of both sides, by part of speech."""
        return [
            [part.tag, side, *(getattr(row, name) for name in FIGURES)]
            for part in self.typical
            for side in _SIDES
            for row in getattr(part, side)
        ]

    def parts(self) -> list[Part]:
        """The figures of both, and for each part of speech the words of both side by side."""
        sizes = Part([Column(self.attribute), *map(Column, _SIDES)], self.vocabulary.rows())
        return [sizes, *(_side_by_side(part) for part in self.typical)]

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        tokens, tags = self.vocabulary.tokens, ", ".join(typical.tag for typical in self.typical)
        shared = f"{self.vocabulary.shared_types:,} values of {self.attribute} in both"
        return f"{tokens[0]:,} tokens and {tokens[1]:,}, {shared}; {tags}"


def _side_by_side(typical: Typical) -> Part:
    columns = [
        column
        for side in _SIDES
        for column in (
            Column(f"{typical.tag}: {side}"),
            Column("in corpus"),
            Column("in other"),
            Column("/M corpus"),
            Column("/M other"),
            Column("LL"),
        )
    ]
    pairs = zip_longest(typical.corpus, typical.other)
    return Part(columns, [[*_cells(one), *_cells(two)] for one, two in pairs])


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _cells(row: Keyword | None) -> list[Value]:
    return [getattr(row, name) for name in FIGURES] if row else [""] * len(FIGURES)


def split_tags(text: str) -> list[str]:
    """Read parts of speech with commas between them: `NOUN,VERB|AUX`."""
    return [tag.strip() for tag in text.split(",") if tag.strip()]


def compare(
    index: Index,
    other: Index | None = None,
    attribute: str = "word",
    *,
    subcorpus: Subcorpus | None = None,
    other_subcorpus: Subcorpus | None = None,
    tags: Sequence[str] = TAGS,
    ignore_case: bool = True,
    matching: str | None = WITH_LETTER,
    min_frequency: int = 1,
    limit: int | None = 50,
) -> Comparison:
    """Compare two corpora, or subcorpora: for each tag the words that are most typical of the one and of the other.

    A tag is a regular expression for the whole tag. Like the lists of ukWaC, these are of word forms, whatever their
    case; `attribute="lemma"` compares lemmas. `min_frequency` is the least frequency in both together. Frequencies per
    million are of all tokens of the corpus whose tagger provides tags and the attribute (`missing` says of which not).
    If a side has no tags at all, the lists are empty, and `notes` say so: its words are of no part of speech.
    """
    pair = choices(index, other, subcorpus, other_subcorpus)
    tagged = choices(index, other, subcorpus, other_subcorpus, names=["tag", *names_of(attribute)])
    values = [Values(choice.index, attribute, ignore_case=ignore_case) for choice in pair]
    missing, other_missing = (choice.missing for choice in tagged)
    has_tags = not without_any(missing, other_missing, "other")
    typical = []
    for tag in tags:
        if not has_tags:
            typical.append(Typical(tag, [], []))
            continue
        both = _aligned(pair, values, tag, matching)
        both = both.take(np.flatnonzero(both.one + both.two >= min_frequency))
        sides, likelihood = [], both.log_likelihood
        for scores in (likelihood, -likelihood):
            places = best(scores, limit)
            sides.append(both.take(places[scores[places] > 0]).rows(_SMOOTHING))
        ones, twos = (int(np.count_nonzero(scores > 0)) for scores in (likelihood, -likelihood))
        typical.append(Typical(tag, sides[0], sides[1], ones, twos))
    return Comparison(values[0].name, _vocabulary(pair, _aligned(pair, values)), typical, missing, other_missing)


def _aligned(
    pair: tuple[Choice, Choice], values: list[Values], tag: str | None = None, matching: str | None = None
) -> Aligned:
    one, two = (
        counted(of_side, Choice(choice.index, choice.subcorpus, tag, ["tag", *of_side.names] if tag else ())).filtered(
            matching=matching
        )
        for choice, of_side in zip(pair, values, strict=True)
    )
    return align(one, two)


def _vocabulary(pair: tuple[Choice, Choice], both: Aligned) -> Vocabulary:
    shared = (both.one > 0) & (both.two > 0)
    one, two = pair
    return Vocabulary(
        (one.size, two.size),
        (one.documents, two.documents),
        (int(np.count_nonzero(both.one)), int(np.count_nonzero(both.two))),
        int(np.count_nonzero(shared)),
        (int(both.one[shared].sum()), int(both.two[shared].sum())),
    )
