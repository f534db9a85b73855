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
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.mill_features import (
    Outline,
    around_column,
    describe,
    describe_names,
    name_words,
)
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.trees import Trees, probability
from gristmill.columns import Coded

_MAX_NAME_LOG_ODDS = 4.0
_NOTED_ELEMENTS = ("nav", "footer", "header", "aside", "form", "select")
_NOTED_COLUMNS = [around_column(tag) for tag in _NOTED_ELEMENTS]
_LABELS = (
    "text",
    "boilerplate",
    "boilerplate: by name",
    "boilerplate: links",
    *(f"boilerplate: in {tag}" for tag in _NOTED_ELEMENTS),
)
_TEXT, _PLAIN, _BY_NAME, _LINKS, _IN = range(5)


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters that are learned."""

    names: dict[str, float]
    """For words in the names of classes and ids, the log-odds of text in such elements against text elsewhere."""
    trees: Trees

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the weights as arrays to store."""
        words = sorted(self.names)
        stored: dict[str, npt.NDArray[np.generic]] = {
            "words": np.frombuffer("\n".join(words).encode(), np.uint8),
            "weights": np.array([self.names[word] for word in words], np.float16),
        }
        return stored | self.trees.arrays("trees")


@functools.cache
def shipped() -> Weights:
    """Load the weights that come with the package."""
    arrays = models.load("mill")
    words = arrays["words"].tobytes().decode().split("\n")
    names = dict(zip(words, arrays["weights"].astype(np.float64).tolist(), strict=True))
    return Weights(names, Trees.of(arrays, "trees"))


@page_method("mill")
def mill(page: Features, lang: str) -> Scores:
    """Score blocks by the probability of boilerplate that the trees give; the language makes no difference."""
    del lang
    if not len(page):
        return Scores(np.zeros(0), [])
    weights = shipped()
    outline = Outline.of(page)
    names = name_values(page.page.elements.names, weights.names)
    rows = np.concatenate((describe(page, outline), describe_names(outline, names)), axis=1)
    values = probability(-weights.trees.odds(rows))
    return Scores(values, _labels(page, rows, names[outline.ancestors[:, :3]], values))


def name_values(names: Coded, weights: dict[str, float]) -> Floats:
    """Return for each element the log-odds of text by its class and id, within bounds."""
    values: Floats = np.array([_name_value(name, weights) for name in names.values])[names.codes]
    return values


def _name_value(name: str, weights: dict[str, float]) -> float:
    value = sum(map(weights.get, name_words(name), repeat(0.0))) if name else 0.0
    return min(_MAX_NAME_LOG_ODDS, max(-_MAX_NAME_LOG_ODDS, value))


def _labels(page: Features, rows: Matrix, names: Floats, values: Floats) -> list[str]:
    """Label blocks as text or boilerplate, and boilerplate by its most conspicuous property."""
    inside = rows[:, _NOTED_COLUMNS] > 0
    labels = np.where(names.min(axis=1) < -1, _BY_NAME, _PLAIN)
    labels[inside.any(axis=1)] = _IN + inside.argmax(axis=1)[inside.any(axis=1)]
    labels[page.link_density > 0.5] = _LINKS
    labels[values <= 0.5] = _TEXT
    return list(map(_LABELS.__getitem__, labels.tolist()))
