"""The model of the tagger `own`: integer weights, bundles of features, lemmas, and a card; how it is stored and read.

A model is one file of arrays (`.npz`) without pickled objects. All that is read is checked before it is used: a damaged
or hostile file is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.tagging.lemmas import Lemmas, from_lines, to_lines
from gristmill.annotation.tagging.treebank import TAGS
from gristmill.cleaning.models import names_of, of_names, pack, read
from gristmill.errors import UsageError

KIND = "tagger"
MAX_LABELS = 1000
"""Of tags, or of values of features."""
_MAX_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of features, found by their keys: a row for each feature and a column for each label."""

    keys: NDArray[np.uint32]
    rows: NDArray[np.int8]

    def check(self) -> None:
        """Raise `ValueError` if the arrays are not those of weights."""
        if self.keys.dtype != np.uint32 or self.rows.dtype != np.int8 or self.keys.ndim != 1 or self.rows.ndim != 2:
            raise ValueError("its weights have other types")
        if len(self.keys) != len(self.rows) or not 1 <= self.rows.shape[1] <= MAX_LABELS:
            raise ValueError("its weights don't fit their keys")
        if (self.keys[1:] <= self.keys[:-1]).any():
            raise ValueError("its keys are not in order")


@dataclass(frozen=True, slots=True)
class Bundles:
    """The bundles of universal features that words of each tag may have.

    Tag t has the bundles from `starts[t]` to `starts[t + 1]`. Bundle b is written `names[b]`, and speaks for the labels
    `values[value_starts[b]:value_starts[b + 1]]` of the weights, one for each kind of feature: case, number...
    """

    starts: NDArray[np.int32]
    names: list[str]
    value_starts: NDArray[np.int32]
    values: NDArray[np.int32]

    def check(self, labels: int) -> None:
        """Raise `ValueError` if a tag has no bundle, or a bundle a label that there is not."""
        arrays = (self.starts, self.value_starts, self.values)
        if any(array.dtype != np.int32 or array.ndim != 1 for array in arrays):
            raise ValueError("its bundles have other types")
        if len(self.starts) != len(TAGS) + 1 or self.starts[0] != 0 or (np.diff(self.starts) < 1).any():
            raise ValueError("a tag has no bundle of features")
        if len(self.names) != self.starts[-1] or len(self.value_starts) != len(self.names) + 1:
            raise ValueError("its bundles don't fit their names")
        if self.value_starts[0] != 0 or (np.diff(self.value_starts) < 0).any():
            raise ValueError("its bundles don't fit their values")
        if self.value_starts[-1] != len(self.values) or not ((self.values >= 0) & (self.values < labels)).all():
            raise ValueError("a bundle has a value that there is not")


@dataclass(frozen=True, slots=True)
class Model:
    """All that the tagger knows of a language."""

    tags: Weights
    steps: NDArray[np.int32]
    """What speaks for a tag after another; the last row is for the first word of a sentence."""
    values: Weights
    bundles: Bundles
    xpos: dict[tuple[str, int], str]
    """The tags of the treebank, by word in lower case and bundle; for other words the word is empty."""
    lemmas: Lemmas | None
    """None if the treebank has no lemmas."""
    card: dict[str, Any]

    @property
    def lang(self) -> str:
        """The language that it was trained for."""
        return str(self.card.get("language", ""))

    def to_bytes(self) -> bytes:
        """Return the content of its file; the same model gives the same bytes."""
        lines = to_lines(self.lemmas) if self.lemmas else {}
        arrays: dict[str, NDArray[Any]] = {
            "keys": self.tags.keys,
            "weights": self.tags.rows,
            "steps": self.steps,
            "value_keys": self.values.keys,
            "value_weights": self.values.rows,
            "bundle_starts": self.bundles.starts,
            "bundle_names": of_names(self.bundles.names),
            "value_starts": self.bundles.value_starts,
            "values": self.bundles.values,
            "xpos": of_names([f"{word}\t{bundle}\t{xpos}" for (word, bundle), xpos in sorted(self.xpos.items())]),
            **{f"lemma_{name}": of_names(found) for name, found in lines.items()},
        }
        return pack(KIND, arrays, self.card)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a model file; raise `UsageError`, which says what is wrong, if it is none."""
        found = read(path, "tagger TREEBANK --lang LANG")
        if found.method != KIND:
            raise UsageError(
                f"{path} is a model of {found.method}, not of a tagger: gristmill train tagger makes these"
            )
        try:
            return cls._of(found.arrays, found.card)
        except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
            raise UsageError(f"the model {path} is damaged: {error}") from error

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]], card: dict[str, Any]) -> Self:
        """Make a model of arrays; raises if they are not those of one."""
        tags = Weights(arrays["keys"], arrays["weights"])
        values = Weights(arrays["value_keys"], arrays["value_weights"])
        tags.check()
        values.check()
        steps = arrays["steps"]
        if tags.rows.shape[1] != len(TAGS) or steps.shape != (len(TAGS) + 1, len(TAGS)) or steps.dtype != np.int32:
            raise ValueError("it has other tags")
        if np.abs(steps.astype(np.int64)).max() > _MAX_STEP:
            raise ValueError("its weights are too large")
        bundles = Bundles(
            arrays["bundle_starts"], _names(arrays["bundle_names"]), arrays["value_starts"], arrays["values"]
        )
        bundles.check(values.rows.shape[1])
        xpos = {}
        for word, bundle, tag in (line.split("\t") for line in names_of(arrays["xpos"])):
            xpos[word, int(bundle)] = tag
        lemmas = None
        if "lemma_rules" in arrays:
            prefix = "lemma_"
            names = ("rules", "exceptions", "certainties", "cased")
            lemmas = from_lines({name: names_of(arrays[prefix + name]) for name in names})
        return cls(tags, steps, values, bundles, xpos, lemmas, card)


def _names(array: NDArray[Any]) -> list[str]:
    """Return names of which some, or the only one, may be empty."""
    return array.tobytes().decode().split("\n")
