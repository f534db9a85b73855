"""Train Victor's conditional random field on CleanEval or on pages of the user, with CRFsuite.

After Marek, Pecina, Spousta (2007), section 3. They trained with CRF++ on the development pages of CleanEval; here it
is all of CleanEval, and the figures are from folds of sites.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.methods.victor import LABELS, OFFSETS, label
from gristmill.cleaning.methods.victor_features import BASES, EDGES, NAMES, Values, features
from gristmill.cleaning.models import of_names
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import TRAINERS, Model, need, versions
from gristmill.evaluation.words import plain_words

_FILE = "cleaneval.parquet"
_PARAMETERS = {"c1": 0.0, "c2": 1.0, "max_iterations": 150, "feature.possible_transitions": True}
_HEADER = re.compile(r"<h>(.*?)(?=<[phl]>|\Z)", re.IGNORECASE | re.DOTALL)
_OTHER, _HEAD, _TEXT = (LABELS.index(name) for name in ("other", "header", "text"))

_Weights = dict[str, npt.NDArray[Any]]
_Sequence = tuple[Values, Ints]
"""The features of the text nodes of a page, and their labels."""


@TRAINERS.register("victor")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a field with the labels header, text and other."""
    need("pycrfsuite")
    labelled, data = pages_and_data(pages, gold, _FILE, "text-node")
    examples = {id(page): (features(page.features), labels_of(page)) for page in labelled}

    def fit_pages(some: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        weights = fit([examples[id(page)] for page in some])
        return lambda page: label(examples[id(page)][0], weights)[:, _OTHER]

    counts = np.bincount(np.concatenate([labels for _, labels in examples.values()]), minlength=len(LABELS))
    scores = cross_validate(labelled, fit_pages, seed)
    card = {
        "method": "victor",
        "data": data,
        "pages used": len(labelled),
        "labels": dict(zip(LABELS, counts.tolist(), strict=True)),
        "settings": {
            "training": "L-BFGS",
            **_PARAMETERS,
            "features": len(EDGES),
            "offsets": list(OFFSETS),
            "seed": seed,
        },
        "versions": versions("python-crfsuite"),
        "scores": scores,
    }
    return Model({"features": of_names(NAMES), **fit(list(examples.values()))}, card, summary_of(scores))


def labels_of(page: LabelledPage) -> Ints:
    """Label the text nodes of a page: text or other, and header if they are part of a heading in CleanEval's markup."""
    labels = np.where(page.is_text, _TEXT, _OTHER)
    headings = "\n".join(
        f" {' '.join(plain_words(heading))} " for heading in _HEADER.findall(page.gold.annotated or "")
    )
    for at in np.flatnonzero(page.is_text).tolist():
        words = plain_words(page.features.texts[at])
        if words and f" {' '.join(words)} " in headings:
            labels[at] = _HEAD
    return labels


def fit(examples: Sequence[_Sequence]) -> _Weights:
    """Train on sequences, and read the weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "victor.crfsuite"
        write(examples, path)
        return weights_of(path)


def write(examples: Sequence[_Sequence], path: Path) -> None:
    """Train on sequences, and write a model file of CRFsuite."""
    crfsuite = need("pycrfsuite")
    trainer = crfsuite.Trainer(algorithm="lbfgs", params=_PARAMETERS, verbose=False)
    for values, labels in examples:
        trainer.append(crfsuite.ItemSequence(items(values)), [LABELS[at] for at in labels.tolist()])
    trainer.train(str(path))


def weights_of(path: Path) -> _Weights:
    """Read the weights of feature values at each offset, and of label transitions, from a model file of CRFsuite."""
    tagger = need("pycrfsuite").Tagger()
    with tagger.open(str(path)):
        info = tagger.info()
    states = np.zeros((len(OFFSETS), int(BASES[-1]), len(LABELS)), np.float32)
    for (name, own), weight in info.state_features.items():
        offset, number = map(int, name.split(":"))
        states[offset, number, LABELS.index(own)] = weight
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(after)] = weight
    return {"states": states, "transitions": transitions}


def items(values: Values) -> list[list[str]]:
    """Name the feature values of each node for CRFsuite: the number of the offset and that of the value, `1:42`."""
    names = [[f"{at}:{number}" for number in range(BASES[-1])] for at in range(len(OFFSETS))]
    numbers = (values + BASES[:-1]).tolist()
    sequence = []
    for node in range(len(numbers)):
        found: list[str] = []
        for at, offset in enumerate(OFFSETS):
            if 0 <= node + offset < len(numbers):
                found += map(names[at].__getitem__, numbers[node + offset])
        sequence.append(found)
    return sequence
