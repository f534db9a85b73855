"""Dates in feeds, in all the ways that they are written there."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

_MAX_CHARACTERS = 100
_FIRST_YEAR, _LAST_YEAR = 1970, 2200
_ZONES = {"cet": 1, "cest": 2, "bst": 1, "west": 1, "eet": 2, "eest": 3, "msk": 3, "jst": 9, "aest": 10, "nzst": 12}
"""Hours that zones are before UTC, of those that e-mails don't know."""
_NUMBER = re.compile(r"\d{10}(?:\d{3})?")
_PARTIAL = re.compile(r"(\d{4})-?(\d\d)?")
_DAY_FIRST = re.compile(
    r"(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([ap])\.?m\.?)?)?", re.IGNORECASE
)
_ZONE_COLON = re.compile(r"(?:GMT|UTC|UT)?([+-]\d\d):?(\d\d)$")
_LONG_NAME = re.compile(r"\b([A-Za-z]{3})[a-z]++\.?(?=[ ,\d-])")
_ISO_SPACE = re.compile(r"(\d{4}-\d\d-\d\d)\s+(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?")


def utc(written: str) -> str:
    """Return a date in ISO 8601, UTC (`2026-11-17T05:40:40Z`); empty if it can't be read. Without a zone it is UTC."""
    text = " ".join(written[:_MAX_CHARACTERS].split())
    return _utc(text) if text else ""


@functools.lru_cache(maxsize=10_000)
def _utc(text: str) -> str:
    for found in _readings(text):
        then = found if found.tzinfo else found.replace(tzinfo=UTC)
        if _FIRST_YEAR < then.year < _LAST_YEAR:
            return then.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""


def _readings(text: str) -> Iterator[datetime]:
    for read in (_iso, _mail, _numbers):
        try:
            found = read(text)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
        if found:
            yield found


def _iso(text: str) -> datetime | None:
    if not text[:4].isdecimal() or _NUMBER.fullmatch(text):
        return None
    if partial := _PARTIAL.fullmatch(text):
        return datetime(int(partial[1]), int(partial[2] or 1), 1, tzinfo=UTC)
    text = text.replace("/", "-")
    if spaced := _ISO_SPACE.fullmatch(text):
        zone = "" if spaced[3] is None else "+00:00" if spaced[3].isalpha() else spaced[3]
        text = f"{spaced[1]}T{spaced[2]}{zone}"
    return datetime.fromisoformat(text)


def _mail(text: str) -> datetime | None:
    text = _LONG_NAME.sub(r"\1", _ZONE_COLON.sub(r" \1\2", text))
    parsed = parsedate_tz(text)
    if parsed is None:
        return None
    last = text.rpartition(" ")[2].lower()
    seconds = _ZONES[last] * 3600 if last in _ZONES else parsed[9] or 0
    return datetime(*parsed[:6], tzinfo=timezone(timedelta(seconds=seconds)))


def _numbers(text: str) -> datetime | None:
    """Read seconds or milliseconds since 1970, `17.11.2026 05:40`, and `11/17/2026 5:40 AM`, the month first."""
    if _NUMBER.fullmatch(text):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    found = _DAY_FIRST.fullmatch(text)
    if not found:
        return None
    day, month = int(found[1]), int(found[3])
    if found[2] == "/" and day <= 12:
        day, month = month, day
    hour = int(found[5] or 0)
    if found[8]:
        hour = hour % 12 + (12 if found[8].lower() == "p" else 0)
    return datetime(int(found[4]), month, day, hour, int(found[6] or 0), int(found[7] or 0), tzinfo=UTC)
