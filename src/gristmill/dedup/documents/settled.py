"""Which documents of settled shards are copies: what is like such a document is a copy of the same."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Array, Ints
from gristmill.arrays.storing import load_arrays
from gristmill.shards import Shard, read_columns


def read_heads(shard: Shard, rows: Ints) -> dict[str, Array]:
    """Read for some documents of a settled shard which document each is a copy of, by numbers of shard and row.

    Only those that are copies are listed, by their places among the documents.
    """
    copies = read_columns(shard.duplicates, ["copy_of"])["copy_of"].take(rows).to_pylist()
    found = [(place, *map(int, original.split("-"))) for place, original in enumerate(copies) if original]
    places, shards, numbers = np.array(found, np.int64).reshape(-1, 3).T
    return {"copies": places, "head_shards": shards, "head_rows": numbers}


def head_rows(arrays: Mapping[str, Array], rows: Ints, settled: Path) -> Ints:
    """The rows in the corpus of what documents are copies of, given their own rows; of what is no copy, its own.

    `settled` is a file with the numbers of settled shards, and the rows at which they begin.
    """
    if "copies" not in arrays:
        return rows
    known = load_arrays(settled)
    starts = known["starts"][np.searchsorted(known["numbers"], arrays["head_shards"])]
    heads = rows.copy()
    heads[arrays["copies"]] = starts + arrays["head_rows"]
    return heads
