"""Train NCleaner's two language models on CleanEval, or on pages of the user.

After Evert, A Lightweight and Efficient Tool for Cleaning Web Pages (2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, versions
from gristmill.literature.cleaning.ncleaner import ENGLISH, KINDS, SIZE, log_odds, table_of, trigrams_of, words_in
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_BACKOFF_WEIGHT = 0.3  # of a model against that of the next longer context
_MIN_PAGES = 20  # of a language for a model with its words
_MIN_TRIGRAM_COUNT = 3  # of rarer trigrams the last two characters are used
_WEIGHT_STEP = 0.05  # weights are stored as multiples of it
_MAX_STEPS = 127  # of an int8

_Arrays = dict[str, npt.NDArray[Any]]


@part("trained method", "ncleaner")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train the difference of two models of English, of each other language with enough pages, and without words."""
    labelled, data = pages_and_data(pages, gold, _FILE)
    english = [page for page in labelled if page.gold.lang in {None, "en"}]
    of_kind = dict(zip(KINDS, (english or labelled, labelled), strict=True)) | _other_languages(labelled)
    letters = {kind: ENGLISH if kind in KINDS else _frequent_letters(some) for kind, some in of_kind.items()}
    scores = {kind: cross_validate(some, _fit(kind, letters[kind]), seed) for kind, some in of_kind.items()}
    card = {
        "method": "ncleaner",
        "data": data,
        "pages used": {kind: len(some) for kind, some in of_kind.items()},
        "settings": {
            "n": 3,
            "weight of the next shorter n-gram": _BACKOFF_WEIGHT,
            "rarest trigram": _MIN_TRIGRAM_COUNT,
            "seed": seed,
        },
        "versions": versions(),
        "scores": scores,
    }
    arrays: _Arrays = {"scale": np.float64(_WEIGHT_STEP) + np.zeros(())}
    for kind, some in of_kind.items():
        arrays |= _weights(some, kind, letters[kind])
        arrays |= {} if kind in KINDS else {f"{kind}.letters": of_names([letters[kind]])}
    return Model(arrays, card, " ".join(f"Model of {kind}: {summary_of(scores[kind])}" for kind in of_kind))


def _other_languages(pages: Sequence[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Return the pages of each language but English that has enough of them for a model with its words."""
    numbers = Counter(page.gold.lang for page in pages if page.gold.lang and page.gold.lang != "en")
    enough = sorted(lang for lang, number in numbers.items() if number >= _MIN_PAGES)
    return {words_in(lang): [page for page in pages if page.gold.lang == lang] for lang in enough}


def _frequent_letters(pages: Sequence[LabelledPage]) -> str:
    """Return the most frequent letters of pages, as many as the alphabet has, in a fixed order.

    Letters beyond the first 65,536 characters are left out. If there are too few, others of the alphabet fill up.
    """
    counts = Counter(character for page in pages for text in page.features.texts for character in text)
    letters = [(-count, letter) for letter, count in counts.items() if letter.isalpha() and letter <= "\uffff"]
    found = [letter for _, letter in sorted(letters)]
    return "".join(sorted([*found, *(letter for letter in ENGLISH if letter not in counts)][: len(ENGLISH)]))


def _fit(kind: str, letters: str) -> Callable[[Sequence[LabelledPage]], Callable[[LabelledPage], Floats]]:
    def fit(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        table = table_of(_weights(pages, kind, letters) | {"scale": np.array(_WEIGHT_STEP)}, kind)
        return lambda page: (log_odds(page.features.texts, kind, table, letters) < 0).astype(np.float64)

    return fit


def _weights(pages: Sequence[LabelledPage], kind: str, letters: str) -> _Arrays:
    """The log odds of bigrams and of frequent trigrams, as small integers.

    The numbers of trigrams are stored as differences: the trigrams 5, 7 and 12 as the steps 5, 2, 5.
    """
    clean, dirty = (_counts(pages, kind, letters, is_text=is_text) for is_text in (True, False))
    bigrams, trigrams = (np.log(text / other) for text, other in zip(_models(clean), _models(dirty), strict=True))
    seen = np.flatnonzero((clean + dirty).ravel() >= _MIN_TRIGRAM_COUNT)
    return {
        f"{kind}.bigrams": _small(bigrams.ravel()),
        f"{kind}.steps": np.diff(seen, prepend=0).astype(np.int32),
        f"{kind}.trigrams": _small(trigrams.ravel()[seen]),
    }


def _counts(pages: Sequence[LabelledPage], kind: str, letters: str, *, is_text: bool) -> Floats:
    counts = np.zeros(SIZE**3, np.intp)
    for page in pages:
        texts = list(compress(page.features.texts, (page.is_text == is_text).tolist()))
        if texts:
            counts += np.bincount(trigrams_of(texts, kind, letters)[0], minlength=SIZE**3)
    counts[0] = 0
    return counts.reshape(SIZE, SIZE, SIZE).astype(np.float64)


def _models(counts: Floats) -> tuple[Floats, Floats]:
    """The probabilities of a character after one other, and after two; each is interpolated with the shorter context.

    The weights of three, two, one and no characters are in a geometric series. The share of what no context is left
    for is missing in both models, so that it has no weight in their comparison.
    """
    single = (counts.sum((0, 1)) + 1) / (counts.sum() + SIZE)
    mixed = _mix(counts.sum(0), single)
    return mixed, _mix(counts, mixed)


def _mix(counts: Floats, shorter: Floats) -> Floats:
    mixed: Floats = (1 - _BACKOFF_WEIGHT) * counts / np.maximum(
        1, counts.sum(-1, keepdims=True)
    ) + _BACKOFF_WEIGHT * shorter
    return mixed


def _small(weights: Floats) -> npt.NDArray[np.int8]:
    return np.clip(np.rint(weights / _WEIGHT_STEP), -_MAX_STEPS, _MAX_STEPS).astype(np.int8)
