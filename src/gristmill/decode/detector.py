"""The encoding of bytes about which nothing believable is known, told by their statistics."""

from __future__ import annotations

import re

import numpy as np
from turbohtml import detect as turbohtml_detect

_NON_ASCII = re.compile(rb"[\x80-\xff]")
_CHARSET = re.compile(rb"charset", re.IGNORECASE)
_ENOUGH = 32768
_NEAR = 8  # what stands farther from bytes that are not ASCII says nothing of the encoding, and takes the detector most of its time


def detect(data: bytes) -> str:
    """The most likely encoding. What the page declares has been tried already, so it is hidden from the detector."""
    first = _NON_ASCII.search(data)
    start = max(0, first.start() - 256) if first else 0
    sample = _near_non_ascii(data[start : start + _ENOUGH])
    if b"charset" in sample.lower():
        sample = _CHARSET.sub(b"xxxxxxx", sample)
    return turbohtml_detect.detect(sample).encoding or "windows-1252"


def _near_non_ascii(sample: bytes) -> bytes:
    """The bytes that are not ASCII, each with a few bytes around it; all bytes if there are none."""
    codes = np.frombuffer(sample, np.uint8)
    places = np.flatnonzero(codes > 127)
    if not places.size:
        return sample
    near = np.zeros(len(codes) + 2 * _NEAR, np.bool_)
    for shift in range(2 * _NEAR + 1):
        near[places + shift] = True
    return codes[near[_NEAR:-_NEAR]].tobytes()
