"""A folder that appears under its name when it is filled: for exports that are a folder of files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gristmill.drafts import SUFFIX, move
from gristmill.errors import GristmillError
from gristmill.leases import BusyError, has_traces, leased


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Open a folder to fill, which takes the place of `target` on a clean exit and is removed on any other.

    A lease beside it keeps others out, and tells whether a folder that is left is still being filled.
    """
    with folder_beside(target) as draft:
        yield draft
        if target.exists():
            # A folder can't be replaced in one step: who is killed between the two is undone by the next.
            move(target, _names(target)[1])
        move(draft, target)


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """Open a folder beside `target` for what it is made of, which is removed at the end.

    A lease beside it keeps others out, and tells whether a folder that is left is still being filled.
    """
    draft, _, lock = _names(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GristmillError(f"can't write {target}: {error.strerror or error}") from error
    with leased(lock, f"{target} is being written already"):
        try:
            _clear(target)
            draft.mkdir()
            yield draft
        finally:
            _clear(target)


def clear_leftovers(target: Path) -> None:
    """Undo what a killed process has left half-done, if there is something."""
    lock = _names(target)[2]
    if target.parent.is_dir() and has_traces(lock):
        with suppress(BusyError), leased(lock, watching=False):
            _clear(target)


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
