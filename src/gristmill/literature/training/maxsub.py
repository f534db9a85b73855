"""Train the naive Bayes classifiers of `maxsub` on CleanEval, or on pages of the user.

After Pasternack and Roth, Extracting article text from the web with maximum subsequence segmentation (2009). A word
belongs to an article if its text node does; a tag does if the text before it and the text behind it do. Counts are
smoothed by adding one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, versions
from gristmill.literature.cleaning.maxsub import KINDS, classifier_of, score_by
from gristmill.literature.cleaning.maxsub_tokens import CONTEXTS, Tokens, tokens_of
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_MIN_PAGES = 20  # of a language for a model with its words
_MIN_TRIGRAM_COUNT = 8
_WEIGHT_STEP = 0.05  # weights are stored as multiples of it
_MAX_STEPS = 127  # of an int8

_Arrays = dict[str, npt.NDArray[Any]]


@part("trained method", "maxsub")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a classifier with the words of the languages that have enough pages, and one without words."""
    labelled, data = pages_and_data(pages, gold, _FILE, "text-node")
    langs = _languages(labelled)
    known = [page for page in labelled if (page.gold.lang or "en") in langs] or labelled
    of_kind = dict(zip(KINDS, (known, labelled), strict=True))
    scores = {kind: cross_validate(some, _fit(kind), seed) for kind, some in of_kind.items()}
    card = {
        "method": "maxsub",
        "data": data,
        "pages used": {kind: len(some) for kind, some in of_kind.items()},
        "settings": {"n": 3, "rarest trigram": _MIN_TRIGRAM_COUNT, "languages": langs, "seed": seed},
        "versions": versions(),
        "scores": scores,
    }
    arrays: _Arrays = {"scale": np.array(_WEIGHT_STEP), "langs": of_names(langs)}
    for kind, some in of_kind.items():
        arrays |= _weights(some, kind)
    return Model(arrays, card, " ".join(f"Model of {kind}: {summary_of(scores[kind])}" for kind in KINDS))


def _languages(pages: Sequence[LabelledPage]) -> list[str]:
    """Return the languages with enough pages, or if none has, the most frequent one."""
    numbers = Counter(page.gold.lang or "en" for page in pages)
    enough = sorted(lang for lang, number in numbers.items() if number >= _MIN_PAGES)
    return enough or [min(numbers, key=lambda lang: (-numbers[lang], lang))]


def _fit(kind: str) -> Callable[[Sequence[LabelledPage]], Callable[[LabelledPage], Floats]]:
    def fit(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        classifier = classifier_of(_weights(pages, kind) | {"scale": np.array(_WEIGHT_STEP)}, kind)
        return lambda page: score_by(page.features, _tokens(page, kind), classifier).values

    return fit


def _tokens(page: LabelledPage, kind: str) -> Tokens:
    return tokens_of(page.features, words=kind == "words")


def _weights(pages: Sequence[LabelledPage], kind: str) -> _Arrays:
    """The log odds of contexts and of frequent trigrams, as small integers; trigrams are stored as steps."""
    found = [(_tokens(page, kind), page) for page in pages]
    inside = np.concatenate([_belong(tokens, page.is_text) for tokens, page in found])
    trigrams, places = np.unique(np.concatenate([tokens.trigrams for tokens, _ in found]), return_inverse=True)
    contexts = np.concatenate([tokens.contexts for tokens, _ in found])
    number = np.array([(~inside).sum(), inside.sum()])
    frequent = np.bincount(places) >= _MIN_TRIGRAM_COUNT
    return {
        f"{kind}.prior": np.log((number[1] + 1) / (number[0] + 1)),
        f"{kind}.steps": np.diff(trigrams[frequent], prepend=np.uint64(0)).astype(np.uint32),
        f"{kind}.trigrams": _small(_log_odds(places, inside, len(trigrams))[frequent]),
        f"{kind}.contexts": _small(_log_odds(contexts, inside, CONTEXTS)),
    }


def _belong(tokens: Tokens, is_text: Flags) -> Flags:
    """Tell which tokens belong to the text of a page."""
    after_text = np.append(False, is_text)[tokens.blocks]
    inside: Flags = is_text[tokens.blocks] & (after_text | ~tokens.is_tag)
    return inside


def _log_odds(values: npt.NDArray[Any], inside: Flags, size: int) -> Floats:
    """The logarithms of how much more probable each value is inside the text than outside, smoothed by adding one.

    Of the values [0, 0, 1] the first two are inside: then 0 has (2 + 1) / (2 + 2) inside and 1 / (1 + 2) outside.
    """
    counts = [np.bincount(values[which], minlength=size) + 1.0 for which in (inside, ~inside)]
    text, other = (count / count.sum() for count in counts)
    odds: Floats = np.log(text / other)
    return odds


def _small(weights: Floats) -> npt.NDArray[np.int8]:
    return np.clip(np.rint(weights / _WEIGHT_STEP), -_MAX_STEPS, _MAX_STEPS).astype(np.int8)
