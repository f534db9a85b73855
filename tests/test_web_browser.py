"""The frame of the app in a real browser; each room has a file of its own for the rest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import NARROW, browser, check_access, opened
from playwright.sync_api import Browser
from web_server import served

import gristmill


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def address(indexed: gristmill.Corpus) -> Iterator[str]:
    with served(indexed.folder) as client:
        yield client.address


@pytest.mark.parametrize("dark", [False, True])
def test_an_error_is_a_page(chromium: Browser, address: str, dark: bool) -> None:
    with opened(chromium, address, viewport=NARROW, dark=dark, expected=(404,)) as page:
        page.goto("/indexed/nothing")
        assert page.inner_text("h1") == "Not found"
        check_access(page)
