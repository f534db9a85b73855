"""Train the conditional random field that tells where the items of a page begin, with CRFsuite (BOEMIE, section 3.2).

The paper learns from 100 pages on athletics, annotated by hand, with CRF++. Pages of the user come with their items as
gold text, an empty line between two. With `--gold` pages are made up of news and blog posts of two gold standards: five
folds of sites, as the paper has five folds, of which pages are made that share no article.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.items.entities import BY_RULES
from gristmill.cleaning.items.labelling import LABELS, OFFSETS, WITH_WORDS, by_field, by_titles, shape_of
from gristmill.cleaning.items.splitting import MODEL, NAMES, Nodes
from gristmill.cleaning.items.vectors import WORD_NAMES, Values, binned, vectors
from gristmill.cleaning.models import of_names
from gristmill.errors import UsageError
from gristmill.evaluation.cross_validation import by_site, folds
from gristmill.evaluation.gold import GoldPage, read_gold
from gristmill.evaluation.item_pages import made_up
from gristmill.evaluation.items import compare_items, labelled_nodes
from gristmill.evaluation.training.registry import Model, describe, describe_pages, gold_file, need, versions
from gristmill.registry import part

FILES = ("dragnet-a.parquet", "andy-a.parquet")
"""The gold standards of whose articles pages are made up."""
_PARAMETERS = {"c1": 0.0, "c2": 1.0, "max_iterations": 150, "feature.possible_transitions": True}
_FOLDS = 5
_PAGES_A_FOLD = 140

_Weights = dict[str, npt.NDArray[Any]]
_Page = tuple[Nodes, Values, Ints]
"""The titles and paragraphs of a page, their vectors (words, too) and their labels."""


@part("trained method", "items")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a field with the labels begin, inside and outside."""
    need("pycrfsuite")
    data: list[dict[str, Any]] = []
    parts: list[list[GoldPage]] = []
    if gold is not None:
        articles = [page for found in read_gold([gold_file(gold, name) for name in FILES]) for page in found.pages]
        parts = [made_up(fold, _PAGES_A_FOLD, seed + at) for at, fold in enumerate(folds(articles, _FOLDS, seed))]
        data += [describe(gold / name) for name in FILES]
    if pages:
        own = folds(pages, min(_FOLDS, len(by_site(pages))), seed)
        parts = [[*one, *two] for one, two in zip(parts, own, strict=False)] if parts else own
        data += describe_pages(pages)
    examples = [[_example(nodes, labels) for nodes, labels in labelled_nodes(fold)] for fold in parts]
    everything = [page for fold in examples for page in fold if len(page[2])]
    if not everything:
        raise UsageError("there are no items in these pages: their gold text has an empty line between two items")
    scores = {
        "only heuristics": _tested(examples, None),
        "heuristics and field": _tested(examples, fit),
        "heuristics and field with words": _tested(examples, fit_with_words, WITH_WORDS),
    }
    counts = np.bincount(np.concatenate([labels for _, _, labels in everything]), minlength=len(LABELS))
    card = {
        "method": MODEL,
        "data": data,
        "pages used": len(everything),
        "labels": dict(zip(LABELS, counts.tolist(), strict=True)),
        "settings": {"training": "L-BFGS", **_PARAMETERS, "offsets": list(OFFSETS), "seed": seed, "folds": len(parts)},
        "versions": versions("python-crfsuite"),
        "scores": scores,
    }
    alone, best, words = (found["f_measure"] for found in scores.values())
    summary = f"F-measure of items {best:.3f}, {words:.3f} with words, on pages left out; {alone:.3f} by titles alone"
    arrays = {"features": of_names(NAMES), **fit(everything), **fit_with_words(everything)}
    return Model(arrays, card, summary)


def _example(nodes: Nodes, labels: Ints) -> _Page:
    return nodes, vectors(nodes.texts, nodes.titles.tolist(), BY_RULES, words=True), labels


def _tested(
    examples: Sequence[Sequence[_Page]], learn: Callable[[Sequence[_Page]], _Weights] | None, prefix: str = ""
) -> dict[str, float]:
    """Measure a way on each fold, learned from the others; by titles alone if there is nothing to learn."""
    pairs = []
    for number, fold in enumerate(examples):
        others = [page for at, other in enumerate(examples) if at != number or len(examples) == 1 for page in other]
        weights = learn([page for page in others if len(page[2])]) if learn else None
        for nodes, values, labels in fold:
            known = values if prefix else _without_words(values)
            own = by_titles(nodes.titles) if weights is None else by_field(known, weights, prefix)
            pairs.append((own, labels, nodes.titles.tolist()))
    return compare_items(pairs).to_json()


def fit(pages: Sequence[_Page]) -> _Weights:
    """Fit a field to labelled pages, by their named entities alone."""
    return _fitted([(_without_words(values), labels) for _, values, labels in pages])


def fit_with_words(pages: Sequence[_Page]) -> _Weights:
    """Fit a field that counts words in common, too."""
    found = _fitted([(values, labels) for _, values, labels in pages])
    return {f"{WITH_WORDS}{name}": array for name, array in found.items()}


def _without_words(values: Values) -> Values:
    return values[:, : -len(WORD_NAMES)]


def _fitted(pages: Sequence[tuple[Values, Ints]]) -> _Weights:
    trainer = need("pycrfsuite").Trainer(verbose=False)
    for values, labels in pages:
        trainer.append(_named(values), [LABELS[label] for label in labels.tolist()])
    trainer.set_params(_PARAMETERS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "field"
        trainer.train(str(path))
        return _weights(path, pages[0][0].shape[1])


def _named(values: Values) -> list[list[str]]:
    """Name the numbers of each node for CRFsuite: the place of the offset, the feature and the number, `1:0:3`."""
    rows = binned(values).tolist()
    return [
        [
            f"{at}:{feature}:{number}"
            for at, offset in enumerate(OFFSETS)
            if 0 <= node + offset < len(rows)
            for feature, number in enumerate(rows[node + offset])
        ]
        for node in range(len(rows))
    ]


def _weights(path: Path, features: int) -> _Weights:
    """Read the weights that CRFsuite has stored for so many features."""
    tagger = need("pycrfsuite").Tagger()
    with tagger.open(str(path)):
        info = tagger.info()
    states = np.zeros(shape_of(features), np.float32)
    for (name, label), weight in info.state_features.items():
        offset, feature, number = map(int, name.split(":"))
        states[offset, feature, number, LABELS.index(label)] = weight
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (before, after), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(after)] = weight
    return {"states": states, "transitions": transitions}
