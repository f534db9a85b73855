"""Ask a corpus: what the `Corpus` of users does with a question."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gristmill.answers.asking import CANDIDATES, Answers, Asking
from gristmill.answers.languages import language_of_question
from gristmill.answers.passages import PlainRanking
from gristmill.answers.rules_file import read_rules
from gristmill.answers.weights import DEFAULT, LEVELS, Weights
from gristmill.engine import Report, silent
from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.index.index import Index
from gristmill.search.ranked.finding import find_units
from gristmill.search.statistics.queries import quoted
from gristmill.search.subcorpus import Subcorpus

_MAX_FORMS = 2_000
"""Occurrences of a verb whose forms are counted: enough to know the commonest."""


def ask_corpus(
    index: Index,
    folder: Path,
    question: str,
    *,
    lang: str | None = None,
    where: str | None = None,
    rules: str | os.PathLike[str] | None = None,
    taggers: Sequence[str] = (),
    level: str = LEVELS[-1],
    weights: Weights = DEFAULT,
    candidates: int = CANDIDATES,
    limit: int | None = 10,
    rewriting: bool = True,
    max_tokens: int | None = None,
    report: Report = silent,
) -> Answers:
    """Ask a corpus a question, in its documents of the language of the question.

    `rules` is a file of rules for questions. `candidates` passages are taken from the plain ranking, BM25, beside those
    that have a form of an answer; without `rewriting` there are only the former. Above `max_tokens` nothing is made
    that the plain ranking needs, and an error says how to make it.
    """
    own = read_rules(rules) if rules is not None else None
    if where:
        Subcorpus(index, where)  # raises if the condition is wrong, and shows it as it was given
    code = lang or language_of_question(question, languages_of(index))
    asking = Asking(
        lang=code, rules=own, taggers=tuple(taggers), level=level, weights=weights, attested=Forms(index, code)
    )
    understood = asking.understand(question)
    plain = plain_ranking(index, folder, lang=code, where=where, max_tokens=max_tokens, report=report)
    in_language = f"lang=={quoted(code)}"
    return asking.of_index(
        index,
        understood,
        plain,
        where=f"{in_language} & ({where})" if where else in_language,
        candidates=candidates,
        limit=limit,
        rewriting=rewriting,
    )


def plain_ranking(
    index: Index,
    folder: Path,
    *,
    lang: str,
    where: str | None = None,
    max_tokens: int | None = None,
    report: Report = silent,
) -> PlainRanking:
    """Make what ranks the sentences of a language by BM25: of lemmas, or of words where there are none."""
    attribute = "lemma" if "lemma" in index.attributes else "word"

    def ranking(words: Sequence[str], lemmas: Sequence[str], count: int) -> list[tuple[int, float]]:
        query = " ".join(f'"{one}"' for one in (lemmas if attribute == "lemma" else words))
        found = find_units(
            index,
            folder,
            query,
            unit="sentence",
            attribute=attribute,
            where=where,
            lang=lang,
            limit=count,
            max_tokens=max_tokens,
            report=report,
        )
        return [(row.start, row.score) for row in found.rows]

    return ranking


def languages_of(index: Index) -> dict[str, int]:
    """Count the documents of each language in an index."""
    attribute = index.structure("doc").attributes.get("lang")
    if attribute is None:
        return {}
    counts = attribute.counts.tolist()
    return {
        lang: count
        for lang, count in zip(attribute.lexicon.strings(np.arange(len(counts))), counts, strict=True)
        if lang
    }


class Forms:
    """The forms of verbs that a corpus has, with their features."""

    def __init__(self, index: Index, lang: str) -> None:
        self._index = index
        self._lang = lang

    def __call__(self, lemma: str) -> Mapping[tuple[str, str], int]:
        """Count the forms of a verb by their features; none if the index has no features."""
        attributes = self._index.attributes
        if not {"lemma", "tag", "feats"} <= set(attributes):
            return {}
        query = f'[lemma=={quoted(lemma)} & tag="VERB|AUX"] within <doc lang=={quoted(self._lang)}/>'
        places = find(self._index, parse(query)).starts[:_MAX_FORMS]
        columns = [attributes[name].lexicon.strings(attributes[name].ids[places]) for name in ("word", "feats")]
        return Counter(zip(*columns, strict=True))
