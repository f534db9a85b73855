"""Train the support vector machines of `fiasco` on CleanEval or on pages of the user.

After Bauer et al. (2007), as Baisa (2009), 1.2, tells it. They had 158 pages of their own; here it is CleanEval, and
the figures are from folds of sites. A target node is dirty if most of its text is not in the gold text. Keywords are
words that strongly prevail in dirty nodes: at least `_MIN_ODDS` times as frequent there as in clean ones, on at least
`_MIN_SITES` sites.

Where Chromium is installed the pages are rendered, and a second machine learns with visual features too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.models import of_names
from gristmill.cleaning.rendering.rendered import browser_version, find_browser, render
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, versions
from gristmill.literature.cleaning.fiasco import probabilities
from gristmill.literature.cleaning.fiasco_features import ALL_NAMES, features, visual_features, words_of
from gristmill.literature.cleaning.fiasco_targets import Targets, find_targets
from gristmill.literature.training.svm import fit_slope, fit_svm
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_COST = 1.0
_MIN_ODDS = 8.0
_MIN_SITES = 10
_MAX_KEYWORDS = 300
_TIME_LIMIT = 300.0  # for the rendering of a page: a model must not depend on how busy the machine is

_Weights = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class _Example:
    """A page as target nodes: which of them are dirty, their words, and their visual features if it was rendered."""

    page: LabelledPage
    targets: Targets
    is_dirty: Flags
    words: list[list[str]]
    visual: Floats | None
    site: str


@part("trained method", "fiasco")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a machine without visual features, and one with them if there is a browser."""
    labelled, data = pages_and_data(pages, gold, _FILE, "text-node")
    browser = find_browser()
    examples = _examples(labelled, rendered=browser is not None)
    kinds = {"": "scores", **({"visual.": "scores with visual features"} if browser else {})}

    def validated(prefix: str) -> dict[str, Any]:
        def fit_pages(some: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
            weights = fit([examples[id(page)] for page in some], (prefix,))
            return lambda page: score(examples[id(page)], weights, prefix)

        return cross_validate(labelled, fit_pages, seed)

    scores = {name: validated(prefix) for prefix, name in kinds.items()}
    arrays = fit(list(examples.values()), tuple(kinds))
    nodes = [example.is_dirty[example.targets.is_target] for example in examples.values()]
    card = {
        "method": "fiasco",
        "data": data,
        "pages used": len(labelled),
        "target nodes": {"clean": int(sum((~own).sum() for own in nodes)), "dirty": int(sum(map(np.sum, nodes)))},
        "settings": {
            "training": "squared hinge loss, Newton's method",
            "cost": _COST,
            "keywords": {"at most": _MAX_KEYWORDS, "odds": _MIN_ODDS, "sites": _MIN_SITES},
            "seed": seed,
        },
        "versions": versions() | ({"browser": browser_version()} if browser else {}),
        **scores,
    }
    return Model({"features": of_names(ALL_NAMES), **arrays}, card, summary_of(scores["scores"]))


def _examples(pages: Sequence[LabelledPage], *, rendered: bool) -> dict[int, _Example]:
    """Cut the pages into target nodes; pages are known by their identity."""
    found = {}
    for page in pages:
        lengths = page.features.characters
        targets = find_targets(page.features.page, lengths)
        good = np.add.reduceat(np.where(page.is_text, lengths, 0), targets.first)
        is_dirty = good <= np.add.reduceat(lengths, targets.first) / 2
        visual = visual_features(render(page.features.page, _TIME_LIMIT), targets) if rendered else None
        words = words_of(page.features, targets)
        found[id(page)] = _Example(page, targets, is_dirty, words, visual, page.gold.site)
    return found


def keywords_of(examples: Sequence[_Example]) -> list[str]:
    """Find the words that strongly prevail in dirty nodes, the most telling first."""
    counts: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    sites: dict[str, set[str]] = {}
    for example in examples:
        for words, dirty in zip(example.words, example.is_dirty.tolist(), strict=True):
            counts[dirty].update(words)
            if dirty:
                for word in set(words):
                    sites.setdefault(word, set()).add(example.site)
    clean, dirty_words = counts
    ratio = (sum(clean.values()) + 1) / (sum(dirty_words.values()) + 1)
    odds = {
        word: number * ratio / (clean[word] + 1)
        for word, number in dirty_words.items()
        if word.isalpha() and len(sites[word]) >= _MIN_SITES
    }
    found = sorted((word for word, value in odds.items() if value >= _MIN_ODDS), key=lambda word: (-odds[word], word))
    return found[:_MAX_KEYWORDS]


def fit(examples: Sequence[_Example], prefixes: Sequence[str]) -> _Weights:
    """Learn the keywords, and a machine for each kind: "" is without visual features, "visual." with them."""
    keywords = keywords_of(examples)
    arrays: _Weights = {"keywords": of_names(keywords)}
    known = frozenset(keywords)
    for prefix in prefixes:
        inputs, targets = [], []
        for example in examples:
            wanted = example.targets.is_target
            inputs.append(_inputs(example, known, prefix)[wanted])
            targets.append(np.where(example.is_dirty, 1.0, -1.0)[wanted])
        rows, wanted_sides = np.concatenate(inputs), np.concatenate(targets)
        weights = fit_svm(rows, wanted_sides, _COST)
        slope = fit_slope(rows @ weights[:-1] + weights[-1], wanted_sides)
        arrays[f"{prefix}weights"] = weights.astype(np.float32)
        arrays[f"{prefix}slope"] = np.array(slope, np.float32)
    return arrays


def score(example: _Example, weights: _Weights, prefix: str) -> Floats:
    """Score the text nodes of a page."""
    known = frozenset(weights["keywords"].tobytes().decode().split("\n"))
    found = probabilities(_inputs(example, known, prefix), weights, prefix)
    found = np.where(example.targets.is_target, found, 0.5)
    return np.repeat(found, example.targets.end - example.targets.first)


def _inputs(example: _Example, keywords: frozenset[str], prefix: str) -> Floats:
    own = features(example.page.features, example.targets, keywords)
    return own if not prefix or example.visual is None else np.concatenate((own, example.visual), 1)
