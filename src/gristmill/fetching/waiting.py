"""How long a server asks to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_MAX_WAIT_SECONDS = 7 * 86_400.0


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds from `now` (since 1970) that Retry-After names, at most a week; None if it names none."""
    value = headers.get("retry-after", "").strip()
    if value[:1].isdigit():
        value = value.partition(",")[0].rstrip()  # of several, the first counts; dates have a comma of their own
    if not value:
        return None
    if value.isascii() and value.isdigit():
        seconds = float(value[:10])
    else:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, TypeError, OverflowError, IndexError):
            return None
    return min(max(seconds, 0.0), _MAX_WAIT_SECONDS)
