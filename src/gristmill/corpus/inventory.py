"""Which files a corpus is made of, known by what they hold; and what of other files is new to it.

`gristmill add` uses it to pass over what is there, and `gristmill build` to find the files of a build again that was
interrupted.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow.compute as pc

from gristmill.archive.kind import GROWING
from gristmill.archive.opening import open_source
from gristmill.archive.packed import is_packed
from gristmill.archive.resync import goes_on_at
from gristmill.archive.source import Source, signature_of
from gristmill.arguments import is_address
from gristmill.corpus.entry import ShardEntry
from gristmill.corpus.listing import read_listing, read_plan
from gristmill.shards import Shard, read_columns
from gristmill.threads import in_threads

_MAX_COMPARED_FILES = 100
"""Known files of the same name that are compared with one that may have grown."""
_MAX_FILES_LISTED = 5


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A file that was given and is not read, or not from its beginning, and why."""

    name: str
    state: Literal["there", "grown"]
    known_as: str
    """The name under which the corpus has it."""
    start: int = 0
    """Where it is read from, if it has grown."""

    def __str__(self) -> str:
        known = f" (as {self.known_as})" if self.known_as != self.name else ""
        if self.state == "there":
            return f"already there: {self.name}{known}"
        return f"read from byte {self.start:,} on: {self.name}, which has grown{known}"


@dataclass(slots=True)
class Changes:
    """What differs between the files that a corpus is made of and those that are given."""

    new: list[str] = field(default_factory=list)
    grown: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.new or self.grown or self.changed or self.gone)

    @property
    def only_more(self) -> bool:
        """Whether no file changed or is gone: some are new, or have grown."""
        return not self.changed and not self.gone

    def __str__(self) -> str:
        lists = {"new": self.new, "grown": self.grown, "changed": self.changed, "gone": self.gone}
        return "\n".join(f"  {state}: {_listed(names)}" for state, names in lists.items() if names)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MAX_FILES_LISTED
    return ", ".join(names[:_MAX_FILES_LISTED]) + (f" and {more:,} more" if more > 0 else "")


class Inventory:
    """The files of some shards of a corpus."""

    def __init__(self, folder: Path, entries: Sequence[ShardEntry]) -> None:
        self._folder = folder
        plan = read_plan(folder)
        listings = in_threads(lambda entry: plan.get(entry.name) or read_listing(Shard.of(folder, entry.name)), entries)
        self.shards = {entry.name: listing for entry, listing in zip(entries, listings, strict=True)}
        self._by_content: dict[tuple[int, str], Source] = {}
        self._by_file: dict[str, list[tuple[str, Source]]] = defaultdict(list)
        for shard, sources in self.shards.items():
            for source in sources:
                self._by_content.setdefault((source.size, source.signature), source)
                self._by_file[Path(source.name).name].append((shard, source))

    def sort_out(self, given: Iterable[Source]) -> tuple[list[Source], list[SourceNote]]:
        """Find which of some files are new, and from where on they are to be read; and note why others are not."""
        fresh: list[Source] = []
        notes: list[SourceNote] = []
        for source in given:
            known = self._by_content.get((source.size, source.signature))
            if known:
                notes.append(SourceNote(source.name, "there", known.name))
            elif found := self._grown(source):
                old, start = found
                fresh.append(dataclasses.replace(source, start=start))
                notes.append(SourceNote(source.name, "grown", old.name, start))
            else:
                fresh.append(source)
        return fresh, notes

    def match(self, given: Sequence[Source]) -> tuple[list[list[Source]], Changes]:
        """Find the files of all shards among those that are given now, maybe under other paths; and what has changed.

        Files keep their names, so that it does not matter in which folder a build is finished. One that has grown
        meanwhile is read up to its old size.
        """
        files = _Given(given)
        shards = [[files.take_same(source) for source in sources] for sources in self.shards.values()]
        changes = Changes()
        for sources, found in zip(self.shards.values(), shards, strict=True):
            for place, source in enumerate(sources):
                found[place] = found[place] or files.take_named(source, changes)
        changes.new = [source.name for source in files.left()]
        return [[source for source in found if source] for found in shards], changes

    def _grown(self, source: Source) -> tuple[Source, int] | None:
        """Find the longest known file of that name that a file begins with, and where the rest of it begins."""
        if source.kind not in GROWING:
            return None
        known = [(shard, old) for shard, old in self._by_file[Path(source.name).name] if old.size < source.size]
        known.sort(key=lambda item: (item[1].name != source.name, -item[1].size))
        found = [(shard, old) for shard, old in known[:_MAX_COMPARED_FILES] if _begins_with(source, old)]
        if not found:
            return None
        shard, old = max(found, key=lambda item: item[1].size)
        start = self._end_of_good(shard, old, source)
        return None if start is None else (old, start)

    def _end_of_good(self, shard: str, old: Source, source: Source) -> int | None:
        """Find where to go on in a file that has grown: at its old end, or at the last record if that was cut off.

        None if that record's place is not known, so that the file has to be read from its beginning.
        """
        skipped = read_columns(Shard.of(self._folder, shard).skipped, ["reason", "source", "offset"])
        pages = read_columns(Shard.of(self._folder, shard).documents, ["source", "offset"])
        broken = pc.max(
            skipped["offset"].filter(
                pc.and_(pc.equal(skipped["reason"], "broken"), pc.equal(skipped["source"], old.name))
            )
        )
        last = pc.max(pages["offset"].filter(pc.equal(pages["source"], old.name)))
        with open_source(source) as file:
            if broken.as_py() is None or (last.as_py() is not None and last.as_py() >= broken.as_py()):
                if source.kind == "jsonl":
                    return old.size
                # Of a record that was cut off in its first bytes, the place is not known.
                after = old.start - 1 if last.as_py() is None else last.as_py()
                return goes_on_at(file, source.size, source.kind, after, old.size)
            packed = source.kind == "jsonl" and is_packed(file.read(8))
        return None if packed else int(broken.as_py())  # places in a compressed file of lines are not its own


def _begins_with(source: Source, old: Source) -> bool:
    """Tell whether a file is another one with more behind it."""
    if source.kind not in GROWING or source.kind != old.kind or old.size >= source.size or old.size == 0:
        return False
    if is_address(source.path):  # stores replace objects, and append nothing
        return False
    with open_source(source) as file:
        return signature_of(file, old.size) == old.signature


class _Given:
    """Files that are given, from which those that are known are taken one by one."""

    def __init__(self, given: Sequence[Source]) -> None:
        self._given = given
        self._taken: set[int] = set()
        self._by_content: dict[tuple[int, str], list[int]] = defaultdict(list)
        self._by_file: dict[str, list[int]] = defaultdict(list)
        for number, source in enumerate(given):
            self._by_content[source.size, source.signature].append(number)
            self._by_file[Path(source.name).name].append(number)

    def left(self) -> list[Source]:
        """List the files that were not taken."""
        return [source for number, source in enumerate(self._given) if number not in self._taken]

    def take_same(self, source: Source) -> Source | None:
        """Take the file that holds the same as a source; if there are several, the one of the same name."""
        same = [number for number in self._by_content[source.size, source.signature] if number not in self._taken]
        if not same:
            return None
        chosen = min(same, key=lambda number: self._given[number].name != source.name)
        self._taken.add(chosen)
        return dataclasses.replace(source, path=self._given[chosen].path)

    def take_named(self, source: Source, changes: Changes) -> Source | None:
        """Take the file with the name of a source, if it has only grown; otherwise note down what has changed."""
        called = self._by_file[Path(source.name).name]
        grown = next((number for number in called if _begins_with(self._given[number], source)), None)
        free = (number for number in called if self._given[number].name == source.name and number not in self._taken)
        chosen = next(free, None) if grown is None else grown
        if chosen is None:
            changes.gone.append(source.name)
            return None
        is_known = chosen in self._taken  # what has come to it is part of the corpus too
        self._taken.add(chosen)
        if grown is None:
            changes.changed.append(source.name)
            return None
        if not is_known:
            changes.grown.append(source.name)
        return dataclasses.replace(source, path=self._given[chosen].path)
