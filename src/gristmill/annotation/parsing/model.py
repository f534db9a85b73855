"""The model of the parser: integer weights of actions and relations, and a card; how it is stored and read.

A model is one file of arrays (`.npz`) without pickled objects. All that is read is checked before it is used: a damaged
or hostile file is an error. Weights are stored by rows: those that are not 0, with their columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.relations import is_root
from gristmill.cleaning.models import names_of, of_names, pack, read
from gristmill.errors import UsageError
from gristmill.kernel.parse_slots import ACTIONS, ATOMS, LABEL_ATOMS, TEMPLATE_ATOMS

KIND = "parser"
MAX_LABELS = 255
_MAX_TEMPLATES = 256
_MAX_CELLS = 1 << 27  # of a table of weights, in bytes


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of features, found by their keys: a row for each feature and a column for each label."""

    templates: NDArray[np.int32]
    keys: NDArray[np.uint32]
    rows: NDArray[np.int8]

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return it as arrays to store: differences of keys and of columns, which are small, compress well."""
        row, column = np.nonzero(self.rows)
        return {
            f"{prefix}_templates": self.templates.astype(np.int16),
            f"{prefix}_keys": np.diff(self.keys, prepend=np.uint32(0)).view(np.uint8).reshape(-1, 4).T.copy(),
            f"{prefix}_counts": np.bincount(row, minlength=len(self.rows)).astype(np.uint8),
            f"{prefix}_columns": column.astype(np.uint8),
            f"{prefix}_weights": self.rows[row, column],
        }

    @classmethod
    def of(cls, arrays: dict[str, NDArray[Any]], prefix: str, labels: int, atoms: int) -> Self:
        """Make it of stored arrays; raises `ValueError` if they are not those of weights."""
        found = [arrays[f"{prefix}_{name}"] for name in ("templates", "keys", "counts", "columns", "weights")]
        templates, differences, counts, columns, weights = found
        kinds = (np.int16, np.uint8, np.uint8, np.uint8, np.int8)
        if any(array.dtype != kind for array, kind in zip(found, kinds, strict=True)):
            raise ValueError("its weights have other types")
        if templates.ndim != 2 or templates.shape[1] != TEMPLATE_ATOMS or not 1 <= len(templates) <= _MAX_TEMPLATES:
            raise ValueError("it has no templates")
        if templates.min() < -1 or templates.max() >= atoms:
            raise ValueError("a template has an atom that there is not")
        if differences.ndim != 2 or len(differences) != 4 or counts.shape != (differences.shape[1],):
            raise ValueError("its weights don't fit their keys")
        if len(counts) * labels > _MAX_CELLS or columns.shape != weights.shape or columns.shape != (counts.sum(),):
            raise ValueError("its weights don't fit their columns")
        if len(columns) and columns.max() >= labels:
            raise ValueError("a weight is for a label that there is not")
        keys = np.cumsum(np.ascontiguousarray(differences.T).view(np.uint32).ravel(), dtype=np.uint64)
        if (keys[1:] <= keys[:-1]).any() or (len(keys) and keys[-1] >= 1 << 32):
            raise ValueError("its keys are not in order")
        rows = np.zeros((len(counts), labels), np.int8)
        rows[np.repeat(np.arange(len(counts)), counts), columns] = weights
        return cls(templates.astype(np.int32), keys.astype(np.uint32), rows)


@dataclass(frozen=True, slots=True)
class Model:
    """All that the parser knows of a language."""

    actions: Weights
    relations: Weights
    names: list[str]
    """Of relations."""
    card: dict[str, Any]

    @property
    def lang(self) -> str:
        """The language that it was trained for."""
        return str(self.card.get("language", ""))

    def to_bytes(self) -> bytes:
        """Return the content of its file; the same model gives the same bytes."""
        arrays = {
            **self.actions.to_arrays("action"),
            **self.relations.to_arrays("relation"),
            "names": of_names(self.names),
        }
        return pack(KIND, arrays, self.card)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a model file; raise `UsageError`, which says what is wrong, if it is none."""
        found = read(path, "parser TREEBANK --lang LANG")
        if found.method != KIND:
            raise UsageError(
                f"{path} is a model of {found.method}, not of a parser: gristmill train parser makes these"
            )
        try:
            return cls._of(found.arrays, found.card)
        except (KeyError, ValueError, TypeError, IndexError, OverflowError, AttributeError) as error:
            raise UsageError(f"the model {path} is damaged: {error}") from error

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]], card: dict[str, Any]) -> Self:
        """Make a model of arrays; raises if they are not those of one."""
        names = names_of(arrays["names"])
        if not 1 <= len(names) <= MAX_LABELS or not all(names) or any(map(is_root, names)):
            raise ValueError("it has no names of relations, or that of a root")
        return cls(
            Weights.of(arrays, "action", ACTIONS, ATOMS),
            Weights.of(arrays, "relation", len(names), LABEL_ATOMS),
            names,
            card,
        )
