"""The score of a passage for a question, with all its parts (Delmonte, GReG, sections 3.1 to 3.3 and 4).

    words      points for each content word of the question that the passage has
    answer     points if it has something that can stand in place of the question word
    tags       points for each of these words that has the same tag
    heads      2 * (words + tags) * the share of the question's heads that head the same kind of constituent
    relations  2 * (words + tags) * the share of the question's pairs of predicate and governed word

`relations` is 0 if the passage says the contrary, or has the question word: then it is a question itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.answers.analysis import Analysis
from gristmill.answers.answering import Candidate, find_candidates
from gristmill.answers.question import Question, Unit
from gristmill.answers.verbs import is_modal, is_negated
from gristmill.answers.weights import DEFAULT, LEVELS, Weights


@dataclass(frozen=True, slots=True)
class Matched:
    """A content word of the question, and where the passage has it."""

    unit: Unit
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a passage, with its parts and what they are made of."""

    words: float
    tags: float
    answer: float
    heads: float
    relations: float
    matched: tuple[str, ...]
    """Content words of the question that the passage has."""
    missing: tuple[str, ...]
    same_tags: tuple[str, ...]
    same_heads: tuple[str, ...]
    pairs: tuple[str, ...]
    """Pairs of predicate and governed word that both have: `invent > telephone`."""
    items: tuple[str, ...]
    """What may stand in place of the question word, and stands there."""
    against: str
    """Why `relations` is 0 though pairs match: `question word`, `polarity`; empty if nothing speaks against it."""
    structure: str
    """What heads and pairs were found by: `relations` of a parser, or `chunks`."""

    @property
    def total(self) -> float:
        """The sum by which passages are ranked."""
        return self.words + self.tags + self.answer + self.heads + self.relations

    def to_json(self) -> dict[str, Any]:
        """All parts, and their sum."""
        return {"total": self.total, **asdict(self)}


def score(
    question: Question, passage: Analysis, *, weights: Weights = DEFAULT, level: str = LEVELS[-1]
) -> tuple[Score, tuple[Candidate, ...]]:
    """Compare a passage with a question; returns the score, and what in the passage may be the answer."""
    matched = [Matched(unit, _places(unit, passage)) for unit in question.units]
    present = [one for one in matched if one.places]
    candidates = find_candidates(question, passage, {at for one in present for at in one.places})
    items = tuple(dict.fromkeys(candidate.item for candidate in candidates))
    words = weights.word * len(present)
    tagged = [one for one in present if any(passage.tags[at] == one.unit.tag for at in one.places)]
    deep = LEVELS.index(level)
    tags = weights.tag * len(tagged) if deep else 0.0
    base = words + tags
    labels = question.analysis.structure.labels
    heads = [one for one in matched if one.unit.at in labels]
    same = [one for one in heads if any(passage.structure.labels.get(at) == labels[one.unit.at] for at in one.places)]
    by_heads = weights.heads * base * len(same) / len(heads) if heads and deep else 0.0
    against, share, pairs = "", 0.0, tuple[str, ...]()
    if deep == len(LEVELS) - 1:
        share, pairs, against = _pairs(question, matched, passage, candidates, weights)
    return Score(
        words,
        tags,
        weights.item if items and present else 0.0,
        by_heads,
        weights.relations * base * share,
        tuple(one.unit.text for one in present),
        tuple(one.unit.text for one in matched if not one.places),
        tuple(f"{one.unit.text}/{one.unit.tag}" for one in tagged),
        tuple(f"{one.unit.text}/{labels[one.unit.at]}" for one in same),
        pairs,
        items,
        against,
        passage.structure.source,
    ), candidates


def _places(unit: Unit, passage: Analysis) -> tuple[int, ...]:
    """Find where a passage has a content word, or a name that can mean the same; names by their last words."""
    names = passage.names
    if unit.name is not None:
        found = [name.end - 1 for name in names if unit.name.matches(name)]
        inside = {at for name in names for at in range(name.start, name.end)}
        if unit.name.kind == "person" or len(unit.name.words) == 1:
            last = unit.name.words[-1]
            found += [at for at, word in enumerate(passage.folded) if word == last and at not in inside]
        else:
            found += _sequences(unit.name.words, passage.folded)
        return tuple(sorted(set(found)))
    return tuple(
        at
        for at, (word, root) in enumerate(zip(passage.folded, passage.roots, strict=True))
        if (root == unit.root or word == unit.text.casefold()) and _alone(at, word, names)
    )


def _alone(at: int, word: str, names: Iterable[Any]) -> bool:
    """Tell whether a word can be matched by itself: one within a name only if it can stand for the name."""
    around = next((name for name in names if name.start <= at < name.end), None)
    return around is None or around.kind not in {"person", "place"} or around.matches_word(word)


def _sequences(words: tuple[str, ...], text: tuple[str, ...]) -> list[int]:
    """Find where words stand one after the other; returns the places of the last ones."""
    size = len(words)
    return [at + size - 1 for at in range(len(text) - size + 1) if text[at : at + size] == words]


def _pairs(
    question: Question, matched: list[Matched], passage: Analysis, candidates: tuple[Candidate, ...], weights: Weights
) -> tuple[float, tuple[str, ...], str]:
    """Compare pairs of predicate and governed word: the share that both have, which, and what speaks against it.

    What can be the answer is an argument of a predicate: a further match, which makes up for one that is missing.
    """
    places = {at: one.places for one in matched for at in _words_of(one.unit)}
    asked = {
        (head, dependent): None
        for head, dependent, _ in question.analysis.structure.links
        if head in places and dependent in places and places[head] is not places[dependent]
    }
    links = {(link.head, link.dependent) for link in passage.structure.links}
    found, total, negated = list[str](), 0.0, False
    for head, dependent in asked:
        both = [(one, two) for one in places[head] for two in places[dependent] if (one, two) in links]
        if both:
            found.append(f"{question.analysis.roots[head]} > {question.analysis.roots[dependent]}")
            worth, contrary = _verbal_match(question, head, passage, both[0][0], weights)
            total += worth
            negated |= contrary
    further = _answer_pair(question, places, links, candidates, passage)
    if further:
        found.append(further)
        total += 1.0
    against = "polarity" if negated else "question word" if _asks(question, passage, weights) else ""
    share = min(total / len(asked), 1.0) if asked else float(bool(further))
    return (0.0 if against else share), tuple(found), against if found else ""


def _words_of(unit: Unit) -> range:
    """The words of a content unit in the question."""
    return range(unit.name.start, unit.name.end) if unit.name else range(unit.at, unit.at + 1)


def _verbal_match(question: Question, head: int, passage: Analysis, at: int, weights: Weights) -> tuple[float, bool]:
    """Check the verbal complex (section 3.3): what a pair of its predicate counts, and whether polarities differ."""
    contrary = is_negated(question.analysis, head) != is_negated(passage, at)
    same = is_modal(question.analysis, head) == is_modal(passage, at)
    return (1.0 if same else weights.modality), contrary


def _answer_pair(
    question: Question,
    places: dict[int, tuple[int, ...]],
    links: set[tuple[int, int]],
    candidates: tuple[Candidate, ...],
    passage: Analysis,
) -> str:
    """Find a predicate of the question that governs in the passage what can be the answer."""
    labels = question.analysis.structure.labels
    for candidate in candidates:
        for head, found in places.items():
            if head in labels and any(
                (at, place) in links for at in found for place in range(candidate.start, candidate.end)
            ):
                return f"{question.analysis.roots[head]} > {' '.join(passage.words[candidate.start : candidate.end])}"
    return ""


def _asks(question: Question, passage: Analysis, weights: Weights) -> bool:
    """Tell whether a passage has the question word, so that it is likely to be the same question."""
    spans = passage.sentences
    if weights.question_words == "questions":
        spans = tuple((start, end) for start, end in spans if "?" in passage.words[start:end])
    return any(not question.question_words.isdisjoint(passage.folded[start:end]) for start, end in spans)
