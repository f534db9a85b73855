"""Write a segment: columns of values become lexicons, ids and inverted lists, and the card comes last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tomli_w

from gristmill.arrays.dtypes import Array, Ids
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import save_arrays
from gristmill.corpus.attributes import DEPREL, FEATS
from gristmill.drafts import SUFFIX
from gristmill.errors import GristmillError
from gristmill.search.index.attribute import id_type
from gristmill.search.index.heads import HEADS, offset_type
from gristmill.search.index.lexicon import buffers_of
from gristmill.search.index.segment import CARD, FORMAT, GLUE, attribute_file, digest_of, files_of, structure_file
from gristmill.shards import write_atomically
from gristmill.version import __version__

MAX_TOKENS = 2**32 - 1
"""Positions in a segment have 32 bits."""


@dataclass(frozen=True, slots=True)
class Coded:
    """Values as numbers: the lexicon, sorted and without values that don't occur, and the id of each value.

    The values `to be or to` have the lexicon `be or to` and the ids 2 0 1 2.
    """

    lexicon: pa.Array
    ids: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class StructureColumns:
    """The structures of one kind: where each begins, and at the end the number of tokens; and their attributes."""

    bounds: Ids
    attributes: Mapping[str, Coded] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Columns:
    """What a segment is written from: attributes of tokens, glue to the token before, and structures over them."""

    attributes: Mapping[str, Coded]
    glued: npt.NDArray[np.bool_]
    structures: Mapping[str, StructureColumns]
    heads: npt.NDArray[Any] | None = None
    """How many tokens further on the head of each stands; it counts only if tokens have relations."""


def code(values: pa.Array | pa.ChunkedArray) -> Coded:
    """Turn values into numbers; they may be in a dictionary already, in any order and with values that don't occur."""
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries().combine_chunks() if values.num_chunks else pa.array([], values.type)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    return recode(values.dictionary, values.indices.to_numpy(zero_copy_only=False))


def with_values(attributes: Mapping[str, Coded]) -> dict[str, Coded]:
    """Leave out features and relations if no token has any: in a segment without them they are empty."""
    return {
        name: coded
        for name, coded in attributes.items()
        if name not in {FEATS, DEPREL} or coded.lexicon.to_pylist() not in ([], [""])
    }


def recode(dictionary: pa.Array, indices: npt.NDArray[Any]) -> Coded:
    """Turn numbers in any list of distinct values into ids of a lexicon, which is sorted and has no unused values.

    The dictionary `to be not or` with the indices 0 1 3 0: `used` are 0 1 3, sorted `be or to`; `places` are 2 0 - 1,
    so the ids are 2 0 1 2.
    """
    used = np.flatnonzero(np.bincount(indices, minlength=len(dictionary)))
    values = dictionary.take(pa.array(used)).cast(pa.large_string())
    order = pc.array_sort_indices(values)
    places = np.zeros(len(dictionary), id_type(len(used)))
    places[used[order.to_numpy()]] = np.arange(len(used))
    return Coded(values.take(order), places[indices])


def write_index(
    folder: Path, columns: Columns, about: Mapping[str, Any] | None = None, *, durable: bool = False
) -> None:
    """Write a segment into a folder; `about` is added to its card."""
    tokens = len(columns.glued)
    check_size(tokens)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CARD).unlink(missing_ok=True)
    for left in folder.glob(f"*.arrays.*{SUFFIX}"):  # of one that was killed
        left.unlink(missing_ok=True)
    for name, coded in columns.attributes.items():
        save_arrays(folder / attribute_file(name), attribute_arrays(coded), durable=durable)
    for name, structures in columns.structures.items():
        save_arrays(folder / structure_file(name), _structure_arrays(structures), durable=durable)
    save_arrays(folder / GLUE, {"bits": np.packbits(columns.glued, bitorder="little")}, durable=durable)
    if DEPREL in columns.attributes:
        heads = np.zeros(tokens, np.int16) if columns.heads is None else columns.heads
        save_arrays(folder / HEADS, {"offsets": heads.astype(offset_type(heads))}, durable=durable)
    write_card(
        folder,
        tokens,
        {name: len(coded.lexicon) for name, coded in columns.attributes.items()},
        {name: list(structures.attributes) for name, structures in columns.structures.items()},
        about or {},
    )


def check_size(tokens: int) -> None:
    """Raise if there are more tokens than a segment can number."""
    if tokens > MAX_TOKENS:
        raise GristmillError(f"a segment of an index holds at most {MAX_TOKENS:,} tokens, but these are {tokens:,}")


def attribute_arrays(coded: Coded) -> dict[str, Array]:
    """Make the arrays that are stored of an attribute of tokens: lexicon, ids, and inverted lists.

    With the ids 1 0 1, `first` is 0 1 3 and `positions` 1 0 2: the value 0 stands at 1, the value 1 at 0 and 2.
    """
    counts = np.bincount(coded.ids, minlength=len(coded.lexicon))
    return {
        **buffers_of(coded.lexicon),
        "ids": coded.ids,
        "first": starts_of(counts),
        "positions": invert(coded.ids),
    }


def invert(ids: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Order the positions of all tokens by id, and those of an id ascending.

    The ids 1 0 1 give 1 0 2. A key has the id in its upper 32 bits and the position in the lower ones, so that sorted
    keys are in that order: 0|1, 1|0, 1|2.
    """
    if ids.dtype.itemsize <= 2:
        return np.argsort(ids, kind="stable").astype(np.uint32)  # a radix sort
    keys = ids.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(len(ids), dtype=np.uint64)
    keys.sort()  # with the processor's vector instructions, many times faster than an indirect sort
    return keys.astype(np.uint32)


def _structure_arrays(structures: StructureColumns) -> dict[str, Array]:
    """Make the arrays that are stored of a kind of structure: its bounds, and lexicon and ids of each attribute."""
    arrays: dict[str, Array] = {"bounds": structures.bounds.astype(np.uint32)}
    for name, coded in structures.attributes.items():
        arrays |= {f"{name}.{key}": array for key, array in {**buffers_of(coded.lexicon), "ids": coded.ids}.items()}
    return arrays


def write_card(
    folder: Path,
    tokens: int,
    attributes: Mapping[str, int],
    structures: Mapping[str, list[str]],
    about: Mapping[str, Any],
    digests: Mapping[str, str] | None = None,
) -> None:
    """Write the card that makes a segment of the files in a folder; `digests` are those of `write_files_card`."""
    names = files_of(attributes, structures)
    kinds = {"attributes": dict(attributes), "structures": dict(structures)}
    write_files_card(folder, names, tokens, {**kinds, **about}, digests)


def write_files_card(
    folder: Path,
    names: Sequence[str],
    tokens: int,
    about: Mapping[str, Any],
    digests: Mapping[str, str] | None = None,
) -> None:
    """Write the card of a folder of files: of how many tokens they are, how large each must be, and what it holds.

    The files are read for it, unless whoever wrote them knows their digests.
    """
    files = {name: (folder / name).stat().st_size for name in names}
    size = sum(files.values())
    card = {
        "index": {
            "format": FORMAT,
            "gristmill": __version__,
            "tokens": tokens,
            "bytes": size,
            "bytes_per_token": round(size / tokens, 2) if tokens else 0.0,
        },
        **about,
        "digests": {name: digests[name] if digests else digest_of(folder / name) for name in names},
        "files": files,  # the last, and all of them needed: a card that is cut off is none
    }
    write_atomically(folder / CARD, tomli_w.dumps(card).encode())
