"""Whether an index is of the corpus as it is now."""

from __future__ import annotations

import json
from pathlib import Path

import xxhash

from gristmill.corpus import Corpus, Selection
from gristmill.errors import GristmillError
from gristmill.shards import DOCUMENTS, DUPLICATES, TOKENS

_MAGIC = b"PAR1"


def fingerprint(corpus: Corpus, selection: Selection) -> str:
    """A hash of all that an index depends on: the settings, and the files that de-duplication and annotation made.

    Of a file it takes the end, where sizes, ranges and counts of all columns are: a look at it costs nothing, and
    nothing can be written anew with another content that has the same.
    """
    state = xxhash.xxh3_128()
    state.update(json.dumps([corpus.manifest.settings, selection.to_table()], sort_keys=True, default=str).encode())
    for shard in corpus.shards:
        state.update(shard.name.encode())
        for name in (DOCUMENTS, DUPLICATES, TOKENS):
            state.update(_footer(shard / name))
    return state.hexdigest()


def _footer(path: Path) -> bytes:
    """What a Parquet file says of itself."""
    try:
        with path.open("rb") as file:
            end = file.seek(-8, 2)
            length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
            if magic != _MAGIC or length > end:
                raise GristmillError(
                    f"can't read {path}: it is not a whole Parquet file; delete it and run the command that made it again"
                )
            file.seek(end - length)
            return file.read(length)
    except FileNotFoundError:
        raise GristmillError(f"{path} is missing: annotate the corpus with `gristmill annotate`") from None
    except OSError as error:
        raise GristmillError(f"can't read {path}: {error.strerror or error}") from error
