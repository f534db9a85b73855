"""The interface of trainers, the models that they make, and the registry of trainers."""

from __future__ import annotations

import importlib
import io
import json
import platform
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.errors import UsageError
from gristmill.registry import Registry
from gristmill.shards import write_atomically
from gristmill.version import __version__


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of a method, and a model card that says what they were learned from, how, and how good they are."""

    arrays: dict[str, npt.NDArray[Any]]
    card: dict[str, Any]

    def save(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Write weights and card; the same model gives the same bytes, as numpy dates all parts of a file 1980."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **self.arrays)
        card = json.dumps(self.card, indent=1, ensure_ascii=False) + "\n"
        folder.mkdir(parents=True, exist_ok=True)
        weights, description = folder / f"{name}.npz", folder / f"{name}.card.json"
        for path, data in ((weights, buffer.getvalue()), (description, card.encode())):
            write_atomically(path, data)
        return weights, description


class Trainer(Protocol):
    """A function that learns the weights of a method from a folder of gold standards."""

    def __call__(self, gold: Path, seed: int) -> Model:
        """Train a model; the same gold standards and seed give the same one."""


TRAINERS: Registry[Trainer] = Registry("trained method")


def gold_file(gold: Path, name: str) -> Path:
    """The path of a file in the folder of gold standards; raises if it is not there."""
    path = gold / name
    if not path.is_file():
        raise UsageError(f"there is no {name} in {gold}, from which this method is trained")
    return path


def describe(path: Path) -> dict[str, Any]:
    """Describe a file of training data for the model card."""
    try:
        rows = pq.read_metadata(path).num_rows
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"can't read {path}: {error}") from error
    with path.open("rb") as file:
        digest = sha256()
        while part := file.read(1 << 20):
            digest.update(part)
    return {"file": path.name, "rows": rows, "sha256": digest.hexdigest()}


def versions(*packages: str) -> dict[str, str]:
    """List the versions of Gristmill, Python, numpy and these packages for the model card."""
    found = {"gristmill": __version__, "python": platform.python_version(), "numpy": np.__version__}
    return found | {name: metadata.version(name) for name in packages}


def need(module: str, extra: str = "train") -> Any:
    """Import a module that only training needs; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise UsageError(f"training this method needs {missing}: pip install 'gristmill[{extra}]'") from error
