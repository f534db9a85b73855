"""Train NCleaner's two language models on CleanEval: Evert, A Lightweight and Efficient Tool for Cleaning Web Pages (2008)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.methods.ncleaner import KINDS, SIZE, log_odds, table_of, trigrams_of
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, read_pages
from gristmill.evaluation.training.registry import TRAINERS, Model, describe, gold_file, versions

_FILE = "cleaneval.parquet"
_LOWER = 0.3  # the weight of a model against that of the next longer context
_SEEN = 3  # rarer trigrams are left to their last two characters
_SCALE = 0.05  # of what one step of a weight is worth
_MOST = 127

_Arrays = dict[str, npt.NDArray[Any]]


@TRAINERS.register("ncleaner")
def train(gold: Path, seed: int) -> Model:
    """The difference of two models of English, and of two without words for other languages."""
    path = gold_file(gold, _FILE)
    pages = read_pages(gold, _FILE)
    card = {
        "method": "ncleaner",
        "data": [describe(path) | {"pages used": len(pages)}],
        "settings": {"n": 3, "weight of the next shorter n-gram": _LOWER, "rarest trigram": _SEEN, "seed": seed},
        "versions": versions(),
        "scores": {kind: cross_validate(pages, _fit(kind), seed) for kind in KINDS},
    }
    arrays: _Arrays = {"scale": np.float64(_SCALE) + np.zeros(())}
    for kind in KINDS:
        arrays |= _weights(pages, kind)
    return Model(arrays, card)


def _fit(kind: str) -> Callable[[Sequence[LabelledPage]], Callable[[LabelledPage], Floats]]:
    def fit(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        table = table_of(_weights(pages, kind) | {"scale": np.array(_SCALE)}, kind)
        return lambda page: (log_odds(page.features.texts, kind, table) < 0).astype(np.float64)

    return fit


def _weights(pages: Sequence[LabelledPage], kind: str) -> _Arrays:
    """Log-odds of bigrams and of trigrams that were seen, as small integers; trigrams by how far each is from the one before."""
    clean, dirty = (_counts(pages, kind, is_text=is_text) for is_text in (True, False))
    bigrams, trigrams = (np.log(text / other) for text, other in zip(_models(clean), _models(dirty), strict=True))
    seen = np.flatnonzero((clean + dirty).ravel() >= _SEEN)
    return {
        f"{kind}.bigrams": _small(bigrams.ravel()),
        f"{kind}.steps": np.diff(seen, prepend=0).astype(np.int32),
        f"{kind}.trigrams": _small(trigrams.ravel()[seen]),
    }


def _counts(pages: Sequence[LabelledPage], kind: str, *, is_text: bool) -> Floats:
    counts = np.zeros(SIZE**3, np.intp)
    for page in pages:
        texts = list(compress(page.features.texts, (page.is_text == is_text).tolist()))
        if texts:
            counts += np.bincount(trigrams_of(texts, kind)[0], minlength=SIZE**3)
    counts[0] = 0
    return counts.reshape(SIZE, SIZE, SIZE).astype(np.float64)


def _models(counts: Floats) -> tuple[Floats, Floats]:
    """The probability of a character after one other, and after two; each is mixed with that after one character less.

    The weights of three, two, one and no characters are in a geometric series. What no context is left for has its
    share missing in both models, so that it has no weight in their comparison.
    """
    single = (counts.sum((0, 1)) + 1) / (counts.sum() + SIZE)
    mixed = _mix(counts.sum(0), single)
    return mixed, _mix(counts, mixed)


def _mix(counts: Floats, shorter: Floats) -> Floats:
    mixed: Floats = (1 - _LOWER) * counts / np.maximum(1, counts.sum(-1, keepdims=True)) + _LOWER * shorter
    return mixed


def _small(weights: Floats) -> npt.NDArray[np.int8]:
    return np.clip(np.rint(weights / _SCALE), -_MOST, _MOST).astype(np.int8)
