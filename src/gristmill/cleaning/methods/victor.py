"""The method `victor`: a conditional random field over the text nodes of a page. Independent of language.

Marek, Pecina, Spousta, Web Page Cleaning with Conditional Random Fields (2007); Victor: the Web-Page Cleaning Tool
(WAC4, 2008). The nodes are labelled as header, text or other. The features are those of section 3.2, of a node and of
the ones before and after it. The score is the probability of other: a threshold below 0.5 trades recall for precision
(5.2).

Left out: the features of language identification, without which their system did better (Table 2); `container.img`,
which holds no text; and `split.br` and `split.hr` apart from other void tags. Their lists of values are not published:
those in `victor_features` are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.crf import marginals
from gristmill.cleaning.methods.registry import PageScorer, Scores, page_method
from gristmill.cleaning.methods.victor_features import BASES, NAMES, Values, features
from gristmill.cleaning.models import check_features, load

LABELS = ("other", "header", "text")
OFFSETS = (-1, 0, 1)
"""The nodes whose features count for a node: the node before, itself, the node after."""
_MAX_NODES_AT_ONCE = 4096  # so that the weights of a page of millions of nodes don't need gigabytes


def with_model(arrays: Mapping[str, npt.NDArray[Any]]) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("victor", arrays, NAMES)
    return lambda page, _: _score(page, arrays)


@page_method("victor", segmentation="text-node", with_model=with_model)
def victor(page: Features, lang: str) -> Scores:
    """Score by the probability of being neither text nor header."""
    del lang
    return _score(page, load("victor", NAMES))


def _score(page: Features, weights: Mapping[str, npt.NDArray[Any]]) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    probabilities = label(features(page), weights)
    best = np.where(probabilities[:, 0] > 0.5, 0, 1 + probabilities[:, 1:].argmax(1))
    return Scores(probabilities[:, 0], [LABELS[at] for at in best.tolist()])


def label(values: Values, weights: Mapping[str, npt.NDArray[Any]]) -> Floats:
    """Return the probability of each label for each node of a page."""
    return marginals(states(values, weights["states"].astype(np.float64)), weights["transitions"].astype(np.float64))


def states(values: Values, weights: Floats) -> Floats:
    """Score the labels of each node: the sum of the weights of its own features and of those of its neighbours."""
    runs = [values[at : at + _MAX_NODES_AT_ONCE] for at in range(0, len(values), _MAX_NODES_AT_ONCE)]
    scores = np.zeros((len(values), len(LABELS)))
    for offset, part in zip(OFFSETS, weights, strict=True):
        own = np.concatenate([part[run + BASES[:-1]].sum(1) for run in runs])
        if offset < 0:
            scores[1:] += own[:-1]
        elif offset > 0:
            scores[:-1] += own[1:]
        else:
            scores += own
    return scores
