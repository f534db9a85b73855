"""Confidence intervals of figures by the bootstrap: pages are drawn with replacement, again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.evaluation.metrics import Counts

Rows = npt.NDArray[np.int64]

_BOOTSTRAP_SAMPLES = 1000


def means(values: Sequence[float], seed: int = 0) -> Floats:
    """The mean of each bootstrap sample of the values."""
    column = np.asarray(values, np.float64)
    return _draws(len(values), seed, lambda rows: float(column[rows].mean()))


def micro_f1(counts: Sequence[Counts], seed: int = 0) -> Floats:
    """The micro-averaged F1 of each bootstrap sample of the pages' counts."""
    right = np.array([page.right for page in counts], np.int64)
    both = np.array([page.found + page.wanted for page in counts], np.int64)
    return _draws(len(counts), seed, lambda rows: float(2 * right[rows].sum() / max(1, both[rows].sum())))


def _draws(size: int, seed: int, figure: Callable[[Rows], float]) -> Floats:
    """The figure of each bootstrap sample, given by the numbers of its pages; empty if there are no pages."""
    random = np.random.default_rng(seed)
    return np.array(
        [figure(random.integers(0, size, size)) for _ in range(_BOOTSTRAP_SAMPLES if size else 0)], np.float64
    )


def interval(draws: Floats) -> tuple[float, float] | None:
    """The 95% interval of a figure, given its bootstrap samples; None if there are none."""
    if not draws.size:
        return None
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)
