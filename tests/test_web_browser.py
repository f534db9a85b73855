"""The app in a real browser: its frame, and every page that needs no parameters, however it is looked at.

Pages that are added later are looked at without being named here; each room has a file for what one does in it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from browser import NARROW, WIDE, check_access, opened
from playwright.sync_api import Browser, Page
from web_server import Client, served

import gristmill
from gristmill.web.pages import ROOMS, pages

PAGES = sorted({page.path for page in pages() if page.method == "GET" and "{" not in page.path})
LOOKS = {"wide": (WIDE, False), "narrow-dark": (NARROW, True)}


@pytest.fixture(scope="module")
def client(
    indexed: gristmill.Corpus, corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    """A server with two corpora that may be written to, one of them without an index."""
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(indexed.folder, folder / "indexed")
    shutil.copytree(corpus.folder, folder / "plain")
    with served(folder / "indexed", folder / "plain", workers=2) as found:
        yield found


@pytest.fixture(scope="module")
def address(client: Client) -> str:
    return client.address


def test_an_error_is_a_page(chromium: Browser, address: str) -> None:
    with opened(chromium, address, viewport=NARROW, dark=True, expected=(404,)) as page:
        page.goto("/indexed/nothing")
        assert page.inner_text("h1") == "Not found"
        check_access(page)


@pytest.mark.parametrize(("name", "look"), [("indexed", "narrow-dark"), ("plain", "wide")])
def test_every_page_can_be_looked_at(chromium: Browser, client: Client, name: str, look: str) -> None:
    """No error of a script, no request that leaves, nothing that keeps people out, nothing wider than the window.

    Pages that only say that something is missing are alike: one of them is looked at closely. So are those of both
    corpora: of the second one, every third is.
    """
    viewport, dark = LOOKS[look]
    looked, refused = 0, 0
    with opened(chromium, client.address, viewport=viewport, dark=dark, expected=(400, 404, 409)) as page:
        for path in PAGES:
            reply = client.get(f"/{name}/{path}")
            if reply.headers.get("content-type", "").startswith("text/html"):
                page.goto(f"/{name}/{path}")
                refused += reply.status >= 400
                wanted = name == "indexed" or looked % 3 == 0
                _check(page, path, closely=wanted if reply.status < 400 else refused == 1)
                looked += 1
    assert looked >= len(ROOMS)


def _check(page: Page, path: str, *, closely: bool) -> None:
    try:
        assert page.locator("h1").count() == 1
        if closely:
            check_access(page)
    except AssertionError as error:
        raise AssertionError(f"{path}: {error}") from error


def test_the_list_of_corpora_and_the_api(chromium: Browser, address: str) -> None:
    viewport, dark = LOOKS["narrow-dark"]
    for path, title in {"/": "Corpora", "/api": "API"}.items():
        with opened(chromium, address, viewport=viewport, dark=dark) as page:
            page.goto(path)
            assert page.inner_text("h1") == title
            check_access(page)


def test_examples_of_the_api_are_copied(chromium: Browser, address: str) -> None:
    with opened(chromium, address, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto("/api#about")
        example = page.locator("article:has(#about) .example")
        example.locator("button").click()
        assert page.evaluate("navigator.clipboard.readText()") == f"curl {address}/api/indexed/about"
        assert example.locator("button").inner_text() == "Copied"


def test_the_rooms_by_keyboard(chromium: Browser, address: str) -> None:
    """From the list of corpora to each room, without a mouse."""
    with opened(chromium, address) as page:
        page.goto("/")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _ in range(2):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/indexed/report")
        for room in ROOMS:
            page.locator(".rooms a", has_text=room.title).focus()
            page.keyboard.press("Enter")
            page.wait_for_url(f"**/indexed/{room.path}*")
            assert page.get_attribute(f".rooms a:has-text('{room.title}')", "aria-current") == "page"


def test_on_a_wide_screen_all_tabs_are_seen(chromium: Browser, address: str) -> None:
    with opened(chromium, address, viewport=WIDE) as page:
        page.goto("/indexed/find")
        for tab in page.locator(".tabs a").all():
            box = tab.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= WIDE["width"]


def test_on_a_telephone_all_rooms_and_the_tab_one_is_at_are_seen(chromium: Browser, address: str) -> None:
    with opened(chromium, address, viewport=NARROW) as page:
        page.goto("/indexed/watches")
        last = page.locator(".rooms a").last.bounding_box()
        here = page.locator(".tabs [aria-current]").bounding_box()
        assert last
        assert here
        assert last["x"] + last["width"] <= NARROW["width"]
        assert here["x"] >= 0
        assert here["x"] + here["width"] <= NARROW["width"]
