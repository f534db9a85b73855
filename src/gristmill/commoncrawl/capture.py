"""Captures: what an index of a web archive knows of a page that was fetched."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gristmill.fetching.urls import normalise

MAX_RECORD_BYTES = 32_000_000
"""Longest record that is asked for, as it is stored."""

_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.=+-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.=+-]*)*")
_MAX_PATH = 500  # characters
_MAX_KEY = 20_000
_TIMESTAMP = re.compile(r"[12]\d{3}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-5]\d", re.ASCII)
_DIGEST = re.compile(r"(?:sha1:)?([A-Z2-7]{32})")


@dataclass(frozen=True, slots=True)
class Capture:
    """A page as it was at some time, and where it is stored."""

    url: str
    """As the archive has it."""
    key: str
    """By which the index is sorted (`keys.py`)."""
    timestamp: str
    """When it was fetched, in UTC: `20261017054040`."""
    digest: str = ""
    """SHA-1 of its content in Base32, as archives have it; empty if it is not known."""
    filename: str = ""
    """The WARC file that it is in; empty if it is only to be had one by one, as from the Wayback Machine."""
    offset: int = 0
    length: int = 0
    languages: str = ""
    """ISO 639-3 codes, the main language first: `isl,eng`."""

    @property
    def date(self) -> str:
        """When it was fetched, as WARC files have it: `2026-10-17T05:40:40Z`."""
        t = self.timestamp
        return f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[8:10]}:{t[10:12]}:{t[12:14]}Z"


REFUSALS = {
    "address": "not an address of the web",
    "date": "no valid time",
    "path": "not the name of a file of the archive",
    "range": "no valid place in the file, or a record that is too long",
    "line": "a line of the index that can't be read",
}
"""Why an entry of an index is not used, in words."""


def refusal(capture: Capture, *, is_in_file: bool = True) -> str:
    """Say why an entry of an index can't be used, by one of `REFUSALS`; empty if it can."""
    if not capture.url.isprintable() or " " in capture.url or not normalise(capture.url):
        return "address"
    if not capture.key.isprintable() or len(capture.key) > _MAX_KEY:
        return "line"
    if not _TIMESTAMP.fullmatch(capture.timestamp):
        return "date"
    if not is_in_file:
        return ""
    if not is_path(capture.filename):
        return "path"
    return "" if capture.offset >= 0 and 0 < capture.length <= MAX_RECORD_BYTES else "range"


def is_path(text: str) -> bool:
    """Tell whether a text is the path of a file in an archive, and leads nowhere else."""
    return len(text) <= _MAX_PATH and bool(_PATH.fullmatch(text))


def plain_digest(text: str) -> str:
    """Return a digest without its prefix; empty if it is none."""
    match = _DIGEST.fullmatch(text)
    return match[1] if match else ""
