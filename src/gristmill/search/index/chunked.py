"""Chunks of an index (`<nc/>`, `<vc/>`, `<pc/>`): found by its tags when they are first asked for, then stored.

Structures of other kinds cover the tokens without gaps. So that chunks do, too, what is between two chunks counts as a
structure that is not chosen:

    tokens      the  mill  grinds  rye  and  barley
    nc          0    -     2       3    4    5    6       bounds 0 2 3 4 5 6
                chunk      -       chunk -   chunk        chosen yes no yes no yes

They depend on nothing but what the index has, so any index has them, whatever version wrote it. The file goes when the
index changes, and is made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import xxhash

from gristmill.annotation.chunks import KINDS, MARKS, RULES, Words, code, find_chunks, marks_of
from gristmill.arrays.dtypes import Array, Ids, Mask
from gristmill.arrays.ragged import chunks, concatenated_ranges
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.corpus.attributes import FEATS
from gristmill.corpus.links import check_links
from gristmill.errors import GristmillError, UsageError
from gristmill.search.index.attribute import Attribute, Positions, position_type

if TYPE_CHECKING:
    from gristmill.search.index.index import Index

NO_CHUNKS = (
    "no text of this corpus has tags for parts of speech, and chunks are found by them: "
    "annotate it with a tagger for its language (gristmill annotate --tagger)"
)
_BLOCK_TOKENS = 1 << 20
"""Tokens whose chunks are looked for together."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """The chunks of one kind, and what is between them."""

    bounds: Positions
    chosen: Mask
    """Which are chunks."""


def open_chunks(index: Index) -> dict[str, Chunks]:
    """Open the chunks of each kind, or find them; raises `UsageError` if there are none at all."""
    about = [RULES, index.card.get("corpus", {}), index.card.get("digests", {}), index.size]
    state = xxhash.xxh3_64_hexdigest(json.dumps(about, sort_keys=True, default=str).encode())
    path = index.folder / f"chunks-{state}.arrays"
    arrays = _stored(path)
    if arrays is None:
        arrays = _made(index)
        with suppress(GristmillError, OSError):  # whoever can't write there has them in memory
            check_links(index.folder)
            save_arrays(path, arrays)
            arrays = load_arrays(path)
    found = {kind: Chunks(arrays[f"{kind}.bounds"], arrays[f"{kind}.chosen"]) for kind in KINDS}
    if index.size and not any(one.chosen.any() for one in found.values()):
        raise UsageError(NO_CHUNKS)
    return found


def _stored(path: Path) -> dict[str, Array] | None:
    """Open what is stored; None if there is nothing, or nothing whole."""
    if path.is_file():
        with suppress(GristmillError, ValueError):
            return load_arrays(path)
    return None


def _made(index: Index) -> dict[str, Array]:
    """Find all chunks, language by language."""
    found: dict[str, list[npt.NDArray[Any]]] = {f"{kind}.{edge}": [] for kind in KINDS for edge in ("starts", "ends")}
    kind_of_number = position_type(index.size)
    for lang, tokens in _by_language(index):
        for kind, (starts, ends) in find_chunks(_words(index, tokens), lang).items():
            found[f"{kind}.starts"].append(tokens[starts].astype(kind_of_number))
            found[f"{kind}.ends"].append((tokens[ends - 1] + 1).astype(kind_of_number))
    arrays: dict[str, Array] = {}
    edges = np.array([0, index.size], kind_of_number)
    for kind in KINDS:
        starts, ends = (np.concatenate([edges[:0], *found.pop(f"{kind}.{edge}")]) for edge in ("starts", "ends"))
        bounds = np.unique(np.concatenate([edges, starts, ends]))
        chosen = np.zeros(len(bounds) - 1, np.bool_)
        chosen[np.searchsorted(bounds, starts)] = True
        arrays |= {f"{kind}.bounds": bounds, f"{kind}.chosen": chosen}
    return arrays


def _by_language(index: Index) -> Iterator[tuple[str, Ids]]:
    """The tokens of paragraphs in each language, some at a time; a paragraph is never divided."""
    paragraphs = index.structures["p"]
    langs = paragraphs.attributes.get("lang")
    starts: Ids = paragraphs.starts.astype(np.int64)
    lengths: Ids = paragraphs.ends.astype(np.int64) - starts
    ids = np.zeros(len(paragraphs), np.int64) if langs is None else np.asarray(langs.ids, np.int64)
    for number in np.unique(ids).tolist():
        own = np.flatnonzero(ids == number)
        for some in chunks(lengths[own], _BLOCK_TOKENS):
            yield (
                "" if langs is None else langs.lexicon[number],
                concatenated_ranges(starts[own[some]], lengths[own[some]]),
            )


def _words(index: Index, tokens: Ids) -> Words:
    """Look up what rules need to know of tokens."""
    tags, feats = index.attributes["tag"], index.attributes.get(FEATS)
    sentences = index.structures["s"]
    begins = sentences.starts[sentences.number_at(tokens)] == tokens
    if feats is None:
        marks = np.zeros((len(tokens), MARKS), np.bool_)
    else:
        marks = _table(feats, marks_of, np.bool_)[feats.ids[tokens]]
    return Words(_table(tags, code, np.uint8)[tags.ids[tokens]], begins, *marks.T)


def _table(attribute: Attribute, function: Any, dtype: Any) -> npt.NDArray[Any]:
    """What a function gives for each value of an attribute."""
    return np.array([function(value) for value in attribute.lexicon.array.to_pylist()], dtype)
