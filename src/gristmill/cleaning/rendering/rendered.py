"""The boxes of the blocks of a page as Chromium lays it out, without network and scripts, within a time limit.

A comment with its number is put before each block, and the browser says which boxes the text behind each comment has.
Comments change nothing about the layout.

The browser runs in a process of its own (`browser`), one for each process that renders, which is ended if a page takes
too long. Such a page, one that is too large, and one that the browser can't show get estimated boxes (`estimated`): no
content of a page is an error. Where there is no browser, that is one, which says what to install.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.rendering.boxes import WHITE, Boxes
from gristmill.cleaning.rendering.estimated import estimate
from gristmill.cleaning.rendering.messages import MARK, receive, send
from gristmill.cleaning.segmented import Segmented
from gristmill.errors import UsageError
from gristmill.wording import one_line

TIME_LIMIT = 20.0
"""Seconds for a page."""
_START_LIMIT = 90.0
_MAX_CHARACTERS = 4_000_000
_MAX_BLOCKS = 20_000
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_BROWSER_VARIABLE = "GRISTMILL_CHROMIUM"
_WHAT_TO_INSTALL = (
    "rendering needs {what}: pip install 'gristmill[render]', and Chromium, from your system (on Debian: apt install "
    "chromium) or by: playwright install chromium"
)


def render(page: Segmented, time_limit: float = TIME_LIMIT) -> Boxes:
    """Return the boxes of the blocks of a page as a browser shows them; raises `UsageError` if there is no browser."""
    browser = _browser()
    if not page.source or page.length > _MAX_CHARACTERS or not 0 < len(page) <= _MAX_BLOCKS:
        return estimate(page)
    found = browser.ask({"html": marked(page), "timeout": time_limit}, time_limit)
    rows = found.get("boxes") if found else None
    return _boxes(rows, len(page)) if rows else estimate(page)


def marked(page: Segmented) -> str:
    """Return the source of a page with a comment before each block: `<p>a` becomes `<p><!--gristmill:0-->a`."""
    source = page.source.decode("utf-8", "replace")
    starts = page.columns.start.tolist()
    parts = [source[start:end] for start, end in itertools.pairwise([*starts, len(source)])]
    return source[: starts[0]] + "".join(f"<!--{MARK}{block}-->{part}" for block, part in enumerate(parts))


def _boxes(rows: list[list[float | None]], number: int) -> Boxes:
    """Make columns of what the browser found: a block that is not shown has no size, and stands where the last did."""
    table: Floats = np.zeros((number, 8))
    table[:, 4:] = (16.0, 400.0, 1.0, WHITE)
    shown = np.zeros(number, np.bool_)
    for block, *values in rows:
        if block is not None and 0 <= block < number and values[0] is not None:
            table[int(block)] = values
            shown[int(block)] = True
    last = np.maximum.accumulate(np.where(shown, np.arange(number), 0))
    left, top, right, bottom, size, weight, contrast, background = table.T
    return Boxes(
        np.where(shown, left, left[last]),
        np.where(shown, top, top[last]),
        right - left,
        bottom - top,
        size,
        weight,
        np.clip(contrast, 0.0, 1.0),
        np.where(shown, background, background[last]),
    )


@functools.cache
def find_browser() -> str | None:
    """Return the path of Chromium: the one that GRISTMILL_CHROMIUM names, that of the system, or that of Playwright.

    None if there is none, or nothing to drive it with.
    """
    if importlib.util.find_spec("playwright") is None:
        return None
    named = os.environ.get(_BROWSER_VARIABLE, "")
    found = [named] if named else filter(None, map(shutil.which, _NAMES))
    return next((path for path in found if Path(path).is_file()), None) or _of_playwright()


def _of_playwright() -> str | None:
    """Return the path of the Chromium that Playwright has installed, if it has."""
    base = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "") or _cache_folder() / "ms-playwright")
    names = ("chrome", "chrome.exe", "Chromium", "headless_shell", "headless_shell.exe")
    found = sorted(path for name in names for path in base.glob(f"chromium*/*/**/{name}") if path.is_file())
    return str(found[-1]) if found else None


def _cache_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("LOCALAPPDATA", "")) if sys.platform == "win32" else Path.home() / ".cache"


def browser_version() -> str:
    """Return the version of the browser that renders, for model cards; raises `UsageError` if there is none."""
    return _browser().version


def check() -> None:
    """Raise `UsageError`, which says what to install, if pages can't be rendered here."""
    if importlib.util.find_spec("playwright") is None:
        raise UsageError(_WHAT_TO_INSTALL.format(what="Playwright"))
    if find_browser() is None:
        raise UsageError(_WHAT_TO_INSTALL.format(what="a browser"))


@dataclass(slots=True)
class _Browser:
    """The process that drives the browser."""

    path: str
    process: subprocess.Popen[bytes] | None = None
    version: str = ""

    def ask(self, message: dict[str, Any], time_limit: float) -> dict[str, Any] | None:
        """Send a message and return what comes back; None if that takes too long, or the process dies."""
        return self._exchange(self.start(), message, time_limit)

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process, started if it is not there; raises `UsageError` if the browser can't be started."""
        if self.process is not None and self.process.poll() is None:
            return self.process
        self.close()  # it may have died
        self.process = subprocess.Popen(  # noqa: S603 (what is started is this package and the user's browser)
            [sys.executable, "-m", "gristmill.cleaning.rendering.browser", self.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        found = self._exchange(self.process, None, _START_LIMIT) or {"error": "it ended at once"}
        if "error" in found:
            self.close()
            raise UsageError(f"the browser {self.path} can't be started: {one_line(str(found['error']))}")
        self.version = str(found["version"])
        return self.process

    def _exchange(
        self, process: subprocess.Popen[bytes], message: dict[str, Any] | None, time_limit: float
    ) -> dict[str, Any] | None:
        timer = threading.Timer(time_limit, process.kill)
        timer.start()
        try:
            if message is not None:
                send(process.stdin, message)  # type: ignore[arg-type] # both are pipes
            return receive(process.stdout)  # type: ignore[arg-type]
        except (OSError, ValueError):
            return None  # it died, or was killed by the timer
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the process, and the browser with it."""
        process, self.process = self.process, None
        if process is None:
            return
        with contextlib.suppress(OSError, ValueError):
            process.stdin.close()  # type: ignore[union-attr] # it goes by itself when there are no more messages
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def _browser() -> _Browser:
    """Return the browser of this process; a process that was forked has its own."""
    check()
    return _browser_of(os.getpid())


@functools.lru_cache(1)
def _browser_of(process: int) -> _Browser:
    del process
    found = _Browser(find_browser() or "")
    found.start()
    atexit.register(found.close)
    return found
