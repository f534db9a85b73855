"""Train oblivious decision trees by gradient boosting on histograms, with second derivatives; for `mill`.

All nodes on one level of an oblivious tree ask the same question, as in CatBoost (Prokhorenkova et al. 2018): such
trees overfit less than others. A tree is grown on a sample of rows and columns, so that training takes minutes, not
hours, in numpy alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.methods.trees import Trees, probability

Bins = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of boosting."""

    trees: int = 180
    depth: int = 6
    rate: float = 0.13
    bins: int = 32
    rows: float = 0.3
    """The share of the rows that a tree is grown on."""
    columns: float = 0.3
    """The share of the columns that a tree is grown on."""
    smoothing: float = 3.0
    """Added to second derivatives, so that leaves with few rows have smaller values."""


def boost(rows: Matrix, is_text: npt.NDArray[np.bool_], weights: Floats, settings: Settings, seed: int) -> Trees:
    """Train trees that distinguish text rows from others; the weights of the rows should be 1 on average.

    The leaf of a row in a tree is a packed number, with a bit for each level: a row that answers yes, no, yes to the
    questions of levels 0, 1, 2 is in leaf 0b101.
    """
    random = np.random.default_rng(seed)
    borders = _borders(rows, settings.bins)
    bins = np.stack(
        [np.searchsorted(border, column).astype(np.uint8) for border, column in zip(borders, rows.T, strict=True)]
    )
    target = is_text.astype(np.float64)
    share = float((target * weights).sum() / weights.sum())
    start = float(np.log(share / (1 - share)))
    odds = np.full(len(rows), start)
    columns, cuts, leaves = [], [], []
    for _ in range(settings.trees):
        chance = probability(odds)
        slopes, curves = weights * (target - chance), weights * chance * (1 - chance)
        questions = _grow(bins, slopes, curves, settings, random)
        places = np.zeros(len(rows), np.intp)
        for level, (column, cut) in enumerate(questions):
            places |= (bins[column] > cut).astype(np.intp) << level
        size = 1 << settings.depth
        values = (
            settings.rate * np.bincount(places, slopes, size) / (np.bincount(places, curves, size) + settings.smoothing)
        )
        odds += values[places]
        columns.append([column for column, _ in questions])
        cuts.append([borders[column][cut] for column, cut in questions])
        leaves.append(values)
    return Trees(
        np.array(columns, np.int32).ravel(), np.array(cuts, np.float32).ravel(), np.array(leaves, np.float32), start
    )


def _borders(rows: Matrix, bins: int) -> list[Matrix]:
    """The values between the bins of each column; bins have about equally many rows, superfluous ones are at inf."""
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    sample = rows[:: max(1, len(rows) // 100_000)]
    borders = [np.unique(np.quantile(column, shares, method="lower").astype(np.float32)) for column in sample.T]
    return [np.pad(border, (0, bins - 1 - len(border)), constant_values=np.inf) for border in borders]


def _grow(
    bins: Bins, slopes: Floats, curves: Floats, settings: Settings, random: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose the questions of one tree: for each level a column and the bin up to which the answer is no."""
    chosen = np.flatnonzero(random.random(bins.shape[1]) < settings.rows)
    columns = np.sort(random.permutation(len(bins))[: max(1, round(settings.columns * len(bins)))])
    part = bins[np.ix_(columns, chosen)]
    slopes, curves = slopes[chosen], curves[chosen]
    places = np.zeros(len(chosen), np.intp)
    questions = []
    for level in range(settings.depth):
        gains = [_gains(places * settings.bins + column, slopes, curves, 1 << level, settings) for column in part]
        best = max(range(len(gains)), key=lambda at: float(gains[at].max()))
        cut = int(np.argmax(gains[best]))
        questions.append((int(columns[best]), cut))
        places |= (part[best] > cut).astype(np.intp) << level
    return questions


def _gains(keys: npt.NDArray[np.intp], slopes: Floats, curves: Floats, leaves: int, settings: Settings) -> Floats:
    """The gain of splitting all leaves after each of the bins.

    A key packs leaf and bin, leaf * bins + bin, so that one `bincount` sums up the derivatives of all of them. Prefix
    sums over the bins then give the sums on the left of each split, and what is left of the total those on its right.
    """
    size = leaves * settings.bins
    slope = np.bincount(keys, slopes, size).reshape(leaves, -1).cumsum(axis=1)
    curve = np.bincount(keys, curves, size).reshape(leaves, -1).cumsum(axis=1)
    rest, rest_curve = slope[:, -1:] - slope, curve[:, -1:] - curve
    gains: Floats = (slope**2 / (curve + settings.smoothing) + rest**2 / (rest_curve + settings.smoothing)).sum(axis=0)
    return gains[:-1]
