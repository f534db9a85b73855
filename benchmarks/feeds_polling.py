"""How long it takes to poll feeds, and to read one.

Feeds of 40 items, each on a host of its own, are served by a process of its own. They are polled three times by the
real store, session and poller: when all is new, when two items of each are new, and when nothing has changed (answered
by 304, or with the same document once more). The clock of the poller is set forward a day between two rounds.

    python benchmarks/feeds_polling.py --feeds 10000
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import multiprocessing
import random
import resource
import ssl
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from harness import print_table

from gristmill.feeds.parsing import parse_feed
from gristmill.feeds.polling import PollSummary, poll
from gristmill.feeds.store import NAME, Store
from gristmill.fetching.access import Access
from gristmill.fetching.session import Session

_ITEMS = 40
_NEW_ITEMS = 2  # in each round
_DAY_SECONDS = 86_400.0
_WORDS = "mill grain river stone wheel flour bread market village winter council bridge harbour school forest".split()
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>{0}</title><link>http://{0}/</link>'
    "<description>All of it</description>"
)


def document(host: str, newest: int, count: int, paragraphs: int = 0) -> bytes:
    """Write a feed, the newest item first."""
    items = "".join(_item(host, newest - at, paragraphs) for at in range(count))
    return f"{_HEAD.format(host)}{items}</channel></rss>".encode()


def _item(host: str, number: int, paragraphs: int) -> str:
    rng = random.Random(f"{host} {number}")
    words = rng.choices(_WORDS, k=30)
    title, text = " ".join(words[:7]), " ".join(words[7:])
    content = (
        f"<content:encoded><![CDATA[{f'<p>{text * 2}</p>' * paragraphs}]]></content:encoded>" if paragraphs else ""
    )
    return (
        f"<item><title>{title} &amp; number {number}</title><link>http://{host}/{number}/a-title-of-usual-length?a=1&amp;b=2"
        f'</link><guid isPermaLink="false">{host}-{number}</guid><dc:creator>Ann</dc:creator><category>news</category>'
        f"<pubDate>Tue, 17 Nov 2026 05:{number % 60:02}:00 +0100</pubDate>"
        f"<description><![CDATA[<p>{text} <b>and</b> {number}</p>]]></description>{content}</item>"
    )


def serve(control: Connection) -> None:
    """Serve feeds; half of the hosts know ETags. What comes over the pipe is the number of the round."""

    async def run() -> None:
        current = [0]

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    writer.write(_response(head, current[0]))
                    await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
        control.send(server.sockets[0].getsockname()[1])
        while (number := await asyncio.to_thread(control.recv)) >= 0:
            current[0] = number
            control.send(number)
        server.close()

    asyncio.run(run())


def _response(head: bytes, number: int) -> bytes:
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    host = headers["host"]
    if " /robots.txt " in lines[0]:
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    etag = f'"{number}"'
    knows = len(host) % 2 or host[-9] in "02468"
    if knows and headers.get("if-none-match") == etag:
        return f"HTTP/1.1 304 Not Modified\r\nETag: {etag}\r\n\r\n".encode()
    body = document(host, 1000 + number * _NEW_ITEMS, _ITEMS)
    tag = f"ETag: {etag}\r\n" if knows else ""
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\n{tag}Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure_polling(feeds: int, folder: Path) -> None:
    """Poll all feeds three times, and print what it cost."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    hosts = folder / "hosts"
    hosts.write_text(f"127.0.0.1:{ours.recv()} *.example\n")
    access = Access(
        "bench@example.org", ("127.0.0.0/8",), str(hosts), ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    rows = []
    with Store(folder / NAME) as store:
        store.subscribe(f"http://host-{number}.example/feed.xml" for number in range(feeds))
        now = time.time()
        for number, what in enumerate(("all is new", f"{_NEW_ITEMS} new items in each", "nothing is new")):
            ours.send(min(number, 1))
            ours.recv()
            begun, cpu = time.monotonic(), _cpu()
            summary = asyncio.run(_round(store, access, now + number * _DAY_SECONDS))
            seconds, used = time.monotonic() - begun, _cpu() - cpu
            assert (summary.asked, summary.failed) == (feeds, []), summary.failed[:3]
            assert summary.new == feeds * (_ITEMS, _NEW_ITEMS, 0)[number], summary
            rows.append([what, f"{seconds:.0f}", f"{used:.0f}", f"{used / feeds * 1000:.1f}", f"{summary.new:,}"])
            begun = time.monotonic()
            store.mark_built(store.pending(), f"round-{number}")
    ours.send(-1)
    server.join()
    print_table([f"{feeds:,} feeds", "seconds", "CPU s", "CPU ms a feed", "new items"], rows)
    size = sum(file.stat().st_size for file in folder.glob(f"{NAME}*"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nmemory {memory:,.0f} MB at most, {size / 1e6:,.0f} MB on disk\n")


async def _round(store: Store, access: Access, now: float) -> PollSummary:
    async with Session.open(access, robots=store.robots) as session:
        return await poll(store, session, clock=lambda: now)


def measure_reading(items: int, repeat: int) -> None:
    """Print how long a feed takes to read, next to other libraries, taking turns."""
    rows = []
    for what, data in (
        ("summaries", document("a.example", 1000, items)),
        ("whole texts", document("a.example", 1000, items, 10)),
    ):
        readers: dict[str, Callable[[], object]] = {"gristmill": partial(parse_feed, data, "http://a.example/")}
        for name in ("feedparser", "fastfeedparser"):
            with contextlib.suppress(ImportError):
                readers[name] = partial(importlib.import_module(name).parse, data)
        taken: dict[str, list[float]] = {name: [] for name in readers}
        for _ in range(repeat):
            for name, read in readers.items():
                begun = time.process_time()
                read()
                taken[name].append((time.process_time() - begun) * 1000)
        best = {name: min(times) for name, times in taken.items()}
        for name, milliseconds in best.items():
            median = statistics.median(taken[name])
            rows.append(
                [
                    f"{items} items, {what}",
                    name,
                    f"{milliseconds:.2f}",
                    f"{median:.2f}",
                    f"{milliseconds / best['gristmill']:.2g}x",
                ]
            )
    print_table(["feed", "reader", "best ms", "median ms", "ratio"], rows)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=10_000)
    parser.add_argument("--items", type=int, default=100, help="of the feed that is read")
    parser.add_argument("--repeat", type=int, default=20)
    given = parser.parse_args()
    measure_reading(given.items, given.repeat)
    print()
    with tempfile.TemporaryDirectory() as folder:
        measure_polling(given.feeds, Path(folder))


if __name__ == "__main__":
    main()
