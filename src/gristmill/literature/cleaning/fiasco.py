"""The method `fiasco`: a linear support vector machine over the target nodes of a page.

Bauer et al., FIASCO: Filtering the Internet by Automatic Subtree Classification (2007); Baisa (2009), 1.2; Pomikálek
(2011), 2.6.5. `fiasco_targets` cuts the page into target nodes, `fiasco_features` describes them, and a support vector
machine tells clean nodes from dirty ones. The score is a logistic function of the distance from its border, which is
0.5. Dirty nodes are removed from the page and the rest is the text (Bauer et al., abstract): text in no target node,
about 1% of it, stays, with the score 0.5.

Visual features need a rendering: with `render=yes` a browser lays out the page (`cleaning/rendering`), and the weights
are those that were trained with them. Without, the linguistic and structural features decide. Keywords are those of the
training data, which is English: the method depends on the language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.models import check_features, load, names_of
from gristmill.cleaning.rendering.rendered import render
from gristmill.errors import UsageError
from gristmill.literature.cleaning.fiasco_features import ALL_NAMES, NAMES_WITHOUT_VISUAL, features, visual_features
from gristmill.literature.cleaning.fiasco_targets import MIN_SHARE, Targets, find_targets
from gristmill.registry import a_share, part

LABELS = ("clean", "dirty", "no target node")
_MAX_MARGIN = 30.0


@dataclass(frozen=True, slots=True)
class Parameters:
    """What users can set."""

    render: bool = False
    """Use visual features, from a browser."""
    min_share: float = a_share(MIN_SHARE)
    """The share of its text that a target node has in its own text nodes."""


def with_model(arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("fiasco", arrays, ALL_NAMES)
    return lambda page, _: _score(page, arrays, parameters)


@part("cleaning method", "fiasco", segmentation="text-node", with_model=with_model, parameters=Parameters())
def fiasco(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score text nodes by how far their target node is on the side of the dirty ones."""
    del lang
    return _score(page, load("fiasco", ALL_NAMES), parameters)


def _score(page: Features, model: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    targets = find_targets(page.page, page.characters, parameters.min_share)
    values = features(page, targets, frozenset(names_of(model["keywords"])))
    if parameters.render:
        if "visual.weights" not in model:
            raise UsageError("this model of fiasco was trained without rendering: train it where Chromium is installed")
        values = np.concatenate((values, visual_features(render(page.page), targets)), 1)
    scores = probabilities(values, model, "visual." if parameters.render else "")
    return spread(np.where(targets.is_target, scores, 0.5), targets)


def spread(scores: Floats, targets: Targets) -> Scores:
    """Give each text node the score of its target node."""
    labels = np.where(targets.is_target, scores > 0.5, 2)
    sizes = targets.end - targets.first
    return Scores(np.repeat(scores, sizes), [LABELS[at] for at in np.repeat(labels, sizes).tolist()])


def probabilities(values: Floats, model: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> Floats:
    """Turn features into scores: the distance from the border is scaled, and 0.5 is on it."""
    names = ALL_NAMES if prefix else NAMES_WITHOUT_VISUAL
    weights = model[f"{prefix}weights"].astype(np.float64)
    if weights.shape != (len(names) + 1,):
        raise ValueError(f"{len(weights)} weights for {len(names)} features and the border")
    margins = (values @ weights[:-1] + weights[-1]) * float(model[f"{prefix}slope"])
    found: Floats = 1 / (1 + np.exp(-np.clip(margins, -_MAX_MARGIN, _MAX_MARGIN)))
    return found
