"""The method `mill`: Gristmill's own, and the default. Independent of language and script.

Boosted trees, trained on gold standards (`gristmill train mill`), tell how probably a block is content of the page: by
its own properties, its role and words, the elements that hold it and what else they hold, the names of their classes
and ids, and the blocks around it. `mill_features` has the features, `trees` the model.

A fixed threshold would be right for articles only. On pages of short texts (lists, shops, forums) all probabilities are
lower, and nearly nothing would be left. So the threshold is that of the page (`threshold`): the score of a block says
on which side of it the block is, and 0.5 is the border.

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
from gristmill.cleaning.methods.mill_features import Described, describe, name_words
from gristmill.cleaning.methods.registry import PageScorer, Scores
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
from gristmill.kernel.phrases import make_table
from gristmill.registry import part
from gristmill.roles import DEFAULT_ROLES, DEFAULT_ROLES_ELSEWHERE

_MAX_NAME_LOG_ODDS = 4.0
_MIN_THRESHOLD = 0.02
_MAX_BLOCKS_AT_ONCE = 1 << 16  # a larger page is described in parts, each as if it were a page: a block has a kilobyte
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
class Phrases:
    """What is known of words and pairs of words in blocks, which are numbers (`kernel.phrases`)."""

    keys: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]
    """The log-odds of text in blocks with this phrase against text elsewhere."""

    @classmethod
    def none(cls) -> Phrases:
        """Know nothing."""
        return cls(np.zeros(0, np.uint32), np.zeros(0, np.float32))


class Vocabulary:
    """The names and phrases that a model knows, made ready for looking them up."""

    def __init__(self, names: Mapping[str, float], phrases: Phrases) -> None:
        self._names = NameValues(names)
        self._phrases = make_table(phrases.keys, phrases.values)

    def look(self, page: Described, names: Coded) -> Matrix:
        """Return the table of features of a page, given the names of its elements; valid until the next look."""
        return page.with_words(self._names.of(names), *self._phrases)


@dataclass(frozen=True, slots=True)
class Weights:
    """The parameters that are learned."""

    names: dict[str, float]
    """For words in the names of classes and ids, the log-odds of text in such elements against text elsewhere."""
    phrases: Phrases
    trees: Trees

    def vocabulary(self) -> Vocabulary:
        """Return the names and phrases, made ready."""
        return Vocabulary(self.names, self.phrases)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the weights as arrays to store, with the names of the features that they are about."""
        words = sorted(self.names)
        stored: dict[str, npt.NDArray[Any]] = {
            "features": models.of_names(FEATURES),
            "words": models.of_names(words),
            "weights": np.array([self.names[word] for word in words], np.float16),
            "phrases": self.phrases.keys,
            "phrase_weights": self.phrases.values.astype(np.float16),
        }
        return stored | self.trees.arrays("trees")

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Weights:
        """Make weights of arrays that were stored; if they are about other features than those that are made, raise."""
        models.check_features("mill", arrays, FEATURES)
        weights = arrays["weights"].astype(np.float64).tolist()
        names = dict(zip(models.names_of(arrays["words"]), weights, strict=True))
        phrases = Phrases(arrays["phrases"], arrays["phrase_weights"].astype(np.float32))
        return cls(names, phrases, Trees.of(arrays, "trees"))


@functools.cache
def shipped() -> tuple[Vocabulary, Trees]:
    """Load the weights that come with the package."""
    weights = Weights.of(models.load("mill"))
    return weights.vocabulary(), weights.trees


def with_model(arrays: Mapping[str, npt.NDArray[Any]]) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    weights = Weights.of(arrays)
    words, trees = weights.vocabulary(), weights.trees
    return lambda page, _: _score(page, words, trees)


@part("cleaning method", "mill", roles=DEFAULT_ROLES, roles_elsewhere=DEFAULT_ROLES_ELSEWHERE, with_model=with_model)
def mill(page: Features, lang: str) -> Scores:
    """Score blocks by the probabilities that the trees give, against the threshold of the page, in any language."""
    del lang
    return _score(page, *shipped())


def threshold(chances: Floats, words: npt.NDArray[np.int32]) -> float:
    """Find the probability above which blocks of a page are content.

    If the probabilities are right, a choice of blocks can be expected to have an F1 of twice the words of content that
    are chosen, divided by the chosen words plus the words of content; the best choice takes all blocks above half of
    the F1 that it gets (Lipton et al. 2014). Where little is sure, the border is still lower: it is half of the square,
    which is better on gold standards that the trees were not trained on.
    """
    order = (-chances).argsort(kind="stable")
    sizes = words.take(order).astype(np.float64)
    content = (sizes * chances.take(order)).cumsum()
    chosen = sizes.cumsum()
    chosen += content[-1]
    content *= 2  # in place from here on: pages are small, and new arrays take more time than the numbers in them
    content /= np.maximum(chosen, 1e-9, out=chosen)
    best = float(content.max())
    return max(_MIN_THRESHOLD, best * best / 2)


def centred(odds: Floats, words: npt.NDArray[np.int32]) -> Floats:
    """Return log-odds with the threshold of the page at 0."""
    border = threshold(probability(odds), words)
    return odds - math.log(border / (1 - border))


def _score(page: Features, words: Vocabulary, trees: Trees) -> Scores:
    odds, labels = np.zeros(len(page)), np.zeros(len(page), np.int32)
    for first in range(0, len(page), _MAX_BLOCKS_AT_ONCE):
        end = min(first + _MAX_BLOCKS_AT_ONCE, len(page))
        part = page if end - first == len(page) else Features(page.page.part(first, end), page.models, page.url)
        table = words.look(describe(part), part.page.elements.names)
        odds[first:end] = trees.odds(table)
        labels[first:end] = _label(table, np.ones(end - first))
    values = probability(-centred(odds, page.columns.words)) if len(page) else odds
    labels[values <= 0.5] = IS_TEXT
    return Scores(values, Coded(_LABELS, labels))


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
