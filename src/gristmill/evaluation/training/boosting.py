"""Train oblivious decision trees by gradient boosting on histograms, with second derivatives; for `mill`.

All nodes on one level of an oblivious tree ask the same question, as in CatBoost (Prokhorenkova et al. 2018): such
trees overfit less than others. A tree is grown on a sample of rows and columns, so that training takes seconds for
thousands of rows, and half a minute for some hundred thousand; without the compiled kernel three times that, with the
same trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill import kernel
from gristmill.arrays.dtypes import Floats, Matrix
from gristmill.cleaning.methods.trees import Trees, probability

Bins = npt.NDArray[np.uint8]
Matrix64 = npt.NDArray[np.float64]


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


def boost(
    rows: Matrix,
    is_text: npt.NDArray[np.bool_],
    weights: Floats,
    settings: Settings,
    seed: int,
    start: Floats | None = None,
) -> Trees:
    """Train trees that distinguish text rows from others; the weights of the rows should be 1 on average.

    Rows of weight 0 are left out. `start` gives the log-odds that each row has already: then the trees add to these,
    and their own start is 0; otherwise it is the log-odds of the share of text.
    """
    random = np.random.default_rng(seed)
    counted = np.flatnonzero(weights > 0)
    borders = _borders(rows, counted, settings.bins)
    bins = np.stack(
        [
            np.searchsorted(border, column[counted]).astype(np.uint8)
            for border, column in zip(borders, rows.T, strict=True)
        ]
    )
    target, weights = is_text[counted].astype(np.float64), weights[counted].astype(np.float64)
    share = float((target * weights).sum() / weights.sum())
    usual = float(np.log(share / (1 - share))) if start is None else 0.0
    odds = np.full(len(counted), usual) if start is None else start[counted].astype(np.float64)
    columns, cuts, leaves = [], [], []
    for _ in range(settings.trees):
        chance = probability(odds)
        derivatives = np.stack((weights * (target - chance), weights * chance * (1 - chance)), axis=1)
        questions = _grow(bins, derivatives, settings, random)
        places = _places(bins, questions)
        slope, curve = np.moveaxis(
            add_up(places[None], np.zeros_like(places), derivatives, 1, 1 << settings.depth), -1, 0
        )
        values = settings.rate * slope.ravel() / (curve.ravel() + settings.smoothing)
        odds += values[places]
        columns.append([column for column, _ in questions])
        cuts.append([borders[column][cut] for column, cut in questions])
        leaves.append(values)
    return Trees(
        np.array(columns, np.int32).ravel(), np.array(cuts, np.float32).ravel(), np.array(leaves, np.float32), usual
    )


def _borders(rows: Matrix, counted: npt.NDArray[np.intp], bins: int) -> list[Matrix]:
    """The values between the bins of each column; bins have about equally many rows, superfluous ones are at inf."""
    shares = np.linspace(0, 1, bins + 1)[1:-1]
    sample = rows[counted[:: max(1, len(counted) // 100_000)]]
    borders = [np.unique(np.quantile(column, shares, method="lower").astype(np.float32)) for column in sample.T]
    return [np.pad(border, (0, bins - 1 - len(border)), constant_values=np.inf) for border in borders]


def _grow(bins: Bins, derivatives: Matrix64, settings: Settings, random: np.random.Generator) -> list[tuple[int, int]]:
    """Choose the questions of one tree: for each level a column and the bin up to which the answer is no."""
    chosen = np.flatnonzero(random.random(bins.shape[1]) < settings.rows)
    columns = np.sort(random.permutation(len(bins))[: max(1, round(settings.columns * len(bins)))])
    part = np.stack([bins[column].take(chosen) for column in columns])
    derivatives = derivatives[chosen]
    places = np.zeros(len(chosen), np.uint8)
    questions = []
    for level in range(settings.depth):
        gains = _gains(add_up(part, places, derivatives, 1 << level, settings.bins), settings.smoothing)
        best, cut = (int(at) for at in np.unravel_index(np.argmax(gains), gains.shape))
        questions.append((int(columns[best]), cut))
        places |= (part[best] > cut).astype(np.uint8) << np.uint8(level)
    return questions


def _places(bins: Bins, questions: list[tuple[int, int]]) -> Bins:
    """The leaf of each row: a number with a bit for each level.

    A row that answers yes, no, yes to the questions of levels 0, 1, 2 is in leaf 0b101.
    """
    places = np.zeros(bins.shape[1], np.uint8)
    for level, (column, cut) in enumerate(questions):
        places |= (bins[column] > cut).astype(np.uint8) << np.uint8(level)
    return places


def _gains(sums: Matrix64, smoothing: float) -> Matrix64:
    """The gain, for each column, of splitting all leaves after each of the bins.

    Sums over the bins up to each give those on the left of each split; what is left of the total is on its right.
    """
    slope, curve = np.moveaxis(sums.cumsum(axis=2), -1, 0)
    rest, rest_curve = slope[:, :, -1:] - slope, curve[:, :, -1:] - curve
    gains: Matrix64 = (slope**2 / (curve + smoothing) + rest**2 / (rest_curve + smoothing)).sum(axis=1)
    return gains[:, :-1]


def add_up(table: Bins, places: Bins, derivatives: Matrix64, leaves: int, bins: int) -> Matrix64:
    """Sum up the derivatives of rows for each column, leaf and bin."""
    if kernel.COMPILED:
        return kernel.add_derivatives(table, places, derivatives, leaves, bins)
    return add_up_by_arrays(table, places, derivatives, leaves, bins)


def add_up_by_arrays(table: Bins, places: Bins, derivatives: Matrix64, leaves: int, bins: int) -> Matrix64:
    """Do the same by operations on arrays, with the same order of additions, so that sums are the same to the bit.

    A key packs leaf and bin, leaf * bins + bin, so that one `bincount` sums up the derivatives of all of them.
    """
    first, size = places.astype(np.intp) * bins, leaves * bins
    keys = (first + column for column in table)
    sums = [[np.bincount(key, values, size) for values in derivatives.T] for key in keys]
    return np.array(sums).reshape(len(table), 2, leaves, bins).transpose(0, 2, 3, 1)
