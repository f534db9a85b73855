"""A real browser for tests of pages: Chromium, driven by Playwright; tests are skipped where there is none.

What goes wrong in a page fails the test: errors of scripts, messages of the console, requests that leave the server.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NARROW: ViewportSize = {"width": 360, "height": 740}
WIDE: ViewportSize = {"width": 1280, "height": 900}


@cache
def chromium() -> str | None:
    """Where Chromium is, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium for some time; skips the test if there is none."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium is installed, so pages are not tested in a browser")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield found
        finally:
            found.close()


class Problems(list[str]):
    """What went wrong in a page, in words."""


@contextmanager
def opened(
    found: Browser, address: str, *, viewport: ViewportSize | None = None, dark: bool = False, **options: Any
) -> Iterator[Page]:
    """Open a new window; at the end, raise if a script failed or a request left the server at `address`.

    Options are those of a Playwright context. A status from 400 on is a problem, too, unless `expected` has it.
    """
    expected = options.pop("expected", ())
    host = urlsplit(address).netloc
    problems = Problems()
    context = found.new_context(
        viewport=viewport or WIDE, color_scheme="dark" if dark else "light", base_url=address, **options
    )
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("pageerror", lambda error: problems.append(f"script: {error}"))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: _check_request(request.url, host, problems))
    page.on(
        "response",
        lambda reply: (
            problems.append(f"{reply.status} {reply.url}")
            if reply.status >= 400 and reply.status not in expected
            else None
        ),
    )
    try:
        yield page
    finally:
        context.close()
    kept = [text for text in problems if not any(f"status of {status}" in text for status in expected)]
    assert not kept, kept


def _check_request(url: str, host: str, problems: Problems) -> None:
    target = urlsplit(url)
    if target.scheme not in {"data", "blob", "about"} and target.netloc != host:
        problems.append(f"a request left the server: {url}")


def check_access(page: Page) -> None:
    """Raise if axe-core finds something serious that keeps people from using the page."""
    found = Axe().run(page).response["violations"]
    serious = [
        f"{item['id']}: {item['help']}: {[node['html'][:200] for node in item['nodes'][:3]]}"
        for item in found
        if item["impact"] in {"serious", "critical"}
    ]
    assert not serious, serious
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 1, f"the page is {width} pixels wider than the window"
