"""The method `chakrabarti`: logistic regression on the subtrees of a page, and isotonic smoothing. No language.

Chakrabarti, Kumar and Punera, Page-level template detection via isotonic smoothing (2007), as described by Pomikálek
(2011), 2.6.5. Every node of the tree gets a score from 0 to 1 by features such as closeness to the margins, link
density and tag density: how much its subtree is template. Scores are smoothed so that no node has a lower one than its
parent, and differ as little as possible from what they were. Blocks below a threshold are text.

What the description leaves open: the distance is the sum of absolute differences (`isotonic`), and there is no penalty
for different scores of parent and child. There are four regressions, by the number of words in a subtree. Margins are
the beginning and the end of the page, by characters of text: where a node is shown is not known without rendering. The
authors take the templates of sites as training data; here it is CleanEval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.methods.trees import probability
from gristmill.cleaning.models import check_features, load
from gristmill.literature.cleaning.isotonic import smooth
from gristmill.registry import a_share, part
from gristmill.text.characters import Characters

SIZES = (10, 40, 200)
"""The numbers of words from which a subtree is of the second, third and fourth size: each has its own regression."""
NAMES = (
    *("constant", "words", "share of words", "before", "behind", "margin", "link density", "links per word"),
    *("tag density", "words per block", "marks per word", "words per block squared", "margin squared"),
)
"""The features of a subtree, in their order."""

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Parameters:
    """What decides."""

    threshold: float = a_share(0.5)
    """The score below which a subtree is text."""
    smoothing: bool = True
    """Whether scores are smoothed at all."""


def with_model(arrays: Arrays, parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("chakrabarti", arrays, NAMES)
    return lambda page, _: _score(page, arrays, parameters)


@part("cleaning method", "chakrabarti", with_model=with_model, parameters=Parameters())
def chakrabarti(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score by the smoothed score of the block; the threshold is moved to 0.5."""
    del lang
    return _score(page, load("chakrabarti", NAMES), parameters)


def _score(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    values = node_scores(page, arrays)
    if parameters.smoothing:
        values = smooth(values, parents_of(page))
    of_blocks = values[-len(page) :]
    edge = min(max(parameters.threshold, 1e-6), 1 - 1e-6)
    moved = np.where(of_blocks <= edge, of_blocks / edge / 2, 0.5 + (of_blocks - edge) / (1 - edge) / 2)
    return Scores(moved, np.where(moved <= 0.5, "text", "template").tolist())


def node_scores(page: Features, arrays: Arrays) -> Floats:
    """Give each node the probability of its regression: first the elements in their order, then the blocks."""
    table, sizes = features(page), sizes_of(page)
    return probability((table * arrays["weights"].astype(np.float64)[sizes]).sum(1))


def parents_of(page: Features) -> Ints:
    """Return the parent of each node; that of a block is the element that holds it."""
    return np.concatenate((page.page.elements.parents, page.page.holders))


def sizes_of(page: Features) -> Ints:
    """Return the size of each node, from 0 to 3."""
    return np.searchsorted(SIZES, sums(page, page.words), "right")


def features(page: Features) -> Floats:
    """Describe the nodes of a page, a row a node."""
    characters = Characters(page.texts)
    first, end = ranges(page)
    words = sums(page, page.words).astype(np.float64)
    before = starts_of(page.characters)
    total = max(1, int(before[-1]))
    some, blocks = np.maximum(1, words), np.maximum(1, end - first)
    start, stop = before[first] / total, before[end] / total
    margin = np.minimum(start, 1 - stop)
    long = np.log1p(words / blocks)
    return np.stack(
        (
            np.ones(len(first)),
            np.log1p(words),
            words / max(1, int(page.words.sum())),
            start,
            1 - stop,
            margin,
            sums(page, page.link_words) / some,
            np.minimum(1, sums(page, page.links) / some),
            np.log1p(sums(page, page.tags + page.page.tags_before) / some),
            long,
            np.minimum(1, sums(page, characters.count(characters.are("P"))) / some),
            long**2,
            margin**2,
        ),
        1,
    )


def ranges(page: Features) -> tuple[Ints, Ints]:
    """Return the first block of each node, and the first block behind it."""
    elements, blocks = page.page.elements, np.arange(len(page))
    return np.concatenate((elements.first, blocks)), np.concatenate((elements.end, blocks + 1))


def sums(page: Features, values: Ints) -> Ints:
    """Add up the values of the blocks of each node, by differences of prefix sums."""
    first, end = ranges(page)
    before = starts_of(values)
    return before[end] - before[first]
