"""The encoding of bytes about which nothing believable is known, told by their statistics."""

from __future__ import annotations

import re

from turbohtml import detect as turbohtml_detect

_NON_ASCII = re.compile(rb"[\x80-\xff]")
_CHARSET = re.compile(rb"charset", re.IGNORECASE)
_ENOUGH = 32768


def detect(data: bytes) -> str:
    """The most likely encoding. What the page declares has been tried already, so it is hidden from the detector."""
    first = _NON_ASCII.search(data)
    start = max(0, first.start() - 256) if first else 0
    sample = _CHARSET.sub(b"xxxxxxx", data[start : start + _ENOUGH])
    return turbohtml_detect.detect(sample).encoding or "windows-1252"
