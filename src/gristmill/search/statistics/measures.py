"""Measures of association and of keyness, over whole arrays of frequencies; none divides by zero.

Association is between a node `x` and a collocate `y`: `together` is the number of hits of the node that have the
collocate near them, `node` and `collocate` are the frequencies of each, `size` is the number of tokens. The formulas
are those of *Statistics used in the Sketch Engine* (Lexical Computing Ltd.), which do not correct for the width of the
window; see Evert, *Corpora and collocations* (2008), for what they mean. Keyness is between frequencies in two corpora.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Frequencies = npt.NDArray[Any]

MILLION = 1_000_000


def t_score(together: Frequencies, node: float, collocate: Frequencies, size: float) -> Scores:
    """T-score: how sure it is that two words are together more often than by chance (Church et al. 1991).

    It favours frequent words.
    """
    observed, expected = _observed_expected(together, node, collocate, size)
    return _divided(observed - expected, np.sqrt(observed))


def mutual_information(together: Frequencies, node: float, collocate: Frequencies, size: float) -> Scores:
    """MI: how many times as often as by chance, in bits (Church and Hanks 1990); it favours rare words."""
    observed, expected = _observed_expected(together, node, collocate, size)
    return _log2(_divided(observed, expected))


def mutual_information_cubed(together: Frequencies, node: float, collocate: Frequencies, size: float) -> Scores:
    """MI3: MI with the observed frequency cubed, so that rare words do not come first (Daille 1994; Oakes 1998)."""
    observed, expected = _observed_expected(together, node, collocate, size)
    return _log2(_divided(observed**3, expected))


def log_dice(together: Frequencies, node: float, collocate: Frequencies, size: float) -> Scores:
    """LogDice: the share of two words that is together (Rychlý 2008).

    It is 14 if they always are, and one less for half of it, whatever the size of the corpus.
    """
    del size
    observed = np.asarray(together, np.float64)
    share = _divided(2 * observed, node + np.asarray(collocate, np.float64))
    return np.where(share > 0, 14 + _log2(share), 0.0)


def log_likelihood(together: Frequencies, node: float, collocate: Frequencies, size: float) -> Scores:
    """Log-likelihood: how unlikely the table of frequencies is by chance (Dunning 1993).

    It is negative if the two are together less often than by chance. With a token in the windows of several hits a cell
    of the table can be below zero: it counts as empty.
    """
    observed, others = np.asarray(together, np.float64), np.asarray(collocate, np.float64)
    cells = (
        _xlogx(observed) + _xlogx(node - observed) + _xlogx(others - observed) + _xlogx(size + observed - node - others)
    )
    margins = _xlogx(np.float64(node)) + _xlogx(others) + _xlogx(np.float64(size - node)) + _xlogx(size - others)
    return _signed(2 * (cells + _xlogx(np.float64(size)) - margins), observed * size - node * others)


ASSOCIATION: dict[str, Callable[[Frequencies, float, Frequencies, float], Scores]] = {
    "logdice": log_dice,
    "t": t_score,
    "mi": mutual_information,
    "mi3": mutual_information_cubed,
    "ll": log_likelihood,
}
"""All measures of association, by the names that options and results have for them."""


def keyness_log_likelihood(
    focus: Frequencies, focus_size: float, reference: Frequencies, reference_size: float
) -> Scores:
    """Log-likelihood of different frequencies in two corpora (Rayson and Garside 2000, section 2).

    Above 3.84 with p < 0.05, 6.63 with p < 0.01, 15.13 with p < 0.0001; negative if the word is rarer in the focus
    corpus.
    """
    one, two = np.asarray(focus, np.float64), np.asarray(reference, np.float64)
    share = _divided(one + two, np.float64(focus_size + reference_size))
    found = 2 * (_observed_log(one, focus_size * share) + _observed_log(two, reference_size * share))
    return _signed(found, one * reference_size - two * focus_size)


def simple_maths(
    focus: Frequencies, focus_size: float, reference: Frequencies, reference_size: float, smoothing: float = 1.0
) -> Scores:
    """Simple maths: the ratio of the frequencies per million with a constant added to both (Kilgarriff 2009).

    The constant says what is wanted: 1 brings rare words forward, 100 and more the common ones.
    """
    return (per_million(focus, focus_size) + smoothing) / (per_million(reference, reference_size) + smoothing)


def per_million(frequencies: Frequencies, size: float) -> Scores:
    """Frequencies per million tokens; 0 in an empty corpus."""
    return _divided(np.asarray(frequencies, np.float64) * MILLION, np.float64(size))


def _observed_expected(
    together: Frequencies, node: float, collocate: Frequencies, size: float
) -> tuple[Scores, Scores]:
    """Frequency of node and collocate together, observed and expected by chance."""
    expected = _divided(np.asarray(collocate, np.float64) * node, np.float64(size))
    return np.asarray(together, np.float64), expected


def _divided(numerator: Any, denominator: Any) -> Scores:
    """Divide; 0 where the denominator is 0."""
    above, below = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    quotient: Scores = np.divide(above, below, out=np.zeros(above.shape), where=below != 0)
    return quotient


def _log2(values: Scores) -> Scores:
    """Logarithm; 0 where there is none."""
    return np.log2(values, out=np.zeros(values.shape), where=values > 0)


def _xlogx(values: Any) -> Scores:
    """The product x log x; 0 where x is not above 0."""
    array = np.asarray(values, np.float64)
    return array * np.log(array, out=np.zeros(array.shape), where=array > 0)


def _observed_log(observed: Scores, expected: Scores) -> Scores:
    """The product of the observed and the logarithm of its ratio to the expected; 0 where it has none."""
    ratio = _divided(observed, expected)
    return observed * np.log(ratio, out=np.zeros(ratio.shape), where=ratio > 0)


def _signed(scores: Scores, difference: Scores) -> Scores:
    """Give scores the sign of a difference; scores below zero, which come by rounding, become 0."""
    return np.maximum(scores, 0.0) * np.sign(difference)
