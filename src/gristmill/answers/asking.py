"""Ask a question: of the index of a corpus, or of passages from elsewhere, which are ranked in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.annotation import Annotation
from gristmill.answers.analysis import BY_RELATIONS, Analysis, analyse
from gristmill.answers.inflection import Attested, Inflection, nothing_attested
from gristmill.answers.passages import WAYS, Asked, Passage, PlainRanking, passages_of
from gristmill.answers.question import Question, understand
from gristmill.answers.rules_file import Rules, bundled_rules, rules_for
from gristmill.answers.scoring import Score, score
from gristmill.answers.stored import stored_annotations
from gristmill.answers.weights import DEFAULT, LEVELS, Weights
from gristmill.errors import UsageError
from gristmill.notebook import Value, html_table
from gristmill.search.index.index import Index
from gristmill.table import csv_text
from gristmill.wording import plural

CANDIDATES = 50
"""Passages of the plain ranking that are ranked again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A passage with its score."""

    rank: int
    passage: Passage
    score: Score
    marks: tuple[tuple[int, int], ...]
    """Where in the text the answer may stand, in characters; none if the kind of question does not tell."""

    @property
    def candidates(self) -> list[str]:
        """The marked pieces of text."""
        return [self.passage.text[start:end] for start, end in self.marks]

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return {
            "rank": self.rank,
            **asdict(self.passage),
            "marks": [list(mark) for mark in self.marks],
            "candidates": self.candidates,
            "score": self.score.to_json(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Answers:
    """What was found for a question, the best first."""

    question: Question
    lang: str
    rows: list[Answer]
    asked: list[Asked]
    """The queries that found passages."""
    total: int
    """How many passages were ranked."""
    notes: list[str]
    """What the user should know, such as that there are no rules for the language."""

    def __repr__(self) -> str:
        return (
            f"<Answers to {self.question.text!r}: {plural(len(self.rows), 'row')} of {plural(self.total, 'passage')}>"
        )

    def _repr_html_(self) -> str:
        names = ["#", "passage", "may be", "score", "url"]
        rows: list[list[Value]] = [
            [row.rank, row.passage.text, ", ".join(row.candidates), round(row.score.total, 1), row.passage.url]
            for row in self.rows
        ]
        return html_table(names, rows, self.question.text)

    def to_csv(self) -> str:
        """Write the rows as comma-separated values; passages are in one line."""
        rows: list[list[Value]] = [
            [
                row.rank,
                row.score.total,
                " ".join(row.passage.text.split()),
                "|".join(row.candidates),
                *(getattr(row.passage, name) for name in _COLUMNS),
            ]
            for row in self.rows
        ]
        return csv_text(["rank", "score", "text", "candidates", *_COLUMNS], rows)

    def to_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        question = self.question
        return {
            "question": question.text,
            "lang": self.lang,
            "type": question.type,
            "rule": question.rule.name if question.rule else None,
            "words": [unit.text for unit in question.units],
            "forms": [form.text for form in question.forms],
            "asked": [asdict(one) for one in self.asked],
            "passages": self.total,
            "notes": self.notes,
            "rows": [row.to_json() for row in self.rows],
        }


_COLUMNS = ("url", "title", "doc", "lang", "date", "position", "found_by", "form", "plain_rank", "plain_score")
"""Fields of passages in a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How questions are asked: in which language, by which rules, how deep passages are looked at."""

    lang: str
    rules: Rules | None = None
    """Rules of the user's own; without them, those of the language."""
    taggers: tuple[str, ...] = ()
    level: str = LEVELS[-1]
    weights: Weights = DEFAULT
    attested: Attested = nothing_attested

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(f"there is no level {self.level!r} (there are: {', '.join(LEVELS)})")

    @property
    def used_rules(self) -> Rules:
        """The rules that are used; they may have no questions."""
        return self.rules or rules_for(self.lang)

    @property
    def notes(self) -> list[str]:
        """What the user should know."""
        if self.used_rules.questions:
            return []
        known = ", ".join(sorted(lang for rules in bundled_rules().values() for lang in rules.languages))
        none = f"there are no rules for questions in {self.lang!r} (there are some for: {known})"
        return [f"{none}: passages are found and ranked by its content words; --rules takes a file of your own"]

    def understand(self, text: str) -> Question:
        """Analyse a question."""
        rules = self.used_rules
        return understand(text, self.lang, rules, Inflection(rules, self.lang, self.attested), self.taggers)

    def of_index(
        self,
        index: Index,
        question: Question,
        plain: PlainRanking,
        *,
        where: str | None = None,
        candidates: int = CANDIDATES,
        limit: int | None = 10,
        rewriting: bool = True,
    ) -> Answers:
        """Ask an index; `plain` ranks its sentences by words."""
        passages, asked = passages_of(index, question, plain, where=where, count=candidates, rewriting=rewriting)
        parsed = question.analysis.structure.source == BY_RELATIONS
        known = stored_annotations(index, passages, with_relations=parsed)
        return self.rank(question, passages, asked, limit=limit, known=known)

    def rank(
        self,
        question: Question,
        passages: Sequence[Passage],
        asked: Sequence[Asked] = (),
        *,
        limit: int | None = 10,
        known: Sequence[Annotation | None] = (),
    ) -> Answers:
        """Rank passages by their scores; those of equal scores by how they were found, and by the plain ranking.

        `known` are their annotations, where there are any; other passages are tagged.
        """
        texts = [(passage.text, passage.lang or self.lang) for passage in passages]
        analyses = analyse(texts, self.used_rules, self.taggers, known)
        scored = []
        for passage, analysis in zip(passages, analyses, strict=True):
            found, candidates = score(question, analysis, weights=self.weights, level=self.level)
            shown = [one for one in candidates if one.is_shown]
            marks = tuple(sorted({_characters(analysis, one.start, one.end) for one in shown}))
            scored.append((passage, found, marks))
        last = len(passages) + 1
        scored.sort(
            key=lambda one: (
                -one[1].total,
                WAYS.index(one[0].found_by),
                one[0].plain_rank or last,
                one[0].position or 0,
            )
        )
        rows = [Answer(rank, *one) for rank, one in enumerate(scored[:limit], 1)]
        notes = self.notes
        if self.used_rules.questions and question.rule is None:
            notes.append("no rule fits the question: passages are found and ranked by its content words")
        if not question.units:
            notes.append("the question has no content words")
        return Answers(question, self.lang, rows, list(asked), len(passages), notes)


def _characters(analysis: Analysis, start: int, end: int) -> tuple[int, int]:
    """Find the place of some words in the text, in characters."""
    last = end - 1
    return analysis.starts[start], analysis.starts[last] + len(analysis.words[last])
