"""The method `mill`: Gristmill's own, and the default. Independent of language and script.

Boosted trees, trained on gold standards (`gristmill train mill`), score a block by its own properties, the elements
that hold it and what else they hold, the names of their classes and ids, and the blocks around it. `mill_features` has
the features, `trees` the model.

Ideas of others: link density and neighbours are from boilerpipe (Kohlschütter et al. 2010), the distance to longer
texts from jusText (Pomikálek 2011), the element that holds most text from Readability and Baisa (2009), names of
classes and ids from Dragnet (Peters and Lecocq 2013).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.mill_features import describe, name_words
from gristmill.cleaning.methods.registry import PageScorer, Scores, page_method
from gristmill.cleaning.methods.trees import Trees, probability
from gristmill.columns import Coded
from gristmill.kernel.mill_columns import (
    FEATURES,
    IS_BY_NAME,
    IS_INSIDE,
    IS_LINKS,
    IS_PLAIN,
    IS_TEXT,
    NEAR_LEVELS,
    ROWS,
)
from gristmill.roles import DEFAULT_ROLES

_MAX_NAME_LOG_ODDS = 4.0
_MAX_KNOWN_NAMES = 1 << 16  # that are remembered, so that memory is bounded
_NOTED_ELEMENTS = ("nav", "footer", "header", "aside", "form", "select")
_NOTED_ROWS = np.array([ROWS[f"around.{tag}"] for tag in _NOTED_ELEMENTS], np.int32)
_LABELS = [
    "text",
    "boilerplate",
    "boilerplate: by name",
    "boilerplate: links",
    *(f"boilerplate: in {tag}" for tag in _NOTED_ELEMENTS),
]
"""The labels in the order of their numbers in `mill_columns`."""
_NEAR_NAMES = [ROWS[f"level{level}.names"] for level in range(1, NEAR_LEVELS + 1)]


class NameValues(dict[str, float]):
    """The log-odds of text by class and id, within bounds: those of each text, which are remembered.

    The pages of a site have the same names, so nearly all have been seen before.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, names: str) -> float:
        value, weight = 0.0, self._weights.get
        for word in name_words(names):
            value += weight(word, 0.0)
        if not -_MAX_NAME_LOG_ODDS <= value <= _MAX_NAME_LOG_ODDS:
            value = math.copysign(_MAX_NAME_LOG_ODDS, value)
        if len(self) >= _MAX_KNOWN_NAMES:
            self.clear()
        self[names] = value
        return value

    def of(self, names: Coded) -> Floats:
        """Return the log-odds for each of the different texts of a column."""
        return np.array(list(map(self.__getitem__, names.values)), np.float64)


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters that are learned."""

    names: dict[str, float]
    """For words in the names of classes and ids, the log-odds of text in such elements against text elsewhere."""
    trees: Trees

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the weights as arrays to store, with the names of the features that they are about."""
        words = sorted(self.names)
        stored: dict[str, npt.NDArray[Any]] = {
            "features": models.of_names(FEATURES),
            "words": models.of_names(words),
            "weights": np.array([self.names[word] for word in words], np.float16),
        }
        return stored | self.trees.arrays("trees")

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Weights:
        """Make weights of arrays that were stored; if they are about other features than those that are made, raise."""
        models.check_features("mill", arrays, FEATURES)
        weights = arrays["weights"].astype(np.float64).tolist()
        names = dict(zip(models.names_of(arrays["words"]), weights, strict=True))
        return cls(names, Trees.of(arrays, "trees"))


@functools.cache
def shipped() -> tuple[NameValues, Trees]:
    """Load the weights that come with the package."""
    weights = Weights.of(models.load("mill"))
    return NameValues(weights.names), weights.trees


def with_model(arrays: Mapping[str, npt.NDArray[Any]]) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    weights = Weights.of(arrays)
    names, trees = NameValues(weights.names), weights.trees
    return lambda page, _: _score(page, names, trees)


@page_method("mill", roles=DEFAULT_ROLES, with_model=with_model)
def mill(page: Features, lang: str) -> Scores:
    """Score blocks by the probability of boilerplate that the trees give; the language makes no difference."""
    del lang
    return _score(page, *shipped())


def _score(page: Features, names: NameValues, trees: Trees) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), Coded(_LABELS, np.zeros(0, np.int32)))
    table = describe(page).with_names(names.of(page.page.elements.names))
    values = probability(-trees.odds(table))
    return Scores(values, Coded(_LABELS, _label(table, values)))


def _label(table: Matrix, values: Floats) -> npt.NDArray[np.int32]:
    """Label blocks as text or boilerplate, and boilerplate by its most conspicuous property."""
    labels = np.empty(len(values), np.int32)
    if kernel.COMPILED:
        kernel.label(table, _NOTED_ROWS, values, labels)
    else:
        inside = table[_NOTED_ROWS] > 0
        labels[:] = np.where(table[_NEAR_NAMES].min(axis=0) < -1, IS_BY_NAME, IS_PLAIN)
        labels[inside.any(axis=0)] = IS_INSIDE + inside.argmax(axis=0)[inside.any(axis=0)]
        labels[table[ROWS["own.link_density"]] > 0.5] = IS_LINKS
        labels[values <= 0.5] = IS_TEXT
    return labels
