"""Train the decision tree of `hofmann` and breed its regular expression, on CleanEval or on pages of the user.

After Hofmann and Weerkamp (2007), as described by Baisa (2009), 1.2: blocks are matched with the text that people left,
and are headings, list items or paragraphs by its markup; n are those that are not there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, versions
from gristmill.evaluation.words import plain_words
from gristmill.literature.cleaning.hofmann_genetic import expression_of, written
from gristmill.literature.cleaning.hofmann_tree import CLASSES, NAMES, chances, features
from gristmill.literature.training import cart, genetic
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_MARKUP = re.compile(r"<([hlp])>", re.IGNORECASE)
_MAX_BRED_PAGES = 80  # of which an expression is bred, evenly chosen
_GROWTH = cart.Settings()
_BREEDING = genetic.Settings()
_KINDS = np.array([CLASSES.index(kind) for kind in ("p", "h", "l")])

_Arrays = dict[str, npt.NDArray[Any]]


@part("trained method", "hofmann")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a tree with the classes n, h, l and p, and breed an expression."""
    labelled, data = pages_and_data(pages, gold, _FILE, "non-inline")
    counts = np.bincount(np.concatenate([classes_of(page) for page in labelled]), minlength=len(CLASSES))
    scores = {
        "tree": cross_validate(labelled, _fit_tree, seed),
        "genetic": cross_validate(labelled, lambda some: _fit_expression(some, seed), seed),
    }
    arrays = fit_tree(labelled) | fit_expression(labelled, seed)
    card = {
        "method": "hofmann",
        "data": data,
        "pages used": len(labelled),
        "classes": dict(zip(CLASSES, counts.tolist(), strict=True)),
        "settings": {
            "tree": asdict(_GROWTH),
            "genetic": {**asdict(_BREEDING), "pages": min(len(labelled), _MAX_BRED_PAGES)},
            "seed": seed,
        },
        "expression": " ".join(arrays["genetic"].tobytes().decode().split("\n")),
        "versions": versions(),
        "scores": scores,
    }
    return Model({"features": of_names(NAMES), **arrays}, card, summary_of(scores["tree"]))


def classes_of(page: LabelledPage) -> Ints:
    """Give each block its class: n if it is not text, else by the markup of the gold text, or by its element."""
    annotated = page.gold.annotated or ""
    places = [*_MARKUP.finditer(annotated)]
    if not places:
        return np.where(page.is_text, _KINDS[page.features.columns.kind.codes], 0)
    classes = np.where(page.is_text, CLASSES.index("p"), 0)
    ends = [place.start() for place in places[1:]] + [len(annotated)]
    marked: dict[str, list[str]] = {"h": [], "l": [], "p": []}
    for place, end in zip(places, ends, strict=True):
        marked[place[1].lower()].append(f" {' '.join(plain_words(annotated[place.end() : end]))} ")
    for kind in ("l", "h"):
        texts = "\n".join(marked[kind])
        for at in np.flatnonzero(page.is_text).tolist():
            words = plain_words(page.features.texts[at])
            if words and f" {' '.join(words)} " in texts:
                classes[at] = CLASSES.index(kind)
    return classes


def fit_tree(pages: Sequence[LabelledPage]) -> _Arrays:
    """Grow a tree on pages, whose blocks count by the logarithm of their words."""
    rows = np.concatenate([features(page.features) for page in pages])
    labels = np.concatenate([classes_of(page) for page in pages])
    weights = np.log2(1.0 + rows[:, NAMES.index("words")].astype(np.float64))
    growth = replace(_GROWTH, min_rows=min(_GROWTH.min_rows, 1 + len(rows) // 100))  # for a few pages of the user
    return cart.grow(rows, labels, weights / weights.mean(), len(CLASSES), growth).arrays("tree")


def _fit_tree(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
    arrays = fit_tree(pages)
    return lambda page: chances(features(page.features), arrays)[:, 0]


def fit_expression(pages: Sequence[LabelledPage], seed: int) -> _Arrays:
    """Breed an expression on some of the pages."""
    every = max(1, -(-len(pages) // _MAX_BRED_PAGES))
    examples = [
        genetic.Example.of(written(page.features), page.features.words.astype(float), page.is_text.astype(float))
        for page in pages[::every]
    ]
    return {"genetic": of_names(genetic.breed(examples, _BREEDING, seed))}


def _fit_expression(pages: Sequence[LabelledPage], seed: int) -> Callable[[LabelledPage], Floats]:
    expression = expression_of(fit_expression(pages, seed))

    def score(page: LabelledPage) -> Floats:
        kept = expression.kept(written(page.features), len(page.features))
        return (~kept).astype(np.float64)

    return score
