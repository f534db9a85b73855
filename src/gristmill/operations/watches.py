"""Standing queries: listed, added, changed, asked of what is new, removed; and what they found."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode

from gristmill.errors import GristmillError, UsageError
from gristmill.operations.common import NameAsked, NoParameters, OfPart, Rows
from gristmill.operations.declaration import File, operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from pathlib import Path

    from gristmill.pipeline import Corpus
    from gristmill.search.watch.told import FoundLines, StandingQueries, StandingQuery, Told

_MAX_SIDE = 1_000
"""Characters or words to each side of a hit."""


def _described(corpus: Corpus | Path, *names: str) -> list[StandingQuery]:
    """Describe standing queries, all if none is named; a server tells nobody who gets mail."""
    from gristmill.corpus import Manifest, folder_of
    from gristmill.pipeline import Corpus
    from gristmill.search.watch.told import StandingQuery
    from gristmill.search.watch.watches import find_watch, read_watches

    folder = folder_of(corpus)
    manifest = Manifest.read(folder)
    shards = manifest.shards[: manifest.adding]
    is_served = isinstance(corpus, Corpus) and not corpus.build
    found = [find_watch(folder, name) for name in names] or read_watches(folder)
    return [StandingQuery.of(watch, shards, with_mail=not is_served) for watch in found]


@operation(
    NoParameters,
    room="search",
    table=True,
    needs_index=False,
    needs_complete=False,
    group="watch",
    examples=("gristmill watch list corpus",),
)
def watch_list(corpus: Corpus | Path, asked: NoParameters) -> StandingQueries:
    """Show all queries and how much they found.

    `pending` is the number of parts of the corpus that a query was not asked of yet; `waiting` that of lines which are
    given out when the schedule of the query says so.
    """
    from gristmill.search.watch.told import StandingQueries

    del asked
    return StandingQueries(_described(corpus))


@asked
class WatchShowAsked(NameAsked, Rows):
    """A standing query, and which of its lines are wanted."""


@operation(
    WatchShowAsked,
    room="search",
    table=True,
    needs_index=False,
    needs_complete=False,
    group="watch",
    examples=("gristmill watch show corpus quotative", "gristmill watch show corpus quotative --limit 0 --csv"),
)
def watch_show(corpus: Corpus | Path, asked: WatchShowAsked) -> FoundLines:
    """Show what a query found, the latest lines first.

    Those beyond the limit of a run are shown as well, and those that wait.
    """
    from gristmill.corpus import folder_of
    from gristmill.search.watch.told import FoundLines
    from gristmill.search.watch.watches import find_watch

    (about,) = _described(corpus, asked.name)
    last = max(about.found - asked.offset, 0)
    first = max(last - asked.limit, 0) if asked.limit else 0
    lines = find_watch(folder_of(corpus), asked.name).lines()
    return FoundLines(list(islice(lines, first, last))[::-1], about)


@asked
class FeedAsked(NameAsked):
    """A standing query whose feed is wanted."""

    address: str = param(
        "What the feed says of where it is, if nobody has set that; this address, if empty.",
        default="",
        max_characters=2_000,
    )


@operation(FeedAsked, room="search", needs_index=False, content_types=("application/atom+xml",))
def watch_feed(corpus: Corpus, asked: FeedAsked) -> File:
    """Give the Atom feed of a standing query, for feed readers."""
    from gristmill.search.watch.feed import FEED, at_address
    from gristmill.search.watch.watches import find_watch

    watch = find_watch(corpus.folder, asked.name)
    path = watch.folder / FEED
    here = asked.address or f"watch-feed?{urlencode({'name': asked.name})}"
    try:
        data = path.read_bytes()
        return File(at_address(data, watch.address or here), "application/atom+xml; charset=utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise GristmillError(f"can't read {path}: {reason}; `gristmill watch run` writes it") from error


@asked
class _Manner:
    """How a standing query shows its lines, how often, and to whom."""

    sort: Literal["corpus", "date", "left", "right", "node"] | None = param(
        "How the lines of each run are sorted [as in the corpus].", default=None
    )
    context: int | None = param(
        "Characters to each side of a hit [its sentence].", default=None, minimum=0, maximum=_MAX_SIDE
    )
    tokens: int | None = param("Words to each side, instead of characters.", default=None, minimum=0, maximum=_MAX_SIDE)
    limit: int | None = param(
        "Show so many lines of each run; 0 for all [0].", default=None, minimum=0, maximum=10**6, short="-l"
    )
    every: Literal["run", "daily", "weekly"] | None = param(
        "How often what is found comes to the text, the feed and the mail [each run, mail daily].", default=None
    )
    feed_url: str | None = param(
        "Where you publish its feed, which says so; empty if it is not published.", default=None, kind="owner"
    )
    mail: tuple[str, ...] = param(
        "Who gets by mail what it finds from now on; an empty address: nobody any more.", default=(), kind="owner"
    )
    mail_every: Literal["daily", "weekly"] | None = param(
        "How often mail is sent, if something is new [as often as lines are given out, or daily].",
        default=None,
        kind="owner",
    )

    @property
    def order(self) -> str | None:
        """What lines are sorted by, as it is stored."""
        return "" if self.sort == "corpus" else self.sort

    def check_together(self) -> None:
        """Raise if a parameter makes another one do nothing."""
        if self.mail_every and not self.mail:
            raise UsageError("mail_every is for mail: say who gets it, too")


@asked
class WatchAddAsked(_Manner, OfPart):
    """A query that is asked of all that comes to the corpus."""

    query: str = param("Words, or CQL.", kw_only=False, kind="query", name="q", max_characters=10_000)
    name: str = param("Its name [made of the words of the query].", default="", max_characters=64)
    everything: bool = param("Ask it also of the documents that are in the corpus now.", default=False)


@operation(
    WatchAddAsked,
    room="search",
    effect="writes",
    needs_index=False,
    needs_complete=False,
    group="watch",
    examples=(
        "gristmill watch add corpus '[lemma=\"mill\"]'",
        'gristmill watch add corpus \'[lemma="be"] "like"\' --name quotative --where \'lang="en"\' --everything',
        "gristmill watch add corpus 'mill*' --sort right --tokens 8 --limit 50",
        "gristmill watch add corpus 'mill*' --name mills --mail me@example.org --every weekly",
    ),
)
def watch_add(corpus: Corpus | Path, asked: WatchAddAsked) -> StandingQuery:
    """Search all documents that are added from now on for a query.

    Each `gristmill add` then searches the new documents only. What it finds is in the folder watches/NAME of the
    corpus, as text in lines.txt and as an Atom feed in feed.xml; `gristmill watch send` mails it. With `every`, what is
    found waits until a day or a week has passed. With `everything`, the documents that are there now are searched by
    the next run: `gristmill watch run`.
    """
    from gristmill.pipeline import set_mail, watch

    asked.check_together()
    made = watch(
        corpus,
        asked.query,
        where=asked.where or "",
        name=asked.name,
        everything=asked.everything,
        sort=asked.order or "",
        context=asked.context,
        tokens=asked.tokens,
        limit=asked.limit or 0,
        mail=asked.mail,
        every=asked.every or "",
        feed_url=asked.feed_url or "",
    )
    if asked.mail_every:
        set_mail(corpus, made.name, asked.mail, every=asked.mail_every)
    return _described(corpus, made.name)[0]


@asked
class WatchSetAsked(_Manner, NameAsked):
    """What is changed of a standing query."""

    sentence: bool = param("Lines are whole sentences again.", default=False)


@operation(
    WatchSetAsked,
    room="search",
    effect="writes",
    needs_index=False,
    needs_complete=False,
    group="watch",
    examples=(
        "gristmill watch set corpus quotative --sort right --limit 50",
        "gristmill watch set corpus quotative --tokens 8 --every weekly",
        "gristmill watch set corpus quotative --mail me@example.org --mail-every weekly",
        "gristmill watch set corpus quotative --feed-url https://example.org/quotative.xml",
    ),
)
def watch_set(corpus: Corpus | Path, asked: WatchSetAsked) -> StandingQuery:
    """Change how a query shows its lines, how often, and to whom.

    What you don't name stays as it is. A new length is that of lines that are found from now on; order and limit hold
    for the lines of earlier runs, too. A feed should say its own address, by which feed readers know it. Without one it
    says feed.xml, which is right wherever the file is published under its name. Addresses of mail replace those that
    were set before.
    """
    from gristmill.pipeline import set_mail, set_watch

    asked.check_together()
    if asked == WatchSetAsked(asked.name):
        raise UsageError("say what is to be changed: sort, context, tokens, sentence, limit, every, feed_url or mail")
    set_watch(
        corpus,
        asked.name,
        sort=asked.order,
        context=asked.context,
        tokens=asked.tokens,
        sentence=asked.sentence,
        limit=asked.limit,
        every=asked.every,
        feed_url=asked.feed_url,
    )
    if asked.mail:
        set_mail(corpus, asked.name, [to for to in asked.mail if to], every=asked.mail_every or "")
    return _described(corpus, asked.name)[0]


@operation(
    NoParameters,
    room="search",
    effect="writes",
    needs_index=False,
    group="watch",
    examples=("gristmill watch run corpus",),
)
def watch_run(corpus: Corpus, asked: NoParameters) -> Told:
    """Search what is new for all queries.

    `gristmill add` does this by itself. You need it after an `add` that was interrupted, and for a query that is to be
    asked of everything. What was asked until it is stopped is kept, so it can be called again to go on.
    """
    from gristmill.pipeline import run_watches
    from gristmill.search.watch.told import Told, new_lines

    del asked
    found = run_watches(corpus, progress=corpus.progress, workers=None if corpus.build else 1)
    return Told(tuple(new_lines(corpus.folder, found)), {"found": found})


@operation(
    NameAsked,
    room="search",
    effect="writes",
    needs_index=False,
    needs_complete=False,
    group="watch",
    examples=("gristmill watch remove corpus quotative",),
)
def watch_remove(corpus: Corpus | Path, asked: NameAsked) -> Told:
    """Stop watching for a query, and delete what it found."""
    from gristmill.pipeline import unwatch
    from gristmill.search.watch.told import Told

    unwatch(corpus, asked.name)
    return Told((f"{asked.name} is no longer watched for, and its lines are deleted",), {"removed": asked.name})
