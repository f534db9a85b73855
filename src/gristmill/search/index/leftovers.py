"""Files in the folder of an index that its card does not name: left by a command that was killed, or replaced.

On Windows a folder whose files are open somewhere can't be removed; it is left for a later command.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from gristmill.search.index.segment import CARD
from gristmill.search.index.state import FOLDER, JOINED, PARTS, SEGMENTS, State

_DERIVED = "*-*.arrays"
"""Files in the index that searches have made of it."""


def leftovers(corpus: Path, state: State, *, derived: bool = True) -> list[Path]:
    """Find files and folders that an index in this state does not need.

    What searches derive of an index and store beside it, such as chunks, is `derived`: it goes when the index changes.
    """
    index = corpus / FOLDER
    needed = {index / CARD, *state.folders(index)}
    found = entries(index)
    for name in (SEGMENTS, JOINED, PARTS):
        found += entries(index / name)
    needed |= {path.parent for path in needed}
    if not derived:
        needed |= set(index.glob(_DERIVED))
    return [path for path in found if path not in needed]


def remove(paths: list[Path]) -> None:
    """Remove files and folders, as far as the system lets one."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def entries(folder: Path) -> list[Path]:
    """List what is in a folder, if there is one."""
    return sorted(folder.iterdir()) if folder.is_dir() else []
