"""The probability of byte triples in an encoding in any language, for triples that the model of a language lacks.

It is estimated from the bytes and from the kinds of characters that they stand for: a capital in the middle of a word,
or a sign between two letters, speaks against an encoding even if the language is unknown. The detector uses it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix
from gristmill.decoding import labels
from gristmill.decoding.kinds import KINDS, SIGNS, UNDEFINED, kinds_of_bytes
from gristmill.decoding.model import Model
from gristmill.decoding.triples import Keys, unpack

_BYTES_WEIGHT, _KINDS_WEIGHT, _UNIFORM_WEIGHT = 0.5, 0.49, 0.01  # of the parts of an estimate
# Of bytes that are no characters, such as the controls that ISO-8859 has where windows-125x has quotation marks.
_UNDEFINED_PROBABILITY = 1e-9
_PIECE = 512  # columns
_SIGN_RUN_PROBABILITY = 0.05  # added for a sign after a sign: lines are drawn with signs


class Chance:
    """Logarithms of the probabilities of triples, a column for each encoding.

    A triple `abc` has the probability P(a) P(b|a) P(c|b). A table has P(a), another P(b|a) in the row of the pair `ab`.
    """

    def __init__(self, encodings: Sequence[str], model: Model, encoding_of: npt.NDArray[np.int64]) -> None:
        """Learn from all triples of a model; `encoding_of` has the number of the encoding of each of them."""
        self._first, self._next = _expected(encodings, model, encoding_of)

    def of_text(self, keys: Keys, weights: Matrix) -> Matrix:
        """The log probability of a whole text in each encoding, given by its triples and the weight of each."""
        byte, pair, next_pair = unpack(keys)
        first, second, third = self._first[byte], self._next[pair], self._next[next_pair]
        return np.asarray(weights @ first + weights @ second + weights @ third, np.float32)

    def of_triples(self, keys: Keys, encodings: npt.NDArray[np.int64]) -> Matrix:
        """The log probability of each triple in its encoding, given by number."""
        byte, pair, next_pair = unpack(keys)
        first, second = self._first[byte, encodings], self._next[pair, encodings]
        return np.asarray(first + second + self._next[next_pair, encodings], np.float32)


def _expected(encodings: Sequence[str], model: Model, encoding_of: npt.NDArray[np.int64]) -> tuple[Matrix, Matrix]:
    """The logarithms of P(a) (256 rows) and of P(b|a) (65,536 rows, one for each pair `ab`), by encoding."""
    count, frequencies = len(encodings), model.frequencies
    pairs = np.zeros((count, 256, 256), np.float32)
    for pair in unpack(model.keys)[1:]:
        # Cells of the flattened table: encoding 2 and the bytes 0x61 0x62 have the cell 2 * 65536 + 0x6162.
        pairs += np.bincount(encoding_of * 65536 + pair, frequencies, pairs.size).reshape(pairs.shape)
    firsts = pairs.sum(axis=2) + 1e-9
    expected = pairs / firsts[:, :, None]
    wide = np.array([labels.is_wide(encoding) for encoding in encodings])
    kinds = np.array([kinds_of_bytes(encoding) for encoding in encodings])
    by_kinds = _kind_pairs(pairs[~wide], kinds[~wide])
    for number in range(count):
        table = expected[number]  # it is changed in place: copies of all of them take longer than the arithmetic
        if wide[number]:
            table *= 1 - _UNIFORM_WEIGHT
            table += _UNIFORM_WEIGHT / 256
            continue
        table *= _BYTES_WEIGHT
        table += _UNIFORM_WEIGHT / 2560
        table += _KINDS_WEIGHT * _by_kind(pairs[number].sum(axis=0), kinds[number], by_kinds)
        table[:, kinds[number] == UNDEFINED] = _UNDEFINED_PROBABILITY
    firsts *= (1 - _UNIFORM_WEIGHT) / firsts.sum(axis=1, keepdims=True)
    firsts += _UNIFORM_WEIGHT / 256
    np.log(expected, out=expected)
    return np.ascontiguousarray(np.log(firsts).T), _transposed(expected.reshape(count, 65536))


def _transposed(table: Matrix) -> Matrix:
    """Exchange rows and columns, piece by piece: faster if a piece fits into the processor's cache."""
    made = np.empty(table.shape[::-1], table.dtype)
    for start in range(0, table.shape[1], _PIECE):
        made[start : start + _PIECE] = table[:, start : start + _PIECE].T
    return made


def _kind_pairs(pairs: Matrix, kinds: npt.NDArray[np.int64]) -> Matrix:
    """The probability of each kind of character after each other, over all encodings of one byte a character."""
    size = len(KINDS)
    there = np.zeros((len(kinds), 256, size), np.float32)
    np.put_along_axis(there, kinds[:, :, None], 1, axis=2)
    table = (there.transpose(0, 2, 1) @ pairs @ there).sum(axis=0) + 1e-4
    table[SIGNS, SIGNS] += _SIGN_RUN_PROBABILITY * table[SIGNS].sum(axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True), np.float32)


def _by_kind(alone: Matrix, kinds: npt.NDArray[np.int64], by_kinds: Matrix) -> Matrix:
    """The probability of each byte after each other: that of its kind, times the share of the byte in its kind."""
    alone = alone + (alone.sum() + 1e-9) * np.float32(2e-5)
    within = (alone / np.bincount(kinds, alone, len(KINDS))[kinds]).astype(np.float32)
    there = np.zeros(len(KINDS), np.float32)
    there[kinds] = 1
    there[0] = 0  # undefined
    table = by_kinds * there
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table.take(kinds, axis=0).take(kinds, axis=1) * within)
