"""Keys that tell whether an index is of the corpus as it is now: that of a shard changes when its segment would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xxhash

from gristmill.corpus import CorpusReader, Selection
from gristmill.errors import GristmillError
from gristmill.search.index.segment import FORMAT
from gristmill.shards import Shard
from gristmill.threads import in_threads

_MAGIC = b"PAR1"


def shard_key(corpus: CorpusReader, shard: Shard, selection: Selection) -> str:
    """Hash all that the index of a shard depends on: settings, selection, documents, duplicates and tokens.

    It also depends on which documents later versions replace. Of large files only the footer is read, with the sizes,
    ranges and counts of all columns: that costs nothing, and a file of other content has another one.
    """
    state = xxhash.xxh3_128()
    settings = [FORMAT, corpus.manifest.settings, selection.to_table(), shard.name]
    state.update(json.dumps(settings, sort_keys=True, default=str).encode())
    for file in (shard.documents, shard.duplicates, shard.tokens):
        state.update(_footer(file))
    replaced = corpus.replaced(shard)
    if replaced:
        state.update(json.dumps(sorted(replaced)).encode())
    return state.hexdigest()


def shard_keys(corpus: CorpusReader, selection: Selection, *, annotated: bool = True) -> dict[str, str]:
    """Compute the keys of all shards, by name, in the order of the corpus.

    Raises if one is not annotated; or, if not all need be `annotated`, the key of such a one is empty.
    """

    def key_of(shard: Shard) -> str:
        return shard_key(corpus, shard, selection) if annotated or shard.tokens.exists() else ""

    shards = corpus.shards
    keys = in_threads(key_of, shards)
    return {shard.name: key for shard, key in zip(shards, keys, strict=True)}


def fingerprint(keys: Mapping[str, str]) -> str:
    """Hash the names and keys of shards, in their order, into one."""
    return xxhash.xxh3_128_hexdigest(json.dumps(list(keys.items())).encode())


def _footer(path: Path) -> bytes:
    """Read the footer of a Parquet file, whose length and magic bytes are the last eight bytes of the file."""
    try:
        with path.open("rb") as file:
            end = file.seek(-8, 2)
            length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
            if magic != _MAGIC or length > end:
                raise GristmillError(
                    f"can't read {path}: it is not a whole Parquet file; "
                    "delete it and run the command that made it again"
                )
            file.seek(end - length)
            return file.read(length)
    except FileNotFoundError:
        raise GristmillError(f"{path} is missing: annotate the corpus with `gristmill annotate`") from None
    except OSError as error:
        raise GristmillError(f"can't read {path}: {error.strerror or error}") from error
