"""Thirty days of feeds, while whoever reads them is killed again and again: no item twice, none lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import ssl
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from feed_server import DAY_SECONDS, SITE, START, Newsroom
from loopback import Loopback

from gristmill.feeds.polling import poll
from gristmill.feeds.store import Store
from gristmill.fetching.session import Session

NO_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
DAYS = 30


class Run:
    """A look at all feeds on a day, in a process of its own."""

    def __init__(self, path: Path, server: Loopback) -> None:
        self.path = path
        self._access = replace(server.access(), ssl_context=NO_TRUST)

    def at(self, day: int, kill_at: int = sys.maxsize) -> bool:
        """Look; the process is killed before so many statements to the database. False if it was."""
        child = os.fork()
        if child == 0:
            try:
                with Store(self.path) as store:
                    store._db.set_trace_callback(_killing(kill_at))
                    asyncio.run(self._poll(store, START + day * DAY_SECONDS))
            except BaseException:  # noqa: BLE001 (the test it is a copy of must not go on here)
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert code in {0, -signal.SIGKILL}
        return code == 0

    async def _poll(self, store: Store, now: float) -> None:
        async with Session.open(self._access, delay=0, robots=store.robots) as session:
            await poll(store, session, clock=lambda: now)


def _killing(last: int) -> Callable[[str], None]:
    count = 0

    def on_statement(_: str) -> None:
        nonlocal count
        count += 1
        if count > last:
            os.kill(os.getpid(), signal.SIGKILL)

    return on_statement


def test_thirty_days_with_kills(tmp_path: Path) -> None:
    newsroom, rng = Newsroom(DAYS), random.Random(3)
    today = requests = 0

    def day_of_request() -> int:
        nonlocal requests
        requests += 1
        return today

    built: list[tuple[str, str, int]] = []
    kills = 0
    with Loopback(newsroom.routes(day_of_request)) as server:
        path = tmp_path / "feeds.sqlite"
        with Store(path) as store:
            store.subscribe([f"{SITE}/{name}.xml" for name in newsroom.feeds], now=START)
        run = Run(path, server)
        for today in range(DAYS):
            while not run.at(today, kill_at=rng.choice([rng.randrange(800), sys.maxsize])):
                kills += 1
            with Store(path) as store:
                new = store.pending()
                built += [(item.item.title, item.item.description, item.version) for item in new]
                store.mark_built(new, f"day-{today}")
            if today % 10 == 0:
                assert sorted(built) == newsroom.truth(today + 1)
        asked = requests
        assert run.at(DAYS - 1)
        assert requests == asked, "nothing is due a second time on a day"
        with Store(path) as store:
            assert store.pending() == []
            states = {feed.url: feed for feed in store.feeds()}
    assert kills > 10
    assert sorted(built) == newsroom.truth(DAYS)
    assert sum(version == 2 for *_, version in built) > 100
    assert states[f"{SITE}/gone.xml"].state == "gone"
    assert (states[f"{SITE}/merging.xml"].state, states[f"{SITE}/merging.xml"].moved_to) == (
        "moved",
        f"{SITE}/plain.xml",
    )
    assert f"{SITE}/moving.xml" not in states
    assert states[f"{SITE}/moved/moving.xml"].state == "active"
    assert states[f"{SITE}/failing.xml"].failures == 0
