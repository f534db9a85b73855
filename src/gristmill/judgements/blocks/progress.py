"""How far annotators are: pages and blocks that each has judged, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from gristmill.judgements.blocks.store import BlockStore

_MAX_PAUSE_SECONDS = 600.0
"""A longer time between two pages is taken for a pause."""
_MIN_PAGES = 3


@dataclass(frozen=True, slots=True)
class Work:
    """What an annotator has done."""

    annotator: str
    finished: int
    begun: int
    """Pages that are not finished."""
    blocks: int
    last: float
    """When they judged something last."""
    pages_an_hour: float | None
    """By the median time from one finished page to the next, pauses left out; None if there are too few."""


def work(store: BlockStore) -> list[Work]:
    """Tell what each annotator has done."""
    times: dict[str, list[float]] = {}
    begun: dict[str, int] = {}
    for visit in store.visits():
        times.setdefault(visit.annotator, [])
        if visit.finished:
            times[visit.annotator].append(visit.finished)
        else:
            begun[visit.annotator] = begun.get(visit.annotator, 0) + 1
    counts = store.counts()
    return [
        Work(name, len(done), begun.get(name, 0), *counts.get(name, (0, 0.0)), _speed(done))
        for name, done in sorted(times.items())
    ]


def _speed(finished: list[float]) -> float | None:
    gaps = [after - before for before, after in pairwise(sorted(finished)) if after - before <= _MAX_PAUSE_SECONDS]
    return 3_600 / max(median(gaps), 1.0) if len(gaps) >= _MIN_PAGES - 1 else None
