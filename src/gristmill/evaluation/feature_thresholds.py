"""How well a single feature of blocks, with a threshold, tells text from boilerplate.

Pomikálek 2011, 2.9.3: Figure 2.6 shows precision, recall, F1 and F0.5 by the threshold of link density, number of words
and share of stop words, Figure 2.7 words and stop words together, Table 2.3 the best thresholds. Everything is weighted
by characters, over the whole set (2.9.1), for nodes on which all annotators agree (AR = 100) and for all. Blocks above
the threshold of a density of links (or tags) are boilerplate, and blocks below that of any other feature. The baseline
keeps everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.curves import Axis, Curve, Panel
from gristmill.engine import Report, silent
from gristmill.evaluation.gold import GoldSet
from gristmill.evaluation.judged_blocks import FEATURES, NO_BLOCK, JudgedBlocks, judged_blocks
from gristmill.evaluation.metrics import Counts
from gristmill.experiment import Experiment, Section
from gristmill.notebook import Value
from gristmill.table import Column

THRESHOLDS: dict[str, Floats] = {
    "link density": np.arange(101) / 100,
    "words": np.arange(101, dtype=np.float64),
    "stop words": np.arange(101) / 100,
    "characters": np.arange(0, 505, 5, dtype=np.float64),
    "tag density": np.arange(0, 205, 5) / 100,
}
"""The thresholds of each feature that are tried."""
WORDS, STOP_WORDS = (5, 10, 15, 20, 25, 30, 40, 50), tuple(round(0.05 * step, 2) for step in range(1, 11))
"""The thresholds of words and stop words that are tried together."""
_DRAWN_STOP_WORDS = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)
_ABOVE = frozenset({"link density", "tag density"})
_PERCENT = "{:.2%}".format
_COLUMNS = (
    *(Column(name) for name in ("gold", "reliability", "feature")),
    Column("f1_at", "threshold"),
    Column("f1", "F1", _PERCENT),
    Column("f05_at", "threshold"),
    Column("f05", "F0.5", _PERCENT),
)
_SWEEP_COLUMNS = (
    *(Column(name) for name in ("gold", "reliability", "feature", "threshold")),
    *(Column(name, show=_PERCENT) for name in ("precision", "recall", "f1", "f05")),
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What each threshold of a feature gives; of two features together a threshold has two numbers."""

    feature: str
    thresholds: Sequence[float | tuple[float, float]]
    counts: Sequence[Counts]

    def best(self, beta: float) -> tuple[Value, float]:
        """Find the threshold with the highest F, the lowest of equals, and that F."""
        scores = [counts.f(beta) for counts in self.counts]
        at = int(np.argmax(scores))
        return _shown(self.thresholds[at]), scores[at]


def _shown(threshold: float | tuple[float, float]) -> Value:
    return "; ".join(f"{item:g}" for item in threshold) if isinstance(threshold, tuple) else float(threshold)


def sweep(judged: JudgedBlocks, feature: str, reliability: int = 0) -> Sweep:
    """Try all thresholds of a feature, on pieces of at least this reliability.

    Two good pieces in blocks of 10 and 30 words, and a bad one in a block of 5: with the threshold 6 all that is kept
    is good, and all that is good is kept.
    """
    values, good, bad = _pieces(judged, reliability)
    found, thresholds = values[:, FEATURES.index(feature)], THRESHOLDS[feature]
    above = feature in _ABOVE
    order = np.argsort(found, kind="stable")
    ends = np.searchsorted(found[order], thresholds, "right" if above else "left")
    sums = [np.append(0.0, np.cumsum(amount[order]))[ends] for amount in (good, bad)]
    kept = sums if above else [amount.sum() - below for amount, below in zip((good, bad), sums, strict=True)]
    counts = [
        _counts(right, wrong, good.sum() + _lost(judged, reliability)) for right, wrong in zip(*kept, strict=True)
    ]
    return Sweep(feature, thresholds.tolist(), counts)


def sweep_both(judged: JudgedBlocks, reliability: int = 0) -> Sweep:
    """Try words and stop words together: a block is text if it has enough of both (Figure 2.7)."""
    values, good, bad = _pieces(judged, reliability)
    words, stops = values[:, FEATURES.index("words")], values[:, FEATURES.index("stop words")]
    wanted = good.sum() + _lost(judged, reliability)
    thresholds: list[float | tuple[float, float]] = []
    counts = []
    for least_words in WORDS:
        for least_stops in STOP_WORDS:
            kept = (words >= least_words) & (stops >= least_stops)
            thresholds.append((least_words, least_stops))
            counts.append(_counts(good[kept].sum(), bad[kept].sum(), wanted))
    return Sweep("words; stop words", thresholds, counts)


def baseline(judged: JudgedBlocks, reliability: int = 0) -> Counts:
    """Keep all text."""
    _, good, bad = _pieces(judged, reliability)
    return _counts(good.sum(), bad.sum(), good.sum() + _lost(judged, reliability))


def _pieces(judged: JudgedBlocks, reliability: int) -> tuple[Floats, Floats, Floats]:
    """Return the features of the blocks of all pieces that stand in one, and their good and bad characters."""
    here = (judged.reliability >= reliability) & (judged.block != NO_BLOCK)
    return judged.features[judged.block[here]], judged.good[here], judged.bad[here]


def _lost(judged: JudgedBlocks, reliability: int) -> float:
    """Count the good characters that no block has: no threshold keeps them."""
    return float(judged.good[(judged.reliability >= reliability) & (judged.block == NO_BLOCK)].sum())


def _counts(right: float, wrong: float, wanted: float) -> Counts:
    return Counts(round(right), round(right + wrong), round(wanted))


def reliabilities(judged: JudgedBlocks) -> tuple[int, ...]:
    """List the thresholds of reliability: 100 and 0, or 0 alone if the agreement on most pieces is not known."""
    return (100, 0) if 2 * np.count_nonzero(judged.reliability) > len(judged.reliability) else (0,)


def single_features(sets: Sequence[GoldSet], *, workers: int | None = 1, report: Report = silent) -> Experiment:
    """Try all thresholds of each single feature, and of words and stop words together, on gold standards."""
    rows: list[list[Value]] = []
    curves: list[list[Value]] = []
    panels = []
    for name, judged in judged_blocks(sets, workers=workers, report=report).items():
        for reliability in reliabilities(judged):
            base = baseline(judged, reliability)
            rows.append([name, reliability, "all blocks (baseline)", None, base.f(), None, base.f(0.5)])
            sweeps, both = (
                [sweep(judged, feature, reliability) for feature in FEATURES],
                sweep_both(judged, reliability),
            )
            for found in [*sweeps, both]:
                rows.append([name, reliability, found.feature, *found.best(1.0), *found.best(0.5)])
                curves += _curve_rows(name, reliability, found)
            title = f"{name}, AR {reliability}"
            panels += [_panel(f"{title}: {item.feature}", item) for item in sweeps[:3]]
            panels += _panels_of_both(title, both)
    return Experiment(
        "features",
        "Single features of blocks",
        [
            Section("best", "The best thresholds of single features", _COLUMNS, rows),
            Section("sweeps", "All thresholds", _SWEEP_COLUMNS, curves, 0),
        ],
        {},
        panels,
    )


def _curve_rows(name: str, reliability: int, found: Sweep) -> list[list[Value]]:
    return [
        [name, reliability, found.feature, _shown(threshold), item.precision, item.recall, item.f(), item.f(0.5)]
        for threshold, item in zip(found.thresholds, found.counts, strict=True)
    ]


def _panel(title: str, found: Sweep) -> Panel:
    """Draw precision, recall and both F by the threshold, as Figure 2.6 does."""
    points = [(threshold, item) for threshold, item in zip(found.thresholds, found.counts, strict=True)]
    lines = {
        "precision": [item.precision for _, item in points],
        "recall": [item.recall for _, item in points],
        "F1": [item.f() for _, item in points],
        "F0.5": [item.f(0.5) for _, item in points],
    }
    across = [threshold for threshold, _ in points if isinstance(threshold, float)]
    curves = [Curve(name, list(zip(across, values, strict=True))) for name, values in lines.items()]
    return Panel(title, Axis(f"threshold of {found.feature}"), Axis("share of characters", 0.0, 1.0), curves)


_FIGURES: dict[str, Callable[[Counts], float]] = {
    "precision": lambda counts: counts.precision,
    "recall": lambda counts: counts.recall,
    "F1": lambda counts: counts.f(),
    "F0.5": lambda counts: counts.f(0.5),
}


def _panels_of_both(title: str, found: Sweep) -> list[Panel]:
    """Draw words and stop words together, as Figure 2.7 does: a curve for each threshold of stop words."""
    points = [
        (pair, item) for pair, item in zip(found.thresholds, found.counts, strict=True) if isinstance(pair, tuple)
    ]

    def curve(least: float, figure: Callable[[Counts], float]) -> Curve:
        return Curve(f"{least:g}", [(words, figure(item)) for (words, stops), item in points if stops == least])

    return [
        Panel(
            f"{title}: {name} by words and stop words",
            Axis("threshold of words"),
            Axis(name, 0.5, 1.0),
            [curve(least, figure) for least in _DRAWN_STOP_WORDS],
        )
        for name, figure in _FIGURES.items()
    ]
