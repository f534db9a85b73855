"""The room of duplicates in a real browser: the main path by mouse and by keyboard, narrow, dark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import NARROW, check_access, opened
from playwright.sync_api import Browser, Page
from web_server import served

import gristmill
from gristmill.judgements.duplicates import read_reviews


@pytest.fixture(scope="module")
def folder(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser") / "copy"
    shutil.copytree(corpus.folder, folder)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as client:
        yield client.address


@pytest.fixture
def page(chromium: Browser, address: str, folder: Path) -> Iterator[Page]:
    for file in folder.glob("reviews.sqlite*"):
        file.unlink()
    with opened(chromium, address) as found:
        yield found


def _pair(page: Page) -> tuple[str, str]:
    return page.input_value("#judging [name=first]"), page.input_value("#judging [name=second]")


def test_from_the_list_to_the_figures(page: Page, folder: Path) -> None:
    page.goto("/copy/duplicates")
    page.fill("input[name=judge]", "Ada")
    page.select_option("select[name=order]", "similar")
    page.click("form button:text('Show')")
    page.click("table.pairs tbody tr:nth-child(2) a.button")
    seen = _pair(page)
    assert page.locator("ins").count() + page.locator("del").count() > 2
    page.click("button[value=near]")
    page.wait_for_selector(".where:has-text('Ada has judged 1')")
    assert _pair(page) != seen
    assert read_reviews(folder).of(seen) == {"Ada": "near"}
    page.click("text=Figures")
    assert "1 judged pair" in page.inner_text("main")
    page.uncheck("input[name=near]")
    page.click("main form button")
    page.wait_for_load_state()
    assert "counted=1" in page.url
    assert not page.is_checked("input[name=near]")


def test_by_keyboard_only(page: Page, folder: Path) -> None:
    page.goto("/copy/duplicates")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.goto("/copy/duplicates/review")
    seen = []
    for count, key in enumerate("yen", 1):
        seen.append(_pair(page))
        page.keyboard.press(key)
        page.wait_for_selector(f".where:has-text('have judged {count};')")
    said = [read_reviews(folder).of(pair).get("me") for pair in seen]
    assert said == ["yes", "near", "no"]
    before = _pair(page)
    page.keyboard.press("s")
    page.wait_for_function("(id) => document.querySelector('#judging [name=second]').value !== id", arg=before[1])
    page.keyboard.press("z")
    page.wait_for_selector(".where:has-text('have judged 2;')")
    assert _pair(page) == seen[-1]
    page.keyboard.press("y")
    page.wait_for_selector(".where:has-text('have judged 3;')")
    assert read_reviews(folder).of(seen[-1]) == {"me": "yes"}


def test_keys_in_a_field_are_text(page: Page, folder: Path) -> None:
    page.goto("/copy/duplicates/review")
    page.click("details.settings summary")
    page.fill("details.settings input[name=judge]", "")
    page.type("details.settings input[name=judge]", "yen")
    assert page.input_value("details.settings input[name=judge]") == "yen"
    assert read_reviews(folder).judges == {}


def test_what_the_method_says_is_hidden_until_one_has_judged(page: Page) -> None:
    page.goto("/copy/duplicates/review?order=similar")
    address = page.url
    assert not page.is_visible("text=more than three quarters alike")
    page.keyboard.press("y")
    page.wait_for_selector(".where:has-text('have judged 1;')")
    page.goto(address)
    assert page.is_visible("text=more than three quarters alike")
    assert page.get_attribute("button[value=yes]", "aria-pressed") == "true"


@pytest.mark.parametrize(("narrow", "dark"), [(False, False), (True, True)])
def test_everybody_can_use_it(chromium: Browser, address: str, narrow: bool, dark: bool) -> None:
    """Those pages, too, that have more to show when somebody has judged."""
    with opened(chromium, address, viewport=NARROW if narrow else None, dark=dark) as page:
        page.goto("/copy/duplicates/review")
        before = page.url
        page.keyboard.press("y")
        page.wait_for_url(lambda url: url != before)
        page.goto("/copy/duplicates/figures")
        check_access(page)
        page.goto("/copy/duplicates/clusters")
        page.click("tbody tr:first-child td a")
        check_access(page)


def test_it_works_without_scripts(chromium: Browser, address: str) -> None:
    with opened(chromium, address, java_script_enabled=False) as page:
        page.goto("/copy/duplicates/review?judge=plain")
        page.click("button[value=no]")
        assert "plain has judged 1" in page.inner_text(".where")
