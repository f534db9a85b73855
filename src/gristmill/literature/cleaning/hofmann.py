"""The method `hofmann`: the four ways of Hofmann and Weerkamp.

Web corpus cleaning using content and structure (2007), as described by Baisa (2009), 1.2. The parameter `by` chooses:

- `tree`: a decision tree gives block elements the classes h, l, p and n (not included);
- `heuristic`: all blocks of three characters or more; those of more than 10 words of more than 3 characters on average
  are paragraphs, all others headlines;
- `title`: language models tell which elements are about what the titles of the page are about (`hofmann_title`);
- `genetic`: a regular expression that was bred by a genetic algorithm (`hofmann_genetic`);
- `baseline`: all blocks are paragraphs.

`tree` is the default: of the ways that were submitted to CleanEval it is the one that leaves text out. They cut pages
at `p`, `div`, `li`, `h1` to `h6`, and make `br` a paragraph break. Here blocks end at these and at all other tags but
those inside a line, such as `td`: text of two cells of a table is no line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.models import check_features, load
from gristmill.errors import UsageError
from gristmill.literature.cleaning import hofmann_genetic, hofmann_title, hofmann_tree
from gristmill.registry import part

NOT_INCLUDED = "n"
WAYS = ("tree", "heuristic", "title", "genetic", "baseline")
_MIN_CHARACTERS = 3
_PARAGRAPH_WORDS = 10
_PARAGRAPH_CHARACTERS = 3  # of a word, on average

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Parameters:
    """Which of the ways, and what the one by titles needs."""

    by: str = "tree"
    """`baseline`, `heuristic`, `tree`, `title` or `genetic`."""
    smoothing: float = 2000.0
    """How many words of the page count for the language model of an element; for `title`."""

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise UsageError(f"the cleaning method hofmann: by must be one of {', '.join(WAYS)}, not {self.by!r}")
        if self.smoothing <= 0:
            raise UsageError(f"the cleaning method hofmann: smoothing must be above 0, not {self.smoothing}")


def with_model(arrays: Arrays, parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("hofmann", arrays, hofmann_tree.NAMES)
    return lambda page, _: _SCORERS[parameters.by](page, arrays, parameters)


@part("cleaning method", "hofmann", segmentation="non-inline", with_model=with_model, parameters=Parameters())
def hofmann(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score in the way that `by` names."""
    del lang
    return _SCORERS[parameters.by](page, load("hofmann", hofmann_tree.NAMES), parameters)


def _baseline(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    """Take all blocks for paragraphs."""
    del arrays, parameters
    return Scores(np.zeros(len(page)), ["p"] * len(page))


def _heuristic(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    """Leave out blocks of less than three characters, and tell paragraphs from headlines by words and their length."""
    del arrays, parameters
    words = page.words
    letters = page.characters - np.maximum(0, words - 1)  # without the spaces between words
    paragraphs = (words > _PARAGRAPH_WORDS) & (letters > _PARAGRAPH_CHARACTERS * words)
    kept = page.characters >= _MIN_CHARACTERS
    return Scores((~kept).astype(np.float64), np.where(kept, np.where(paragraphs, "p", "h"), NOT_INCLUDED).tolist())


def _tree(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    """Score by the probability of not being included, in the leaf of a block."""
    del parameters
    chances = hofmann_tree.chances(hofmann_tree.features(page), arrays)
    left_out = chances[:, 0]
    best = np.where(left_out > 0.5, 0, 1 + chances[:, 1:].argmax(1))
    return Scores(left_out, [hofmann_tree.CLASSES[at] for at in best.tolist()])


def _title(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    """Score by how much better than the page an element explains the titles; 0.5 is as well as the page."""
    del arrays
    gains = hofmann_title.gains(page, parameters.smoothing)
    return Scores(1 / (1 + np.exp(gains)), np.where(gains >= 0, "p", NOT_INCLUDED).tolist())


def _genetic(page: Features, arrays: Arrays, parameters: Parameters) -> Scores:
    """Keep the blocks that the regular expression takes."""
    del parameters
    kept = hofmann_genetic.expression_of(arrays).kept(hofmann_genetic.written(page), len(page))
    return Scores((~kept).astype(np.float64), np.where(kept, "p", NOT_INCLUDED).tolist())


_SCORERS: dict[str, Callable[[Features, Arrays, Parameters], Scores]] = dict(
    zip(WAYS, (_tree, _heuristic, _title, _genetic, _baseline), strict=True)
)
