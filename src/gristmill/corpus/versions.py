"""Versions of one item, such as an article that was corrected: which document is shown, and which ones it replaces.

Documents with the same attribute `item` are versions of it. The one with the highest `version` is shown, of those that
the filters keep; of several, the first. What it replaces is noted down in `replaced.parquet` beside the documents. That
list only grows: what is replaced once has lost for good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from gristmill.document import document_id
from gristmill.kept import replaced_by
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, ShardWriter, facts, read_columns

pc = LazyModule("pyarrow.compute")

ITEM, VERSION = "item", "version"
"""The attributes that say which item a document is of, and which version of it."""
_NUMBER = r"^[0-9]{1,9}$"
_SCHEMA: pa.Schema = pa.schema(
    [pa.field("row", pa.int32(), nullable=False), pa.field("by", pa.string(), nullable=False)]
)

Replaced = dict[Shard, dict[int, str]]
"""For each shard the rows of documents that are replaced, and the ids of those that replace them."""


def has_items(shard: Shard) -> bool:
    """Tell whether a document of a shard is a version of an item, by what its file says of itself."""
    return bool(facts(shard.documents)["counts"].get(f"attributes.{ITEM}", 0))


def find_replaced(settled: Sequence[Shard], new: Sequence[Shard]) -> Replaced:
    """Find all documents of new shards that are replaced, and those of settled shards that new ones replace."""
    tables = [_versions(number, shard) for number, shard in enumerate(new, len(settled)) if has_items(shard)]
    if not tables:
        return {}
    items = pa.concat_tables(tables)[ITEM].unique()
    for number, shard in enumerate(settled):
        if has_items(shard):
            table = _versions(number, shard)
            known = pc.is_in(table["row"], pa.array(replaced_by(shard), pa.int64()))
            tables.append(table.filter(pc.and_(pc.is_in(table[ITEM], items), pc.invert(known))))
    shards = [*settled, *new]
    found: Replaced = {}
    for place, row, by, by_row in _losers(pa.concat_tables(tables)):
        found.setdefault(shards[place], {})[row] = document_id(shards[by].name, by_row)
    return found


def write_replaced(shard: Shard, rows: Mapping[int, str]) -> None:
    """Put the list of the replaced documents of a shard in place."""
    columns = [pa.array(sorted(rows), pa.int32()), pa.array([rows[row] for row in sorted(rows)], pa.string())]
    with ShardWriter(shard.replaced, _SCHEMA) as writer:
        writer.write(pa.RecordBatch.from_arrays(columns, schema=_SCHEMA))
        writer.finish({})


def _versions(number: int, shard: Shard) -> pa.Table:
    """Read the documents of a shard that are versions of items; `number` is that of the shard in the corpus."""
    table = read_columns(shard.documents, ["dropped", "attributes"])
    items, versions = (pc.map_lookup(table["attributes"], name, "first") for name in (ITEM, VERSION))
    is_number = pc.fill_null(pc.match_substring_regex(versions, _NUMBER), False)
    made = pa.table(
        {
            ITEM: items,
            VERSION: pc.cast(pc.if_else(is_number, versions, "1"), pa.int64()),
            "kept": pc.cast(pc.equal(table["dropped"], ""), pa.int8()),
            "shard": pa.array(np.full(table.num_rows, number)),
            "row": pa.array(np.arange(table.num_rows)),
        }
    )
    return made.filter(pc.is_valid(items))


def _losers(table: pa.Table) -> list[tuple[int, int, int, int]]:
    """List the documents that are not shown, each by shard and row, with shard and row of the one that is.

    They are sorted by item, and within it so that the one that is shown comes last:

        items    0 0 0 1        version 1, 2 and 3 of an item, and version 1 of another
        is_last  . . x x
        shown    2 2 2 3        for each the next one that is last
    """
    items = table[ITEM].combine_chunks().dictionary_encode().indices.to_numpy()
    shards, rows, versions, kept = (table[name].to_numpy() for name in ("shard", "row", VERSION, "kept"))
    order = np.lexsort((-rows, -shards, versions, kept, items))
    is_last = np.append(items[order][1:] != items[order][:-1], True)
    last = np.flatnonzero(is_last)
    shown = order[last[np.cumsum(is_last) - is_last]]
    lost = ~is_last
    columns = (shards[order][lost], rows[order][lost], shards[shown][lost], rows[shown][lost])
    return list(zip(*(column.tolist() for column in columns), strict=True))
