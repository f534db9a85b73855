"""Ask standing queries of the shards that came to a corpus since they were asked last, and of no others."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gristmill.arguments import as_texts
from gristmill.consent import Named, allow
from gristmill.corpus import CorpusReader, Manifest, Selection, folder_of
from gristmill.corpus.links import check_links
from gristmill.engine import Engine, Report, silent
from gristmill.errors import UsageError
from gristmill.pipeline.annotating import Annotating
from gristmill.progress import Progress
from gristmill.scratch import scratch_folder
from gristmill.search.concordance.lines import Line
from gristmill.search.index.index import Index
from gristmill.search.index.shard import IndexTask
from gristmill.search.watch.mail import Mail
from gristmill.search.watch.schedule import EVERY_RUN, PERIODS
from gristmill.search.watch.showing import Showing
from gristmill.search.watch.watches import (
    Watch,
    add_watch,
    change_watch,
    clear_leftovers,
    read_watches,
    remove_watch,
)
from gristmill.shards import DOCUMENTS, DUPLICATES, REPLACED, TOKENS, Shard, exclusive
from gristmill.stages import CURRENT, Runner, ShardTask, State, TaskStage, running

MAIL_PERIOD = "daily"
"""How often mail is sent, if nothing is said."""


@contextmanager
def changing(corpus: str | os.PathLike[str]) -> Iterator[Path]:
    """Lock a corpus whose standing queries are changed, and return its folder; raises if there is no corpus."""
    folder = folder_of(corpus)
    Manifest.read(folder)
    check_links(folder)
    with exclusive(folder):
        yield folder


def watch(
    corpus: str | os.PathLike[str],
    query: str,
    *,
    where: str = "",
    name: str = "",
    everything: bool = False,
    sort: str = "",
    context: int | None = None,
    tokens: int | None = None,
    limit: int = 0,
    mail: str | Sequence[str] = (),
    every: str = "",
    feed_url: str = "",
) -> Watch:
    """Add a standing query, which is asked of the documents that are added from now on.

    With `everything` it is also asked of those that the corpus has already. The lines of each run are in the order of
    the corpus, or sorted by `date`, `left`, `right` or `node`; they have the sentence of the hit, or so many characters
    (`context`) or words (`tokens`) to each side. With a `limit`, so many of each run are shown. `every` says how often
    lines are given out: after each `run`, `daily` or `weekly`; what is found in between waits. `mail_watches` sends
    them to the addresses in `mail`, daily if nothing else is said. `feed_url` is where you publish its feed, if you do:
    a feed should say its own address.
    """
    showing, recipients = Showing(sort, context, tokens, limit), as_texts(mail, "mail")
    with changing(corpus) as folder:
        first = 0 if everything else len(Manifest.read(folder).settled)
        mail_settings = Mail.of(recipients, every if every in PERIODS else MAIL_PERIOD, first)
        allow(Named("mail", address) for address in mail_settings.to)
        return add_watch(folder, query, where, name, first, showing, mail_settings, feed_url, every or EVERY_RUN)


def set_watch(
    corpus: str | os.PathLike[str],
    name: str,
    *,
    sort: str | None = None,
    context: int | None = None,
    tokens: int | None = None,
    sentence: bool = False,
    limit: int | None = None,
    every: str | None = None,
    feed_url: str | None = None,
) -> Watch:
    """Change how a standing query shows its lines and how often they are given out; what is not said stays.

    `sentence` gives lines their whole sentence again. A new length is that of lines that are found from now on; order
    and limit hold for those of earlier runs, too. If mail is sent, `every` is also how often that is done.
    `feed_url` is where you publish its feed; an empty one is none.
    """
    lengths = {"context": context, "tokens": tokens}
    if sentence and any(value is not None for value in lengths.values()):
        raise UsageError("give the length of lines in characters or words, or say that they are sentences, not both")
    has_length = sentence or any(value is not None for value in lengths.values())
    showing: dict[str, Any] = lengths if has_length else {}
    showing |= {key: value for key, value in (("sort", sort), ("limit", limit)) if value is not None}
    with changing(corpus) as folder:
        return change_watch(folder, name, showing, every, feed_url)


def unwatch(corpus: str | os.PathLike[str], name: str) -> None:
    """Remove a standing query, and what it found."""
    with changing(corpus) as folder:
        remove_watch(folder, name)


def run_watches(
    corpus: str | os.PathLike[str],
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> dict[str, int]:
    """Ask all standing queries of what is new to them, and return how many lines each found.

    `gristmill.add` does this by itself.
    """
    folder = folder_of(corpus)
    CorpusReader(folder, trust=trust).check_complete()
    check_links(folder)
    with running(folder, workers, engine, progress) as runner:
        return ask_watches(CorpusReader(folder), runner)


def ask_watches(corpus: CorpusReader, runner: Runner) -> dict[str, int]:
    """Ask the standing queries of a corpus that is locked, and return how many lines each found."""
    clear_leftovers(corpus.folder)
    asking = Watching(corpus.folder, corpus.shards)
    shards = [shard for shard in corpus.shards if asking.state(shard.name) != CURRENT]
    if shards:
        runner.run(Annotating.of(corpus, shards, renewing=False))
    found: dict[str, int] = runner.run(asking)
    return found


class Watching(TaskStage):
    """Asks standing queries of the shards that each has not been asked of yet, and publishes what they found."""

    name = "watch"
    doing = "searching"
    reads = tuple(f"shards/*/{name}" for name in (DOCUMENTS, REPLACED, DUPLICATES, TOKENS))
    writes = ("watches/*/*",)
    small_work = 2_000_000  # bytes of documents

    def __init__(self, folder: Path, shards: Sequence[Shard]) -> None:
        self._folder = folder
        self._shards = {shard.name: shard for shard in shards}
        self._watches = read_watches(folder)
        pending = {watch.name: {shard.name for shard in watch.pending(list(shards))} for watch in self._watches}
        self._asking = {
            shard.name: [watch for watch in self._watches if shard.name in pending[watch.name]] for shard in shards
        }

    @property
    def command(self) -> str:
        """The command that asks all queries."""
        return f"gristmill watch run {self._folder}"

    def units(self) -> Sequence[str]:
        """Name the shards; none if there are no queries."""
        return list(self._shards) if self._watches else []

    def state(self, unit: str) -> State:
        """Tell whether all queries have been asked of a shard."""
        asking = self._asking[unit]
        if not asking:
            return CURRENT
        return State("missing", f"not asked yet: {', '.join(watch.name for watch in asking)}")

    def task(self, unit: str) -> AskTask:
        """Make the task that asks a shard the queries that it has not been asked."""
        return AskTask(self._shards[unit], str(self._folder), tuple(self._asking[unit]))

    def finish(self, results: Sequence[Any]) -> dict[str, int]:
        """Write all lines anew where there are more and these are due; say how many each query found just now."""
        now = time.time()
        for watch in self._watches:
            watch.give_out(now)
        found = Counter(dict.fromkeys((watch.name for watch in self._watches), 0))
        for counts in results:
            found.update(counts)
        return dict(found)


@dataclass(frozen=True, slots=True)
class AskTask(ShardTask):
    """Asks standing queries of one shard, for which it is indexed by itself, in a temporary folder."""

    corpus: str
    watches: tuple[Watch, ...]

    def run(self, report: Report) -> dict[str, int]:
        """Store the lines that each query finds, and return how many these are."""
        found: list[list[Line]] = [[] for _ in self.watches]
        with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
            for part in _index_parts(Path(self.corpus), self.shard, Path(folder) / "parts"):
                self._search(part, found)
        for watch, lines in zip(self.watches, found, strict=True):
            watch.keep(self.shard, lines)
        report(self.cost)
        return {watch.name: len(lines) for watch, lines in zip(self.watches, found, strict=True)}

    def _search(self, part: Path, found: list[list[Line]]) -> None:
        """Add what each query finds in a part.

        Its index is let go of here, as it could not be removed while it is open.
        """
        index = Index.open(part)
        for watch, lines in zip(self.watches, found, strict=True):
            lines.extend(watch.search(index))


def _index_parts(corpus: Path, shard: Shard, folder: Path) -> list[Path]:
    """Index one shard alone, and list the parts of this index."""
    IndexTask(str(corpus), shard, str(folder), Selection()).run(silent)
    return sorted(folder.iterdir())
