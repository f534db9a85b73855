"""What the settings of corpora of earlier versions mean, where a default is another one since then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gristmill.errors import UsageError
from gristmill.registry import parse_spec

_DEFAULTS_THEN = {"topic": {"words": "forms"}}
"""Parameters that filters have got since, and what they did before. All others are stored with a corpus."""


def as_they_were(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Name the earlier values in settings that were stored before filters had such parameters."""
    found = dict(settings)
    stored = found.get("filter", {}).get("filters")
    if isinstance(stored, list):
        found["filter"] = {**found["filter"], "filters": list(map(_as_it_was, stored))}
    return found


def _as_it_was(spec: Any) -> Any:
    if not isinstance(spec, str) or spec.partition(":")[0] not in _DEFAULTS_THEN:
        return spec
    try:
        name, given = parse_spec(spec)
    except UsageError:  # it is damaged, which is said where it is used
        return spec
    missing = [f"{key}={value}" for key, value in _DEFAULTS_THEN[name].items() if key not in given]
    return ",".join([spec, *missing])
