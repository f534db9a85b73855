"""What builds of an index leave beside it when they are killed: it is finished, used again, or removed."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from gristmill.drafts import move
from gristmill.errors import GristmillError
from gristmill.search.index.index import FOLDER, TEMPORARY, read_card

WHOLE = "whole"
OLD = f"{FOLDER}-old{TEMPORARY}"
_GONE = f"{FOLDER}-gone{TEMPORARY}"


def work_folder(folder: Path, mark: str) -> Path:
    """Where the index with that fingerprint is built."""
    return folder / f"{FOLDER}-{mark}{TEMPORARY}"


def recover(folder: Path) -> None:
    """Finish what a build that was killed while it put the index in its place has begun; for a corpus that is locked.

    If the new index is not whole after all, the old one comes back: what it was of is what a new one will be of.
    """
    place = folder / FOLDER
    if place.exists():
        return
    for left in sorted(folder.glob(f"{FOLDER}-*{TEMPORARY}/{WHOLE}")):
        with suppress(GristmillError):
            read_card(left)
            move(left, place)
            return
    if (folder / OLD).exists():
        move(folder / OLD, place)


def done_with(folder: Path, mark: str) -> list[Path]:
    """What builds have left of which nothing is needed any more, as there is the index with that fingerprint."""
    return [left for left in (folder / _GONE, folder / OLD, work_folder(folder, mark)) if left.exists()]


def discard(left: Path) -> None:
    """Remove a folder, after it got another name: if that is interrupted, half of it must not be taken for the whole."""
    gone = left.with_name(_GONE)
    if gone.exists():
        shutil.rmtree(gone)
    if left != gone:
        move(left, gone)
        shutil.rmtree(gone)


def clear(folder: Path, keep: Path | None = None) -> None:
    """Remove what builds left behind, but for parts that can be used."""
    for left in sorted(folder.glob(f"{FOLDER}-*{TEMPORARY}")):
        if left != keep:
            discard(left)
