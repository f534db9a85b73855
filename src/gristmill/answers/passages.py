"""Passages that may answer a question, and where they come from: sentences of an index, or snippets of a provider."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gristmill.answers.question import Question
from gristmill.answers.rewriting import GAP, Form
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.lines import Context, make_lines
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.cql.parsing import parse
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.statistics.queries import quoted

PHRASE, LOOSE, PLAIN = "phrase", "loose", "plain"
"""How a passage was found: by the form of an answer, by the form with words between, or by its content words."""
WAYS = (PHRASE, LOOSE, PLAIN)
_GAP_TOKENS = 8
"""Tokens that an answer within a form may have."""
_LOOSE_TOKENS = 4
"""Tokens that may stand between the words of a form that is looked for loosely."""
_MAX_OF_FORM = 50
"""Passages of one form."""
PlainRanking = Callable[[Sequence[str], Sequence[str], int], Sequence[tuple[int, float]]]
"""Ranks sentences by words or their lemmas: gives the first token of each of the best, and its score."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that may answer a question."""

    text: str
    url: str = ""
    title: str = ""
    doc: str = ""
    """The id of its document, if it is of a corpus."""
    lang: str = ""
    date: str = ""
    position: int | None = None
    """The position of its first token in the index."""
    plain_rank: int | None = None
    """Its place in the plain ranking, from 1: BM25, or that of the provider; None if it is not there."""
    plain_score: float | None = None
    found_by: str = PLAIN
    """One of `WAYS`."""
    form: str = ""
    """The form of an answer that found it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query that was asked, and how many passages it found."""

    way: str
    form: str
    query: str
    found: int


def cql_of(form: Form, question: Question, way: str) -> str:
    """Write the form of an answer as a query within a sentence; empty if there are too few words in it.

    `phrase` has all words one after the other, and some tokens where the answer is. `loose` leaves out words of the
    question that are no content words, takes others in all forms of their lemmas, and lets some tokens stand between.
    """
    analysis = question.analysis
    small = {word for at, word in enumerate(analysis.folded) if not analysis.is_content(at)}
    content = {word for at, word in enumerate(analysis.folded) if analysis.is_content(at)}
    places = [place for place in form.places if way == PHRASE or not small.issuperset(map(str.casefold, place))]
    words = [place for place in places if place != (GAP,)]
    if len(words) < 2 or not any(word.casefold() in content for place in words for word in place):
        return ""
    lemmas = dict(zip(analysis.folded, analysis.roots, strict=True)) if way == LOOSE else {}
    parts: list[str] = []
    for place in places:
        if place == (GAP,):
            parts += [f"[]{{1,{_GAP_TOKENS}}}"] if parts else []
            continue
        if way == LOOSE and parts and not parts[-1].startswith("[]"):
            parts.append(f"[]{{0,{_LOOSE_TOKENS}}}")
        parts.append(_token(place, [lemmas[word] for word in map(str.casefold, place) if word in lemmas]))
    if parts[-1].startswith("[]"):
        parts.pop()
    return f"{' '.join(parts)} within <s/>"


def _token(words: Sequence[str], lemmas: Sequence[str]) -> str:
    conditions = [f"word=={quoted(word)}%c" for word in words] + [f"lemma=={quoted(lemma)}%c" for lemma in lemmas]
    return f"[{' | '.join(conditions)}]"


def plain_terms(question: Question) -> tuple[list[str], list[str]]:
    """List the content words of a question by which sentences are ranked plainly, and their lemmas."""
    texts, lemmas = [], []
    for unit in question.units:
        start = unit.name.start if unit.name else unit.at
        for at in range(start, unit.at + 1):
            texts.append(question.analysis.words[at].replace('"', " "))
            lemmas.append(question.analysis.lemmas[at].replace('"', " ") or texts[-1])
    return texts, lemmas


def passages_of(
    index: Index, question: Question, plain: PlainRanking, *, where: str | None, count: int, rewriting: bool = True
) -> tuple[list[Passage], list[Asked]]:
    """Find passages: by the forms of answers, then by these loosely, then by content words ranked plainly.

    All are united. Each has its place in the plain ranking, if it is among the `count` best there, and the strictest
    way that found it.
    """
    sentences = index.structure("s")
    ways: dict[int, tuple[str, str]] = {}
    asked: list[Asked] = []
    for way in (PHRASE, LOOSE) if rewriting else ():
        for form in question.forms:
            query = cql_of(form, question, way)
            if not query or any(one.query == query for one in asked):
                continue
            hits = Concordance.of(index, parse(query), where).spans.hits
            numbers = np.unique(sentences.number_at(hits.starts))[:_MAX_OF_FORM].tolist()
            asked.append(Asked(way, form.text, query, len(numbers)))
            for number in numbers:
                ways.setdefault(number, (way, form.text))
    words, lemmas = plain_terms(question)
    ranked = list(plain(words, lemmas, count)) if words else []
    asked.append(Asked(PLAIN, "", " ".join(words), len(ranked)))
    numbers = sentences.number_at(np.array([start for start, _ in ranked], np.int64)).tolist() if ranked else []
    ranks = {number: (rank, score) for rank, (number, (_, score)) in enumerate(zip(numbers, ranked, strict=True), 1)}
    found = _read(index, list(dict.fromkeys([*ranks, *ways])))
    return [
        replace(
            passage,
            found_by=ways.get(number, (PLAIN, ""))[0],
            form=ways.get(number, (PLAIN, ""))[1],
            plain_rank=ranks[number][0] if number in ranks else None,
            plain_score=ranks[number][1] if number in ranks else None,
        )
        for number, passage in found
    ], asked


def _read(index: Index, numbers: Sequence[int]) -> list[tuple[int, Passage]]:
    """Read sentences by their numbers."""
    if not numbers:
        return []
    order = np.array(sorted(numbers), np.int64)
    sentences = index.structure("s")
    starts, ends = sentences.starts[order].astype(np.int64), sentences.ends[order].astype(np.int64)
    lines = make_lines(Occurrences(index, Hits(starts, ends)), Context(characters=0))
    return [
        (number, Passage(line.node, line.url, line.title, line.doc, line.lang, line.date, line.position))
        for number, line in zip(order.tolist(), lines, strict=True)
    ]
