"""Links that lead out of a corpus: what is written to it would be written to where they lead."""

from __future__ import annotations

import os
from pathlib import Path

from gristmill.consent import Named, Origin, check
from gristmill.locks import LOCK

_FOLDERS = ("shards", "watches", "pages", "fetched", "models", "sketches", "ranked")
"""Folders of a corpus whose entries commands write to."""
_DATABASES = ("mail.sqlite", "feeds.sqlite", "bootstrap.sqlite", "reviews.sqlite", "annotations.sqlite")
_PLACES = (
    *_FOLDERS,
    *("index", "ngrams", "dedup", "by-site", LOCK, ".subcorpora.lock"),
    *(f"{name}{suffix}" for name in _DATABASES for suffix in ("", "-wal", "-shm", "-journal")),
)
"""The parts of a corpus that commands write to."""


def links_out(folder: Path) -> list[Named]:
    """List the links of a corpus that lead out of its folder, each by where it leads to."""
    if not folder.is_dir():
        return []
    real = Path(os.path.realpath(folder))
    inside = [place for name in _FOLDERS if (folder / name).is_dir() for place in (folder / name).iterdir()]
    links = [place for place in (*(folder / name for name in _PLACES), *inside) if place.is_symlink()]
    found = [Named.at("folder", place) for place in links]
    return [item for item in found if not Path(item.what).is_relative_to(real)]


def check_links(folder: Path) -> None:
    """Raise if a command would write to where a corpus only links to, and the user has not allowed that."""
    check(links_out(folder), Origin(str(folder)))
