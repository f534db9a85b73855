"""A folder that appears under its name when it is filled: for exports that are a folder of files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gristmill import locks
from gristmill.drafts import SUFFIX, move
from gristmill.errors import GristmillError


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Open a folder to fill, which takes the place of `target` on a clean exit and is removed on any other.

    A locked file beside it keeps others out, and tells whether a folder that is left is still being filled.
    """
    draft, old, lock = _names(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = locks.claim(lock)
    except OSError as error:
        raise GristmillError(f"can't write {target}: {error.strerror or error}") from error
    if descriptor is None:
        raise GristmillError(f"{target} is being written already")
    try:
        _clear(target)
        draft.mkdir()
        yield draft
        if target.exists():
            # A folder can't be replaced in one step: who is killed between the two is undone by the next.
            move(target, old)
        move(draft, target)
    finally:
        _clear(target)
        locks.remove(lock, descriptor)


def clear_leftovers(target: Path) -> None:
    """Undo what a killed process has left half-done, if there is something."""
    lock = _names(target)[2]
    if lock.exists():
        descriptor = locks.claim(lock)
        if descriptor is not None:
            _clear(target)
            locks.remove(lock, descriptor)


def _names(target: Path) -> tuple[Path, Path, Path]:
    """Where a folder is filled, where the old one is put meanwhile, and the file that is locked."""
    draft, old, lock = (target.with_name(f"{target.name}.gristmill-{role}{SUFFIX}") for role in ("new", "old", "lock"))
    return draft, old, lock


def _clear(target: Path) -> None:
    """Bring the old folder back if there is no new one, and remove what is left of both."""
    draft, old, _ = _names(target)
    if old.exists() and not target.exists():
        move(old, target)
    for left in (draft, old):
        shutil.rmtree(left, ignore_errors=True)
