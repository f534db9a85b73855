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

from gristmill.annotation.parsing.choice import path_for
from gristmill.annotation.parsing.shipped import model_of as shipped_parser
from gristmill.annotation.provided import provides, tagger_name
from gristmill.annotation.segmenters import chosen_segmenter, is_segmented
from gristmill.annotation.tagger import paths_of, specs_in
from gristmill.annotation.tagging.shipped import model_of
from gristmill.version import __version__

_LIBRARIES_OF_TAGGERS = {
    "hanta": ("HanTa", "simplemma"),
    "own": ("simplemma",),
    "simplemma": ("simplemma",),
    "spacy": ("spacy",),
    "stanza": ("stanza",),
    "udpipe": ("ufal.udpipe",),
    "unidic": ("fugashi", "unidic-lite"),
}
_SEGMENTERS = ("fugashi", "unidic-lite", "icu4py")
_COMMON_RULES = "2"
"""The version of our own rules that all languages share, and of those of a language that is not below."""
_RULES = dict.fromkeys("km ko lo my yue".split(), "3") | dict.fromkeys("ja th zh".split(), "4")
"""Versions of our own rules for languages that have changed more often than all."""


def settings_of(choices: Sequence[str] = ()) -> dict[str, Any]:
    """Return all settings that are known before a text is read: if they are the same, equal texts get equal tokens."""
    return {
        "taggers": list(choices),
        "models": {path: _digest(path) for path in _models(choices)},
        "segmenters": versions(_SEGMENTERS),
        "gristmill": __version__,
    }


def versions_of(specs: Iterable[str], langs: Iterable[str] = (), choices: Sequence[str] = ()) -> dict[str, str]:
    """Return the versions of what a text was annotated by: libraries of taggers, and our rules for its languages.

    Taggers are given as specifications with their parameters; `choices` say which languages are parsed by our models.
    So a change of rules makes no text of other languages stale.
    """
    names = sorted({tagger_name(one) for spec in specs for one in specs_in(spec)})
    found = versions(library for name in names for library in _LIBRARIES_OF_TAGGERS.get(name, ()))
    codes = sorted({re.split("[-_]", lang.lower())[0] for lang in langs})
    if "own" in names:
        found |= {f"model of {code}": _digest(str(path)) for code in codes if (path := model_of(code))}
    for code in codes:
        path = path_for(code, choices)
        if path is not None and path == shipped_parser(code) and any(provides(name, "tag", code) for name in names):
            found[f"parser of {code}"] = _digest(str(path))
    found |= {f"rules of {code}": _RULES.get(code, _COMMON_RULES) for code in codes}
    return found | {f"words of {code}": chosen_segmenter(code) for code in codes if is_segmented(code)}


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
