"""Train Victor's conditional random fields on CleanEval, Canola or pages of the user, with CRFsuite.

After Marek, Pecina, Spousta (2007), section 3. They trained with CRF++ on the development pages of CleanEval; here it
is all of CleanEval, and the figures are from folds of sites. The model has weights with and without the features of
language identification, and those for Canola if that is there, with two labels and without the nodes on which its
annotators did not agree, as in Pomikálek (2011), 2.9.3.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.models import of_names
from gristmill.evaluation.cross_validation import by_site, folds
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, pages_and_data, summary_of
from gristmill.evaluation.training.registry import Model, need, versions
from gristmill.literature.cleaning.victor import LABELS, OFFSETS, Parameters, label, prefix_of
from gristmill.literature.cleaning.victor_features import BASES, NAMES, Values, features
from gristmill.literature.training.victor_labels import (
    LABELS_2007,
    TWO_LABELS,
    accuracies,
    labels_of_2007,
    labels_of_2008,
    two_labels,
)
from gristmill.registry import part

_FILE, _CANOLA = "cleaneval.parquet", "canola.parquet"
_PARAMETERS = {"c1": 0.0, "c2": 1.0, "max_iterations": 150, "feature.possible_transitions": True}
_FOLDS = 3

_Weights = dict[str, npt.NDArray[Any]]
_Sequence = tuple[Values, Ints]
"""The features of the text nodes of a page, and their labels."""


@part("trained method", "victor")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train fields with the labels header, text and other, and for Canola with text and other."""
    need("pycrfsuite")
    labelled, data = pages_and_data(pages, gold, _FILE, "text-node")
    tasks = {
        "three labels": _Task(labelled, labels_of_2008, LABELS, Parameters()),
        "three labels, with language identification": _Task(labelled, labels_of_2008, LABELS, Parameters(langid=True)),
    }
    if gold is not None and (gold / _CANOLA).is_file():
        canola, more = pages_and_data([], gold, _CANOLA, "text-node")
        data += more
        for langid, name in ((False, "Canola"), (True, "Canola, with language identification")):
            tasks[name] = _Task(canola, two_labels, TWO_LABELS, Parameters("canola", langid))
    arrays: _Weights = {"features": of_names(NAMES)}
    for task in tasks.values():
        arrays |= task.weights()
    tasks["five labels"] = _Task(labelled, labels_of_2007, LABELS_2007, Parameters())  # to be measured only
    labels = np.concatenate([labels_of_2008(page) for page in labelled])
    counts = np.bincount(labels[labels >= 0], minlength=len(LABELS))
    words = cross_validate(labelled, tasks["three labels"].fit_pages, seed, _FOLDS)
    card = {
        "method": "victor",
        "data": data,
        "pages used": len(labelled),
        "labels": dict(zip(LABELS, counts.tolist(), strict=True)),
        "settings": {
            "training": "L-BFGS",
            **_PARAMETERS,
            "features": len(NAMES),
            "offsets": list(OFFSETS),
            "seed": seed,
        },
        "versions": versions("python-crfsuite"),
        "scores": words | {"nodes": {name: task.validate(seed) for name, task in tasks.items()}},
    }
    return Model(arrays, card, summary_of(words) if len(words) else "")


@dataclass(frozen=True)
class _Task:
    """Pages, how their nodes are labelled, and which features there are."""

    pages: Sequence[LabelledPage]
    labels_of: Callable[[LabelledPage], Ints]
    names: Sequence[str]
    parameters: Parameters
    _known: dict[frozenset[int], _Weights] = field(default_factory=dict)

    @functools.cached_property
    def _values(self) -> dict[int, Values]:
        """The features of all pages, by the place of the page in memory."""
        langid = self.parameters.langid
        return {id(page): features(page.features, (page.gold.lang or "") if langid else None) for page in self.pages}

    def example(self, page: LabelledPage) -> _Sequence:
        """Describe and label the nodes of a page, without those that have no label."""
        values, labels = self._values[id(page)], self.labels_of(page)
        return values[labels >= 0], labels[labels >= 0]

    def weights(self) -> _Weights:
        """Train on all pages, and name the arrays as the method looks for them."""
        found = fit(list(map(self.example, self.pages)), self.names)
        prefix = prefix_of(self.parameters)
        return {f"{prefix}{name}": part for name, part in found.items()} | {f"{prefix}labels": of_names(self.names)}

    def weights_from(self, some: Sequence[LabelledPage]) -> _Weights:
        """Train on some pages, once for each choice of them."""
        key = frozenset(map(id, some))
        if key not in self._known:
            self._known[key] = fit(list(map(self.example, some)), self.names)
        return self._known[key]

    def fit_pages(self, some: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        """Train on some pages, for `cross_validate`."""
        weights = self.weights_from(some)
        return lambda page: label(self._values[id(page)], weights)[:, 0]

    def validate(self, seed: int) -> dict[str, float]:
        """Measure labelled and unlabelled accuracy by folds that share no site; nothing if there is one site only."""
        places = {id(page.gold): page for page in self.pages}
        gold = [page.gold for page in self.pages]
        k = min(_FOLDS, len(by_site(gold)))
        found, right = [], []
        dealt = folds(gold, k, seed) if k > 1 else []
        for at, held_out in enumerate(dealt):
            weights = self.weights_from([places[id(page)] for other in dealt[:at] + dealt[at + 1 :] for page in other])
            for values, labels in (self.example(places[id(page)]) for page in held_out):
                found.append(label(values, weights).argmax(1))
                right.append(labels)
        return accuracies(found, right) if found else {}


def fit(examples: Sequence[_Sequence], names: Sequence[str] = LABELS) -> _Weights:
    """Train on sequences, and read the weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "victor.crfsuite"
        write(examples, path, names)
        return weights_of(path, names)


def write(examples: Sequence[_Sequence], path: Path, names: Sequence[str] = LABELS) -> None:
    """Train on sequences, and write a model file of CRFsuite."""
    crfsuite = need("pycrfsuite")
    trainer = crfsuite.Trainer(algorithm="lbfgs", params=_PARAMETERS, verbose=False)
    for values, labels in examples:
        trainer.append(crfsuite.ItemSequence(items(values)), [names[at] for at in labels.tolist()])
    trainer.train(str(path))


def weights_of(path: Path, names: Sequence[str] = LABELS) -> _Weights:
    """Read the weights of feature values at each offset, and of label transitions, from a model file of CRFsuite."""
    tagger = need("pycrfsuite").Tagger()
    with tagger.open(str(path)):
        info = tagger.info()
    states = np.zeros((len(OFFSETS), int(BASES[-1]), len(names)), np.float32)
    for (feature, own), weight in info.state_features.items():
        offset, number = map(int, feature.split(":"))
        states[offset, number, names.index(own)] = weight
    transitions = np.zeros((len(names), len(names)), np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[names.index(before), names.index(after)] = weight
    return {"states": states, "transitions": transitions}


def items(values: Values) -> list[list[str]]:
    """Name the feature values of each node for CRFsuite: the number of the offset and that of the value, `1:42`."""
    names = [[f"{at}:{number}" for number in range(BASES[-1])] for at in range(len(OFFSETS))]
    numbers = (values + BASES[: values.shape[1]]).tolist()
    sequence = []
    for node in range(len(numbers)):
        found: list[str] = []
        for at, offset in enumerate(OFFSETS):
            if 0 <= node + offset < len(numbers):
                found += map(names[at].__getitem__, numbers[node + offset])
        sequence.append(found)
    return sequence
