"""A folder that appears under its name when it is filled."""

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
    """A folder to fill, which takes the place of `target` on a clean exit and is gone on any other.

    What a killed process left is cleared by the next that fills a folder of the same name. A locked file beside it keeps others out.
    """
    draft, old, lock = (target.with_name(f"{target.name}{end}{SUFFIX}") for end in ("", ".old", ".lock"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor = locks.claim(lock)
    except OSError as error:
        raise GristmillError(f"can't write {target}: {error.strerror or error}") from error
    if descriptor is None:
        raise GristmillError(f"{target} is being written already")
    try:
        for left in (draft, old):
            shutil.rmtree(left, ignore_errors=True)
        draft.mkdir()
        yield draft
        if target.exists():
            move(target, old)  # a folder can't be replaced in one step: killed between the two, there is none, and never half of one
        move(draft, target)
    finally:
        for left in (draft, old):
            shutil.rmtree(left, ignore_errors=True)
        locks.remove(lock, descriptor)
