"""Train CEDAR's conditional random field, and its maximum entropy classifier, with CRFsuite.

After Gibson, Wellner and Lubar (2008), section 5, on CleanEval or on pages of the user. A maximum entropy classifier is
a field over sequences of one block. There are two labels, so that only the difference of their weights counts.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, need, versions
from gristmill.literature.cleaning.cedar import LABELS, by_field, by_words
from gristmill.literature.cleaning.cedar_features import BASES, NAMES, Bags, Values, bags, features, words_of
from gristmill.registry import part

_FILE = "cleaneval.parquet"
_FIELD = {"c1": 0.0, "c2": 2.0, "max_iterations": 100, "feature.possible_transitions": True}
_MAXENT = {"c1": 0.0, "c2": 2.0, "max_iterations": 100}
_MIN_PAGES = 5  # on which a word occurs
_MAX_WORDS = 6000
_CONTENT, _NOT = LABELS

_Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class _Example:
    """A page as the trainer sees it."""

    values: Values
    words: Bags
    is_text: Flags


@part("trained method", "cedar")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train both."""
    need("pycrfsuite")
    labelled, data = pages_and_data(pages, gold, _FILE, "non-inline")
    scores = {
        "crf": cross_validate(labelled, fit_field, seed),
        "maxent": cross_validate(labelled, fit_words, seed),
    }
    text = int(sum(np.count_nonzero(page.is_text) for page in labelled))
    arrays = fit(labelled)
    card = {
        "method": "cedar",
        "data": data,
        "pages used": len(labelled),
        "labels": {_CONTENT: text, _NOT: sum(map(len, (page.is_text for page in labelled))) - text},
        "settings": {"training": "L-BFGS", "crf": _FIELD, "maxent": _MAXENT, "rarest word": _MIN_PAGES, "seed": seed},
        "words": len(arrays["maxent"]),
        "versions": versions("python-crfsuite"),
        "scores": scores,
    }
    return Model({"features": of_names(NAMES), **arrays}, card, summary_of(scores["crf"]))


def fit(pages: Sequence[LabelledPage]) -> _Arrays:
    """Train the field and the classifier of words on pages."""
    vocabulary = vocabulary_of(pages)
    examples = _examples(pages, vocabulary)
    return {"words": of_names(list(vocabulary)), **_field(examples, len(vocabulary)), **_maxent(examples, vocabulary)}


def fit_field(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
    """Train the field on pages, and make a function that scores the blocks of another page."""
    vocabulary = vocabulary_of(pages)
    arrays = _field(_examples(pages, vocabulary), len(vocabulary))

    def score(page: LabelledPage) -> Floats:
        found = _examples([page], vocabulary)[0]
        return by_field(found.values, found.words, arrays)

    return score


def fit_words(pages: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
    """Train the classifier of words on pages, and make a function that scores the blocks of another page."""
    vocabulary = vocabulary_of(pages)
    arrays = _maxent(_examples(pages, vocabulary), vocabulary)
    return lambda page: by_words(bags(page.features, vocabulary), len(page.features), arrays)


def vocabulary_of(pages: Sequence[LabelledPage]) -> dict[str, int]:
    """Number the words that occur on several pages, those on most pages first."""
    on = Counter(word for page in pages for word in {word for text in page.features.texts for word in words_of(text)})
    common = [(-number, word) for word, number in on.items() if number >= min(_MIN_PAGES, 1 + len(pages) // 10)]
    return {word: at for at, (_, word) in enumerate(sorted(common)[:_MAX_WORDS])}


def _examples(pages: Sequence[LabelledPage], vocabulary: Mapping[str, int]) -> list[_Example]:
    return [
        _Example(features(page.features, page.gold.lang or ""), bags(page.features, vocabulary), page.is_text)
        for page in pages
    ]


def _field(examples: Sequence[_Example], number: int) -> _Arrays:
    """Train the field: weights are those of NOTCONTENT less those of CONTENT."""
    trainer = need("pycrfsuite").Trainer(algorithm="lbfgs", params=_FIELD, verbose=False)
    for example in examples:
        items = [dict.fromkeys(map(str, row), 1.0) for row in (example.values + BASES[:-1]).tolist()]
        for block, word, count in zip(*map(np.ndarray.tolist, example.words), strict=True):
            items[block][f"w{word}"] = float(count)
        _append(trainer, items, example.is_text)
    weights, transitions = _trained(trainer)
    states = np.array([weights.get(str(at), 0.0) for at in range(int(BASES[-1]))], np.float32)
    return {"states": states, "word_states": _of_words(weights, number), "transitions": transitions}


def _maxent(examples: Sequence[_Example], vocabulary: Mapping[str, int]) -> _Arrays:
    """Train the classifier of words: each block is a sequence, and words count once."""
    trainer = need("pycrfsuite").Trainer(algorithm="lbfgs", params=_MAXENT, verbose=False)
    for example in examples:
        items: list[dict[str, float]] = [{"bias": 1.0} for _ in example.is_text]
        for block, word in zip(example.words.blocks.tolist(), example.words.words.tolist(), strict=True):
            items[block][f"w{word}"] = 1.0
        for item, is_text in zip(items, example.is_text.tolist(), strict=True):
            _append(trainer, [item], np.array([is_text]))
    weights, _ = _trained(trainer)
    return {"maxent": _of_words(weights, len(vocabulary)), "maxent_bias": np.array(weights.get("bias", 0.0))}


def _append(trainer: Any, items: list[dict[str, float]], is_text: Flags) -> None:
    crfsuite = need("pycrfsuite")
    trainer.append(crfsuite.ItemSequence(items), [_CONTENT if text else _NOT for text in is_text.tolist()])


def _trained(trainer: Any) -> tuple[dict[str, float], npt.NDArray[np.float32]]:
    """Train, and read the differences of the weights of both labels, and the weights of transitions."""
    tagger = need("pycrfsuite").Tagger()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cedar.crfsuite"
        trainer.train(str(path))
        with tagger.open(str(path)):
            info = tagger.info()
    weights: dict[str, float] = {}
    for (name, label), weight in info.state_features.items():
        weights[name] = weights.get(name, 0.0) + (weight if label == _NOT else -weight)
    transitions = np.zeros((2, 2), np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(after)] = weight
    return weights, transitions


def _of_words(weights: Mapping[str, float], number: int) -> npt.NDArray[np.float16]:
    return np.array([weights.get(f"w{at}", 0.0) for at in range(number)], np.float16)
