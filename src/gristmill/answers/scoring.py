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
    places: tuple[range, ...]
    """The words of each occurrence: one, or all of a name."""

    @property
    def words(self) -> set[int]:
        """All words of the passage that it is matched by."""
        return {at for place in self.places for at in place}


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
    candidates = find_candidates(question, passage, {at for one in present for at in one.words})
    items = tuple(dict.fromkeys(candidate.item for candidate in candidates))
    words = weights.word * len(present)
    tagged = [one for one in present if any(passage.tags[place[-1]] == one.unit.tag for place in one.places)]
    deep = LEVELS.index(level)
    tags = weights.tag * len(tagged) if deep else 0.0
    base = words + tags
    labels = {one.unit: _label(question.analysis, one.unit.places) for one in matched}
    heads = [one for one in matched if labels[one.unit]]
    same = [one for one in heads if any(_label(passage, place) == labels[one.unit] for place in one.places)]
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
        tuple(f"{one.unit.text}/{labels[one.unit]}" for one in same),
        pairs,
        items,
        against,
        passage.structure.source,
    ), candidates


def _label(text: Analysis, words: range) -> str:
    """The label of the constituent that a word heads, or the name that it is part of; empty if it heads none."""
    labels = text.structure.labels
    return next((labels[at] for at in sorted(text.around(words)) if at in labels), "")


def _places(unit: Unit, passage: Analysis) -> tuple[range, ...]:
    """Find where a passage has a content word, or a name that can mean the same."""
    names = passage.names
    if unit.name is not None:
        found = [range(name.start, name.end) for name in names if unit.name.matches(name)]
        inside = {at for name in names for at in range(name.start, name.end)}
        if unit.name.kind == "person" or len(unit.name.words) == 1:
            last = unit.name.words[-1]
            found += [range(at, at + 1) for at, word in enumerate(passage.folded) if word == last and at not in inside]
        else:
            found += _sequences(unit.name.words, passage.folded)
        return tuple(sorted(set(found), key=lambda place: (place.start, place.stop)))
    return tuple(
        range(at, at + 1)
        for at, (word, root) in enumerate(zip(passage.folded, passage.roots, strict=True))
        if (root == unit.root or word == unit.text.casefold()) and _alone(at, word, names)
    )


def _alone(at: int, word: str, names: Iterable[Any]) -> bool:
    """Tell whether a word can be matched by itself: one within a name only if it can stand for the name."""
    around = next((name for name in names if name.start <= at < name.end), None)
    return around is None or around.kind not in {"person", "place"} or around.matches_word(word)


def _sequences(words: tuple[str, ...], text: tuple[str, ...]) -> list[range]:
    """Find where words stand one after the other."""
    size = len(words)
    return [range(at, at + size) for at in range(len(text) - size + 1) if text[at : at + size] == words]


def _pairs(
    question: Question, matched: list[Matched], passage: Analysis, candidates: tuple[Candidate, ...], weights: Weights
) -> tuple[float, tuple[str, ...], str]:
    """Compare pairs of predicate and governed word: the share that both have, which, and what speaks against it.

    What can be the answer is a further match, which makes up for one that is missing, if its predicate is asked about.
    If no other pair is there, it must be the noun after the question word: *fourteen pools* for *how many pools*. A
    pair stands here in the best of its places.
    """
    unit_of = {at: one for one in matched for at in one.unit.places}
    asked = {
        (head, dependent): None
        for head, dependent, _ in question.analysis.structure.links
        if head in unit_of and dependent in unit_of and unit_of[head] is not unit_of[dependent]
    }
    links = {(link.head, link.dependent) for link in passage.structure.links}
    found, worths, denied = list[str](), list[float](), False
    for head, dependent in asked:
        heads, dependents = (passage.around(unit_of[at].words) for at in (head, dependent))
        both = {one for one in heads for two in dependents if (one, two) in links}
        if both:
            found.append(f"{question.analysis.roots[head]} > {question.analysis.roots[dependent]}")
            agreeing = [at for at in both if is_negated(question.analysis, head) == is_negated(passage, at)]
            denied |= not agreeing
            worths.append(max((_worth(question, head, passage, at, weights) for at in agreeing), default=0.0))
    governing = unit_of.keys() & (question.asked_about if found or not asked else question.asked_nouns)
    further, contrary = _answer_pair(
        question, {at: unit_of[at] for at in sorted(governing)}, links, candidates, passage
    )
    found += further
    worths += [1.0] * len(further)
    denied |= contrary
    against = "polarity" if denied else "question word" if _asks(question, passage, weights) else ""
    share = min(sum(worths) / max(len(asked), 1), 1.0)
    return (0.0 if against else share), tuple(found), against if found else ""


def _worth(question: Question, head: int, passage: Analysis, at: int, weights: Weights) -> float:
    """What a pair of a predicate counts, by its verbal complex (section 3.3): less if only one of two is open."""
    same = is_modal(question.analysis, head) == is_modal(passage, at)
    return 1.0 if same else weights.modality


def _answer_pair(
    question: Question,
    unit_of: dict[int, Matched],
    links: set[tuple[int, int]],
    candidates: tuple[Candidate, ...],
    passage: Analysis,
) -> tuple[list[str], bool]:
    """Find one of some words that governs what can be the answer; says whether its polarity differs."""
    contrary = False
    for candidate in candidates:
        for head, one in unit_of.items():
            governing = [
                at
                for at in sorted(passage.around(one.words))
                if any((at, place) in links for place in range(candidate.start, candidate.end))
            ]
            if any(is_negated(question.analysis, head) == is_negated(passage, at) for at in governing):
                words = passage.words[candidate.start : candidate.end]
                return [f"{question.analysis.roots[head]} > {' '.join(words)}"], False
            contrary |= bool(governing)
    return [], contrary


def _asks(question: Question, passage: Analysis, weights: Weights) -> bool:
    """Tell whether a passage has the question word, so that it is likely to be the same question."""
    spans = passage.sentences
    if weights.question_words == "questions":
        spans = tuple((start, end) for start, end in spans if "?" in passage.words[start:end])
    return any(not question.question_words.isdisjoint(passage.folded[start:end]) for start, end in spans)
