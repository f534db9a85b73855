"""Attributes of a page in an archive: what those who fetched it say of it, such as the query that found it.

They stand in the named field `Gristmill-Attributes` of its WARC record, as JSON in ASCII, where they stay with the page
wherever the archive goes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from gristmill.wording import one_line

FIELD = "Gristmill-Attributes"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_MAX_ATTRIBUTES = 32
_MAX_VALUE_CHARACTERS = 10_000
_MAX_FIELD_CHARACTERS = 24_000  # readers of WARC files refuse header lines of 32 KiB


def to_field(attributes: Mapping[str, str]) -> str:
    """Write attributes as the value of a field; the same attributes always give the same text.

    Long values are cut, to the same length, until all fit.
    """
    most = _MAX_VALUE_CHARACTERS
    while True:
        text = json.dumps({name: value[:most] for name, value in attributes.items() if value}, sort_keys=True)
        if len(text) <= _MAX_FIELD_CHARACTERS or not most:
            return text
        most //= 2


def from_field(text: str) -> dict[str, str]:
    """Read the value of a field, which may be anything: what can't be an attribute is left out."""
    if not text or len(text) > _MAX_FIELD_CHARACTERS:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    named = {name: value for name, value in found.items() if _NAME.fullmatch(name) and isinstance(value, str) and value}
    return {name: one_line(value[:_MAX_VALUE_CHARACTERS]) for name, value in sorted(named.items())[:_MAX_ATTRIBUTES]}
