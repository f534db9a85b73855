"""How long the stages of corpora took on this machine, for reports.

The times are in the user's folder of settings and not in the corpus: a corpus that is built twice is the same in every
byte.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gristmill.consent import settings_folder
from gristmill.drafts import Draft

FILE = "times.jsonl"
_MAX_BYTES = 200_000
"""When the file is larger, its older half is forgotten."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StageTime:
    """A run of a stage: when it ended, how long it took, how many of how many units it did, and with how many workers.

    The number of workers is 0 if it is not known.
    """

    stage: str
    ended: str
    seconds: float
    done: int
    units: int
    workers: int = 0


def note_time(corpus: Path, stage: str, seconds: float, done: int, units: int, workers: int = 0) -> None:
    """Write down how long a stage took; where that can't be written, nobody needs it."""
    folder = settings_folder()
    if folder is None:
        return
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = {"corpus": os.path.realpath(corpus)} | asdict(StageTime(stage, now, round(seconds, 2), done, units, workers))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _shorten(folder / FILE)
        with (folder / FILE).open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
    except OSError as error:
        _log.debug("the time of the stage %s is not written down: %s", stage, error)


def _shorten(path: Path) -> None:
    if path.exists() and path.stat().st_size > _MAX_BYTES:
        lines = path.read_bytes().splitlines(keepends=True)
        with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
            file.write(b"".join(lines[len(lines) // 2 :]))


def times_of(corpus: Path) -> list[StageTime]:
    """Return the last run of each stage of a corpus, as far as it is known here, in the order in which they ended."""
    folder = settings_folder()
    try:
        lines = (folder / FILE).read_bytes().splitlines() if folder else []
    except OSError:
        return []
    here = os.path.realpath(corpus)
    found: dict[str, StageTime] = {}
    for line in lines:
        time = _parsed(line, here)
        if time:
            found.pop(time.stage, None)
            found[time.stage] = time
    return list(found.values())


def _parsed(line: bytes, corpus: str) -> StageTime | None:
    """Read a line if it is of a corpus; one that was cut off is passed over."""
    try:
        given: dict[str, Any] = json.loads(line)
        if given.pop("corpus") != corpus:
            return None
        return StageTime(
            str(given["stage"]),
            str(given["ended"]),
            float(given["seconds"]),
            int(given["done"]),
            int(given["units"]),
            int(given["workers"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
