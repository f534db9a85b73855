"""Attributes of a single tag where the kernel is not compiled: by a regular expression, faster than its loop."""

from __future__ import annotations

import re

from gristmill import kernel

_SPACE = rb"\t\n\f\r "
_NAME = re.compile(rb"[^~/>]*+".replace(b"~", _SPACE))
# An attribute; or the end of the tag. A value with quotes may be without its end, and then it has no tag.
_ATTRIBUTE = re.compile(
    (
        rb"([^~/>][^~/>=]*+)"
        rb"(?:[~]*+=[~]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^~>\"'][^~>]*+)|(?=>)|([\"'].*+)))?+|(>)"
    ).replace(b"~", _SPACE),
    re.DOTALL,
)


def attributes(tag: bytes) -> dict[bytes, bytes]:
    """Parse the attributes of a tag, as written; names in lower case, the first of equal names."""
    if not tag.endswith(b">"):
        return kernel.attributes(tag)
    found: dict[bytes, bytes] = {}
    name = _NAME.match(tag)
    for name_, double, single, bare, unfinished, end in _ATTRIBUTE.findall(tag, name.end() if name else 0):
        if unfinished or end:
            break
        found.setdefault(name_.lower(), double or single or bare)
    return found
