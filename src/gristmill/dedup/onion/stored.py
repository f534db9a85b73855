"""What an earlier run has decided, read from `duplicates.parquet`: an index can be made of it without judging anew."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.storing import save_arrays
from gristmill.dedup.exact import Catalogue, read_catalogue
from gristmill.dedup.onion.plan import Outline, Plan
from gristmill.dedup.onion.verdicts import IS_DUPLICATE
from gristmill.dedup.result import NOBODY, UNIQUE, VERDICTS
from gristmill.errors import GristmillError
from gristmill.kept import replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")


def read_copies(plan: Plan) -> Catalogue:
    """All documents; which are exact copies of others is noted down, but not of which."""
    catalogue = read_catalogue(plan.shards)
    if not plan.copies.exists():
        first = np.arange(len(catalogue.kept))
        for shard, start, end in zip(plan.shards, catalogue.starts, catalogue.starts[1:], strict=False):
            copies = pc.not_equal(read_columns(shard.duplicates, ["copy_of"])["copy_of"], "").to_numpy()
            _check(shard, len(copies), end - start)
            first[start:end][copies] = NOBODY
        save_arrays(plan.copies, {"first": first})
    return catalogue


def read_states(plan: Plan) -> None:
    """Put down the state of all blocks that took part: which are kept.

    Memory: 20 bytes for each block of a shard, and one for each of the corpus.
    """
    states = [np.empty(0, np.uint8)]
    for number, shard in enumerate(plan.shards):
        outline = Outline.read(plan.outline(number))
        table = read_columns(shard.duplicates, ["copy_of", "blocks.list.element.verdict"])
        lists = table["blocks"].combine_chunks()
        verdicts = lists.values.field("verdict")
        document = np.repeat(np.arange(table.num_rows), np.diff(lists.offsets.to_numpy()))
        took_part = pc.not_equal(verdicts, "").to_numpy(zero_copy_only=False)
        took_part &= pc.equal(table["copy_of"], "").to_numpy()[document]
        replaced = replaced_flags(shard)
        if replaced is not None:
            took_part &= ~replaced[document]
        gone = pc.not_equal(verdicts, VERDICTS[UNIQUE]).to_numpy(zero_copy_only=False)[took_part]
        if plan.settings.whole_documents:
            dropped = np.zeros(table.num_rows, np.bool_)
            dropped[document[took_part][gone]] = True
            gone = dropped[outline.rows]
        _check(shard, len(gone), len(outline.tokens) - 1)
        states.append(np.where(gone, IS_DUPLICATE, np.uint8(0)))
    nothing: Ints = np.empty(0, np.int64)
    save_arrays(plan.final, {"states": np.concatenate(states), "stubs": nothing, "keepers": nothing})


def _check(shard: Shard, found: int, expected: int) -> None:
    if found != expected:
        corpus = shard.folder.parents[1]
        raise GristmillError(
            f"{shard.duplicates} does not fit the documents beside it: run `gristmill dedup {corpus}` first"
        )
