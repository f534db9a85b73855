"""A positional index on disk: the token stream of a corpus, mapped into memory, by attributes and structures.

An index is a folder of files of arrays and `index.toml`, which is written last: without it, or if a file has not the
size that it states, there is no index. One file an attribute of tokens (lexicon, the id of each token, inverted lists),
one a kind of structure, and one bit a token for glue (no space before the token).
"""

from __future__ import annotations

import glob
import os
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import xxhash

from gristmill.arrays.storing import load_arrays
from gristmill.corpus import Corpus, Selection
from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.freshness import fingerprint
from gristmill.search.index.structure import Structure
from gristmill.shapes import misfit

FORMAT = 1
"""Changes when an index of another version can't be read any more."""
FOLDER = "index"
"""Where the index of a corpus is, in its folder."""
CARD = "index.toml"
GLUE = "glue.arrays"
TEMPORARY = ".tmp"
"""How the names end of folders beside an index that hold what it was or will be."""
_PAUSE = 0.1  # seconds
_VERIFIED_BYTES = 64_000_000  # files of small indexes are verified when they are opened: that takes milliseconds
_SHAPE = {
    "index": {"format": int, "tokens": int, "bytes": int, "bytes_per_token": float},
    "attributes": {"word": int, str: int},
    "structures": {"doc": [str], "p": [str], "s": [str], str: [str]},
    "files": {str: int},
    "digests?": {str: str},
    "corpus?": {"fingerprint": str, "selection": dict},
}
"""What has to be in `index.toml`."""


def attribute_file(name: str) -> str:
    """The file of an attribute of tokens."""
    return f"attribute-{name}.arrays"


def structure_file(name: str) -> str:
    """The file of a kind of structure."""
    return f"structure-{name}.arrays"


class Index:
    """An index that was opened. Tokens are numbered from 0 through all documents, in the order of the corpus."""

    def __init__(self, folder: Path, card: dict[str, Any]) -> None:
        """Use `open`, which looks whether the index is whole."""
        self.folder = folder
        self.card = card
        """What `index.toml` says."""
        self.size: int = card["index"]["tokens"]
        self.attributes = {
            name: Attribute(name, load_arrays(folder / attribute_file(name))) for name in card["attributes"]
        }
        self.structures = {
            name: Structure(name, load_arrays(folder / structure_file(name)), tuple(attributes))
            for name, attributes in card["structures"].items()
        }
        self._glue = load_arrays(folder / GLUE)["bits"]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Index:
        """Open the index in a folder, if it is whole; one that is replaced meanwhile is opened again."""
        try:
            return cls._open(Path(folder))
        except GristmillError:  # it may just have been between two names
            if any(Path(folder).parent.glob(f"{glob.escape(Path(folder).name)}-*{TEMPORARY}")):
                time.sleep(_PAUSE)
            return cls._open(Path(folder))

    @classmethod
    def _open(cls, folder: Path) -> Index:
        card: dict[str, Any] = {}
        while card != (found := read_card(folder)):
            if found["index"]["bytes"] <= _VERIFIED_BYTES:
                verify(folder, found)
            card, index = found, _loaded(cls, folder, found)
        return index

    @property
    def documents(self) -> int:
        """How many documents it has."""
        return len(self.structures["doc"])

    @property
    def bytes_per_token(self) -> float:
        """Its size on disk, all files, for each token."""
        return float(self.card["index"]["bytes_per_token"])

    @property
    def selection(self) -> Selection:
        """What of its corpus it is of."""
        return Selection.from_table(self.card.get("corpus", {}).get("selection", {}))

    def is_current(self, corpus: Corpus) -> bool:
        """Whether it is of the corpus as it is now: not de-duplicated, annotated or added to since."""
        return is_current(self.card, corpus)

    def is_glued(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether each of these tokens stands right after the one before it, without a space."""
        places = np.asarray(positions, np.int64)
        bits: npt.NDArray[np.uint8] = self._glue[places >> 3] >> (places & 7).astype(np.uint8)
        return (bits & 1).astype(np.bool_)

    def attribute(self, name: str) -> Attribute:
        """An attribute of tokens by its name; the error for a wrong one lists the right ones."""
        if name in self.attributes:
            return self.attributes[name]
        known = ", ".join(self.attributes)
        raise UsageError(f"tokens have no attribute {name!r}{did_you_mean(name, self.attributes)} (they have: {known})")

    def structure(self, name: str) -> Structure:
        """A kind of structure by its name."""
        if name in self.structures:
            return self.structures[name]
        raise UsageError(
            f"there is no structure {name!r}{did_you_mean(name, self.structures)} (there are: {', '.join(self.structures)})"
        )


def _loaded(cls: type[Index], folder: Path, card: dict[str, Any]) -> Index:
    """An index; raises if its files don't hold what the card says."""
    try:
        return cls(folder, card)
    except (KeyError, ValueError, TypeError, pa.ArrowException) as error:
        raise _damaged(folder, str(error)) from error


def read_card(folder: Path) -> dict[str, Any]:
    """What is in the index in a folder, if it is there and whole."""
    card = parse_card(folder)
    about = card.get("index")
    found = about.get("format") if isinstance(about, dict) else None
    if found != FORMAT:
        raise UsageError(
            f"the index in {folder} is of another version (format {found}, not {FORMAT}): make it again with `gristmill index`"
        )
    fault = misfit(card, _SHAPE, CARD)
    if fault:
        raise _damaged(folder, fault)
    for name in _files(card):
        fault = _fault(folder / name, card["files"].get(name))
        if fault:
            raise _damaged(folder, f"{name} {fault}")
    return card


def verify(folder: Path, card: dict[str, Any]) -> None:
    """Read all files of an index and raise if one is not as it was written; those of older versions have no digests."""
    try:
        changed = [name for name, digest in card.get("digests", {}).items() if digest_of(folder / name) != digest]
    except OSError as error:
        raise _damaged(folder, str(error)) from error
    if changed:
        raise _damaged(folder, f"{changed[0]} is not as it was written")


def digest_of(path: Path) -> str:
    """A hash of what a file holds."""
    state = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            state.update(piece)
    return state.hexdigest()


def _files(card: dict[str, Any]) -> list[str]:
    return [*map(attribute_file, card["attributes"]), *map(structure_file, card["structures"]), GLUE]


def _damaged(folder: Path, fault: str) -> GristmillError:
    return GristmillError(f"the index in {folder} is damaged ({fault}): make it again with `gristmill index`")


def parse_card(folder: Path) -> dict[str, Any]:
    """What an index says of itself, whether it is whole or not."""
    try:
        return tomllib.loads((folder / CARD).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"there is no index in {folder}: make one with `gristmill index`") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GristmillError(
            f"can't read {folder / CARD}: {error}; make the index anew with `gristmill index`"
        ) from error


def _fault(path: Path, size: int | None) -> str:
    try:
        found = path.stat().st_size
    except FileNotFoundError:
        return "is missing"
    return "" if found == size else f"has {found} bytes, not {size}"


def is_current(card: dict[str, Any], corpus: Corpus) -> bool:
    """Whether an index with that card is of the corpus as it is now."""
    about = card.get("corpus", {})
    try:
        return bool(about) and about["fingerprint"] == fingerprint(corpus, Selection.from_table(about["selection"]))
    except GristmillError:  # the corpus is not annotated any more, or its files can't be read
        return False
