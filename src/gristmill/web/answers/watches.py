"""Standing queries: what is watched for, what was found, and the feed of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from gristmill.errors import GristmillError
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import File, operation
from gristmill.operations.subcorpora import NameAsked
from gristmill.parameters import param
from gristmill.pipeline import Corpus, run_watches, set_watch, unwatch, watch
from gristmill.search.concordance.lines import LINE_FIELDS, line_cells
from gristmill.search.watch.feed import FEED, at_address
from gristmill.search.watch.schedule import EVERY_RUN, SCHEDULES
from gristmill.search.watch.showing import ORDERS
from gristmill.search.watch.watches import Watch, find_watch, read_watches
from gristmill.web.downloads import format_param, rows_file

MAX_LINES = 100_000
"""Lines of one answer."""
_MAX_SIDE = 1_000
"""Characters or words to each side of a hit."""


def _described(corpus: Corpus, item: Watch) -> dict[str, Any]:
    return {
        "name": item.name,
        "query": item.query,
        "where": item.where,
        "lines": item.count(),
        "pending": len(item.pending(corpus.shards)),
        "sort": item.showing.sort,
        "limit": item.showing.limit,
        "context": item.showing.context,
        "tokens": item.showing.tokens,
        "every": item.every,
        "waiting": item.waiting(),
    }


@operation(NoParameters, room="search")
def watches(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the standing queries: name, query, condition, and how many lines each found.

    `pending` is the number of parts of the corpus that a query was not asked of yet; `waiting` that of lines which are
    given out when the schedule of the query (`every`) says so.
    """
    del asked
    return {"watches": [_described(corpus, item) for item in read_watches(corpus.folder)]}


@dataclass(frozen=True, slots=True)
class WatchAsked:
    """A standing query, and which of its lines are wanted."""

    name: str = param(about="Its name.", max_characters=64)
    page: int = param(
        "Which page of the lines, from 1; the latest are on the first.", default=1, minimum=1, maximum=10**6
    )
    lines: int = param("Lines on a page.", default=50, minimum=1, maximum=MAX_LINES)
    format: str = format_param()


@operation(WatchAsked, room="search", name="watch")
def watch_lines(corpus: Corpus, asked: WatchAsked) -> dict[str, Any] | File:
    """Give what a standing query found, the latest lines first."""
    item = find_watch(corpus.folder, asked.name)
    total = item.count()
    last = max(total - (asked.page - 1) * asked.lines, 0)
    chosen = list(islice(item.lines(), max(last - asked.lines, 0), last))[::-1]
    if asked.format != "json":
        return rows_file(LINE_FIELDS, map(line_cells, chosen), asked.format, f"watch-{item.name}")
    lines = [{**line.to_json(), "from_right": line.from_right} for line in chosen]
    return {**_described(corpus, item), "first": (asked.page - 1) * asked.lines, "found": lines}


@dataclass(frozen=True, slots=True)
class FeedAsked:
    """A standing query whose feed is wanted."""

    name: str = param(about="Its name.", max_characters=64)
    address: str = param(
        "What the feed says of where it is, if nobody has set that; this address, if empty.",
        default="",
        max_characters=2_000,
    )


@operation(FeedAsked, room="search", content_types=("application/atom+xml",))
def watch_feed(corpus: Corpus, asked: FeedAsked) -> File:
    """Give the Atom feed of a standing query, for feed readers."""
    watch = find_watch(corpus.folder, asked.name)
    path = watch.folder / FEED
    here = asked.address or f"watch-feed?{urlencode({'name': asked.name})}"
    try:
        data = path.read_bytes()
        return File(at_address(data, watch.address or here), "application/atom+xml; charset=utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise GristmillError(f"can't read {path}: {reason}; `gristmill watch run` writes it") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How a standing query shows its lines, and how often."""

    sort: str = param("How the lines of each run are sorted.", default="", choices=("", *ORDERS))
    limit: int = param("Lines of each run in the feed; 0 for all.", default=0, minimum=0, maximum=10**6)
    context: int | None = param(
        "Characters to each side of a hit; its sentence, if it is empty.", default=None, minimum=0, maximum=_MAX_SIDE
    )
    tokens: int | None = param("Words to each side, instead of characters.", default=None, minimum=0, maximum=_MAX_SIDE)
    every: str = param("How often lines come to the feed.", default=EVERY_RUN, choices=SCHEDULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchAdded(Shown):
    """A query that is asked of all that comes to the corpus."""

    q: str = param(about="Words, or CQL.", max_characters=10_000)
    name: str = param("Its name; made of the words of the query if it is empty.", default="", max_characters=64)
    where: str = param("Only documents for which this holds.", default="")
    everything: bool = param("Ask it of what is in the corpus now, too.", default=False)


@operation(WatchAdded, room="search", effect="writes")
def watch_add(corpus: Corpus, asked: WatchAdded) -> dict[str, Any]:
    """Add a standing query: from now on it is asked of all documents that are added.

    With `everything` it is to be asked of the others as well; `watch-run` does so.
    """
    made = watch(
        corpus.folder,
        asked.q,
        where=asked.where,
        name=asked.name,
        everything=asked.everything,
        sort=asked.sort,
        limit=asked.limit,
        context=asked.context,
        tokens=asked.tokens,
        every=asked.every,
    )
    return _described(corpus, made)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSet(Shown):
    """How a standing query shows its lines from now on, all of it."""

    name: str = param(about="Its name.", max_characters=64)


@operation(WatchSet, room="search", effect="writes")
def watch_set(corpus: Corpus, asked: WatchSet) -> dict[str, Any]:
    """Change the order, length and number of the lines of a standing query, and how often they are given out.

    A new length is that of lines that are found from now on.
    """
    made = set_watch(
        corpus.folder,
        asked.name,
        sort=asked.sort,
        limit=asked.limit,
        context=asked.context,
        tokens=asked.tokens,
        sentence=asked.context is None and asked.tokens is None,
        every=asked.every,
    )
    return _described(corpus, made)


@operation(NameAsked, room="search", effect="writes")
def watch_remove(corpus: Corpus, asked: NameAsked) -> dict[str, Any]:
    """Remove a standing query, and what it found."""
    unwatch(corpus.folder, asked.name)
    return {"removed": asked.name}


@operation(NoParameters, room="search", effect="writes")
def watch_run(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Ask all standing queries of what is new to them; `found` is how many lines each found.

    If that takes too long it is stopped. What was asked until then is kept, so it can be called again to go on.
    """
    del asked
    return {"found": run_watches(corpus.folder, workers=1)}
