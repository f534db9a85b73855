"""The method `maxsub` (maximum subsequence segmentation).

Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation (2009); Pomikálek
(2011), 2.6.5. Every token has a value, and the article is the run of tokens with the largest sum. In the version that
they publish, the value is the probability that the token belongs to an article, less 0.5: so it lies between -0.5 and
0.5. A naive Bayes classifier gives it, by the trigram that begins at the token and the element that it stands in. Their
base version needs no training (`trained=no`): a word is worth 1, a tag -3.25.

Blocks are text nodes. In the base version the best run consists of whole ones, as with `bte`. In the trained one it may
begin or end inside a node: this is kept if at least half of its tokens are in the run. What the thesis does not tell is
chosen here: words in small letters without stems, no trigrams that were rare in training, and for languages that the
model does not know trigrams of the shapes of words.
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
from gristmill.cleaning.models import load, names_of
from gristmill.errors import UsageError
from gristmill.literature.cleaning.maxsub_tokens import Hashes, Tokens, tokens_of
from gristmill.literature.cleaning.subsequence import by_block, score_best_run
from gristmill.registry import part

KINDS = ("words", "shapes")
"""The model for the languages that it was trained on, and the one for all others."""
_WORDS_PER_TAG = 3.25  # that a tag costs in the base version


@dataclass(frozen=True, slots=True)
class Parameters:
    """Which of the two versions it is."""

    trained: bool = True


@dataclass(frozen=True, slots=True)
class Classifier:
    """A naive Bayes classifier: what speaks for text and against boilerplate, as logarithms of odds."""

    prior: float
    trigrams: Hashes
    """Those that are known, in ascending order."""
    of_trigrams: Floats
    of_contexts: Floats

    def values(self, tokens: Tokens) -> Floats:
        """Return the values of tokens: probabilities less 0.5."""
        places = np.minimum(np.searchsorted(self.trigrams, tokens.trigrams), len(self.trigrams) - 1)
        known = self.trigrams[places] == tokens.trigrams
        odds = self.prior + self.of_contexts[tokens.contexts] + np.where(known, self.of_trigrams[places], 0)
        return 1 / (1 + np.exp(-odds)) - 0.5


@dataclass(frozen=True, slots=True)
class Trained:
    """The two classifiers of a model, and the languages whose words it knows."""

    of_kind: Mapping[str, Classifier]
    langs: frozenset[str]

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Trained:
        """Unpack a stored model."""
        return cls({kind: classifier_of(arrays, kind) for kind in KINDS}, frozenset(names_of(arrays["langs"])))

    def score(self, page: Features, lang: str) -> Scores:
        """Score tokens by how much they add to the best run, or would take from it, and blocks by their tokens."""
        kind = "words" if lang in self.langs else "shapes"
        return score_by(page, tokens_of(page, words=kind == "words"), self.of_kind[kind]) if len(page) else _NOTHING


_NOTHING = Scores(np.zeros(0), [])
DEFAULTS = Parameters()


def with_model(arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model; raises `UsageError` for the version that has none."""
    if not parameters.trained:
        raise UsageError("with trained=no, maxsub has no model")
    return Trained.of(arrays).score


@part("cleaning method", "maxsub", segmentation="text-node", with_model=with_model, parameters=DEFAULTS)
def maxsub(page: Features, lang: str, parameters: Parameters = DEFAULTS) -> Scores:
    """Score blocks, or their tokens, by how much they add to the best run, or would take from it."""
    if parameters.trained:
        return _shipped().score(page, lang)
    inside = _WORDS_PER_TAG * page.tags.astype(float)
    before = _WORDS_PER_TAG * page.page.tags_before.astype(float)
    return score_best_run(page.words - inside, before)


def score_by(page: Features, tokens: Tokens, classifier: Classifier) -> Scores:
    """Score tokens by the run of tokens whose values have the largest sum, and blocks by their tokens.

    A sentence without spaces is one token, and counts for as many as it has words.
    """
    is_word, blocks = ~tokens.is_tag, tokens.blocks
    found = np.bincount(blocks, is_word, len(page))
    words = np.maximum(1, page.words / np.maximum(found, 1))
    values = classifier.values(tokens) * np.where(is_word, words[blocks], 1)
    run = score_best_run(values, np.zeros(len(values)))
    return by_block(run.values[is_word], blocks[is_word], np.ones(int(is_word.sum()), np.int64))


@functools.cache
def _shipped() -> Trained:
    return Trained.of(load("maxsub"))


def classifier_of(arrays: Mapping[str, npt.NDArray[Any]], kind: str) -> Classifier:
    """Unpack the classifier of a kind. `steps` are distances between trigrams: [3, 2, 7] stands for 3, 5 and 12."""
    scale = float(arrays["scale"])
    return Classifier(
        float(arrays[f"{kind}.prior"]),
        np.cumsum(arrays[f"{kind}.steps"].astype(np.uint64)),
        arrays[f"{kind}.trigrams"] * scale,
        arrays[f"{kind}.contexts"] * scale,
    )
