"""Crawls in processes of their own, which can be killed, and what they have stored."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from fastwarc.warc import ArchiveIterator, WarcRecordType
from localweb import ServedWeb, Server, Visit, read_log
from localweb.web import Served
from ports import lasting_port
from warcio.archiveiterator import ArchiveIterator as StrictIterator

import gristmill
from gristmill.crawling import CrawlConfig
from gristmill.crawling.folder import is_crawl

MARK = "GRISTMILL_TEST_CRAWL"
"""An environment variable by which the processes of a crawl are known, also after it was killed."""
_FAILED = 1
_MAX_SECONDS = 300


def settings(served: ServedWeb | SwitchedWeb, **sections: dict[str, Any]) -> CrawlConfig:
    """Settings for a crawl of the local web, breadth-first and without delays, with some others."""
    table: dict[str, dict[str, Any]] = {
        "strategy": {"name": "breadth-first"},
        "manners": {"delay": 0, "ip_delay": 0, "answer_delay": 0},
        "fetch": {"networks": ["127.0.0.0/16"], "hosts_file": str(served.hosts_file)},
    }
    for name, values in sections.items():
        table.setdefault(name, {}).update(values)
    return CrawlConfig.from_table(table)


def begin_or_go_on(seeds: list[str], folder: Path, config: CrawlConfig, served: ServedWeb) -> gristmill.CrawlSummary:
    """Begin a crawl, or go on with it if it has begun."""
    if is_crawl(folder):
        return gristmill.crawl(folder, workers=1, ssl_context=served.ssl_context)
    return gristmill.crawl(seeds, folder, config, workers=1, ssl_context=served.ssl_context)


class Forked:
    """A function that runs in a process of its own; it and those that it starts have a mark in their environment."""

    def __init__(self, action: Callable[[], object], mark: str) -> None:
        self._mark = mark
        before = os.environ.get(MARK)
        os.environ[MARK] = mark
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the threads that pytest may have don't matter
            self.pid = os.fork()
        if self.pid == 0:
            _run(action)
        if before is None:
            del os.environ[MARK]
        self.code: int | None = None

    def is_running(self) -> bool:
        """Tell whether it has not ended yet."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is None

    def kill(self) -> bool:
        """Kill it without a warning; false if it had ended before."""
        if self.is_running():
            os.kill(self.pid, signal.SIGKILL)
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code == -signal.SIGKILL

    def wait(self) -> int:
        """Wait until it has ended; returns its exit code."""
        end = time.monotonic() + _MAX_SECONDS
        while self.is_running() and time.monotonic() < end:
            time.sleep(0.01)
        assert self.code is not None, "it does not end"
        return self.code

    def left_processes(self) -> list[int]:
        """Wait a moment for the processes that it had started to end; returns those that don't."""
        end = time.monotonic() + 60
        while (left := list(_marked(f"{MARK}={self._mark}"))) and time.monotonic() < end:
            time.sleep(0.01)
        return left


def _run(action: Callable[[], object]) -> None:
    code = _FAILED
    try:
        action()
        code = 0
    except BaseException:  # noqa: BLE001 (the parent process has to know)
        traceback.print_exc()
    finally:
        os._exit(code)


def _marked(entry: str) -> Iterator[int]:
    """The processes with an entry in their environment as they were started with it, but those that are dead."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and entry.encode() in (folder / "environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:
            continue  # it has ended, or is another user's


def stored(folder: Path) -> list[tuple[str, str]]:
    """All pages in the WARC files of a crawl, or of its parts: address and digest of the payload, which are right."""
    found = []
    for path in sorted(folder.rglob("pages-*.warc.gz")):
        kinds: Counter[str] = Counter()
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                assert record.record_type == WarcRecordType.warcinfo or record.verify_block_digest(), record.headers
                kinds[record.headers["WARC-Type"]] += 1
                if record.record_type == WarcRecordType.response:
                    found.append((record.headers["WARC-Target-URI"], record.headers["WARC-Payload-Digest"]))
        with path.open("rb") as file:
            records = StrictIterator(file, check_digests="raise")
            strict = Counter(record.rec_type for record in records if record.content_stream().read() is not None)
        assert kinds == strict
        assert kinds["request"] == kinds["response"]
    return found


def on_disk(folder: Path) -> set[str]:
    """The addresses of the whole responses that are there, whatever comes behind them."""
    found = set()
    for path in sorted(folder.glob("pages-*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, WarcRecordType.response, parse_http=False):
                length = int(record.headers["Content-Length"])
                if len(record.reader.read()) == length:
                    found.add(record.headers["WARC-Target-URI"])
    return found


class SwitchedWeb:
    """A web that is served by this process, and can be stopped and started again on the same port."""

    def __init__(self, web: Served, folder: Path) -> None:
        self.web = web
        self.folder = folder
        self.hosts_file = folder / "hosts"
        self.ssl_context = None
        self._server = Server(web, folder / "log")
        self._server.port = lasting_port()
        self._logs: list[Path] = []

    def __enter__(self) -> Self:
        self.start()
        lines = [f"{address}:{self._server.port} {name}\n" for name, address in self.web.hosts.items()]
        self.hosts_file.write_text("".join(lines), encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Serve, unless it is served already."""
        self._server.log_path = self.folder / f"log-{len(self._logs)}"
        self._logs.append(self._server.log_path)
        begun = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(begun)))
        self._thread.start()
        assert begun.wait(120)

    async def _serve(self, begun: threading.Event) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with self._server:
            begun.set()
            await self._end.wait()

    def stop(self) -> None:
        """Close all connections and accept none."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def visits(self) -> list[Visit]:
        """All requests, when it was stopped."""
        return [visit for path in self._logs for visit in read_log(path)]
