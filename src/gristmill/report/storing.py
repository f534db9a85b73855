"""The figures of a shard on disk, beside its documents, so that a report of many shards need not count them again.

A file knows of which documents and duplicates it was counted. One that was counted of others, or that is damaged, is as
if it were not there.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Array
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.errors import GristmillError
from gristmill.report.figures import BUILT, DIMENSIONS, MEASURES, Figures, Group, Links
from gristmill.report.outcomes import ROLE_NAMES
from gristmill.shards import Shard

NAME = "figures.arrays"
"""The file of figures in the folder of a shard."""
_FORMAT = 1
_TAIL_BYTES = 1 << 16
_SPARSE = ("blocks", "words")
_TYPES: dict[str, type[np.generic]] = {
    **dict.fromkeys(("fingerprint", "texts"), np.uint8),
    **dict.fromkeys(("all_pages", "passed_pages"), np.uint16),
    **dict.fromkeys(("places", "hosts"), np.int32),
}
"""The types of arrays in a file; all others have whole numbers of 64 bits."""


def fingerprint(shard: Shard, replaced: Collection[int]) -> bytes:
    """Hash what figures depend on: the ends of the files, where Parquet says what is in them, and what is replaced."""
    made = xxhash.xxh3_128(f"{_FORMAT} {sorted(replaced)}".encode())
    for path in (shard.documents, shard.duplicates):
        made.update(_end_of(path))
    return made.digest()


def _end_of(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            return size.to_bytes(8, "little") + file.read()
    except OSError as error:
        raise GristmillError(f"can't read {path}: {error.strerror or error}") from error


def is_stored(shard: Shard, made_of: bytes) -> bool:
    """Tell whether the figures of a shard are there, counted of what it holds now."""
    return _read(shard, made_of) is not None


def save_figures(shard: Shard, figures: Figures, made_of: bytes) -> None:
    """Store the figures of a shard."""
    links = figures.links or _no_links()
    texts = {
        "outcomes": list(figures.outcomes.numbers),
        "shards": links.shards,
        **{name: list(group.numbers) for name, group in figures.groups.items()},
    }
    arrays: dict[str, Array] = {"fingerprint": np.frombuffer(made_of, np.uint8)}
    places = np.flatnonzero(figures.blocks)
    arrays["places"] = places.astype(np.int32)
    for name in _SPARSE:
        arrays[name] = getattr(figures, name).ravel()[places]
    arrays["all_pages"], arrays["passed_pages"] = figures.page_bins
    arrays["outcomes"] = figures.outcomes.trimmed()
    arrays |= {f"by_{name}": group.trimmed() for name, group in figures.groups.items()}
    arrays["pages"], arrays["hosts"] = figures.pages, figures.hosts.astype(np.int32)
    arrays["links"] = np.stack([links.hosts, links.shard, links.row, links.block, links.blocks, links.words])
    arrays["texts"] = np.frombuffer(json.dumps(texts).encode(), np.uint8)
    save_arrays(shard.folder / NAME, arrays)


def _no_links() -> Links:
    return Links(np.zeros(0, np.int64), [], *(np.zeros(0, np.int64) for _ in range(5)))


def load_figures(shard: Shard, made_of: bytes) -> Figures | None:
    """Read the figures of a shard; None if they are not there, of something else, or damaged."""
    arrays = _read(shard, made_of)
    if arrays is None:
        return None
    try:
        texts = json.loads(arrays["texts"].tobytes())
        figures = _figures(arrays, texts)
        _check(figures)
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return None
    return figures


def _read(shard: Shard, made_of: bytes) -> dict[str, Array] | None:
    path = shard.folder / NAME
    if not path.is_file():
        return None
    try:
        arrays = load_arrays(path)
    except GristmillError:
        return None
    if "fingerprint" not in arrays or arrays["fingerprint"].tobytes() != made_of:
        return None
    return arrays if all(array.dtype == _TYPES.get(name, np.int64) for name, array in arrays.items()) else None


def _figures(arrays: dict[str, Array], texts: dict[str, Any]) -> Figures:
    figures = Figures()
    for name in _SPARSE:
        getattr(figures, name).ravel()[arrays["places"]] = arrays[name]
    figures.page_bins = arrays["all_pages"], arrays["passed_pages"]
    figures.outcomes = _group(texts["outcomes"], arrays["outcomes"])
    figures.groups = {name: _group(texts[name], arrays[f"by_{name}"]) for name in DIMENSIONS}
    figures.pages, figures.hosts = arrays["pages"], arrays["hosts"]
    host, shard, *others = arrays["links"]
    figures.links = Links(host, [str(name) for name in texts["shards"]], shard, *others)
    return figures


def _group(names: list[Any], table: Array) -> Group:
    return Group({str(name): place for place, name in enumerate(names)}, table)


def _check(figures: Figures) -> None:
    """Raise `ValueError` if numbers do not fit together, as in a file that somebody has made up."""
    links = figures.links or _no_links()
    tables = [(figures.outcomes, 2 * len(ROLE_NAMES)), *((group, len(MEASURES)) for group in figures.groups.values())]
    whole = (
        all(group.table.shape == (len(group.numbers), width) for group, width in tables)
        and all(bins.ndim == 2 and bins.shape[1] == BUILT + 1 for bins in figures.page_bins)
        and figures.pages.shape == (2,)
        and figures.hosts.ndim == links.hosts.ndim == 1
        and _within(figures.hosts, len(figures.groups["host"].numbers))
        and _within(links.hosts, len(figures.groups["host"].numbers))
        and _within(links.shard, len(links.shards))
    )
    if not whole:
        raise ValueError("the figures do not fit together")


def _within(numbers: Array, limit: int) -> bool:
    return not len(numbers) or (int(numbers.min()) >= 0 and int(numbers.max()) < limit)
