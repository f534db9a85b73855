"""Repeated sentence pairs: how many equal ones came before each, in the whole parallel corpus.

Two pairs are equal if both sides are, but for case and spaces. A task for each shard writes the hashes of its pairs
(`write_hashes`); then one counts over all shards, in their order, and writes a file for each (`write_repeats`).
Memory is bounded: if there are many hashes, those that begin alike are counted together, one part after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import xxhash

from gristmill.arrays.dtypes import Array, Flags, Hashes, Ints
from gristmill.arrays.ragged import is_new
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.parallel.judging import as_strings

MAX_HASHES_AT_ONCE = 1 << 24
"""Hashes that are counted together: some 0.6 GB."""
_BETWEEN = "\x1f"
"""Stands between the two sides."""


def pair_hashes(source: pa.Array | Sequence[str], target: pa.Array | Sequence[str]) -> Hashes:
    """Hash sentence pairs without regard to case and spaces: equal pairs have equal hashes."""
    ours, theirs = as_strings(source).to_pylist(), as_strings(target).to_pylist()
    digest = xxhash.xxh3_64_intdigest
    hashes = (
        digest(f"{' '.join(one.lower().split())}{_BETWEEN}{' '.join(other.lower().split())}".encode())
        for one, other in zip(ours, theirs, strict=True)
    )
    return np.fromiter(hashes, np.uint64, len(ours))


def earlier(hashes: Hashes) -> Ints:
    """Count for each hash how often it came before: `[5, 7, 5, 5]` gives `[0, 0, 1, 2]`."""
    order = np.argsort(hashes, kind="stable")
    begins = np.flatnonzero(is_new(hashes[order]))
    sizes = np.diff(np.append(begins, len(hashes)))
    counts = np.empty(len(hashes), np.int64)
    counts[order] = np.arange(len(hashes)) - np.repeat(begins, sizes)
    return counts


def write_hashes(path: Path, source: pa.Array | Sequence[str], target: pa.Array | Sequence[str]) -> None:
    """Write the hashes of the sentence pairs of a shard."""
    save_arrays(path, {"hashes": pair_hashes(source, target)})


def write_repeats(hashes: Sequence[Path], results: Sequence[Path], max_at_once: int = MAX_HASHES_AT_ONCE) -> None:
    """Read the hashes of all shards, and write for each shard how many equal pairs came before, as the array `repeats`.

    Files in `hashes` and `results` are of the same shards, in the order of the corpus.
    """
    stored = [load_arrays(path)["hashes"] for path in hashes]
    total = sum(map(len, stored))
    bits = max(total // max_at_once, 0).bit_length()
    if not bits:
        counts = earlier(np.concatenate([np.zeros(0, np.uint64), *stored]))
        _write(results, np.split(counts, np.cumsum([len(part) for part in stored])[:-1]) if stored else [])
        return
    found: list[Array] = [np.zeros(len(part), np.int32) for part in stored]
    for number in range(1 << bits):
        masks: list[Flags] = [part >> np.uint64(64 - bits) == number for part in stored]
        counts = earlier(np.concatenate([part[mask] for part, mask in zip(stored, masks, strict=True)]))
        edges = np.cumsum([np.count_nonzero(mask) for mask in masks])[:-1]
        for own, mask, part in zip(found, masks, np.split(counts, edges), strict=True):
            own[mask] = part
    _write(results, found)


def read_repeats(path: Path) -> Array:
    """Read how many equal pairs came before each of a shard."""
    return load_arrays(path)["repeats"]


def _write(results: Sequence[Path], found: Sequence[Array]) -> None:
    for path, counts in zip(results, found, strict=True):
        save_arrays(path, {"repeats": counts.astype(np.int32)})
