"""Corpora from a stranger: what their feeds, bootstraps and settings name is not read, run, written to or asked."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from loopback import Loopback, Reply

import gristmill
from gristmill.bootstrapping.config import BootstrapConfig
from gristmill.bootstrapping.store import Store as BootstrapStore
from gristmill.consent import UntrustedError
from gristmill.crawling import CrawlConfig
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.feeds.item import Feed, Item
from gristmill.feeds.store import Answered, Store
from gristmill.fetching.access import Access
from gristmill.fetching.exchange import Endpoint
from gristmill.pipeline.feed_runs import Run, Tries

FEED = "http://news.example/feed"
DOCUMENT = b"<rss><channel><item><title>A mill</title><link>/mill</link></item></channel></rss>"
QUICK = CrawlConfig().replace({"manners": {"delay": 0.0, "ip_delay": 0.0, "retries": 0}, "fetch": {"min_bytes": 0}})


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A corpus that follows a feed, and has not run yet."""
    folder = tmp_path / "theirs"
    gristmill.follow(folder, FEED, discover=False)
    return folder


def run(folder: Path, server: Loopback) -> gristmill.FeedsRun:
    return gristmill.run_feeds(folder, access=server.access(), crawl=QUICK, engine=InlineEngine(), workers=1)


def bootstrapped(folder: Path, **changes: dict[str, object]) -> Path:
    """Make a corpus that is to be gone on with by `bootstrap`."""
    folder.mkdir()
    BootstrapConfig().replace({"seeds": {"lang": "en"}, **changes}).write(folder / "bootstrap.toml")
    with BootstrapStore(folder) as store:
        store.set_state("build", json.dumps(gristmill.Config().to_table()))
    return folder


def test_files_that_a_bootstrap_names_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("This is nobody else's business. " * 50)
    folder = bootstrapped(tmp_path / "theirs")
    with BootstrapStore(folder) as store:
        store.begin(0, local=[str(tmp_path / "secret.txt")])
    with pytest.raises(UntrustedError, match=r"bootstrap\.sqlite names the file .*secret\.txt"):
        gristmill.bootstrap(corpus=folder, access=Access("me@example.org"))
    assert not (folder / "corpus.toml").exists()


@pytest.mark.parametrize("name", ["bootstrap.sqlite-wal", "bootstrap.sqlite-journal", "pages/bootstrap-1"])
def test_links_of_a_bootstrap_are_not_written_through(name: str, tmp_path: Path) -> None:
    folder = bootstrapped(tmp_path / "theirs")
    (folder / "pages").mkdir(exist_ok=True)
    with BootstrapStore(folder) as store:
        store.begin(1, urls=["http://example.org/"])
    outside = tmp_path / "outside"
    outside.mkdir() if name.startswith("pages") else outside.write_bytes(b"")
    (folder / name).symlink_to(outside)
    with pytest.raises(UntrustedError, match="outside"):
        gristmill.bootstrap(corpus=folder, access=Access("me@example.org"))
    assert not (list(outside.iterdir()) if outside.is_dir() else outside.read_bytes())


def test_links_in_the_fetched_pages_of_feeds_are_not_written_through(theirs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with Loopback({"news.example/feed": Reply(200, {}, DOCUMENT)}) as server, Store(theirs / "feeds.sqlite") as store:
        item = Item(link="http://news.example/mill", title="A mill")
        store.answered(store.feeds()[0], Answered(0.0, Feed(items=[item]), body=1), 0.0)
        begun = Run.begin(theirs, 0.0, store.pending(), first=True)
        (begun.fetched / "1").symlink_to(outside)
        with pytest.raises(UsageError, match="is a link"):
            run(theirs, server)
    assert not list(outside.iterdir())


def test_settings_of_feeds_name_nothing_that_is_run(theirs: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "evil.py"
    plugin.write_text(f"from pathlib import Path\nPath({str(tmp_path / 'ran')!r}).touch()\n")
    (theirs / "feeds.toml").write_text(f"[settings.plugins]\nmodules = [{json.dumps(str(plugin))}]\n")
    article = (
        b"<html><body><p>" + b"The mill by the river grinds all the corn of the valley. " * 30 + b"</p></body></html>"
    )
    routes = {"news.example/feed": Reply(200, {}, DOCUMENT), "news.example/mill": Reply(200, {}, article)}
    with Loopback(routes) as server, pytest.raises(UntrustedError, match=r"evil\.py"):
        run(theirs, server)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:10.0.0.1]/",
        "http://10.0.0.1/feed",
        "http://100.100.100.200/",
    ],
)
def test_feeds_lead_into_no_private_network(url: str, theirs: Path) -> None:
    with Store(theirs / "feeds.sqlite") as store:
        store.unsubscribe([FEED])
        store.subscribe([url])
    with Loopback() as server:
        server.resolve = _as_it_is  # type: ignore[method-assign]
        done = run(theirs, server)
    assert [reason for _, reason in done.polled.failed] == [
        "the address is private, reserved or otherwise not to be connected to"
    ]


async def _as_it_is(host: str, port: int) -> list[Endpoint]:
    return [Endpoint(host, port)]


@pytest.mark.parametrize(
    "change",
    [
        "url = 'file:///etc/passwd'",
        "url = 'x'",
        "url = x'00ff'",
        "failures = 'many'",
        "next = 'never'",
        "answered = 9e999",
        "added = 1e300",
        "body = x'00'",
        "title = x'ff'",
    ],
)
def test_feeds_that_are_none_are_refused_in_words(change: str, theirs: Path) -> None:
    with closing(sqlite3.connect(theirs / "feeds.sqlite")) as database:
        database.execute(f"UPDATE feed SET {change}")  # noqa: S608
        database.commit()
    with pytest.raises(GristmillError, match="is damaged: a feed"):
        gristmill.list_feeds(theirs)
    with Loopback() as server, pytest.raises(GristmillError, match="is damaged: a feed"):
        run(theirs, server)


def test_tables_that_are_missing(theirs: Path) -> None:
    with closing(sqlite3.connect(theirs / "feeds.sqlite")) as database:
        database.execute("DROP TABLE version")
        database.execute("ALTER TABLE feed DROP COLUMN title")
    with pytest.raises(GristmillError, match="can't use"):
        gristmill.list_feeds(theirs)


@pytest.mark.parametrize("data", [b"[" * 100_000, b"[]", b'{"a": 1}', b'{"a": [1]}', b"\xff"])
def test_files_of_runs_that_are_damaged(data: bytes, theirs: Path) -> None:
    (theirs / "fetched").mkdir()
    for name in ("run.json", "tries.json"):
        (theirs / "fetched" / name).write_bytes(data)
    with pytest.raises(GristmillError, match=r"run\.json is damaged"):
        Run.under_way(theirs)
    with pytest.raises(GristmillError, match=r"tries\.json is damaged"):
        Tries(theirs)
