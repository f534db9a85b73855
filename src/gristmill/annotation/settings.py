"""The settings that annotations depend on: taggers, their models, and versions of libraries.

They are stored with the annotations of a shard. If they change, the shard has to be annotated again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from gristmill.annotation.tagger import paths_of
from gristmill.registry import parse_spec
from gristmill.version import __version__

_LIBRARIES_OF_TAGGERS = {
    "hanta": ("HanTa", "simplemma"),
    "pymorphy": ("pymorphy3", "pymorphy3-dicts-ru", "pymorphy3-dicts-uk", "simplemma"),
    "simplemma": ("simplemma",),
    "spacy": ("spacy",),
    "udpipe": ("ufal.udpipe",),
    "unidic": ("fugashi", "unidic-lite"),
}
_SEGMENTERS = ("fugashi", "unidic-lite", "icu4py")
_RULES = dict.fromkeys("ja km ko lo my th yue zh".split(), "2")
"""Versions of our own rules, of languages that were annotated otherwise by a first version."""


def settings_of(choices: Sequence[str] = ()) -> dict[str, Any]:
    """Return all settings that are known before a text is read: if they are the same, equal texts get equal tokens."""
    return {
        "taggers": list(choices),
        "models": {path: _digest(path) for path in _models(choices)},
        "segmenters": versions(_SEGMENTERS),
        "gristmill": __version__,
    }


def versions_of(specs: Iterable[str], langs: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of what a text was annotated by: libraries of taggers, and our rules for its languages.

    Taggers are given as specifications with their parameters. So a change of rules makes no text of other languages
    stale.
    """
    names = sorted({parse_spec(spec)[0] for spec in specs})
    found = versions(library for name in names for library in _LIBRARIES_OF_TAGGERS.get(name, ()))
    codes = sorted({re.split("[-_]", lang.lower())[0] for lang in langs})
    return found | {f"rules of {code}": _RULES[code] for code in codes if code in _RULES}


def versions(libraries: Iterable[str]) -> dict[str, str]:
    """Return the versions of those libraries that are installed."""
    return {library: version for library in libraries if (version := _version(library))}


@lru_cache(64)
def _version(library: str) -> str:
    """The version of a library; empty if it is not installed."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _models(choices: Sequence[str]) -> list[str]:
    """Return the files and folders that taggers read by their parameters."""
    return sorted({path for choice in choices for path in paths_of(choice) if Path(path).exists()})


@lru_cache(32)
def _digest(path: str) -> str:
    """Hash a file, or all files of a folder."""
    digest = hashlib.blake2b(digest_size=8)
    place = Path(path)
    for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()
