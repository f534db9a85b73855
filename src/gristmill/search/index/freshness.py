"""Whether an index is of the corpus as it is now: a key for each shard, which changes when its part of the index would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import xxhash

from gristmill.corpus import CorpusReader, Selection
from gristmill.errors import GristmillError
from gristmill.search.index.segment import FORMAT
from gristmill.shards import DOCUMENTS, DUPLICATES, TOKENS

_MAGIC = b"PAR1"


def shard_key(corpus: CorpusReader, shard: Path, selection: Selection) -> str:
    """A hash of all that the index of a shard depends on: the settings, and the files that de-duplication and annotation made.

    Of a file it takes the end, where sizes, ranges and counts of all columns are: a look at it costs nothing, and
    nothing can be written anew with another content that has the same.
    """
    state = xxhash.xxh3_128()
    settings = [FORMAT, corpus.manifest.settings, selection.to_table(), shard.name]
    state.update(json.dumps(settings, sort_keys=True, default=str).encode())
    for name in (DOCUMENTS, DUPLICATES, TOKENS):
        state.update(_footer(shard / name))
    return state.hexdigest()


def shard_keys(corpus: CorpusReader, selection: Selection) -> dict[str, str]:
    """The names of all shards, in the order of the corpus, and their keys."""
    return {shard.name: shard_key(corpus, shard, selection) for shard in corpus.shards}


def fingerprint(keys: Mapping[str, str]) -> str:
    """One hash of the names and keys of shards in their order."""
    return xxhash.xxh3_128_hexdigest(json.dumps(list(keys.items())).encode())


def _footer(path: Path) -> bytes:
    """What a Parquet file says of itself."""
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
