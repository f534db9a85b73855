"""When a feed is to be asked for again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from gristmill.feeds.item import Feed
from gristmill.fetching.waiting import retry_after

DEFAULT_SECONDS = 3600.0
"""Between two requests for a feed that says nothing of it."""
_MIN_SECONDS, _MAX_SECONDS = 900.0, 86_400.0
_HOUR_SECONDS, _WEEK_HOURS = 3600.0, 168
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)
_MAX_DOUBLINGS = 10


def after_answer(now: float, headers: Mapping[str, str], feed: Feed, usual: float = DEFAULT_SECONDS) -> float:
    """Return when to ask again for a feed that has answered at `now`.

    The feed may ask for longer, or for more often, and its server for longer, by max-age and Retry-After. A day is the
    longest, whatever they say, as feeds lose what does not fit. Hours and days to be skipped are skipped.
    """
    seconds = feed.ttl_minutes * 60.0 if feed.ttl_minutes else usual
    age = _MAX_AGE.search(headers.get("cache-control", ""))
    seconds = max(seconds, float(age[1]) if age else 0.0, retry_after(headers, now) or 0.0)
    then = now + min(max(seconds, _MIN_SECONDS), _MAX_SECONDS)
    return _not_skipped(then, feed)


def after_failure(now: float, headers: Mapping[str, str], failures: int) -> float:
    """Return when to ask again for a feed that has failed so many times in a row: later each time, up to a day."""
    seconds = DEFAULT_SECONDS * 2.0 ** min(failures - 1, _MAX_DOUBLINGS)
    return now + max(min(seconds, _MAX_SECONDS), retry_after(headers, now) or 0.0)


def _not_skipped(then: float, feed: Feed) -> float:
    """Return the first time from `then` on that is in no hour and on no day to be skipped."""
    for _ in range(_WEEK_HOURS):
        date = datetime.fromtimestamp(then, UTC)
        if date.hour not in feed.skip_hours and date.weekday() not in feed.skip_days:
            break
        then = (then // _HOUR_SECONDS + 1) * _HOUR_SECONDS
    return then
