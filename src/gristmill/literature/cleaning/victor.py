"""The method `victor`: a conditional random field over the text nodes of a page. Independent of language.

Marek, Pecina, Spousta, Web Page Cleaning with Conditional Random Fields (2007); Victor: the Web-Page Cleaning Tool
(WAC4, 2008). The nodes are labelled as header, text or other. The features are those of section 3.2, of a node and of
the ones before and after it. The score is the probability of other: a threshold below 0.5 trades recall for precision
(5.2).

The features of language identification, `langid1` and `langid2`, are off unless `langid=true`: with them precision rose
from 80.75 to 83.80 and recall fell from 79.88 to 72.95 (Table 2), and the system of Table 3 is without. They need a
language that wordfreq has. `trained_on` chooses the model: `cleaneval`, with three labels, or `canola`, with two, as in
Pomikálek (2011), 2.9.3. Lists of values, and elements of each class, are not published: those in `victor_features` are
ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.models import check_features, load, names_of
from gristmill.errors import UsageError
from gristmill.literature.cleaning.crf import marginals
from gristmill.literature.cleaning.victor_features import BASES, NAMES, Values, features
from gristmill.registry import part

LABELS = ("other", "header", "text")
TRAINED_ON = ("cleaneval", "canola")
OFFSETS = (-1, 0, 1)
"""The nodes whose features count for a node: the node before, itself, the node after."""
_MAX_NODES_AT_ONCE = 4096  # so that the weights of a page of millions of nodes don't need gigabytes


@dataclass(frozen=True)
class Parameters:
    """What may be chosen."""

    trained_on: str = "cleaneval"
    langid: bool = False

    def __post_init__(self) -> None:
        if self.trained_on not in TRAINED_ON:
            raise UsageError(f"victor is trained on {' or '.join(TRAINED_ON)}, not on {self.trained_on!r}")


def with_model(arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model; `trained_on` is for those that come with Gristmill."""
    check_features("victor", arrays, NAMES)
    return lambda page, lang: _score(page, lang, arrays, parameters)


_DEFAULTS = Parameters()


@part("cleaning method", "victor", segmentation="text-node", with_model=with_model, parameters=_DEFAULTS)
def victor(page: Features, lang: str, parameters: Parameters = _DEFAULTS) -> Scores:
    """Score by the probability of being neither text nor header."""
    return _score(page, lang, load("victor", NAMES), parameters)


def _score(page: Features, lang: str, arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    weights, labels = weights_of(arrays, parameters)
    probabilities = label(features(page, lang if parameters.langid else None), weights)
    best = np.where(probabilities[:, 0] > 0.5, 0, 1 + probabilities[:, 1:].argmax(1))
    return Scores(probabilities[:, 0], [labels[at] for at in best.tolist()])


def prefix_of(parameters: Parameters) -> str:
    """Return what the names of the arrays begin with that were learned so: `canola.langid.` or, by default, nothing."""
    return ("" if parameters.trained_on == TRAINED_ON[0] else f"{parameters.trained_on}.") + (
        "langid." if parameters.langid else ""
    )


def weights_of(
    arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters
) -> tuple[dict[str, npt.NDArray[Any]], Sequence[str]]:
    """Return the weights of a model that were learned as the parameters say, and the labels that they are for."""
    prefix = prefix_of(parameters)
    if f"{prefix}states" not in arrays:
        chosen = f"trained_on={parameters.trained_on},langid={'yes' if parameters.langid else 'no'}"
        raise UsageError(f"the model has no weights for victor:{chosen}, as it was trained without")
    weights = {name: arrays[f"{prefix}{name}"] for name in ("states", "transitions")}
    return weights, names_of(arrays[f"{prefix}labels"])


def label(values: Values, weights: Mapping[str, npt.NDArray[Any]]) -> Floats:
    """Return the probability of each label for each node of a page."""
    return marginals(states(values, weights["states"].astype(np.float64)), weights["transitions"].astype(np.float64))


def states(values: Values, weights: Floats) -> Floats:
    """Score the labels of each node: the sum of the weights of its own features and of those of its neighbours."""
    runs = [values[at : at + _MAX_NODES_AT_ONCE] for at in range(0, len(values), _MAX_NODES_AT_ONCE)]
    scores = np.zeros((len(values), weights.shape[2]))
    for offset, rows in zip(OFFSETS, weights, strict=True):
        own = np.concatenate([rows[run + BASES[: values.shape[1]]].sum(1) for run in runs])
        if offset < 0:
            scores[1:] += own[:-1]
        elif offset > 0:
            scores[:-1] += own[1:]
        else:
            scores += own
    return scores
