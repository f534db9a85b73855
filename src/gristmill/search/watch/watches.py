"""Standing queries, as in GlossaNet: each shard that comes to a corpus is searched once, and what is found is kept.

A watch is a folder of the corpus with `watch.toml` and a file for each shard that was searched, which says what was
found there. The lines as text and as a feed are made of these, so that a run which was killed loses nothing and repeats
nothing. `runs.json` says which shards were searched by one run, as the lines of each run are sorted and limited by
themselves. `watch.toml` is written last and removed first: a folder without it is no watch, but what a killed command
left.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w

from gristmill.errors import GristmillError, UsageError
from gristmill.registry import did_you_mean
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.lines import Line
from gristmill.search.index.index import Index
from gristmill.search.index.shard import empty_columns
from gristmill.search.index.writing import write_index
from gristmill.search.subcorpora import expanded
from gristmill.search.watch import mail, showing
from gristmill.search.watch.feed import FEED, atom_feed, feed_address
from gristmill.search.watch.mail import Mail
from gristmill.search.watch.schedule import EVERY_RUN, PERIODS, check_schedule, is_due, last_given, note_given
from gristmill.search.watch.showing import Showing
from gristmill.search.wordlists import FOLDER as LISTS
from gristmill.search.wordlists import WordLists
from gristmill.shapes import misfit
from gristmill.shards import SHARD_NAME, Shard, write_atomically
from gristmill.wording import plural

FOLDER = "watches"
"""Folder of a corpus that has its watches."""
TEXT = "lines.txt"
_CARD = "watch.toml"
_RUNS = "runs.json"
_NAME = re.compile(r"\w[\w-]{0,63}")
_MAX_NAME_BYTES = 200
"""What file systems take, with some room; letters of some scripts have four bytes."""
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))]
)
"""Names that no folder can have on Windows."""
_CARD_SHAPE = {
    "query": str,
    "where": str,
    "first": int,
    **showing.SHAPE,
    "every?": str,
    "mail?": mail.SHAPE,
    "address?": str,
}


class Run(NamedTuple):
    """The shards that one run searched, from the one after those of the run before it."""

    end: int
    """The number after that of its last shard."""
    lines: int


@dataclass(frozen=True, slots=True)
class Watch:
    """A standing query: what it looks for and in which documents.

    `first` is the number of the first shard that it searches.
    """

    folder: Path
    query: str
    where: str
    first: int
    showing: Showing = field(default_factory=Showing)
    mail: Mail = field(default_factory=Mail)
    address: str = ""
    """Where its feed is published, if that was said."""
    every: str = EVERY_RUN
    """How often its lines are given out: one of `SCHEDULES`."""

    @property
    def name(self) -> str:
        """Its name, which is that of its folder."""
        return self.folder.name

    def pending(self, shards: list[Shard]) -> list[Shard]:
        """The shards that it has not searched yet."""
        return [shard for shard in shards[self.first :] if not self._result(shard).exists()]

    def search(self, part: Index) -> Iterator[Line]:
        """Search an index, and show the hits with their sentences, or as much text as is wanted."""
        try:
            lists = WordLists(folder=self.folder.parent.parent / LISTS)
            return Concordance.of(part, self.query, self.where or None, lists=lists).lines(context=self.showing.length)
        except UsageError as error:  # it finds too much, say
            raise GristmillError(
                f"the watch {self.name!r} can't be asked, so remove it (`gristmill watch remove`): {error}"
            ) from error

    def keep(self, shard: Shard, lines: list[Line]) -> None:
        """Write down what was found in a shard: from now on that is searched."""
        records = (json.dumps(line.to_json(), ensure_ascii=False) for line in lines)
        write_atomically(self._result(shard), "".join(f"{record}\n" for record in records).encode())

    def lines(self, first: int = 0, end: int | None = None) -> Iterator[Line]:
        """The lines that were found so far, in the order of the corpus; all, or those of some shards."""
        for path in self._results():
            if first <= int(path.stem) and (end is None or int(path.stem) < end):
                yield from _read_lines(path)

    def count(self) -> int:
        """Number of lines that were found so far."""
        return sum(path.read_bytes().count(b"\n") for path in self._results())

    def runs(self) -> list[Run]:
        """The runs that came to their end and found something."""
        path = self.folder / _RUNS
        try:
            runs = [Run(int(end), int(lines)) for end, lines in json.loads(path.read_bytes())]
        except FileNotFoundError:  # none yet
            return []
        except (ValueError, TypeError) as error:
            raise GristmillError(f"{path} is damaged ({error}): remove it, and all lines count as one run") from error
        if runs != sorted(runs):
            raise GristmillError(f"{path} is damaged (out of order): remove it, and all lines count as one run")
        return runs

    def shown(self) -> int:
        """Number of lines that the text and the feed have, at most so many of a run as the limit says."""
        limit = self.showing.limit
        beyond = sum(max(run.lines - limit, 0) for run in self.runs()) if limit else 0
        return self.count() - beyond - self.waiting()

    def waiting(self) -> int:
        """Number of lines that were found, and are given out when that is due."""
        return 0 if self.every == EVERY_RUN else max(self.count() - sum(run.lines for run in self.runs()), 0)

    def give_out(self, now: float) -> None:
        """Write text and feed if there is something new, and it is due."""
        if self.is_published() or not is_due(self.every, last_given(self.folder), now):
            return
        has_new = bool(self.waiting())
        self.publish()
        if has_new:
            note_given(self.folder, now)

    def publish(self, *, new: bool = True) -> None:
        """Write the lines of all runs as text, and the latest of them as an Atom feed.

        Without `new`, these are the runs that were given out before. The list of runs comes last, as it tells whether
        both are complete.
        """
        shown: list[Line] = []
        texts: list[str] = []
        runs: list[Run] = []
        for end, lines in self._lines_by_run(new):
            arranged, more = self.showing.arrange(lines)
            shown += arranged
            texts += map(line_text, arranged)
            if more:
                texts.append(f"\t\t\t({plural(more, 'more line')}: gristmill watch show)\n")
            runs.append(Run(end, len(lines)))
        write_atomically(self.folder / FEED, atom_feed(self.name, self.query, shown, self.address))
        write_atomically(self.folder / TEXT, "".join(texts).encode())
        write_atomically(self.folder / _RUNS, json.dumps(_joined(runs)).encode())

    def is_published(self) -> bool:
        """Whether text and feed have all that was found. Lines are only ever added, so their numbers tell."""
        text, runs, limit = self.folder / TEXT, self.runs(), self.showing.limit
        if not ((self.folder / FEED).exists() and text.exists() and (self.folder / _RUNS).exists()):
            return False
        if (runs[-1].end if runs else 0) < self._searched() or sum(run.lines for run in runs) != self.count():
            return False
        remarks = sum(run.lines > limit for run in runs) if limit else 0
        return text.read_bytes().count(b"\n") == self.shown() + remarks

    def _lines_by_run(self, new: bool) -> Iterator[tuple[int, list[Line]]]:
        """The end of each run with its lines; what was searched since the last of them is one more if `new`."""
        ends = [run.end for run in self.runs()]
        searched = self._searched()
        if new and searched > (ends[-1] if ends else 0):
            ends.append(searched)
        given = [path for path in self._results() if ends and _number(path) < ends[-1]]
        by_run = groupby(given, lambda path: bisect_right(ends, _number(path)))
        for number, paths in by_run:
            yield ends[number], [line for path in paths for line in _read_lines(path)]

    def _searched(self) -> int:
        """The number after that of the last shard that was searched."""
        return max((int(path.stem) + 1 for path in self._results()), default=0)

    def _results(self) -> list[Path]:
        """The files of the shards that were searched, in the order of the corpus."""
        return sorted((path for path in self.folder.glob("*.jsonl") if SHARD_NAME.fullmatch(path.stem)), key=_number)

    def _result(self, shard: Shard) -> Path:
        return self.folder / f"{shard.name}.jsonl"


def add_watch(
    corpus: Path,
    query: str,
    where: str = "",
    name: str = "",
    first: int = 0,
    showing: Showing | None = None,
    mail: Mail | None = None,
    address: str = "",
    every: str = EVERY_RUN,
) -> Watch:
    """Begin to watch for a query; raise if it is not a valid one."""
    where = expanded(where, corpus)
    _check(query, where, corpus)
    name = name or _name_for(query)
    if not _NAME.fullmatch(name) or name.lower() in _WINDOWS_DEVICES or len(name.encode()) > _MAX_NAME_BYTES:
        raise UsageError(
            f"{name!r} can't be the name of a watch: use letters, digits, - and _, at most 64 (and no name of a device)"
        )
    watch = Watch(
        corpus / FOLDER / name,
        query,
        where,
        first,
        showing or Showing(),
        mail or Mail(),
        address and feed_address(address),
        check_schedule(every),
    )
    if (watch.folder / _CARD).exists():
        raise UsageError(f"there is a watch {name!r} already: choose another --name, or remove it first")
    clear_leftovers(corpus)
    watch.folder.mkdir(parents=True)
    watch.publish()
    _write(watch)
    return watch


def change_watch(
    corpus: Path, name: str, showing: Mapping[str, Any], every: str | None = None, address: str | None = None
) -> Watch:
    """Change how the lines of a watch are shown and how often they are given out, and write those that were anew.

    A new length is that of the lines that are found from now on. `address` is where its feed is published; an empty one
    is none.
    """
    before = find_watch(corpus, name)
    schedule = before.every if every is None else check_schedule(every)
    mail = replace(before.mail, every=schedule) if every in PERIODS and before.mail.to else before.mail
    place = before.address if address is None else address and feed_address(address)
    form = replace(before.showing, **showing)
    watch = replace(before, showing=form, every=schedule, mail=mail, address=place)
    _write(watch)
    watch.publish(new=watch.every == EVERY_RUN)
    return watch


def change_mail(corpus: Path, name: str, mail: Mail) -> Watch:
    """Set who gets the lines of a watch by mail."""
    watch = replace(find_watch(corpus, name), mail=mail)
    _write(watch)
    return watch


def read_watches(corpus: Path) -> list[Watch]:
    """All watches of a corpus, by name."""
    return [_read(card.parent) for card in sorted(corpus.glob(f"{FOLDER}/*/{_CARD}"))]


def remove_watch(corpus: Path, name: str) -> None:
    """Stop watching for a query, and delete what was found."""
    clear_leftovers(corpus)
    (find_watch(corpus, name).folder / _CARD).unlink()
    clear_leftovers(corpus)


def find_watch(corpus: Path, name: str) -> Watch:
    """Find a watch by its name; raise if there is none."""
    watches = {watch.name: watch for watch in read_watches(corpus)}
    if name not in watches:
        known = f" (there are: {', '.join(watches)})" if watches else ": there are none"
        raise UsageError(f"there is no watch {name!r}{did_you_mean(name, watches)}{known}")
    return watches[name]


def clear_leftovers(corpus: Path) -> None:
    """Remove what is left of watches that were partly added or removed; the corpus must be locked."""
    for folder in (corpus / FOLDER).glob("*/"):
        if not (folder / _CARD).exists():
            shutil.rmtree(folder)


def _read(folder: Path) -> Watch:
    try:
        card: dict[str, Any] = tomllib.loads((folder / _CARD).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GristmillError(
            f"can't read {folder / _CARD}: {error}; remove the folder and add the watch again"
        ) from error
    fault = misfit(card, _CARD_SHAPE, _CARD)
    if fault:
        raise GristmillError(f"{folder / _CARD} is damaged ({fault}): remove the folder and add the watch again")
    try:
        form, recipients = Showing.from_table(card), Mail.from_table(card.get("mail", {}))
        address = feed_address(card["address"]) if card.get("address") else ""
        every = check_schedule(card.get("every", EVERY_RUN))
    except UsageError as error:
        raise GristmillError(
            f"{folder / _CARD} is damaged ({error}): remove the folder and add the watch again"
        ) from error
    return Watch(folder, card["query"], card["where"], max(card["first"], 0), form, recipients, address, every)


def _write(watch: Watch) -> None:
    """Write the card of a watch; what is as by default is left out."""
    card: dict[str, Any] = {
        "query": watch.query,
        "where": watch.where,
        "first": watch.first,
        **watch.showing.to_table(),
    }
    if watch.every != EVERY_RUN:
        card["every"] = watch.every
    if watch.mail.to:
        card["mail"] = watch.mail.to_table()
    if watch.address:
        card["address"] = watch.address
    write_atomically(watch.folder / _CARD, tomli_w.dumps(card).encode())


def _joined(runs: list[Run]) -> list[Run]:
    """Join runs that found nothing to the ones before them, so that the list does not grow with every run."""
    joined: list[Run] = []
    for run in runs:
        if joined and not run.lines:
            joined[-1] = Run(run.end, joined[-1].lines)
        else:
            joined.append(run)
    return joined


def _read_lines(path: Path) -> Iterator[Line]:
    for record in path.read_bytes().splitlines():  # of text, other characters would end a line too
        try:
            yield Line.from_json(json.loads(record))
        except (ValueError, TypeError, AttributeError) as error:
            raise GristmillError(f"{path} is damaged ({error}): remove it, and its shard is searched again") from error


def _number(path: Path) -> int:
    return int(path.stem)


def _check(query: str, where: str, corpus: Path) -> None:
    """Search an index without tokens, which has all attributes, to see whether the query is valid."""
    with tempfile.TemporaryDirectory() as folder:
        write_index(Path(folder), empty_columns())
        Concordance.of(Index.open(folder), query, where or None, lists=WordLists(folder=corpus / LISTS))


def _name_for(query: str) -> str:
    """Make a name of the words of a query."""
    words = "-".join(re.findall(r"\w+", query.lower()))[:64]
    name = words.encode()[:_MAX_NAME_BYTES].decode("utf-8", "ignore").strip("-_") or "watch"
    return f"{name}-" if name in _WINDOWS_DEVICES else name


def line_text(line: Line) -> str:
    """A line of text: where the hit is, and its sentence with the hit in angle brackets.

    `gristmill search --view sentence` shows it in the same way.
    """
    shown = " ".join(f"{line.left}<{line.node}>{line.right}".split())
    return f"{line.doc}\t{line.date[:10]}\t{line.url}\t{shown}\n"
