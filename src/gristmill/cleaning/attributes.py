"""Attributes of a single tag, for all that reads what tags say: metadata, links, feeds."""

from __future__ import annotations

import re

_SPACE = rb"\t\n\f\r "
_ATTRIBUTE = re.compile(
    rb"([^~/>][^~/>=]*+)(?:[~]*+=[~]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^~>\"'][^~>]*+)|(?=>)))?+".replace(b"~", _SPACE),
)
_NAME = re.compile(rb"[^~/>]*+".replace(b"~", _SPACE))


def attributes(tag: bytes) -> dict[bytes, bytes]:
    """Parse the attributes of a start tag, given as written; names in lower case, the first of equal names."""
    name = _NAME.match(tag)
    found = _ATTRIBUTE.findall(tag, name.end() if name else 0)
    return {name.lower(): double or single or bare for name, double, single, bare in reversed(found)}
