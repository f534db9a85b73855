"""A segment: a part of an index that is written once and never changed, mapped into memory.

It is a folder of files of arrays and a card, `index.toml`, which is written last: without it, or if a file has not the
size that it states, there is no segment. There is one file for each attribute of tokens (lexicon, the id of each token,
inverted lists), one for each kind of structure, and one bit a token for glue (no space before the token). If tokens
have relations, there is one more, for their heads.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.arrays.storing import load_arrays
from gristmill.corpus.attributes import DEPREL
from gristmill.errors import GristmillError, UsageError
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.heads import HEADS, load_heads
from gristmill.search.index.structure import Structure
from gristmill.shapes import check_format, misfit

FORMAT = 5
"""Changes when what is in the files of an index does. An index of another format is made anew."""
CARD = "index.toml"
GLUE = "glue.arrays"
_DIGEST_BLOCK_BYTES = 1 << 20
_SHAPE = {
    "index": {"format": int, "tokens": int, "bytes": int, "bytes_per_token": float},
    "attributes": {"word": int, str: int},
    "structures": {"doc": [str], "p": [str], "s": [str], str: [str]},
    "files": {str: int},
    "digests": {str: str},
    "corpus?": {"selection": dict, "shards": {str: str}},
}
"""What has to be in the card of a segment."""


def attribute_file(name: str) -> str:
    """Name the file of an attribute of tokens."""
    return f"attribute-{name}.arrays"


def structure_file(name: str) -> str:
    """Name the file of a kind of structure."""
    return f"structure-{name}.arrays"


def files_of(attributes: Iterable[str], structures: Iterable[str]) -> list[str]:
    """Name all files of a segment with these attributes and structures; it knows heads if tokens have relations."""
    heads = [HEADS] if DEPREL in attributes else []
    return [*map(attribute_file, attributes), *map(structure_file, structures), GLUE, *heads]


class Segment:
    """A segment that was opened. Its tokens are numbered from 0."""

    def __init__(self, folder: Path, card: dict[str, Any], *, with_structures: bool = True) -> None:
        """Map the files that a card, as `read_card` gives it, tells of; structures only if they are wanted."""
        self.folder = folder
        self.size: int = card["index"]["tokens"]
        """How many tokens it has."""
        self.attributes = {
            name: Attribute(name, load_arrays(folder / attribute_file(name))) for name in card["attributes"]
        }
        self.structures = load_structures(folder, card["structures"]) if with_structures else {}
        self.glue: npt.NDArray[np.uint8] = load_arrays(folder / GLUE)["bits"]
        self.heads = load_heads(folder, self.size) if DEPREL in self.attributes else None
        """How many tokens further on the head of each stands; None if no token has a relation."""

    def is_glued(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Tell whether each of these tokens stands right after the one before it, without a space.

        The bit of the token 11 is bit 3 of byte 1: 11 >> 3 is 1, and 11 & 7 is 3.
        """
        places = np.asarray(positions, np.int64)
        bits: npt.NDArray[np.uint8] = self.glue[places >> 3] >> (places & 7).astype(np.uint8)
        return (bits & 1).astype(np.bool_)


def load_structures(folder: Path, structures: dict[str, list[str]]) -> dict[str, Structure]:
    """Load all kinds of structures from their files in a folder."""
    return {
        name: Structure(name, load_arrays(folder / structure_file(name)), tuple(attributes))
        for name, attributes in structures.items()
    }


def read_card(folder: Path) -> dict[str, Any]:
    """Read the card of the segment in a folder; raises if there is none, or files have not the sizes that it states."""
    card = checked_card(folder, _SHAPE)
    check_files(folder, files_of(card["attributes"], card["structures"]), card["files"])
    return card


def checked_card(folder: Path, shape: dict[str, Any]) -> dict[str, Any]:
    """Read the card in a folder; raises if it is of another format or has not the shape that it must have."""
    card = parse_card(folder)
    about = card.get("index")
    found = about.get("format") if isinstance(about, dict) else None
    check_format(found, FORMAT, f"the index in {folder}", "make it anew with `gristmill index`")
    fault = misfit(card, shape, CARD)
    if fault:
        raise damaged(folder, fault)
    return card


def parse_card(folder: Path) -> dict[str, Any]:
    """Read the card in a folder, whatever its format and shape are."""
    try:
        return tomllib.loads((folder / CARD).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"there is no index in {folder}: make one with `gristmill index`") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GristmillError(
            f"can't read {folder / CARD}: {error}; make the index anew with `gristmill index`"
        ) from error


def check_files(folder: Path, names: Iterable[str], sizes: dict[str, int]) -> None:
    """Raise if one of these files is missing or has not the size that it should have."""
    for name in names:
        try:
            found = (folder / name).stat().st_size
        except FileNotFoundError:
            raise damaged(folder, f"{name} is missing") from None
        if found != sizes.get(name):
            raise damaged(folder, f"{name} has {found} bytes, not {sizes.get(name)}")


def verify(folder: Path, digests: dict[str, str]) -> None:
    """Read all files of a folder and raise if one is not as it was written."""
    try:
        changed = [name for name, digest in digests.items() if digest_of(folder / name) != digest]
    except OSError as error:
        raise damaged(folder, str(error)) from error
    if changed:
        raise damaged(folder, f"{changed[0]} is not as it was written")


def digest_of(path: Path) -> str:
    """Hash what a file holds."""
    state = xxhash.xxh3_128()
    with path.open("rb") as file:
        while piece := file.read(_DIGEST_BLOCK_BYTES):
            state.update(piece)
    return state.hexdigest()


def damaged(folder: Path, fault: str) -> GristmillError:
    """Make the error for an index that is not as it was written."""
    return GristmillError(f"the index in {folder} is damaged ({fault}): make it again with `gristmill index`")
