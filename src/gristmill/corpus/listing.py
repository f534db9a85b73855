"""Which files a shard is made of: `sources.parquet`, with a row for each file and a hash of what it holds.

The task that builds a shard writes that list. As long as a build is not done, the lists of all its shards are known,
too: those of a few shards are written at once, those of many are in one file in the folder of the corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from gristmill.archive.source import Source
from gristmill.shards import Shard, ShardWriter, read_rows

_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field(name, pa.int64() if name in {"size", "start"} else pa.string(), nullable=False)
        for name in ("name", "kind", "size", "signature", "start")
    ]
)


_PLAN = "sources.parquet"
"""The file in the folder of a corpus with the lists of all shards that are to be built."""
_PLAN_SCHEMA: pa.Schema = pa.schema([pa.field("shard", pa.string(), nullable=False), *_SCHEMA])
_FEW_SHARDS = 256


def write_plan(folder: Path, shards: Mapping[str, Sequence[Source]]) -> None:
    """Note down the files of all shards, given by name, that are to be built."""
    if len(shards) <= _FEW_SHARDS:
        for name, sources in shards.items():
            with suppress(OSError):  # where that can't be written, the shard can't either; its task says so
                write_listing(Shard.of(folder, name), sources)
        return
    listed = [(name, source) for name, sources in shards.items() for source in sources]
    names = pa.array([name for name, _ in listed], pa.string())
    columns = [pa.array([getattr(source, item.name) for _, source in listed], item.type) for item in _SCHEMA]
    with ShardWriter(folder / _PLAN, _PLAN_SCHEMA) as writer:
        writer.write(pa.RecordBatch.from_arrays([names, *columns], schema=_PLAN_SCHEMA))
        writer.finish({})


def read_plan(folder: Path) -> dict[str, list[Source]]:
    """Read the files of the shards that are to be built, by name; nothing if they are noted down with the shards."""
    found: dict[str, list[Source]] = {}
    if (folder / _PLAN).exists():
        for row in read_rows(folder / _PLAN):
            found.setdefault(row.pop("shard"), []).append(Source("", **row))
    return found


def remove_plan(folder: Path) -> None:
    """Forget what was to be built, when it is built: each shard has its own list."""
    (folder / _PLAN).unlink(missing_ok=True)


def write_listing(shard: Shard, sources: Sequence[Source]) -> None:
    """Note down the files of a shard, if that is not done yet."""
    if shard.sources.exists():
        return
    columns = [pa.array([getattr(source, item.name) for source in sources], item.type) for item in _SCHEMA]
    with ShardWriter(shard.sources, _SCHEMA) as writer:
        writer.write(pa.RecordBatch.from_arrays(columns, schema=_SCHEMA))
        writer.finish({})


def has_listing(shard: Shard) -> bool:
    """Tell whether the files of a shard are noted down: a kill may have come before."""
    return shard.sources.exists()


def read_listing(shard: Shard) -> list[Source]:
    """Read which files a shard is made of, without their paths."""
    return [Source("", **row) for row in read_rows(shard.sources)]
