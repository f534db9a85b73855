"""Train texrex's perceptrons on Schäfer's data, or on pages of the user.

After Schäfer, Accurate and efficient general-purpose boilerplate detection (2016), section 3.1: one network for each
language and one for all, by RPROP on the mean square error. The hidden units are his, symmetric Gaussians; and for
`units=sigmoid` there are networks of symmetric sigmoids with weight decay, as Gaussians overfit to the documents of the
training data. His own cross-validation does not show that: its folds are of blocks, not documents, and the share of
text in the document (DocMarkupProp) identifies the document of a block. The model card has the figures for both kinds
of units and of folds.

His data are tables of features. Of pages the features are computed as for cleaning, all 37 of them; a
language gets a network of its own if there are enough pages of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.models import of_names
from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.metrics import f_score
from gristmill.evaluation.training.pages import LabelledPage, cross_validate, label_pages, summary_of
from gristmill.evaluation.training.registry import Model, describe, describe_pages, gold_file, versions
from gristmill.literature.cleaning.texrex import (
    FEATURES,
    GAUSSIAN,
    PARTS,
    SIGMOID,
    UNITS,
    Network,
    active,
    features,
    output,
    prefix_of,
)
from gristmill.registry import part
from gristmill.wording import one_line

_FILE = "texrex-features.parquet"
_HIDDEN_UNITS = 18
_EPOCHS = 600
_WEIGHT_DECAY = {GAUSSIAN: 0.0, SIGMOID: 3e-5}  # he names none
_STEP_INCREASE, _STEP_DECREASE = 1.2, 0.5  # factors
_FIRST_STEP, _MIN_STEP, _MAX_STEP = 0.01, 1e-7, 5.0
_MIN_PAGES = 20  # of a language for a network of its own
_DOCUMENT = FEATURES.index("DocMarkupProp")


@part("trained method", "texrex")
def train(pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
    """Train a network for each language of the data and one for all."""
    path = gold_file(gold, _FILE) if gold is not None else None
    table = read_blocks(path) if path else Blocks.none()
    labelled = label_pages(pages, "container") if pages or not path else []
    own = {id(page): _blocks(page) for page in labelled}
    blocks = Blocks.joined([table, *own.values()])
    arrays: dict[str, npt.NDArray[Any]] = {"features": of_names(FEATURES)}
    number_of_pages = Counter(blocks.langs[0] for blocks in own.values() if blocks.langs[0])
    of_pages = {name for name, number in number_of_pages.items() if number >= _MIN_PAGES}
    for name in (*sorted({*table.langs.tolist(), *of_pages}), "all"):
        rows = np.flatnonzero((blocks.langs == name) | (name == "all"))
        for units in UNITS:
            network = fit(blocks.inputs[rows], blocks.targets[rows], seed, units=units)
            prefix = f"{prefix_of(units)}{name}"
            arrays |= {f"{prefix}.{part}": getattr(network, part).astype(np.float32) for part in PARTS}

    def fit_pages(some: Sequence[LabelledPage]) -> Callable[[LabelledPage], Floats]:
        seen = Blocks.joined([table, *(own[id(page)] for page in some)])
        network = fit(seen.inputs, seen.targets, seed)
        return lambda page: output(own[id(page)].inputs, network)

    of_own = cross_validate(labelled, fit_pages, seed) if labelled else {}
    card = {
        "method": "texrex",
        "data": [*([describe(path)] if path else []), *describe_pages(pages)],
        "settings": {
            "hidden units": _HIDDEN_UNITS,
            "epochs": _EPOCHS,
            "weight decay": _WEIGHT_DECAY,
            "training": "iRPROP-",
            "seed": seed,
        },
        "versions": versions(),
        "scores": _validate_languages(table, seed, GAUSSIAN) | ({"pages": of_own} if of_own else {}),
        "scores with units=sigmoid": _validate_languages(table, seed, SIGMOID),
    }
    return Model(arrays, card, summary_of(of_own) if labelled else "")


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks to train on: their languages, their features, and whether they are boilerplate."""

    langs: npt.NDArray[np.str_]
    inputs: Floats
    targets: Floats

    @classmethod
    def none(cls) -> Blocks:
        """Return no blocks."""
        return cls(np.zeros(0, np.str_), np.zeros((0, len(FEATURES))), np.zeros(0))

    @classmethod
    def joined(cls, parts: Sequence[Blocks]) -> Blocks:
        """Join blocks of several sources."""
        return cls(
            np.concatenate([part.langs for part in parts]),
            np.concatenate([part.inputs for part in parts]),
            np.concatenate([part.targets for part in parts]),
        )


def _blocks(page: LabelledPage) -> Blocks:
    """Describe the blocks of a page as for cleaning."""
    inputs = features(page.features)
    return Blocks(np.full(len(inputs), page.gold.lang or ""), inputs, (~page.is_text).astype(np.float64))


def _validate_languages(table: Blocks, seed: int, units: str) -> dict[str, Any]:
    """Cross-validate on Schäfer's data, language by language."""
    scores: dict[str, Any] = {}
    for name in sorted(set(table.langs.tolist())):
        own = table.langs == name
        scores[name] = _validate(table.inputs[own], table.targets[own], seed, units)
        scores[name]["trained on the other languages"] = _on_other_languages(
            table.inputs, table.targets, own, seed, units
        )
    return scores


_COLUMNS = ("lang", "features", "boilerplate")


def read_blocks(path: Path) -> Blocks:
    """Read a table of features; raises `UsageError` if it is none."""
    what = f"the {len(FEATURES)} features of blocks"
    if not path.is_file():
        raise UsageError(f"there is no file {path}: give a Parquet file with {what}")
    try:
        if missing := [name for name in _COLUMNS if name not in pq.read_schema(path).names]:
            raise UsageError(f"{path} does not hold {what}: there is no column {', '.join(missing)}")
        table = pq.read_table(path, columns=list(_COLUMNS))
        features = table["features"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        inputs = features.reshape(table.num_rows, len(FEATURES)).astype(np.float64)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UsageError(f"{path} does not hold {what}: {one_line(str(error))}") from error
    if not table.num_rows:
        raise UsageError(f"there are no blocks in {path}")
    return Blocks(np.array(table["lang"].to_pylist()), inputs, table["boilerplate"].to_numpy().astype(np.float64))


def fit(
    inputs: Floats,
    targets: Floats,
    seed: int,
    epochs: int | None = None,
    hidden_units: int = _HIDDEN_UNITS,
    units: str = GAUSSIAN,
) -> Network:
    """Train a network in batches by iRPROP- (Igel and Hüsken 2000), the RPROP of FANN: each weight has its own step."""
    rng = np.random.default_rng(seed)
    shapes = ((inputs.shape[1], hidden_units), (hidden_units,), (hidden_units,), ())
    decay = np.float32(_WEIGHT_DECAY[units])
    weights: list[npt.NDArray[Any]] = [np.asarray(rng.uniform(-0.5, 0.5, shape), np.float32) for shape in shapes]
    steps = [np.full(shape, _FIRST_STEP, np.float32) for shape in shapes]
    before = [np.zeros(shape, np.float32) for shape in shapes]
    x, y = inputs.astype(np.float32), targets.astype(np.float32)
    for _ in range(_EPOCHS if epochs is None else epochs):
        for at, gradient in enumerate(_gradients(weights, x, y, units)):
            gradient = gradient + decay * weights[at]  # noqa: PLW2901 - the gradient of the decayed error
            agree = np.sign(gradient * before[at])
            faster = np.where(
                agree > 0, np.float32(_STEP_INCREASE), np.where(agree < 0, np.float32(_STEP_DECREASE), np.float32(1))
            )
            steps[at] = np.clip(steps[at] * faster, np.float32(_MIN_STEP), np.float32(_MAX_STEP))
            before[at] = np.where(agree < 0, np.float32(0), gradient)
            weights[at] = weights[at] - np.sign(before[at]) * steps[at]
    hidden, hidden_bias, out, out_bias = (part.astype(np.float64) for part in weights)
    return Network(hidden, hidden_bias, out, out_bias, units)


def _gradients(weights: list[npt.NDArray[Any]], x: npt.NDArray[Any], y: npt.NDArray[Any], units: str) -> list[Any]:
    """The gradients of the mean square error; outputs are bounded by 1, so that more is no error for boilerplate."""
    hidden, hidden_bias, out, out_bias = weights
    sums = x @ hidden + hidden_bias
    found = active(sums, units)
    slopes = 1 - found * found if units == SIGMOID else -2 * sums * (found + 1)
    result = found @ out + out_bias
    error = np.where((result > 1) & (y == 1), np.float32(0), result - y) / np.float32(len(y))
    back = np.outer(error, out) * slopes
    return [x.T @ back, back.sum(0), found.T @ error, error.sum()]


def _validate(inputs: Floats, targets: Floats, seed: int, units: str) -> dict[str, Any]:
    """Cross-validate by ten folds of blocks, as in Tables 3 and 4, and by folds of documents."""
    rng = np.random.default_rng(seed)
    blocks = rng.permutation(len(targets)) % 10
    documents = np.unique(inputs[:, _DOCUMENT], return_inverse=True)[1].reshape(-1)
    by_document = (rng.permutation(documents.max() + 1) % 10)[documents]
    found = _held_out(inputs, targets, blocks, seed, units)
    return {
        "blocks": len(targets),
        "baseline": _rounded(targets.mean()),
        "folds of blocks, threshold 0.5": _means(found, targets, blocks),
        "folds of blocks, precision = recall": _balanced(found, targets),
        "folds of documents, threshold 0.5": _means(
            _held_out(inputs, targets, by_document, seed, units), targets, by_document
        ),
    }


def _held_out(inputs: Floats, targets: Floats, dealt: Ints, seed: int, units: str) -> Floats:
    """The output for each block, of the network that was trained on all other folds."""
    found = np.zeros(len(targets))
    for fold in np.unique(dealt):
        test = dealt == fold
        if not test.all():
            found[test] = output(inputs[test], fit(inputs[~test], targets[~test], seed, units=units))
    return found


def _means(found: Floats, targets: Floats, dealt: Ints) -> dict[str, float]:
    """The means of the scores over the folds, at a threshold of 0.5."""
    scores = [_scores(found[dealt == fold] > 0.5, targets[dealt == fold] > 0.5) for fold in np.unique(dealt)]
    return {name: _rounded(np.mean([score[name] for score in scores])) for name in scores[0]}


def _balanced(found: Floats, targets: Floats) -> dict[str, float]:
    """The scores at the threshold at which as many blocks are classified as boilerplate as are boilerplate."""
    threshold = np.sort(found)[::-1][min(len(found) - 1, int(targets.sum()))]
    return {"threshold": _rounded(threshold)} | _scores(found > threshold, targets > 0.5)


def _on_other_languages(
    inputs: Floats, targets: Floats, own: npt.NDArray[np.bool_], seed: int, units: str
) -> dict[str, float]:
    """The scores on one language of a network for all others: what a language without its own network may expect."""
    if own.all():
        return {}
    return _scores(output(inputs[own], fit(inputs[~own], targets[~own], seed, units=units)) > 0.5, targets[own] > 0.5)


def _scores(found: npt.NDArray[np.bool_], targets: npt.NDArray[np.bool_]) -> dict[str, float]:
    hits = int(np.sum(found & targets))
    precision, recall = hits / max(1, int(found.sum())), hits / max(1, int(targets.sum()))
    correct = float(np.mean(found == targets))
    kept, text = int(np.sum(~found)), int(np.sum(~targets))
    text_f1 = 2 * int(np.sum(~found & ~targets)) / max(1, kept + text)
    scores = {
        "precision": precision,
        "recall": recall,
        "f1": f_score(precision, recall),
        "correct": correct,
        "f1 of text": text_f1,
    }
    return {name: _rounded(value) for name, value in scores.items()}


def _rounded(value: float | np.floating[Any]) -> float:
    return round(float(value), 4)
