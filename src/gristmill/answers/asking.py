"""Ask a question: of the index of a corpus, or of passages from elsewhere, which are ranked in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from gristmill.notebook import Value
from gristmill.search.index.index import Index
from gristmill.table import Column, Table
from gristmill.wording import marked_pieces, plural

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

    def lines(self, *, explained: bool) -> Iterator[str]:
        """Yield the passage with what may be the answer between asterisks, its place, and what its score is made of."""
        passage, score = self.passage, self.score
        pieces = marked_pieces(passage.text, self.marks)
        text = "".join(f"**{piece}**" if marked else piece for piece, marked in pieces)
        yield f"{self.rank}. {' '.join(text.split())}"
        yield f"   {passage.url or passage.doc}  score {score.total:.1f}"
        if not explained:
            return
        parts = {
            f"words {score.words:g}": score.matched,
            f"tags {score.tags:g}": score.same_tags,
            f"answer {score.answer:g}": score.items,
            f"heads {score.heads:.1f}": score.same_heads,
            f"relations {score.relations:.1f}": score.pairs,
        }
        for name, values in parts.items():
            yield f"   {name}: {', '.join(values) or '-'}"
        if score.against:
            yield f"   no relations, because of: {score.against}"
        if score.missing:
            yield f"   missing: {', '.join(score.missing)}"
        place = f", place {passage.plain_rank} in the plain ranking" if passage.plain_rank else ""
        yield f"   found by: {passage.found_by}{f' ({passage.form})' if passage.form else ''}{place}"


@dataclass(frozen=True, slots=True, repr=False)
class Answers(Table):
    """What was found for a question, the best first."""

    question: Question
    lang: str
    rows: list[Answer]
    queries: list[Asked]
    """The queries that found passages."""
    total: int
    """How many passages were ranked."""
    remarks: list[str]
    """What the user should know, such as that there are no rules for the language."""
    explained: bool = False
    """Whether lines have the queries, and the parts of each score."""

    @property
    def columns(self) -> Sequence[Column]:
        """Rank, score, the passage, what in it may be the answer, and where it stands."""
        return [Column("rank", "#"), *map(Column, ("score", "text", "candidates", *_COLUMNS))]

    def cells(self) -> list[list[Value]]:
        """Return the values of each row, in the order of the columns; passages are in one line."""
        return [
            [
                row.rank,
                row.score.total,
                " ".join(row.passage.text.split()),
                "|".join(row.candidates),
                *(getattr(row.passage, name) for name in _COLUMNS),
            ]
            for row in self.rows
        ]

    @property
    def heading(self) -> str:
        """How many passages were compared, and with what."""
        kind = f"; the question asks for: {self.question.type}" if self.question.type else ""
        words = ", ".join(unit.text for unit in self.question.units)
        return f"{plural(self.total, 'passage')} compared{kind}; content words: {words or 'none'}"

    def notes(self) -> list[str]:
        """Say what one should know, also if nothing was found."""
        return self.remarks if self.total else [*self.remarks, "nothing was found that has a word of the question"]

    def lines(self) -> Iterator[str]:
        """Yield the answers, with what may be the answer between asterisks, and where they stand."""
        if self.explained:
            rule = self.question.rule
            yield f"rule: {f'{rule.name} (asks for: {self.question.type})' if rule else 'none'}"
            yield f"content words: {', '.join(unit.text for unit in self.question.units)}"
            for one in self.queries:
                yield f"{one.way}: {one.form or one.query}  {plural(one.found, 'passage')}"
            yield ""
        for row in self.rows:
            yield from row.lines(explained=self.explained)

    def to_json(self, asked: Mapping[str, Any] | None = None, first: int = 0) -> dict[str, Any]:
        """All of it, for programs."""
        question = self.question
        return {
            **(asked or {}),
            "question": question.text,
            "lang": self.lang,
            "type": question.type,
            "rule": question.rule.name if question.rule else None,
            "words": [unit.text for unit in question.units],
            "forms": [form.text for form in question.forms],
            "queries": [asdict(one) for one in self.queries],
            "passages": self.total,
            "notes": self.notes(),
            "heading": self.heading,
            "rows": [row.to_json() for row in self.rows[first:]],
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
    def remarks(self) -> list[str]:
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
        remarks = self.remarks
        if self.used_rules.questions and question.rule is None:
            remarks.append("no rule fits the question: passages are found and ranked by its content words")
        if not question.units:
            remarks.append("the question has no content words")
        return Answers(question, self.lang, rows, list(asked), len(passages), remarks)


def _characters(analysis: Analysis, start: int, end: int) -> tuple[int, int]:
    """Find the place of some words in the text, in characters."""
    last = end - 1
    return analysis.starts[start], analysis.starts[last] + len(analysis.words[last])
