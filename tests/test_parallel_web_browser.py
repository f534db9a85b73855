"""The parallel concordance in a real browser: the form, the other language below lines and beside sentences."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import NARROW, check_access, opened
from parallel_corpora import make_pairs
from playwright.sync_api import Browser
from web_server import served

import gristmill
from gristmill.engine import InlineEngine


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = make_pairs(tmp_path_factory.mktemp("browsed") / "pairs")
    gristmill.index(folder, engine=InlineEngine())
    with served(folder) as client:
        yield client.address


def test_search_with_the_other_language_and_a_filter(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/pairs/search")
        page.fill("#q", "mill")
        page.keyboard.press("Escape")
        page.click("button.primary")
        assert page.url.endswith("/pairs/search?q=mill"), "only what was asked is in the address"
        page.select_option("select[name=aligned]", "de")
        page.fill("input[name=aligned_with]", "Fluss")
        page.click("button.primary")
        assert page.locator(".aligned mark").all_inner_texts() == ["Fluss", "Fluss"]
        check_access(page)
        line, below = (page.locator(f".kwic {part}").first.bounding_box() for part in (".line", ".aligned"))
        assert line
        assert below
        assert below["y"] >= line["y"] + line["height"] - 1
        page.click("nav[aria-label=View] >> text=sentences")
        line, beside = (page.locator(f".kwic {part}").first.bounding_box() for part in (".line", ".aligned"))
        assert line
        assert beside
        assert beside["x"] >= line["x"] + line["width"] - 1
        check_access(page)
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector(".wider")
        page.click("a[aria-label^='Leave out: with in de']")
        assert "7" in page.inner_text(".summary")


def test_narrow_and_dark(chromium: Browser, address: str) -> None:
    for view in ("kwic", "sentence"):
        with opened(chromium, address, viewport=NARROW, dark=True) as page:
            page.goto(f"/pairs/search?q=mill&aligned=de&aligned_with=Fluss&view={view}")
            check_access(page)
