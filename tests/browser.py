"""A real browser for tests of pages: Chromium, driven by Playwright; tests are skipped where there is none.

What goes wrong in a page fails the test: errors of scripts, messages of the console, requests that leave the server.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, expect, sync_playwright

_LEFT_OUT = [
    # Parts of the address bar that are pages themselves: each window would start a process for them, which takes as
    # long as loading a page; and one more process to have it ready.
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "SpareRendererForSitePerProcess"),
    # What Playwright leaves out, whose list this one replaces.
    *("AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades"),
    *(
        "HttpsFirstBalancedModeAutoEnable",
        "LensOverlay",
        "MediaRouter",
        "PaintHolding",
        "ThirdPartyStoragePartitioning",
    ),
    *("AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch"),
]
_ARGUMENTS = [
    f"--disable-features={','.join(_LEFT_OUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=120_000)  # five seconds are few for a machine that has much else to do
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


_windows: WeakKeyDictionary[Browser, dict[str, Page]] = WeakKeyDictionary()
"""Windows of each browser that are free, by how they look: to open one takes longer than to load a page."""


@contextmanager
def opened(
    found: Browser, address: str, *, viewport: ViewportSize | None = None, dark: bool = False, **options: Any
) -> Iterator[Page]:
    """Give an empty window; at the end, raise if a script failed or a request left the server at `address`.

    Options are those of a Playwright context. A status from 400 on is a problem, too, unless `expected` has it.
    """
    expected = options.pop("expected", ())
    options |= {"viewport": viewport or WIDE, "color_scheme": "dark" if dark else "light", "base_url": address}
    look = repr(sorted(options.items()))
    free = _windows.setdefault(found, {})
    page = free.pop(look, None) or found.new_context(**options).new_page()
    page.set_default_timeout(120_000)
    host = urlsplit(address).netloc
    problems = Problems()
    listeners: dict[Any, Callable[[Any], None]] = {
        "pageerror": lambda error: problems.append(f"script: {error}"),
        "console": lambda message: problems.append(message.text) if message.type == "error" else None,
        "request": lambda request: _check_request(request.url, host, problems),
        "response": lambda reply: (
            problems.append(f"{reply.status} {reply.url}")
            if reply.status >= 400 and reply.status not in expected
            else None
        ),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        yield page
    except BaseException:
        page.context.close()
        raise
    _empty(page, address)
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    free[look] = page
    kept = [text for text in problems if not any(f"status of {status}" in text for status in expected)]
    assert not kept, kept


def _empty(page: Page, address: str) -> None:
    """Make a window like a new one: nothing in it, nothing stored, no other windows beside it."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.on("dialog", Dialog.accept)  # a page may ask whether one wants to leave it
    page.goto("about:blank")
    page.remove_listener("dialog", Dialog.accept)
    page.mouse.move(0, 0)
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
    session.detach()
    page.context.clear_cookies()


def _check_request(url: str, host: str, problems: Problems) -> None:
    target = urlsplit(url)
    if target.scheme not in {"data", "blob", "about"} and target.netloc != host:
        problems.append(f"a request left the server: {url}")


_AXE = Axe()


def check_access(page: Page) -> None:
    """Raise if axe-core finds something serious that keeps people from using the page."""
    found = _AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    serious = [
        f"{item['id']}: {item['help']}: {[node['html'][:200] for node in item['nodes'][:3]]}"
        for item in found
        if item["impact"] in {"serious", "critical"}
    ]
    assert not serious, serious
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width <= 1, f"the page is {width} pixels wider than the window"
