"""What annotations depend on: chosen taggers and their models, versions.

If it changes, a shard has to be annotated again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gristmill.annotation.tagger import paths_of
from gristmill.registry import parse_spec
from gristmill.version import __version__

_TAGGERS = {
    "hanta": ("HanTa", "simplemma"),
    "pymorphy": ("pymorphy3", "pymorphy3-dicts-ru", "pymorphy3-dicts-uk", "simplemma"),
    "simplemma": ("simplemma",),
    "spacy": ("spacy",),
    "udpipe": ("ufal.udpipe",),
}
_SEGMENTERS = ("fugashi", "unidic-lite", "icu4py")


def settings_of(choices: Sequence[str] = ()) -> dict[str, Any]:
    """All that is known before a text is seen; where two shards have the same, the same text has the same tokens."""
    return {
        "taggers": list(choices),
        "models": {path: _digest(path) for path in _models(choices)},
        "segmenters": versions(_SEGMENTERS),
        "gristmill": __version__,
    }


def versions_of(specs: Iterable[str]) -> dict[str, str]:
    """The versions of what taggers are made of that are given with their parameters."""
    names = sorted({parse_spec(spec)[0] for spec in specs})
    return versions(library for name in names for library in _TAGGERS.get(name, ()))


def versions(libraries: Iterable[str]) -> dict[str, str]:
    """The versions of those libraries that are installed."""
    found = {}
    for library in libraries:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _models(choices: Sequence[str]) -> list[str]:
    """The files and folders that taggers are told to read."""
    return sorted({path for choice in choices for path in paths_of(choice) if Path(path).exists()})


@lru_cache(32)
def _digest(path: str) -> str:
    digest = hashlib.blake2b(digest_size=8)
    place = Path(path)
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()
