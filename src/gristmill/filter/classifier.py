"""The classifier of the filter `quality`: logistic regression on hashed n-grams of words and characters.

The quality filters of GPT-3 (Brown et al. 2020, Appendix A) and DCLM (Li et al. 2024) are of the same kind, trained
with Spark and fastText. N-grams of words serve languages that separate words, those of characters serve all. A model is
a file of some hundred kilobytes.
"""

from __future__ import annotations

import io
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.arrays.dtypes import Hashes
from gristmill.errors import UsageError
from gristmill.shapes import check_format

BITS = 18
"""How many bits of a hash are the number of a feature."""
FORMAT = 1
"""Changes when what is in the file does, or the features do."""
_MAX_NGRAM_CHARACTERS = 4
_MAX_TEXT_CHARACTERS = 20_000  # the rest of a text changes little
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Features = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]


def features_of(text: str) -> Features:
    """Return the numbers of the features that a text has, and their values.

    Features are words, pairs of words, and n-grams of one to four characters. A value grows with the logarithm of how
    often the feature occurs. The values of all words are scaled to a vector of length 1, and so are those of
    characters, so that the length of a text makes no difference.
    """
    text = " ".join(text[:_MAX_TEXT_CHARACTERS].lower().split())
    words, characters = (_values(hashes) for hashes in (_word_hashes(text), _character_hashes(text)))
    return np.concatenate([words[0], characters[0]]), np.concatenate([words[1], characters[1]])


def _word_hashes(text: str) -> Hashes:
    """Hash words and pairs of neighbouring words."""
    words = text.encode("utf-8", "replace").split()
    single = np.fromiter(map(xxhash.xxh3_64_intdigest, words), np.uint64, len(words))
    return np.concatenate([single, _mixed(single[:-1]) + single[1:]])


def _character_hashes(text: str) -> Hashes:
    """Hash n-grams of one to four characters.

    `hashes[n]` is that of the n-gram which begins at character n; it is extended by one character at a time: the hash
    of `abc` is that of `ab`, mixed, plus the code of `c`.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    hashes, found = codes, [_mixed(codes)]
    for length in range(2, _MAX_NGRAM_CHARACTERS + 1):
        hashes = _mixed(hashes[:-1]) + codes[length - 1 :]
        found.append(_mixed(hashes + np.uint64(length)))
    return np.concatenate(found)


def _mixed(hashes: Hashes) -> Hashes:
    """Spread the information of all bits to the upper ones."""
    mixed: Hashes = (hashes ^ (hashes >> np.uint64(31))) * _FACTOR
    return mixed


def _values(hashes: Hashes) -> Features:
    """Count the features, which are the upper bits of hashes, and scale their values to a vector of length 1."""
    numbers, counts = np.unique((_mixed(hashes) >> np.uint64(64 - BITS)).astype(np.int32), return_counts=True)
    values = np.log1p(counts).astype(np.float32)
    return numbers, values / max(float(np.sqrt(np.square(values).sum())), 1e-9)


@dataclass(frozen=True)
class Classifier:
    """A weight for each feature; the larger their sum for a text, the more it is like the good texts."""

    weights: npt.NDArray[np.float32]
    bias: float

    def score(self, text: str) -> float:
        """Return the probability, from 0 to 1, that a text is a good one, if good and bad ones are equally frequent."""
        numbers, values = features_of(text)
        return 1 / (1 + math.exp(-max(min(float((self.weights[numbers] * values).sum()) + self.bias, 500.0), -500.0)))

    def arrays(self) -> dict[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]]:
        """Return the model as arrays to store."""
        return {
            "form": np.array([FORMAT, BITS]),
            "weights": self.weights,
            "bias": np.array([self.bias], np.float32),
        }

    @classmethod
    def load(cls, path: str) -> Classifier:
        """Load a model that `gristmill train quality` has written; raises `UsageError` if the file is not one."""
        try:
            with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as arrays:
                form, weights, bias = arrays["form"], arrays["weights"], arrays["bias"]
        except FileNotFoundError as error:
            raise UsageError(
                f"there is no model {path}: make one with gristmill train quality GOOD BAD -o {path}"
            ) from error
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} is not a model of `gristmill train quality`, or it is damaged") from error
        if form.shape == (2,):
            check_format(int(form[0]), FORMAT, f"the model {path}", "train it again with `gristmill train quality`")
        if (
            form.tolist() != [FORMAT, BITS]
            or weights.shape != (1 << BITS,)
            or weights.dtype != np.float32
            or bias.shape != (1,)
        ):
            raise UsageError(f"{path} is not a model of `gristmill train quality`, or it is damaged")
        return cls(weights, float(bias[0]))
