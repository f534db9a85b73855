"""Files that are made of the index of a corpus when they are first asked for, such as word sketches, and then kept.

A file is named by what it was made of: its kind, the state of the index, and a hash of all settings. So whatever
changes, another file is looked for. Those of other states of the index, and the oldest if there are many, are removed
when a new one is written. Two processes that make the same one write the same bytes, and the file appears under its
name when it is whole.
"""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import xxhash

from gristmill.arrays.dtypes import Array
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.corpus.links import check_links
from gristmill.drafts import SUFFIX
from gristmill.errors import GristmillError
from gristmill.search.index.index import Index

_SUFFIX = ".arrays"
_MAX_FILES = 16
_LEFTOVER_SECONDS = 3600
"""Age of a temporary file from which on nobody is writing it any more."""
_MAX_IN_MEMORY = 2
"""Results that are kept in memory where no file can be written."""

_in_memory: OrderedDict[Path, dict[str, Array]] = OrderedDict()


def made_path(folder: Path, index: Index, kind: str, settings: list[Any]) -> Path:
    """Name the file for what is made of an index with some settings; its name begins with `kind`."""
    state = _hash([index.card.get("corpus", {}), index.card.get("digests", {}), index.size])
    key = _hash([settings[0], state, *settings[1:]])
    return folder / f"{re.sub('[^a-z0-9]', '', kind.lower())[:12]}-{state}-{key}{_SUFFIX}"


def _hash(value: Any) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(value, sort_keys=True, default=str).encode())


def load_made(path: Path) -> dict[str, Array] | None:
    """Open what is there; None if there is nothing, or nothing whole."""
    if path in _in_memory:
        _in_memory.move_to_end(path)
        return _in_memory[path]
    if path.is_file():
        with suppress(GristmillError):
            return load_arrays(path)
    return None


def keep_made(path: Path, arrays: dict[str, Array]) -> dict[str, Array]:
    """Store arrays, and open them as stored; where that can't be, keep them in memory for a while."""
    try:
        check_links(path.parents[1])
        save_arrays(path, arrays)
        _tidy(path)
        return load_arrays(path)
    except (GristmillError, OSError):
        _in_memory[path] = arrays
        while len(_in_memory) > _MAX_IN_MEMORY:
            _in_memory.popitem(last=False)
        return arrays


def _tidy(path: Path) -> None:
    """Remove the files of other states of the index, and the oldest if there are many."""
    state = path.name.split("-")[1]
    files = [file for file in path.parent.iterdir() if file.name.endswith(_SUFFIX) and file != path]
    with suppress(OSError):  # another process removes the same, or reads it
        current = sorted((file for file in files if f"-{state}-" in file.name), key=lambda file: file.stat().st_mtime)
        for file in [*(file for file in files if f"-{state}-" not in file.name), *current[: -_MAX_FILES + 1]]:
            file.unlink(missing_ok=True)
        for file in path.parent.iterdir():  # a process that was killed left it
            if file.name.endswith(SUFFIX) and file.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                file.unlink(missing_ok=True)
