"""Summarise the scores of pages as figures of a method: on each gold standard, and on all of them."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.evaluation.bootstrap import interval, means, micro_f1
from gristmill.evaluation.metrics import Counts
from gristmill.evaluation.run import Evaluation, Result
from gristmill.evaluation.scores import RELIABILITIES, NodeScores, PageScore

Figures = dict[str, Any]
"""Numbers by name, nested; None if there is nothing to compute them from, as of text nodes where there are none."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one method."""

    method: str
    overall: Figures
    """The mean over the gold standards, each counting the same however many pages it has."""
    sets: dict[str, Figures]


def summarise(evaluation: Evaluation, seed: int = 0) -> list[Summary]:
    """Summarise all methods, the one with the best F1 of aligned words first."""
    summaries = [_summary(method, evaluation.of(method), seed) for method in evaluation.methods]
    return sorted(summaries, key=lambda summary: -summary.overall["words"]["f1"])


def _summary(method: str, results: Sequence[Result], seed: int) -> Summary:
    figures = [set_figures(result.pages) for result in results]
    bags = [means([page.bag[2] for page in result.pages if page.bag is not None], seed) for result in results]
    micros = [micro_f1([page.words for page in result.pages], seed) for result in results]
    for of_set, bag, micro in zip(figures, bags, micros, strict=True):
        of_set["multiset"]["f1_interval"], of_set["words"]["f1_interval"] = interval(bag), interval(micro)
    overall: Figures = mean_of(figures)
    overall |= {name: sum(of_set[name] for of_set in figures) for name in ("pages", "errors", "cut")}
    overall["ms"] = sum(of_set["ms"] * of_set["pages"] for of_set in figures) / overall["pages"]
    overall["raised"] = dict(sum((Counter(of_set["raised"]) for of_set in figures), Counter[str]()))
    overall["multiset"]["f1_interval"] = interval(_mean_draws(bags))
    overall["words"]["f1_interval"] = interval(_mean_draws(micros))
    return Summary(method, overall, {result.gold_set: of_set for result, of_set in zip(results, figures, strict=True)})


def set_figures(pages: Sequence[PageScore]) -> Figures:
    """The figures of a method on the pages of one gold standard, without intervals."""
    with_gold = [page for page in pages if page.bag is not None]
    return {
        "pages": len(pages),
        "errors": sum(bool(page.error) for page in pages),
        "raised": dict(Counter(page.error for page in pages if page.error).most_common(5)),
        "cut": sum(page.cut for page in pages),
        "ms": 1000 * sum(page.seconds for page in pages) / max(1, len(pages)),
        "words": prf(sum((page.words for page in pages), Counts())),
        "macro": mean_of([prf(page.words) for page in with_gold]) if with_gold else None,
        "multiset": _multiset(with_gold),
        "cleaneval": _cleaneval(pages),
        "nodes": _nodes(pages),
        "fragments": _fragments([page.fragments for page in pages]),
    }


def prf(counts: Counts) -> Figures:
    """Precision, recall, F1 and F0.5."""
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f(), "f05": counts.f(0.5)}


def mean_of(figures: Sequence[Figures]) -> Figures:
    """The mean of each number over those figures that have it."""
    names = list(dict.fromkeys(name for of_set in figures for name in of_set))
    return {name: _mean_value([of_set[name] for of_set in figures if name in of_set]) for name in names}


def _mean_value(values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    if known and isinstance(known[0], dict):
        return mean_of(known)
    numbers = [value for value in known if isinstance(value, int | float)]
    return statistics.fmean(numbers) if numbers else None


def _mean_draws(draws: Sequence[Floats]) -> Floats:
    """Bootstrap samples of the mean over sets, in which each set is sampled on its own."""
    known = [draw for draw in draws if draw.size]
    return np.mean(known, axis=0) if known else np.zeros(0)


def _multiset(pages: Sequence[PageScore]) -> Figures:
    bags = [page.bag for page in pages if page.bag is not None]
    return {
        name: statistics.fmean(bag[at] for bag in bags) if bags else None
        for at, name in enumerate(("precision", "recall", "f1"))
    }


def _cleaneval(pages: Sequence[PageScore]) -> Figures | None:
    scores = [page.cleaneval for page in pages if page.cleaneval is not None]
    if not scores:
        return None
    text = statistics.fmean(score.text_only for score in scores)
    marked = [score.text_and_markup for score in scores if score.text_and_markup is not None]
    figures: Figures = {"text_only": text, "text_and_markup": None, "final": None, "tags": None}
    if marked:
        markup = statistics.fmean(marked)
        figures |= {
            "text_and_markup": markup,
            "final": (text + markup) / 2,
            "tags": prf(sum((score.tags for score in scores), Counts())),
        }
    return figures


def _nodes(pages: Sequence[PageScore]) -> Figures | None:
    scores = [page.nodes for page in pages if page.nodes is not None]
    if not scores:
        return None
    return {
        "pages": len(scores),
        **{f"reliability_{reliability}": _by_characters(scores, reliability) for reliability in RELIABILITIES},
        "words_with_undecided": prf(sum((page.with_undecided for page in scores), Counts())),
        "perfect_fragments": _fragments([page.perfect for page in scores]),
    }


def _by_characters(scores: Sequence[NodeScores], reliability: int) -> Figures | None:
    counts = sum((page.characters[reliability] for page in scores), Counts())
    return {**prf(counts), "good_characters": counts.wanted} if counts.wanted else None


def _fragments(by_page: Sequence[Sequence[int]]) -> Figures:
    lengths = [length for page in by_page for length in page]
    return {
        "mean_length": statistics.fmean(lengths) if lengths else None,
        "median_length": statistics.median(lengths) if lengths else None,
        "per_page": len(lengths) / len(by_page) if by_page else None,
    }


def as_json(evaluation: Evaluation, summaries: Sequence[Summary]) -> Figures:
    """All figures, to be written as JSON."""
    return {
        "sets": {
            gold_set.name: {"pages": len(gold_set.pages), "left_out": dict(gold_set.left_out)}
            for gold_set in evaluation.sets
        },
        "methods": {summary.method: {"overall": summary.overall, "sets": summary.sets} for summary in summaries},
    }
