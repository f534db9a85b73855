"""How often what a standing query finds is given out: after each run, daily or weekly (GlossaNet 2, section 3.8).

Documents are searched when they come. Between two days that are due, what was found waits: it is not yet in the text
and the feed, and no mail has it. Then all of it is given out as one run, sorted and limited together.
"""

from __future__ import annotations

import json
from pathlib import Path

from gristmill.errors import GristmillError, UsageError
from gristmill.shards import write_atomically

PERIODS = {"daily": 1, "weekly": 7}
"""How often lines can be given out: the days between two times."""
EVERY_RUN = "run"
"""The schedule of a query that has no other: what a run finds is given out at its end."""
SCHEDULES = (EVERY_RUN, *PERIODS)
_DAY_SECONDS = 86_400
_LAST = "given.json"


def check_schedule(every: str) -> str:
    """Return a schedule; raise if there is none of this name."""
    if every not in SCHEDULES:
        raise UsageError(f"lines are given out after each run, daily or weekly: {', '.join(SCHEDULES)}, not {every!r}")
    return every


def is_due(every: str, last: float | None, now: float) -> bool:
    """Whether so many days (of UTC) lie between two times, whatever the hour, so that days do not drift."""
    if last is None or last >= now + _DAY_SECONDS:  # the clock has gone back since
        return True
    return now // _DAY_SECONDS - last // _DAY_SECONDS >= PERIODS.get(every, 0)


def last_given(folder: Path) -> float | None:
    """When lines of a watch were last given out by its schedule; None if never."""
    try:
        return float(json.loads((folder / _LAST).read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise GristmillError(
            f"{folder / _LAST} is damaged ({error}): remove it, and what waits is given out"
        ) from error


def note_given(folder: Path, now: float) -> None:
    """Write down when lines of a watch were given out."""
    write_atomically(folder / _LAST, json.dumps(now).encode())
