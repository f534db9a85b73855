"""A model of word segmentation: what `kernel.segments` cuts text by. Read from one file, and written by `training`.

Tables of characters are stored by their differences: folded characters as pairs (traditional ones and what they are
taken for), types as the first characters of stretches with the same type.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.annotation.model_file import read_model, write_model
from gristmill.errors import UsageError
from gristmill.kernel import Cutter

KIND, FORMAT = "segmenter", 1
SUFFIX = ".segmenter"
_TABLE = 1 << 16  # characters with an entry of their own; in hashes, the numbers of upper bits
_LISTS, _ROWS, _TAGS = 2, 474, 4
_ARRAYS = {
    "folded": ("<u2", 2),
    "type_starts": ("<u4", 1),
    "types": ("|u1", 1),
    "templates": ("|i1", 2),
    "groups": ("|u1", 1),
    "words": ("<u4", 1),
    "classes": ("|u1", 1),
    "grams": ("<u4", 1),
    "weights": ("|i1", 2),
    "rows": ("|i1", 2),
    "transitions": ("<i4", 2),
}
"""The type and the number of dimensions of each array."""


@dataclass(frozen=True, slots=True)
class SegmenterModel:
    """The arrays of a model, and facts about it: language, sources, licence, figures."""

    arrays: dict[str, npt.NDArray[Any]]
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> SegmenterModel:
        """Read a model; raise `UsageError` if the file is damaged or something else."""
        facts, arrays = read_model(path, KIND, FORMAT)
        model = cls(arrays, facts)
        try:
            model.check()
            model.cutter()
        except ValueError as error:
            raise UsageError(f"{path} is a segmenter with errors: {error}") from error
        return model

    def save(self, path: Path) -> None:
        """Write to a file; the same model gives the same bytes."""
        write_model(path, KIND, FORMAT, self.facts, self.arrays)

    def check(self) -> None:
        """Raise `ValueError` if arrays are missing, or are not what they should be."""
        arrays = self.arrays
        for name, (kind, dimensions) in _ARRAYS.items():
            if name not in arrays or arrays[name].dtype.str != kind or arrays[name].ndim != dimensions:
                raise ValueError(f"the array {name} is missing or of another type")
        if arrays["folded"].shape[1] != 2 or len(arrays["type_starts"]) != len(arrays["types"]):
            raise ValueError("the tables of characters have wrong lengths")
        starts = arrays["type_starts"].astype(np.int64)
        if not len(starts) or starts[0] != 0 or starts[-1] > _TABLE or (np.diff(starts) <= 0).any():
            raise ValueError("the types of characters are not in order")
        for name in ("words", "grams"):
            if (np.diff(arrays[name].astype(np.int64)) <= 0).any():
                raise ValueError(f"the hashes of {name} do not ascend")

    def cutter(self) -> Cutter:
        """Make what cuts text by this model."""
        arrays = self.arrays
        made = bare_cutter(arrays)
        made.read_lexicon(arrays["words"], bucket_starts(arrays["words"]), arrays["classes"])
        weights, rows = (arrays[name].astype(np.int16) for name in ("weights", "rows"))
        made.read_weights(arrays["grams"], bucket_starts(arrays["grams"]), weights, rows, arrays["transitions"])
        return made


def bare_cutter(arrays: dict[str, npt.NDArray[Any]]) -> Cutter:
    """Make a cutter that has the tables of characters and the templates alone."""
    return Cutter(*character_tables(arrays), arrays["templates"], arrays["groups"])


def character_tables(arrays: dict[str, npt.NDArray[Any]]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """Make the tables of what each character is taken for, and of its type."""
    folds = np.arange(_TABLE, dtype=np.uint16)
    folds[arrays["folded"][:, 0]] = arrays["folded"][:, 1]
    bounds = np.append(arrays["type_starts"].astype(np.int64), _TABLE + 1)
    lengths = bounds[1:] - bounds[:-1]
    return folds, np.repeat(arrays["types"], lengths)


def with_lexicon(arrays: dict[str, npt.NDArray[Any]]) -> Cutter:
    """Make a cutter without weights, which describes text for training."""
    made = bare_cutter(arrays)
    made.read_lexicon(arrays["words"], bucket_starts(arrays["words"]), arrays["classes"])
    return made


def bucket_starts(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """Where the hashes with the same upper 16 bits begin."""
    return np.searchsorted(hashes, np.arange(_TABLE + 1, dtype=np.uint64) << np.uint64(16)).astype(np.int32)


def shipped_model(lang: str) -> Path:
    """The path of the model of a language that comes with gristmill."""
    return Path(str(resources.files(__package__).joinpath("models", f"{lang}{SUFFIX}")))


@cache
def shipped_cut(lang: str) -> Callable[[str], bytes]:
    """Load the model of a language that comes with gristmill, once in a process, and return what cuts text."""
    return SegmenterModel.load(shipped_model(lang)).cutter().cut
