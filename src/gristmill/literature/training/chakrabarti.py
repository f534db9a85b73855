"""Train the logistic regressions of `chakrabarti` on CleanEval or on pages of the user.

Chakrabarti, Kumar and Punera (2007) learn from templates that are found by comparing the pages of a site. Gold pages
tell more exactly: a node is template by the share of its words that is not in the gold text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.methods.trees import probability
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, versions
from gristmill.literature.cleaning import chakrabarti as method
from gristmill.literature.cleaning.isotonic import smooth
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_STEPS = 25  # of Newton's method
_PENALTY = 1.0  # on the squares of weights


@part("trained method", "chakrabarti")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a regression for each size of subtrees."""
    labelled, data = pages_and_data(pages, gold, _FILE)
    scores = cross_validate(labelled, fit_pages, seed)
    card = {
        "method": "chakrabarti",
        "data": data,
        "pages used": len(labelled),
        "nodes": int(sum(len(method.parents_of(page.features)) for page in labelled)),
        "settings": {"sizes": list(method.SIZES), "steps": _STEPS, "penalty": _PENALTY, "seed": seed},
        "versions": versions(),
        "scores": scores,
    }
    arrays: dict[str, npt.NDArray[Any]] = {"features": of_names(method.NAMES), "weights": fit(labelled)}
    return Model(arrays, card, summary_of(scores))


def fit_pages(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
    """Train on pages, and make a function that scores the blocks of another page."""
    arrays = {"weights": fit(pages)}

    def score(page: LabelledPage) -> Floats:
        found = page.features
        values = smooth(method.node_scores(found, arrays), method.parents_of(found))
        return values[-len(found) :]

    return score


def fit(pages: Sequence[LabelledPage]) -> Floats:
    """Return the weights of the features, a row for each size; a size of which there is nothing has those of all."""
    table = np.concatenate([method.features(page.features) for page in pages])
    sizes = np.concatenate([method.sizes_of(page.features) for page in pages])
    target = np.concatenate([_template_shares(page) for page in pages])
    counts = np.concatenate([np.sqrt(1 + method.sums(page.features, page.features.words)) for page in pages])
    whole = _regression(table, target, counts)
    weights = [whole] * (len(method.SIZES) + 1)
    for size in np.unique(sizes).tolist():
        own = sizes == size
        weights[size] = _regression(table[own], target[own], counts[own], whole)
    return np.array(weights).astype(np.float32)


def _template_shares(page: LabelledPage) -> Floats:
    """Return for each node the share of its words that is boilerplate."""
    words = np.maximum(1, page.features.words)
    template = method.sums(page.features, np.where(page.is_text, 0, words))
    return template / np.maximum(1, method.sums(page.features, words))


def _regression(table: Floats, target: Floats, counts: Floats, start: Floats | None = None) -> Floats:
    """Fit a logistic regression by Newton's method; weights are drawn towards `start`, or 0."""
    centre = np.zeros(table.shape[1]) if start is None else start.astype(np.float64)
    weights = centre.copy()
    counts = counts / counts.mean()
    for _ in range(_STEPS):
        chance = probability(table @ weights)
        slope = table.T @ (counts * (target - chance)) - _PENALTY * (weights - centre)
        curve = (table * (counts * np.maximum(chance * (1 - chance), 1e-6))[:, None]).T @ table
        step = np.linalg.solve(curve + _PENALTY * np.eye(len(weights)), slope)
        weights = weights + step * min(1.0, 4.0 / max(1e-9, float(np.abs(step).max())))
    return weights
