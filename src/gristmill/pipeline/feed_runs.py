"""Runs of feeds as files of a corpus: which one is under way, where its pages are, and what is to be tried again.

A run is written down before its first page is fetched, with the items that it is for, and crossed out when these are
marked as built. So one that was killed goes on with the same items.
"""

from __future__ import annotations

import calendar
import itertools
import json
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gristmill.errors import GristmillError
from gristmill.feeds.articles import ArticlesSummary, Missing
from gristmill.feeds.item import NewItem
from gristmill.shapes import misfit
from gristmill.shards import write_atomically

FETCHED = "fetched"
"""The folder of a corpus with the raw pages of its runs."""
_PAGES = "pages"
_UNDER_WAY = "run.json"
_NAME = re.compile(r"\d{8}T\d{6}Z(?:-\d{1,6})?", re.ASCII)
_TRIES = "tries.json"
_MISSING = {"feed": str, "item": str, "version": int, "link": str, "reason": str}
_FOUND = {"items": int, "sources": {str: int}, "missing": [_MISSING]}
_SHAPE = {"run": str, "first": bool, "items": [[str]], "found?": _FOUND, "built?": [[str]]}
MAX_TRIES = 7
"""How often a page is asked for that can't be reached, each time by another run."""
_FIRST_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 3_000.0, 72_000.0
"""Between two tries, twice as many after each: hourly runs try for two days, daily ones for a week."""
_BEGUN = "%Y%m%dT%H%M%SZ"
_PASSING = frozenset(
    ["unreached", "host-left", "dns-failure", "connect", "timeout", "slow", "protocol", "truncated", "status-429"]
)
"""Reasons for which a page is missing that may be others the next time; so may errors of servers."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run, from the time when its items are known."""

    corpus: Path
    name: str
    """When it began: `20261117T084600Z`."""
    items: frozenset[tuple[str, int]]
    """Keys and versions of its items."""
    first: bool
    """Whether the corpus was not there yet: it is built, and not added to."""
    found: ArticlesSummary | None = None
    """What the archive of the articles has; None as long as it is not complete."""
    built: frozenset[tuple[str, int]] | None = None
    """Those that are in the corpus, or given up; None as long as they are not."""

    @classmethod
    def begin(cls, corpus: Path, now: float, items: Sequence[NewItem], *, first: bool) -> Run:
        """Write down a new run, under a name that none had before."""
        begun = time.strftime(_BEGUN, time.gmtime(now))
        names = (begun if number == 1 else f"{begun}-{number}" for number in range(1, 1_000_000))
        known = frozenset((item.key, item.version) for item in items)
        runs = (cls(corpus, name, known, first=first) for name in names)
        run = next(run for run in runs if not run.fetched.exists() and not run.articles.exists())
        run.fetched.mkdir(parents=True)
        run.write()
        return run

    @classmethod
    def under_way(cls, corpus: Path) -> Run | None:
        """Find the run that was interrupted, if there is one."""
        path = corpus / FETCHED / _UNDER_WAY
        try:
            record = json.loads(path.read_bytes())
            fault = misfit(record, _SHAPE, _UNDER_WAY)
            if not fault:
                found = _found(record["found"]) if "found" in record else None
                built = _items(record["built"]) if "built" in record else None
                return cls(corpus, _checked(record["run"]), _items(record["items"]), record["first"], found, built)
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            fault = str(error)
        raise GristmillError(f"{path} is damaged ({fault}): remove it, and the next run begins anew")

    @property
    def is_found(self) -> bool:
        """Whether the archive of the articles is there and complete: it stays as it is, as it may be in the corpus."""
        return self.found is not None and (self.articles.exists() or not self.found.articles)

    def has_found(self, found: ArticlesSummary) -> Run:
        """Write down what the archive of the articles has, before it is built."""
        run = replace(self, found=found)
        run.write()
        return run

    def is_built(self, items: Collection[tuple[str, int]]) -> Run:
        """Write down which items need nothing more, before they are marked."""
        run = replace(self, built=frozenset(items))
        run.write()
        return run

    @property
    def fetched(self) -> Path:
        """The folder of the raw pages."""
        return self.corpus / FETCHED / self.name

    @property
    def articles(self) -> Path:
        """The archive of the articles, from which the corpus is built."""
        return self.corpus / _PAGES / f"feeds-{self.name}.warc.gz"

    def end(self) -> None:
        """Cross the run out."""
        (self.corpus / FETCHED / _UNDER_WAY).unlink()

    def write(self) -> None:
        """Write down that the run is under way."""
        record: dict[str, Any] = {"run": self.name, "first": self.first, "items": _listed(self.items)}
        if self.found is not None:
            record["found"] = asdict(self.found)
        if self.built is not None:
            record["built"] = _listed(self.built)
        write_atomically(self.corpus / FETCHED / _UNDER_WAY, json.dumps(record).encode())


def _listed(items: Collection[tuple[str, int]]) -> list[list[str]]:
    return sorted([key, str(version)] for key, version in items)


def _items(listed: Sequence[Sequence[str]]) -> frozenset[tuple[str, int]]:
    return frozenset((key, int(version)) for key, version in listed)


def _found(record: Mapping[str, Any]) -> ArticlesSummary:
    missing = tuple(Missing(*(item[name] for name in _MISSING)) for item in record["missing"])
    return ArticlesSummary(record["items"], record["sources"], missing)


def _checked(name: str) -> str:
    """The name of a run, which is that of a folder, and leads nowhere else."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:50]!r} is no run")
    _time_of(name)
    return name


def _time_of(run: str) -> float:
    """When a run began, by its name."""
    return float(calendar.timegm(time.strptime(run.partition("-")[0], _BEGUN)))


def is_passing(reason: str) -> bool:
    """Tell whether a page may be there the next time."""
    return reason in _PASSING or reason.startswith("status-5")


class Tries:
    """How often the pages of items have been asked for in vain."""

    def __init__(self, corpus: Path) -> None:
        self._path = corpus / FETCHED / _TRIES
        try:
            found = json.loads(self._path.read_bytes())
            fault = misfit(found, {str: [str]}, _TRIES)
            if not fault:
                for run in itertools.chain.from_iterable(found.values()):
                    _checked(run)
        except FileNotFoundError:
            found, fault = {}, ""
        except (ValueError, RecursionError) as error:
            fault = str(error)
        if fault:
            raise GristmillError(f"{self._path} is damaged ({fault}): remove it")
        self._counts: dict[str, list[str]] = found

    def is_due(self, item: tuple[str, int], now: float) -> bool:
        """Tell whether an item is new, or its last try is long enough ago; a clock that has gone back delays none."""
        runs = self._counts.get(f"{item[0]} {item[1]}", [])
        if not runs:
            return True
        pause = min(_FIRST_PAUSE_SECONDS * 2.0 ** (len(runs) - 1), _MAX_PAUSE_SECONDS)
        return abs(now - _time_of(runs[-1])) >= pause

    def failed(self, item: tuple[str, int], run: str) -> bool:
        """Write down that a run did not reach an item's page; tell whether others are to try it again."""
        runs = self._counts.setdefault(f"{item[0]} {item[1]}", [])
        if run not in runs:
            runs.append(run)
        return len(runs) < MAX_TRIES

    def settle(self, items: Collection[tuple[str, int]]) -> None:
        """Forget items that are built or given up, and write down the others."""
        for key, version in items:
            self._counts.pop(f"{key} {version}", None)
        write_atomically(self._path, json.dumps(self._counts).encode())
