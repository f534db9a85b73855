"""`gristmill feeds`: corpora that follow feeds and grow with every run."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.arguments import as_codes
from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.choices import one_of
from gristmill.cli.console import complain, note, progress_bars
from gristmill.cli.faults import shard_count, tell_faults
from gristmill.cli.options import CorpusFolder, Filters, Langs, Trust, Workers
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_table, write_text
from gristmill.cli.watch import say_found, say_mailing
from gristmill.errors import GristmillError, UsageError
from gristmill.presets import PRESETS
from gristmill.table import Column
from gristmill.wording import duration, plural

if TYPE_CHECKING:
    from gristmill.config import Config
    from gristmill.fetching.access import Access
    from gristmill.pipeline import FeedsRun

_MAX_NAMED = 5
"""Feeds that are named one by one; of more the number is said."""
_MIN_PAUSE_SECONDS = 60.0
_MAX_PAUSE_SECONDS = 3600.0
"""At least so often a loop looks whether a feed or a digest is due."""
_HOURS_OF_DAY = (1, 2, 3, 4, 6, 8, 12, 24)

group = typer.Typer(
    help="Follow feeds: a corpus that grows with every run.",
    epilog="\b\nExamples:\n"
    "  gristmill feeds add corpus https://example.org/rss subscriptions.opml --lang en\n"
    "  gristmill feeds run corpus --contact me@example.org\n"
    "  gristmill feeds schedule corpus",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Feeds = Annotated[
    list[str],
    typer.Argument(
        metavar="FEED",
        help="Addresses of feeds or of pages that have one, or files of subscriptions (OPML).",
        show_default=False,
    ),
]
Delay = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Between requests for pages of a host [5].", min=0)
]


@group.command("add")
def add(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Folder of a corpus, or a new one.", show_default=False)
    ],
    feeds: Feeds,
    *,
    lang: Langs = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="FILE", help="Settings in TOML, e.g. another corpus.toml.")
    ] = None,
    preset: Annotated[
        str | None, typer.Option(help=f"Filters: {PRESETS.everyday}.", autocompletion=one_of(PRESETS))
    ] = None,
    filters: Filters = None,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Take addresses as those of feeds, without asking for them.")
    ] = False,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
) -> None:
    """Follow feeds.

    Of a page, the feeds that it names are followed. A corpus that is not there yet is begun: --lang, --config, --preset
    and --filter are those of `gristmill build`, and the first `feeds run` builds it with them.

    \b
    Examples:
      gristmill feeds add corpus https://example.org/rss https://example.com/ --lang en
      gristmill feeds add corpus subscriptions.opml
    """
    from gristmill.fetching.access import Access
    from gristmill.pipeline import follow, list_feeds

    new = follow(
        corpus,
        feeds,
        _settings(config, lang, preset, filters),
        access=Access(contact, tuple(allow_network or ()), str(hosts or "")),
        discover=not as_is,
    )
    _name("following", new)
    note(f"{corpus} follows {plural(len(list_feeds(corpus)), 'feed')}, {len(new):,} of them new")


def _settings(config: Path | None, lang: str | None, preset: str | None, filters: list[str] | None) -> Config | None:
    """Make the settings of the first build; None if nothing is said of them."""
    from gristmill.config import Config

    if config is None and lang is None and preset is None and filters is None:
        return None
    settings = Config.from_file(config) if config else Config()
    return settings.with_filters(*(filters or ()), preset=preset, languages=as_codes(lang))


@group.command("run")
def run(
    corpus: CorpusFolder,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Also ask feeds that are not due yet.")] = False,
    delay: Delay = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    trust: Trust = False,
    workers: Workers = None,
) -> None:
    """Fetch what is new, build it in, run standing queries, mail.

    Feeds are asked that are due by what they say themselves. Run it again after an interruption: it goes on, and
    fetches nothing twice. Digests that are due are mailed (`gristmill watch --help`).

    \b
    Examples:
      gristmill feeds run corpus --contact me@example.org
      gristmill feeds run corpus --all
    """
    access = _access(corpus, contact, allow_network, hosts)
    first = shard_count(corpus)
    _tell(corpus, _run_once(corpus, access, delay, workers, everything=everything, trust=trust), first)


def _access(corpus: Path, contact: str, allow_network: list[str] | None, hosts: Path | None) -> Access:
    """Check that there are feeds, and that somebody says who asks."""
    from gristmill.pipeline import list_feeds

    if not list_feeds(corpus):
        raise UsageError(f"{corpus} follows no feeds: add some with gristmill feeds add {corpus} FEED...")
    return access_of(contact, allow_network, hosts)


def _run_once(
    corpus: Path, access: Access, delay: float | None, workers: int | None, *, everything: bool, trust: bool
) -> FeedsRun:
    from gristmill.engine.memory import keep_memory
    from gristmill.pipeline import run_feeds
    from gristmill.pipeline.feeding import page_settings

    keep_memory()
    with progress_bars() as progress:
        return run_feeds(
            corpus,
            access=access,
            crawl=page_settings(delay),
            force=everything,
            workers=workers,
            progress=progress,
            trust=trust,
        )


def _tell(corpus: Path, done: FeedsRun, first: int) -> None:
    """Say what a run did; raise if mail could not be sent, or if the program failed on pages of shards from `first`."""
    from gristmill.corpus import CorpusReader

    polled, articles = done.polled, done.articles
    if not polled.asked and not articles.items:
        note(f"no feed is due before {_date(done.next)} UTC; --all asks them all the same")
    else:
        note(
            f"{plural(polled.asked, 'feed')} asked: {plural(polled.new, 'new item')}, {polled.corrected:,} corrected; "
            f"{plural(articles.articles, 'article')} found"
        )
    if articles.missing:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(articles.reasons.items()))
        again = f"; {done.again:,} of them are tried again by the next run" if done.again else ""
        note(f"{plural(len(articles.missing), 'item')} without text ({reasons}){again}")
    if done.later:
        note(f"{plural(done.later, 'item')} left to the next runs, as their sites have too many for one")
    _name("failed", [f"{url}: {reason}" for url, reason in polled.failed])
    _name("moved", [f"{old} to {new}" for old, new in polled.moved])
    _name("gone, and not asked any more", polled.gone)
    _name("dead for a week or longer", polled.dead)
    _name("may have lost items between two runs, run more often", polled.overrun)
    say_found(corpus, done.found)
    if done.mailing.sent or done.mailing.unsent:
        say_mailing(done.mailing)
    if done.mail_error:
        raise done.mail_error
    if polled.asked and len(polled.failed) == polled.asked:
        raise GristmillError("no feed answered: is there a connection to the network? They are tried again later")
    if shard_count(corpus) > first:
        tell_faults(CorpusReader(corpus), first)


def _name(what: str, feeds: list[str]) -> None:
    for feed in feeds[:_MAX_NAMED]:
        note(f"{what}: {feed}")
    if len(feeds) > _MAX_NAMED:
        note(f"{what}: {len(feeds) - _MAX_NAMED:,} more")


@group.command("schedule")
def schedule(
    corpus: CorpusFolder,
    *,
    hours: Annotated[int, typer.Option(help=f"How often: {', '.join(map(str, _HOURS_OF_DAY))}.")] = 3,
    loop: Annotated[
        bool, typer.Option("--loop", help="Run now, and again whenever a feed is due, until it is stopped.")
    ] = False,
    delay: Delay = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    trust: Trust = False,
    workers: Workers = None,
) -> None:
    """Show the cron line and the systemd timer, or run by itself.

    Copy what you use; nothing is installed. With --loop the command stays, and sleeps until the next feed is due. It
    ends in order on Ctrl-C and SIGTERM.

    \b
    Examples:
      gristmill feeds schedule corpus --hours 6 --contact me@example.org
      gristmill feeds schedule corpus --loop
    """
    if hours not in _HOURS_OF_DAY:
        raise UsageError(f"--hours must divide a day: {', '.join(map(str, _HOURS_OF_DAY))}, not {hours}")
    if loop:
        access = _access(corpus, contact, allow_network, hosts)
        _loop(lambda: _said(corpus, lambda: _run_once(corpus, access, delay, workers, everything=False, trust=trust)))
        return
    _access(corpus, contact, allow_network or ["127.0.0.0/8"], hosts)
    options = [*(["--contact", contact] if contact else []), *(["--trust"] if trust else [])]
    options += [word for network in allow_network or () for word in ("--allow-network", network)]
    options += ["--hosts", str(hosts.absolute())] if hosts else []
    options += [] if delay is None else ["--delay", f"{delay:g}"]
    options += [] if workers is None else ["--workers", str(workers)]
    _show_schedule(corpus, options, hours)


def _show_schedule(corpus: Path, options: list[str], hours: int) -> None:
    from gristmill.cli.feed_schedule import cron_line, feeds_command, systemd_units

    command = feeds_command(corpus, options)
    units = systemd_units(command, corpus, hours)
    text = f"# cron: a line for `crontab -e`\n{cron_line(command, hours)}\n"
    for name, unit in units.items():
        text += f"\n# systemd: ~/.config/systemd/user/{name}\n{unit}"
    timer = next(name for name in units if name.endswith(".timer"))
    text += f"\n# then: systemctl --user daemon-reload && systemctl --user enable --now {timer}\n"
    write_text(text)


def _said(corpus: Path, run_once: Callable[[], FeedsRun]) -> float:
    """Do a run, and say what went wrong: the next one may go well. Return when the next feed is due."""
    first = shard_count(corpus)
    try:
        done = run_once()
    except GristmillError as error:
        complain(str(error), 1)
        return 0.0
    try:
        _tell(corpus, done, first)
    except GristmillError as error:  # mail that could not be sent, or pages on which the program failed
        complain(str(error), 1)
    return done.next


def _loop(run_once: Callable[[], float]) -> None:
    while True:
        due = run_once()
        pause = min(max(due - time.time(), _MIN_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)
        try:
            note(f"the next run is in {duration(pause)}")
            time.sleep(pause)
        except (KeyboardInterrupt, SystemExit):  # the latter is SIGTERM
            note("stopped, while nothing was under way")
            return


@group.command("list")
def list_all(corpus: CorpusFolder, *, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """Show all feeds: items, the last one, failures.

    A feed is dead if it is gone, or has failed for a week.

    \b
    Examples:
      gristmill feeds list corpus
      gristmill feeds list corpus --json
    """
    from gristmill.pipeline import list_feeds

    form = chosen_format(as_json, as_csv)
    now = time.time()
    feeds = list_feeds(corpus)
    names = ("url", "title", "state", "items", "last_item", "last_answer", "failures", "failure")
    columns = [Column(name, name.replace("_", " ")) for name in names]
    rows = [
        (
            feed.url,
            feed.title,
            "dead" if feed.is_dead(now) else f"moved to {feed.moved_to}" if feed.moved_to else feed.state,
            feed.items,
            _date(feed.last_item),
            _date(feed.answered),
            feed.failures,
            feed.failure,
        )
        for feed in feeds
    ]
    if not rows and form == "table":
        note(f"no feeds are followed: add some with gristmill feeds add {corpus} FEED...")
        return
    write_table(columns, rows, form)
    if form == "table":
        _name("dead", [f"{feed.url}: {feed.failure or 'gone'}" for feed in feeds if feed.is_dead(now)])


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M") if seconds else ""


@group.command("remove")
def remove(
    corpus: CorpusFolder,
    feeds: Annotated[list[str], typer.Argument(metavar="ADDRESS", help="As `feeds list` shows it.")],
) -> None:
    """Follow feeds no more.

    What they gave stays in the corpus.

    \b
    Example:
      gristmill feeds remove corpus https://example.org/rss
    """
    from gristmill.pipeline import list_feeds, unfollow
    from gristmill.registry import did_you_mean

    known = [feed.url for feed in list_feeds(corpus)]
    gone = unfollow(corpus, feeds)
    _name("no longer following", gone)
    if len(gone) < len(set(feeds)):
        wrong = next(feed for feed in feeds if feed not in gone)
        raise UsageError(f"{corpus} does not follow {wrong}{did_you_mean(wrong, known)}: see gristmill feeds list")


@group.command("export")
def export(corpus: CorpusFolder) -> None:
    """Write the subscriptions as OPML, for feed readers.

    \b
    Example:
      gristmill feeds export corpus > subscriptions.opml
    """
    from gristmill.feeds.opml import Subscription, write_opml
    from gristmill.pipeline import list_feeds

    followed = [Subscription(feed.url, feed.title) for feed in list_feeds(corpus) if feed.state == "active"]
    write_text(write_opml(followed, f"Feeds of {corpus.resolve().name}"))
