"""The experiments of Schäfer (2016) on his blocks, for anyone to run: Figures 2 and 3.

Accurate and efficient general-purpose boilerplate detection, sections 3.2 and 3.3. `gristmill evaluate` shows them with
`--show languages` and `--show ranking`. The data are tables of features, in a Parquet file with the columns `lang`,
`features` (37 numbers) and `boilerplate` (0 or 1).

    from gristmill.literature.experiments.texrex_tables import across_languages, feature_ranking, read_blocks

    blocks = read_blocks("texrex-features.parquet")
    across_languages(blocks)        # networks for one language, on the blocks of another
    feature_ranking(blocks)         # how good each feature is by itself

He gives curves; here are points of them, and the curves. The networks are those of `gristmill train texrex`. The merit
of a feature is, as with Weka's `ClassifierAttributeEval`, the accuracy of a network that sees this feature alone, minus
that of the baseline; its units are sigmoids, as those of Weka, and so few that a ranking takes minutes, not hours.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.curves import Axis, Curve, Panel
from gristmill.engine import Report, silent
from gristmill.experiment import Experiment, Section
from gristmill.literature.cleaning.texrex import FEATURES, SIGMOID, Network, output
from gristmill.literature.training.texrex import Blocks, fit
from gristmill.literature.training.texrex import read_blocks as _read
from gristmill.notebook import Value
from gristmill.table import Column

GERMANIC = ("de", "en", "sv")
"""The languages that he pools."""
RECALLS = (0.9, 0.95, 0.99)
"""Where Figure 2 is read."""
_DRAWN_RECALLS = tuple(step / 50 for step in range(25, 51))
_SHARE = "{:.3f}".format
_RANKING_EPOCHS = 100
_RANKING_UNITS = 4


class Across(NamedTuple):
    """What a network for some languages makes of the blocks of one."""

    trained_on: str
    tested_on: str
    correct: float
    """The share of right decisions at a threshold of 0.5."""
    precision_at: tuple[float, ...]
    """The precision at each of `RECALLS`, of boilerplate."""
    curve: tuple[tuple[float, float], ...]
    """Recall and precision, for the picture."""


class Merit(NamedTuple):
    """How good a feature is by itself."""

    feature: str
    mean: float
    """The mean over all languages."""
    by_language: dict[str, float]


def read_blocks(path: str | os.PathLike[str]) -> Blocks:
    """Read blocks with their features; raises `UsageError` if the file does not hold these."""
    return _read(Path(path))


def across_languages(blocks: Blocks, seed: int = 0, report: Report = silent) -> list[Across]:
    """Apply networks trained on all blocks of one language to those of each other (section 3.2, Figure 2).

    A network on all Germanic languages comes last, if these are there; it has seen the Germanic ones that it is tested
    on, as his had.
    """
    languages = sorted(set(blocks.langs.tolist()))
    trained: dict[str, tuple[str, ...]] = {lang: (lang,) for lang in languages}
    if set(GERMANIC) < set(languages):
        trained["Germanic"] = GERMANIC
    found = []
    for name, own in trained.items():
        mine = np.isin(blocks.langs, own)
        network = fit(blocks.inputs[mine], blocks.targets[mine], seed)
        found += [_apply(network, name, lang, blocks) for lang in languages if (lang,) != own]
        report(1)
    return found


def _apply(network: Network, name: str, lang: str, blocks: Blocks) -> Across:
    """Measure a network on all blocks of a language."""
    theirs = blocks.langs == lang
    scores, targets = output(blocks.inputs[theirs], network), blocks.targets[theirs]
    precisions = tuple(precision_at(scores, targets, at) for at in RECALLS)
    curve = tuple((at, precision_at(scores, targets, at)) for at in _DRAWN_RECALLS)
    return Across(name, lang, float(np.mean((scores > 0.5) == (targets > 0.5))), precisions, curve)


def precision_at(scores: Floats, targets: Floats, recall: float) -> float:
    """Return the precision at the highest threshold that has this recall.

    Scores [0.9, 0.8, 0.7, 0.1] of blocks [1, 0, 1, 0]: both that are wanted are found only among the first three, so
    that the precision at a recall of 1 is 2/3, and at 0.5 it is 1.
    """
    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(targets[order] > 0.5)
    if not len(hits) or not hits[-1]:
        return 0.0
    number = int(np.searchsorted(hits, np.ceil(recall * hits[-1] - 1e-9))) + 1
    return float(hits[number - 1] / number)


def feature_ranking(blocks: Blocks, seed: int = 0, folds: int = 10, report: Report = silent) -> list[Merit]:
    """Rank the features by the accuracy of a network that sees only one, cross-validated (section 3.3, Figure 3)."""
    languages = sorted(set(blocks.langs.tolist()))
    merits: dict[str, dict[str, float]] = {name: {} for name in FEATURES}
    for lang in languages:
        own = blocks.langs == lang
        inputs, targets = blocks.inputs[own], blocks.targets[own]
        dealt = np.random.default_rng(seed).permutation(len(targets)) % folds
        baseline = max(targets.mean(), 1 - targets.mean())
        for at, name in enumerate(FEATURES):
            merits[name][lang] = _accuracy(inputs[:, at : at + 1], targets, dealt, seed) - float(baseline)
            report(1)
    ranked = [Merit(name, float(np.mean(list(found.values()))), found) for name, found in merits.items()]
    return sorted(ranked, key=lambda merit: (-merit.mean, merit.feature))


def _accuracy(inputs: Floats, targets: Floats, dealt: Ints, seed: int) -> float:
    """Return the share of right decisions on blocks that were held out."""
    right = 0
    for fold in np.unique(dealt):
        test = dealt == fold
        network = fit(inputs[~test], targets[~test], seed, _RANKING_EPOCHS, _RANKING_UNITS, SIGMOID)
        right += int(np.sum((output(inputs[test], network) > 0.5) == (targets[test] > 0.5)))
    return right / max(1, len(targets))


def language_table(blocks: Blocks, seed: int = 0, report: Report = silent) -> Experiment:
    """Show what networks for one language make of others: a table, and Figure 2 with a panel for each network."""
    found = across_languages(blocks, seed, report)
    columns = (
        Column("trained_on", "trained on"),
        Column("tested_on", "tested on"),
        Column("correct", show=_SHARE),
        *(Column(f"precision_{at:g}", f"P at R {at:g}", _SHARE) for at in RECALLS),
    )
    rows: list[list[Value]] = [[item.trained_on, item.tested_on, item.correct, *item.precision_at] for item in found]
    axes = Axis("recall", _DRAWN_RECALLS[0], 1.0), Axis("precision", 0.7, 1.0)
    panels = [
        Panel(
            f"{name} network", *axes, [Curve(item.tested_on, item.curve) for item in found if item.trained_on == name]
        )
        for name in dict.fromkeys(item.trained_on for item in found)
    ]
    section = Section("languages", "Networks for one language on the blocks of others", columns, rows)
    return Experiment("languages", "Precision of boilerplate by recall, across languages", [section], {}, panels)


def ranking_table(blocks: Blocks, seed: int = 0, report: Report = silent) -> Experiment:
    """Show the merit of each feature by itself: a table, and Figure 3, a line of means with dots for languages."""
    found = feature_ranking(blocks, seed, report=report)
    languages = sorted(set(blocks.langs.tolist()))
    columns = (
        *(Column("rank"), Column("feature"), Column("mean", show=_SHARE)),
        *(Column(lang, show=_SHARE) for lang in languages),
    )
    rows: list[list[Value]] = [
        [rank, item.feature, item.mean, *(item.by_language[lang] for lang in languages)]
        for rank, item in enumerate(found, 1)
    ]
    curves = [
        Curve("mean", [(rank, item.mean) for rank, item in enumerate(found, 1)]),
        *(
            Curve(lang, [(rank, item.by_language[lang]) for rank, item in enumerate(found, 1)], dots=True)
            for lang in languages
        ),
    ]
    across = Axis("feature", names=[item.feature for item in found])
    panel = Panel("Merit of single features", across, Axis("accuracy above the baseline"), curves)
    section = Section("ranking", "Features by what a network with each alone gains on the baseline", columns, rows)
    return Experiment("ranking", "Merit of single features of texrex", [section], {}, [panel])
