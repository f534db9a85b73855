"""mill: our own method, and the default.

Boosted trees, learned from gold standards (`gristmill train mill`), look at a block, at the elements that hold it and
what else they hold, at what their classes and ids are called, and at the blocks around. No stop lists and no language:
it works in any script.

What it owes to others: link density and neighbours to boilerpipe (Kohlschütter et al. 2010), the distance to longer
texts to jusText (Pomikálek 2011), the element that holds most text to Readability and to Baisa (2009), names of classes
and ids to Dragnet (Peters and Lecocq 2013).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning import models
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.mill_features import (
    Matrix,
    Outline,
    around_column,
    describe,
    describe_names,
    name_words,
)
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.trees import Trees, probability

_STRONGEST_NAME = 4.0
_TELLING = ("nav", "footer", "header", "aside", "form", "select")
_TELLING_COLUMNS = [around_column(tag) for tag in _TELLING]
_LABELS = (
    "text",
    "boilerplate",
    "boilerplate: by name",
    "boilerplate: links",
    *(f"boilerplate: in {tag}" for tag in _TELLING),
)
_TEXT, _PLAIN, _BY_NAME, _LINKS, _IN = range(5)


@dataclass(frozen=True, slots=True)
class Weights:
    """What is learned."""

    names: dict[str, float]
    """Words in the names of classes and ids, with the logarithm of how much more (or less) often they hold text than others."""
    trees: Trees

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """What is stored."""
        words = sorted(self.names)
        stored: dict[str, npt.NDArray[np.generic]] = {
            "words": np.frombuffer("\n".join(words).encode(), np.uint8),
            "weights": np.array([self.names[word] for word in words], np.float16),
        }
        return stored | self.trees.arrays("trees")


@functools.cache
def shipped() -> Weights:
    """The weights that come with the package."""
    arrays = models.load("mill")
    words = arrays["words"].tobytes().decode().split("\n")
    names = dict(zip(words, arrays["weights"].astype(np.float64).tolist(), strict=True))
    return Weights(names, Trees.of(arrays, "trees"))


@page_method("mill")
def mill(page: Features, lang: str) -> Scores:
    """Score the blocks of a page; the language does not matter."""
    del lang
    if not page.blocks:
        return Scores(np.zeros(0), [])
    weights = shipped()
    outline = Outline.of(page)
    names = name_values(page.page.elements.names, weights.names)
    rows = np.concatenate((describe(page, outline), describe_names(outline, names)), axis=1)
    values = probability(-weights.trees.odds(rows))
    return Scores(values, _labels(page, rows, names[outline.ancestors[:, :3]], values))


def name_values(names: list[str], weights: dict[str, float]) -> Floats:
    """For each element what its names say."""
    known = {name: _name_value(name, weights) for name in dict.fromkeys(names)}
    return np.array(list(map(known.__getitem__, names)))


def _name_value(name: str, weights: dict[str, float]) -> float:
    value = sum(map(weights.get, name_words(name), repeat(0.0))) if name else 0.0
    return min(_STRONGEST_NAME, max(-_STRONGEST_NAME, value))


def _labels(page: Features, rows: Matrix, names: Floats, values: Floats) -> list[str]:
    """What a block is, and for boilerplate what is most conspicuous about it."""
    inside = rows[:, _TELLING_COLUMNS] > 0
    labels = np.where(names.min(axis=1) < -1, _BY_NAME, _PLAIN)
    labels[inside.any(axis=1)] = _IN + inside.argmax(axis=1)[inside.any(axis=1)]
    labels[page.link_density > 0.5] = _LINKS
    labels[values <= 0.5] = _TEXT
    return list(map(_LABELS.__getitem__, labels.tolist()))
