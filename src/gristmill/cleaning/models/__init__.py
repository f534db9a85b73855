"""The weights of trained methods (`.npz`), and for each a card that says what they were trained on.

The weights of methods that describe blocks by features come with the names of these, in their order: weights know
features by their place alone, and would be applied to the wrong ones without any error.

A model of one's own is one such file, with the name of the method, a format number and the card inside (`pack`).
"""

from __future__ import annotations

import functools
import io
import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.errors import GristmillError, UsageError
from gristmill.shapes import check_format

FORMAT = 1
"""The number of the form of model files; a file with another one can't be read."""
_METHOD, _FORMAT, _CARD = "model.method", "model.format", "model.card"
_MAX_BYTES = 1 << 28  # of the arrays of a model together; ours have some hundred thousand

_DAMAGES = (
    OSError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    MemoryError,
    RuntimeError,
    OverflowError,
    SyntaxError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged file raises: zipfile of encrypted parts, NumPy of headers that are no Python..."""


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


class ModelFile(NamedTuple):
    """What a model file holds."""

    method: str
    arrays: dict[str, npt.NDArray[Any]]
    card: dict[str, Any]


def pack(method: str, arrays: Mapping[str, npt.NDArray[Any]], card: Mapping[str, Any]) -> bytes:
    """Make the content of a model file."""
    about = {_METHOD: of_names([method]), _FORMAT: np.array(FORMAT), _CARD: of_names([card_text(card)])}
    return pack_arrays({**arrays, **about})


def pack_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Make an .npz of arrays; the same arrays give the same bytes, as numpy dates all parts of a file 1980."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def card_text(card: Mapping[str, Any]) -> str:
    """Write a model card as JSON."""
    return json.dumps(card, indent=1, ensure_ascii=False) + "\n"


def read(path: str | Path, maker: str = "METHOD PAGES") -> ModelFile:
    """Read a model file; raises an error that says what is wrong if it is none, or of another format.

    `maker` is what makes such models, as `gristmill train` is given it.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"there is no model {path}: make one with gristmill train {maker} -o {path}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    if not data.startswith(b"PK"):
        raise UsageError(f"{path} is no model: gristmill train makes these")
    try:
        _check_size(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except _DAMAGES as error:
        raise UsageError(f"the model {path} is damaged: {error}") from error
    if not {_METHOD, _FORMAT, _CARD} <= set(arrays):
        raise UsageError(f"{path} is no model: gristmill train makes these")
    method, form, card = (arrays.pop(key) for key in (_METHOD, _FORMAT, _CARD))
    check_format(form.item() if form.size == 1 else None, FORMAT, f"the model {path}", "train it again")
    try:
        return ModelFile(names_of(method)[0], arrays, dict(json.loads(card.tobytes())))
    except _DAMAGES as error:
        raise UsageError(f"the model {path} is damaged: {error}") from error


def is_model(path: str | Path) -> bool:
    """Tell whether a file is a model of a cleaning method that can be read."""
    try:
        read(path)
    except GristmillError:
        return False
    return True


def _check_size(data: bytes) -> None:
    """Raise if a file would become too large when it is unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        size = sum(part.file_size for part in packed.infolist())
    if size > _MAX_BYTES:
        raise ValueError(f"its arrays would take {size:,} bytes")


def of_names(names: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Make an array of names, to be stored with weights."""
    return np.frombuffer("\n".join(names).encode(), np.uint8)


def names_of(array: npt.NDArray[Any]) -> list[str]:
    """Return the names in an array that was made by `of_names`."""
    return array.tobytes().decode().split("\n") if len(array) else []


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
