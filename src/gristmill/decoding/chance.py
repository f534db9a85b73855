"""How likely bytes are to follow each other in an encoding, in whatever language: by the bytes, and by the kinds of their characters.

That is what a triple is worth that no model has. A capital in the middle of a word, or a sign between two letters,
speaks against an encoding even if the language is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.decoding import labels
from gristmill.decoding.kinds import KINDS, SIGNS, UNDEFINED, kinds_of_bytes
from gristmill.decoding.model import Model
from gristmill.decoding.triples import Keys

Floats = npt.NDArray[np.float32]

_BY_BYTES, _BY_KINDS, _ANYHOW = 0.5, 0.49, 0.01  # shares of the parts in what is expected
_NEVER = (
    1e-9  # for bytes that are no characters, such as the controls that ISO-8859 has where others have quotation marks
)
_DRAWN = 0.05  # lines are drawn with signs: so often one is followed by its like


class Chance:
    """Logarithms of probabilities, a column for each encoding."""

    def __init__(self, encodings: Sequence[str], model: Model, encoding_of: npt.NDArray[np.int64]) -> None:
        """Learned from all triples of a model; `encoding_of` says for each of them in which of the encodings it is."""
        self._first, self._next = _expected(encodings, model, encoding_of)

    def of_text(self, keys: Keys, weights: Floats) -> Floats:
        """For each encoding that of a whole text, given by its triples and how often each is there."""
        first, second, third = self._first[keys >> 16], self._next[keys >> 8], self._next[keys & 0xFFFF]
        return np.asarray(weights @ first + weights @ second + weights @ third, np.float32)

    def of_triples(self, keys: Keys, encodings: npt.NDArray[np.int64]) -> Floats:
        """That of single triples, each in one encoding."""
        first, second, third = (
            self._first[keys >> 16, encodings],
            self._next[keys >> 8, encodings],
            self._next[keys & 0xFFFF, encodings],
        )
        return np.asarray(first + second + third, np.float32)


def _expected(encodings: Sequence[str], model: Model, encoding_of: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """For each encoding how likely a byte is as the first of a triple, and two bytes one after the other: the logarithms."""
    count, frequencies = len(encodings), model.frequencies
    pairs = np.zeros((count, 256, 256), np.float32)
    for shift in (8, 0):
        pairs += np.bincount(encoding_of * 65536 + ((model.keys >> shift) & 0xFFFF), frequencies, pairs.size).reshape(
            pairs.shape
        )
    firsts = pairs.sum(axis=2) + 1e-9
    expected = pairs / firsts[:, :, None]
    wide = np.array([labels.is_wide(encoding) for encoding in encodings])
    expected[wide] *= 1 - _ANYHOW
    expected[wide] += _ANYHOW / 256
    expected[~wide] *= _BY_BYTES
    expected[~wide] += _ANYHOW / 2560
    kinds = np.array([kinds_of_bytes(encoding) for encoding in encodings])
    by_kinds = _kind_pairs(pairs[~wide], kinds[~wide])
    for number in np.flatnonzero(~wide):
        expected[number] += _BY_KINDS * _by_kind(pairs[number].sum(axis=0), kinds[number], by_kinds)
    expected[np.broadcast_to((kinds == UNDEFINED)[:, None, :] & ~wide[:, None, None], expected.shape)] = _NEVER
    firsts *= (1 - _ANYHOW) / firsts.sum(axis=1, keepdims=True)
    firsts += _ANYHOW / 256
    return np.ascontiguousarray(np.log(firsts).T), np.ascontiguousarray(np.log(expected).reshape(count, 65536).T)


def _kind_pairs(pairs: Floats, kinds: npt.NDArray[np.int64]) -> Floats:
    """How likely one kind of character is after another, over all encodings of one byte a character."""
    size = len(KINDS)
    there = np.zeros((len(kinds), 256, size), np.float32)
    np.put_along_axis(there, kinds[:, :, None], 1, axis=2)
    table = (there.transpose(0, 2, 1) @ pairs @ there).sum(axis=0) + 1e-4
    table[SIGNS, SIGNS] += _DRAWN * table[SIGNS].sum(axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True), np.float32)


def _by_kind(alone: Floats, kinds: npt.NDArray[np.int64], by_kinds: Floats) -> Floats:
    """The same for bytes: a kind by the kind before it, and within the kind a byte by how frequent it is."""
    alone = alone + (alone.sum() + 1e-9) * np.float32(2e-5)
    within = (alone / np.bincount(kinds, alone, len(KINDS))[kinds]).astype(np.float32)
    there = np.zeros(len(KINDS), np.float32)
    there[kinds] = 1
    there[0] = 0  # undefined
    table = by_kinds * there
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table[np.ix_(kinds, kinds)] * within)
