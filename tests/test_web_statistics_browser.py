"""Word lists, collocations, keywords, comparisons, sketches, ranked units, answers and classes in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from browser import NARROW, WIDE, check_access, opened
from playwright.sync_api import Browser, Page, ViewportSize
from web_server import served

import gristmill

ADDRESSES = {
    "words": "wordlist?attribute=lemma&dispersion=1",
    "n-grams": "wordlist?n=2",
    "collocations": "collocations?q=mill&min_together=2",
    "relation": "collocations?q=have&relation=obj&min_together=1&min_frequency=1",
    "keywords": "keywords?where=lang%3D%22en%22",
    "compare": "compare?where=lang%3D%22en%22",
    "sketch": "sketch?word=stone&min_together=1",
    "thesaurus": "thesaurus?word=take&min_shared=1",
    "difference": "sketch-difference?word=take&other=come&min_together=1",
    "find": "find?q=bread+flour",
    "ask": "ask?q=How+many+pools+does+the+fish+pass+have%3F",
    "no question": "ask?q=%3F",
    "names": "classes",
    "classes": "classes?name=Nowhere",
    "mistake": "collocations?q=%5Blemma%3D",
}


@pytest.fixture(scope="module")
def address(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("statistics") / "one"
    shutil.copytree(indexed.folder, folder)
    with served(folder) as client:
        yield client.address


@pytest.mark.parametrize(
    ("viewport", "dark", "names"),
    [(NARROW, True, tuple(ADDRESSES)), (WIDE, False, ("collocations", "thesaurus", "difference", "find", "ask"))],
    ids=["narrow and dark", "wide"],
)
def test_everybody_can_use_it(
    chromium: Browser, address: str, viewport: ViewportSize, dark: bool, names: tuple[str, ...]
) -> None:
    with opened(chromium, address, viewport=viewport, dark=dark, expected=(400,)) as page:
        for name in names:
            page.goto(f"/one/{ADDRESSES[name]}")
            check_access(page)


def _type_in(page: Page, name: str, text: str) -> None:
    """Go to a field with the tab key, and type."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == name:
            page.keyboard.press("Control+a")
            page.keyboard.type(text)
            return
    raise AssertionError(f"the tab key does not lead to {name}")


def test_collocations_by_keyboard(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/one/collocations")
        page.keyboard.press("/")
        page.keyboard.type("mill")
        _type_in(page, "min_together", "2")
        page.keyboard.press("Enter")
        page.wait_for_selector("table.ranked")
        assert "q=mill" in page.url
        assert "min_together=2" in page.url
        first = page.inner_text("table.ranked tbody tr:first-child td.value")
        page.click("th a:text('MI3')")
        page.wait_for_selector("th[aria-sort]:has-text('MI3')")
        assert "order=mi3" in page.url
        assert page.locator("table.ranked tbody tr").count() > 3
        assert first


def test_pages_of_a_list(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/one/wordlist")
        assert page.inner_text("tbody tr:first-child td:first-child") == "1"
        page.click("a[rel=next]")
        page.wait_for_url("**offset=50**")
        assert page.inner_text("tbody tr:first-child td:first-child") == "51"
        page.fill("input[name=n]", "2")
        page.click("button.primary")
        page.wait_for_url("**n=2**")
        assert "different 2-grams" in page.inner_text("main")
        assert "offset=50" not in page.url


def test_from_a_word_to_its_sketch_thesaurus_and_difference(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/one/sketch")
        page.keyboard.press("/")
        page.keyboard.type("take")
        page.keyboard.press("Enter")
        page.wait_for_selector(".sketch section")
        rows = page.locator(".sketch tbody tr:visible")
        everything = rows.count()
        collocate = page.inner_text(".sketch tbody tr:last-child th a >> nth=0")
        page.fill("[data-narrows]", collocate)
        assert 0 < rows.count() < everything
        assert f"of {everything}" in page.inner_text("[data-narrowed]")
        page.fill("[data-narrows]", "")
        assert rows.count() == everything
        page.click("main >> text=Thesaurus")
        page.fill("input[name=min_shared]", "1")
        page.fill("input[name=min_frequency]", "1")
        page.click("button.primary")
        page.wait_for_selector("svg.rings")
        page.click("text=difference >> nth=0")
        page.wait_for_selector("h1:has-text('Sketch difference')")
        assert page.locator(".scale li").count() == 5


def test_it_works_without_scripts(chromium: Browser, address: str) -> None:
    with opened(chromium, address, java_script_enabled=False) as page:
        page.goto("/one/sketch")
        page.fill("input[name=word]", "stone")
        page.click("button.primary")
        assert page.inner_text("h1").startswith("Word sketch: stone")
        assert page.locator(".sketch section").count() > 1
