"""The weights of trained methods (`.npz`), and for each a card that says what they were trained on.

The weights of methods that describe blocks by features come with the names of these, in their order: weights know
features by their place alone, and would be applied to the wrong ones without any error.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.errors import GristmillError


@functools.cache
def load(name: str, features: tuple[str, ...] = ()) -> Mapping[str, npt.NDArray[Any]]:
    """Load the arrays of a model, once per process; if it was trained with other features than these, raise."""
    with (
        resources.files(__name__).joinpath(f"{name}.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        found = {key: arrays[key] for key in arrays.files}
    if features:
        check_features(name, found, features)
    return found


def of_names(names: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Make an array of names, to be stored with weights."""
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def names_of(array: npt.NDArray[Any]) -> list[str]:
    """Return the names in an array that was made by `of_names`."""
    return array.tobytes().decode().split("\n")


def check_features(name: str, arrays: Mapping[str, npt.NDArray[Any]], features: Sequence[str]) -> None:
    """Raise an error that says which, if the arrays of a model come with other features than these."""
    trained = names_of(arrays["features"]) if "features" in arrays else []
    if trained == list(features):
        return
    unknown = [feature for feature in trained if feature not in features]
    new = [feature for feature in features if feature not in trained]
    parts = [
        *([f"it was trained with {', '.join(unknown)}, unknown here"] if unknown else []),
        *([f"it was trained without {', '.join(new)}"] if new else []),
    ]
    differences = "; ".join(parts) or "they are in another order"
    raise GristmillError(
        f"the model of {name} does not fit the features of this version: {differences}. Train it again: gristmill train"
        f" {name}"
    )
