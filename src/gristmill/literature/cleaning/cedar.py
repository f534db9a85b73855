"""The method `cedar`: the content extraction of CEDAR, a conditional random field over the blocks of a page.

Gibson, Wellner and Lubar, Identification of duplicate news stories in web pages (WAC4, 2008), sections 5.1 and 5.2.
Blocks end at any tag but those inside a line. Each is CONTENT or NOTCONTENT. With `by=crf` (their CE-BEST) features are
the words with their frequency, the number of tokens, the share of them in anchors, tags in and around the block, stop
words, named entities and a few others, and blocks are labelled as a sequence. With `by=maxent` (their CE-SIMPLE) the
words that are present are all that counts, and each block is labelled by itself. The score is the probability of
NOTCONTENT.

The complete list of features is in another paper of theirs (2007), so the others and all edges are ours. Their named
entities come from a recogniser; here capitals within sentences stand for them. "Inverse stop wording" is taken as the
share of stop words. They trained on news pages that were never published; here it is CleanEval.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.methods.trees import probability
from gristmill.cleaning.models import check_features, load, names_of
from gristmill.errors import UsageError
from gristmill.literature.cleaning.cedar_features import BASES, NAMES, Bags, Values, bags, features
from gristmill.literature.cleaning.crf import marginals
from gristmill.registry import part

LABELS = ("CONTENT", "NOTCONTENT")
WAYS = ("crf", "maxent")
Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Parameters:
    """Which of the two ways."""

    by: str = "crf"
    """`crf`, or `maxent`, which knows words alone."""

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise UsageError(f"the cleaning method cedar: by must be one of {', '.join(WAYS)}, not {self.by!r}")


def with_model(arrays: Arrays, parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("cedar", arrays, NAMES)
    return lambda page, lang: _score(page, lang, arrays, parameters)


@part("cleaning method", "cedar", segmentation="non-inline", with_model=with_model, parameters=Parameters())
def cedar(page: Features, lang: str, parameters: Parameters) -> Scores:
    """Score by the probability of NOTCONTENT."""
    return _score(page, lang, load("cedar", NAMES), parameters)


def _score(page: Features, lang: str, arrays: Arrays, parameters: Parameters) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    words = bags(page, _vocabulary(arrays["words"].tobytes()))
    if parameters.by == "maxent":
        values = by_words(words, len(page), arrays)
    else:
        values = by_field(features(page, lang), words, arrays)
    return Scores(values, [LABELS[at] for at in (values > 0.5).tolist()])


def by_field(values: Values, words: Bags, arrays: Arrays) -> Floats:
    """Return the probability of NOTCONTENT for each block, by the field; words count as often as they occur."""
    odds = arrays["states"].astype(np.float64)[values + BASES[:-1]].sum(1)
    weights = arrays["word_states"].astype(np.float64)
    odds += np.bincount(words.blocks, weights[words.words] * words.counts, len(values))
    states = np.stack((np.zeros(len(odds)), odds), 1)
    chances: Floats = marginals(states, arrays["transitions"].astype(np.float64))[:, 1]
    return chances


def by_words(words: Bags, number: int, arrays: Arrays) -> Floats:
    """Return the probability of NOTCONTENT for so many blocks, by the words that are present in each."""
    weights = arrays["maxent"].astype(np.float64)
    odds = np.bincount(words.blocks, weights[words.words], number).astype(np.float64)
    return probability(odds + float(arrays["maxent_bias"]))


@functools.lru_cache(8)
def _vocabulary(words: bytes) -> Mapping[str, int]:
    return {word: at for at, word in enumerate(names_of(np.frombuffer(words, np.uint8)))}
