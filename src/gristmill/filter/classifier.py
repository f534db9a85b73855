"""A linear classifier of texts by the words and the characters they have, small enough to be a file of some hundred kilobytes.

It is logistic regression on hashed n-grams, as the filters of GPT-3 (Brown et al. 2020, Appendix A) and DCLM (Li et al.
2024) are, which were learned with Spark and fastText. Words serve languages that separate them, sequences of characters
all.
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

BITS = 18
"""How many bits of a hash are the number of a feature."""
_FORM = 1  # of the file and of the features; a model of another form is refused
_LONGEST_GRAM = 4  # characters
_MOST_CHARACTERS = 20_000  # of a text; the rest changes little
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

Features = tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]


def features_of(text: str) -> Features:
    """The numbers of the features that a text has, and their values.

    These are words and pairs of words, and sequences of one to four characters. A value grows with the logarithm of how
    often something occurs; words have length 1 as a vector, and so have characters, so that the length of a text says
    nothing.
    """
    text = " ".join(text[:_MOST_CHARACTERS].lower().split())
    words, characters = (_values(hashes) for hashes in (_word_hashes(text), _character_hashes(text)))
    return np.concatenate([words[0], characters[0]]), np.concatenate([words[1], characters[1]])


def _word_hashes(text: str) -> Hashes:
    words = text.encode("utf-8", "replace").split()
    single = np.fromiter(map(xxhash.xxh3_64_intdigest, words), np.uint64, len(words))
    return np.concatenate([single, _mixed(single[:-1]) + single[1:]])


def _character_hashes(text: str) -> Hashes:
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    hashes, found = codes, [_mixed(codes)]
    for length in range(2, _LONGEST_GRAM + 1):
        hashes = _mixed(hashes[:-1]) + codes[length - 1 :]
        found.append(_mixed(hashes + np.uint64(length)))
    return np.concatenate(found)


def _mixed(hashes: Hashes) -> Hashes:
    mixed: Hashes = (hashes ^ (hashes >> np.uint64(31))) * _FACTOR
    return mixed


def _values(hashes: Hashes) -> Features:
    numbers, counts = np.unique((_mixed(hashes) >> np.uint64(64 - BITS)).astype(np.int32), return_counts=True)
    values = np.log1p(counts).astype(np.float32)
    return numbers, values / max(float(np.sqrt(np.square(values).sum())), 1e-9)


@dataclass(frozen=True)
class Classifier:
    """A weight for each feature; the larger their sum for a text, the more it is like the good texts."""

    weights: npt.NDArray[np.float32]
    bias: float

    def score(self, text: str) -> float:
        """How likely a text is one of the good, if these and the bad ones were equally frequent: from 0 to 1."""
        numbers, values = features_of(text)
        return 1 / (1 + math.exp(-max(min(float((self.weights[numbers] * values).sum()) + self.bias, 500.0), -500.0)))

    def arrays(self) -> dict[str, npt.NDArray[np.float32] | npt.NDArray[np.int64]]:
        """What is stored."""
        return {"form": np.array([_FORM, BITS]), "weights": self.weights, "bias": np.array([self.bias], np.float32)}

    @classmethod
    def load(cls, path: str) -> Classifier:
        """Read a model that `gristmill train quality` has written; raises `UsageError` if it is none."""
        try:
            with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as arrays:
                form, weights, bias = arrays["form"], arrays["weights"], arrays["bias"]
        except FileNotFoundError as error:
            raise UsageError(
                f"there is no model {path}: make one with gristmill train quality GOOD BAD -o {path}"
            ) from error
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UsageError(f"{path} is not a model of `gristmill train quality`, or it is damaged") from error
        if (
            form.tolist() != [_FORM, BITS]
            or weights.shape != (1 << BITS,)
            or weights.dtype != np.float32
            or bias.shape != (1,)
        ):
            raise UsageError(f"{path} is not a model of this version's `gristmill train quality`: train it anew")
        return cls(weights, float(bias[0]))
