"""Files whose rows are divided into buckets, which are read one at a time.

The pages of a site are in many shards, and those of a shard are of many sites. So a round of tasks, one for each
shard, puts rows into buckets by site, and a round of tasks, one for each bucket, reads the rows of its bucket from the
files of all shards. A bucket is a stretch of row groups of a Parquet file, so there are no more files than shards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import xxhash

from gristmill.shards import ShardWriter, facts, open_parquet

_GROUPS = "groups"
"""The name, in the facts of a file, of the row groups of each bucket: the first, and the one after the last."""


def bucket_of(site: str, buckets: int) -> int:
    """Return the number of the bucket that a site is in."""
    return xxhash.xxh3_64_intdigest(site.encode("utf-8", "surrogatepass")) % buckets


def write_buckets(path: Path, schema: pa.Schema, tables: Mapping[int, pa.Table]) -> None:
    """Write the rows of each bucket, given by its number; buckets without rows may be left out."""
    groups: dict[str, tuple[int, int]] = {}
    with ShardWriter(path, schema) as writer:
        written = 0
        for bucket, table in sorted(tables.items()):
            if table.num_rows:
                writer.write(table)
                last = written + -(-table.num_rows // _MAX_GROUP_ROWS)
                groups[str(bucket)] = (written, last)
                written = last
        writer.finish({_GROUPS: groups})


_MAX_GROUP_ROWS = 1 << 20
"""Rows of a row group that Arrow writes at most, unless it is told otherwise."""


def read_bucket(paths: Iterable[Path], bucket: int, schema: pa.Schema) -> pa.Table:
    """Read the rows of a bucket from files that `write_buckets` wrote, in the order of the files."""
    found = [schema.empty_table()]
    for path in paths:
        groups = facts(path)[_GROUPS].get(str(bucket))
        if groups:
            with open_parquet(path) as file:
                found.append(file.read_row_groups(list(range(*groups))))
    return pa.concat_tables(found)
