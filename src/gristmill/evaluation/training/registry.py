"""The interface of trainers, the models that they make, and the registry of trainers."""

from __future__ import annotations

import importlib
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from gristmill.cleaning.methods.chosen import forget_own_models
from gristmill.cleaning.models import card_text, pack, pack_arrays, read
from gristmill.errors import UsageError
from gristmill.evaluation.gold import GoldPage
from gristmill.registry import Registry, parts_of
from gristmill.shards import write_atomically
from gristmill.version import __version__


@dataclass(frozen=True, slots=True)
class Model:
    """The weights of a method, and a model card that says what they were learned from, how, and how good they are."""

    arrays: dict[str, npt.NDArray[Any]]
    card: dict[str, Any]
    summary: str = ""
    """A sentence that says how good it is, for whoever waits for it."""

    def save(self, path: Path) -> None:
        """Write weights and card into one file; the same model gives the same bytes."""
        _write(path, pack(str(self.card["method"]), self.arrays, self.card))
        forget_own_models()

    def save_with_card(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Write two files, the weights and the card: the form of the models that come with Gristmill."""
        weights, description = folder / f"{name}.npz", folder / f"{name}.card.json"
        _write(weights, pack_arrays(self.arrays))
        _write(description, card_text(self.card).encode())
        return weights, description


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, data)


class Trainer(Protocol):
    """A function that learns the weights of a method."""

    def __call__(self, pages: Sequence[GoldPage], gold: Path | None, seed: int) -> Model:
        """Train a model on pages of the user and on the gold standards in a folder; on one of the two, if need be.

        The same pages, gold standards and seed give the same model.
        """


TRAINERS: Registry[Trainer] = parts_of("trained method")
_OWN_PAGES = "own_pages"


def train(method: str, pages: Sequence[GoldPage], gold: Path | None = None, seed: int = 0) -> Model:
    """Train a method on pages of the user, on the public gold standards in a folder, or on both.

    The model remembers by checksums which pages of the user it has seen, so that it can be told when it is tested on
    them.
    """
    return remembering(TRAINERS[method](pages, gold, seed), pages)


def remembering(model: Model, pages: Sequence[GoldPage]) -> Model:
    """Note in a model which pages of the user it has seen."""
    if pages:
        model.arrays[_OWN_PAGES] = np.unique(_checksums(pages))
    return model


def seen_by(model: str | Path, pages: Sequence[GoldPage]) -> int:
    """Count the pages that a model file was trained on, as pages of the user."""
    seen = read(model).arrays.get(_OWN_PAGES, np.zeros(0, np.uint64))
    return int(np.isin(_checksums(pages), seen).sum())


def _checksums(pages: Sequence[GoldPage]) -> npt.NDArray[np.uint64]:
    return np.array([xxhash.xxh64_intdigest(page.html) for page in pages], np.uint64)


def gold_file(gold: Path, name: str) -> Path:
    """The path of a file in the folder of gold standards; raises if it is not there."""
    path = gold / name
    if not path.is_file():
        raise UsageError(
            f"there is no {name} in {gold}, which --gold is for. Gold standards of any other name are given as pages: "
            f"gristmill train METHOD PAGES.parquet -o FILE"
        )
    return path


def describe(path: Path) -> dict[str, Any]:
    """Describe a file of training data for the model card."""
    try:
        rows = pq.read_metadata(path).num_rows
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from error
    with path.open("rb") as file:
        digest = sha256()
        while part := file.read(1 << 20):
            digest.update(part)
    return {"file": path.name, "rows": rows, "sha256": digest.hexdigest()}


def describe_pages(pages: Sequence[GoldPage]) -> list[dict[str, Any]]:
    """Describe pages of the user for the model card: for each set how many, and a checksum of all that they hold."""
    described: dict[str, tuple[int, Any]] = {}
    for page in pages:
        number, digest = described.get(page.gold_set, (0, sha256()))
        for part in (page.id.encode(), page.html, page.gold.encode()):
            digest.update(len(part).to_bytes(8) + part)
        described[page.gold_set] = number + 1, digest
    return [
        {"pages of": name, "pages": number, "sha256": digest.hexdigest()}
        for name, (number, digest) in described.items()
    ]


def versions(*packages: str) -> dict[str, str]:
    """List the versions of Gristmill, Python, numpy and these packages for the model card."""
    found = {"gristmill": __version__, "python": platform.python_version(), "numpy": np.__version__}
    return found | {name: metadata.version(name) for name in packages}


def need(module: str) -> Any:
    """Import a module that only training needs; the error says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise UsageError(f"training this method needs {missing}: pip install 'gristmill[train]'") from error
