"""The weights of trained methods (`.npz`), and for each a card that says what they were trained on."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt


@functools.cache
def load(name: str) -> Mapping[str, npt.NDArray[Any]]:
    """Load the arrays of a model, once per process."""
    with (
        resources.files(__name__).joinpath(f"{name}.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        return {key: arrays[key] for key in arrays.files}
