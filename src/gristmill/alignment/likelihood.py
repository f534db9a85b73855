"""How likely beads are right, by what was measured of them: a logistic regression.

Its weights were fitted on texts of which the right beads are known, see `docs/alignment.md`.
"""

from __future__ import annotations

import numpy as np

from gristmill.alignment.evidence import UNIT
from gristmill.arrays.dtypes import Flags, Floats, Ints, Matrix

WEIGHTS = {
    "constant": 0.42,
    "worth": 0.82,
    "matched": -0.57,
    "known": -0.06,
    "length": -0.29,
    "merged": -1.34,
    "around": 1.51,
    "gaps": -1.66,
}
"""The weight of each feature, see `features`."""
_NEIGHBOURS = 2


def likelihoods(path: tuple[Ints, Ints], measured: tuple[Ints, Ints, Ints], deltas: Floats) -> Matrix:
    """The likelihood of each bead to be right, 0 to 1; 0 for sentences without translation, which are no pair."""
    found = features(path, measured, deltas)
    sums = np.zeros(len(deltas))
    for name, weight in WEIGHTS.items():
        sums += weight * found[name]
    return np.where(_have_both(path), 1 / (1 + np.exp(-np.clip(sums, -30, 30))), 0.0).astype(np.float32)


def features(path: tuple[Ints, Ints], measured: tuple[Ints, Ints, Ints], deltas: Floats) -> dict[str, Floats]:
    """What is known of each bead.

    `worth` is what its words are worth, for each of them; `matched` the share of words with a partner that is there, of
    `known`, how many have one somewhere; `length` is about how far lengths are apart; `merged` tells that it is no 1-1
    bead; `around` is `worth` of the beads before and behind; `gaps` tells how many of these have an empty side.
    """
    gains, matches, words = (column.astype(np.float64) for column in measured)
    both = _have_both(path)
    worth = np.where(both, gains / UNIT / (words + 2), 0.0)
    return {
        "constant": np.ones(len(deltas)),
        "worth": worth,
        "matched": np.where(both, (matches + 1) / (words + 2), 0.0),
        "known": np.log1p(words),
        "length": np.log1p(deltas),
        "merged": ((np.diff(path[0]) > 1) | (np.diff(path[1]) > 1)).astype(np.float64),
        "around": _around(np.clip(worth, -2, 2)),
        "gaps": _around((~both).astype(np.float64)),
    }


def _have_both(path: tuple[Ints, Ints]) -> Flags:
    return (np.diff(path[0]) > 0) & (np.diff(path[1]) > 0)


def _around(values: Floats) -> Floats:
    """The mean of the neighbours before and behind each value."""
    padded = np.concatenate([np.zeros(_NEIGHBOURS), values, np.zeros(_NEIGHBOURS)])
    shifts = [shift for shift in range(2 * _NEIGHBOURS + 1) if shift != _NEIGHBOURS]
    return np.mean([padded[shift : shift + len(values)] for shift in shifts], axis=0) if len(values) else values
