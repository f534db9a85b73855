"""The scratch space of a machine: where files go that no other machine needs, such as what is put aside for a while.

Without one these are beside what they are for, on the file system that all machines share, or where the system has its
temporary files. Each machine may have its own, by the environment variable; `--scratch` names the same on all of them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from gristmill.arguments import check_local
from gristmill.errors import UsageError

SCRATCH = "GRISTMILL_SCRATCH"
"""The environment variable that names the folder on this machine."""
_chosen = ""


def choose(folder: str | os.PathLike[str]) -> None:
    """Use a folder for what need not be shared, in this process and those that work for it; empty for none."""
    global _chosen  # noqa: PLW0603 (it is of the process)
    check_local(os.fspath(folder), "the scratch space")
    _chosen = os.path.abspath(folder) if folder else ""  # noqa: PTH100 (links are not followed)


def chosen() -> str:
    """Return the folder that was chosen for all machines; empty if none was."""
    return _chosen


def scratch_folder(beside: Path | None = None) -> Path | None:
    """Return the folder for files that need not be shared, which is made if need be.

    Without one it is the folder that they would be in otherwise: `beside` what they are for, or None for that of the
    system.
    """
    named = _chosen or os.environ.get(SCRATCH, "")
    if not named:
        return beside
    folder = Path(named)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"can't use {named} as scratch space: {error.strerror or error}; name another one") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"can't use {named} as scratch space: nothing can be written there; name another one")
    return folder


@contextmanager
def put_aside(max_bytes_in_memory: int) -> Iterator[BinaryIO]:
    """Open a file for what is read again soon: in memory, or in the scratch space if it gets larger than that."""
    folder = scratch_folder()
    with tempfile.SpooledTemporaryFile(max_bytes_in_memory, dir=str(folder) if folder else None) as file:
        yield cast("BinaryIO", file)
