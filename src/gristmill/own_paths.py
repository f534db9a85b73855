"""Paths of files in the folder of a corpus, as its settings are written: so they hold wherever the folder is moved."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MARK = "{corpus}/"
"""What stands for the folder of the corpus."""
_BEGINNING = r"(?:^|(?<=[=,]))"
"""Where paths begin in texts of settings, such as `topic:sample=/data/corpus/topic`."""


def to_own(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write the paths in settings that are in a folder without it."""
    whole = re.compile(_BEGINNING + re.escape(f"{folder.absolute()}{os.sep}"))
    return {_changed(key, whole, _MARK): _mapped(value, whole, _MARK) for key, value in settings.items()}


def from_own(settings: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write out the paths in settings that are in a folder, wherever it is now."""
    own, whole = re.compile(_BEGINNING + re.escape(_MARK)), f"{folder.absolute()}{os.sep}"
    return {_changed(key, own, whole): _mapped(value, own, whole) for key, value in settings.items()}


def _mapped(value: Any, found: re.Pattern[str], by: str) -> Any:
    if isinstance(value, str):
        return _changed(value, found, by)
    if isinstance(value, Mapping):
        return {_changed(key, found, by): _mapped(item, found, by) for key, item in value.items()}
    return [_mapped(item, found, by) for item in value] if isinstance(value, list | tuple) else value


def _changed(text: str, found: re.Pattern[str], by: str) -> str:
    return found.sub(lambda _: by, text)
