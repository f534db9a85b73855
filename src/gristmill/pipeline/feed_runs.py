"""Runs of feeds as files of a corpus: which one is under way, where its pages are, and what is to be tried again.

A run is written down before its first page is fetched, with the items that it is for, and crossed out when these are
marked as built. So one that was killed goes on with the same items.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gristmill.errors import GristmillError
from gristmill.feeds.item import NewItem
from gristmill.shapes import misfit
from gristmill.shards import write_atomically

FETCHED = "fetched"
"""The folder of a corpus with the raw pages of its runs."""
_PAGES = "pages"
_UNDER_WAY = "run.json"
_NAME = re.compile(r"\d{8}T\d{6}Z(?:-\d{1,6})?")
_TRIES = "tries.json"
_SHAPE = {"run": str, "first": bool, "items": [[str]], "built?": [[str]]}
MAX_TRIES = 5
"""How often a page is asked for that can't be reached, each time by another run."""
_PASSING = frozenset(["unreached", "dns-failure", "connect", "timeout", "slow", "protocol", "truncated", "status-429"])
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
    built: frozenset[tuple[str, int]] | None = None
    """Those that are in the corpus, or given up; None as long as they are not."""

    @classmethod
    def begin(cls, corpus: Path, now: float, items: Sequence[NewItem], *, first: bool) -> Run:
        """Write down a new run, under a name that none had before."""
        begun = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
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
                built = _items(record["built"]) if "built" in record else None
                return cls(corpus, _checked(record["run"]), _items(record["items"]), record["first"], built)
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            fault = str(error)
        raise GristmillError(f"{path} is damaged ({fault}): remove it, and the next run begins anew")

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
        record = {"run": self.name, "first": self.first, "items": _listed(self.items)}
        if self.built is not None:
            record["built"] = _listed(self.built)
        write_atomically(self.corpus / FETCHED / _UNDER_WAY, json.dumps(record).encode())


def _listed(items: Collection[tuple[str, int]]) -> list[list[str]]:
    return sorted([key, str(version)] for key, version in items)


def _items(listed: Sequence[Sequence[str]]) -> frozenset[tuple[str, int]]:
    return frozenset((key, int(version)) for key, version in listed)


def _checked(name: str) -> str:
    """The name of a run, which is that of a folder, and leads nowhere else."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name[:50]!r} is no run")
    return name


def is_passing(reason: str) -> bool:
    """Tell whether a page may be there the next time."""
    return reason in _PASSING or reason.startswith("status-5")


class Tries:
    """How often the pages of items have been asked for in vain."""

    def __init__(self, corpus: Path) -> None:
        self._path = corpus / FETCHED / _TRIES
        try:
            found = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            found = {}
        except (ValueError, RecursionError) as error:
            raise GristmillError(f"{self._path} is damaged ({error}): remove it") from error
        if fault := misfit(found, {str: [str]}, _TRIES):
            raise GristmillError(f"{self._path} is damaged ({fault}): remove it")
        self._counts: dict[str, list[str]] = found

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
