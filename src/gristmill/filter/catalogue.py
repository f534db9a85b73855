"""Which filters there are, with their thresholds and what they do: for lists of them, and for programs."""

from __future__ import annotations

import inspect
from typing import Any

from gristmill.filter.registry import FILTERS, Filter
from gristmill.presets import PRESETS
from gristmill.registry import format_spec, parameters_of, parse_spec

_VALUES = {
    "languages": "CODES",
    "categories": "NAMES",
    "lists": "FOLDER or FILE",
    "words": "FILE",
    "soft_words": "FILE",
    "parts": "FILE",
    "file": "FILE",
    "model": "FILE",
    "only": "CODES",
    "without": "CODES",
}
"""What stands for the value of a setting that has none by default."""


def default_spec(name: str, kind: type[Filter]) -> str:
    """The filter with its default thresholds; a setting without one says what it takes, and whether it is needed."""
    parameters = parameters_of(kind()).items()
    return format_spec(name, {key: value if value not in {"", ()} else _unset(key, kind) for key, value in parameters})


def _unset(key: str, kind: type[Filter]) -> str:
    value = _VALUES.get(key, "FOLDER" if key in kind.paths else "CODE")
    return f"{value} ({'needed' if key in kind.needed else 'optional'})"


def paragraphs(kind: type[Filter]) -> list[str]:
    """What a filter does and the paper that it is from, by paragraphs; the first is its summary."""
    return [" ".join(paragraph.split()) for paragraph in (inspect.getdoc(kind) or "").split("\n\n")]


def presets_with(name: str) -> list[str]:
    """The presets that a filter is in."""
    return [preset for preset, specs in PRESETS.items() if name in {parse_spec(spec)[0] for spec in specs}]


def describe(kind: type[Filter]) -> dict[str, Any]:
    """One filter, for programs."""
    about = " ".join((inspect.getdoc(kind) or "").split())
    return {"stage": kind.stage, "thresholds": parameters_of(kind()), "needed": list(kind.needed), "about": about}


def catalogue() -> dict[str, Any]:
    """All filters and presets, for programs."""
    return {
        "filters": {name: describe(kind) for name, kind in FILTERS.items()},
        "presets": {name: list(specs) for name, specs in PRESETS.items()},
    }
