"""The page inspector in a real browser: main path, keyboard only, narrow, dark, and blocks marked on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import NARROW, check_access, opened
from playwright.sync_api import Browser, Page, expect
from web_server import served

import gristmill


@pytest.fixture(scope="module")
def address(indexed: gristmill.Corpus) -> Iterator[str]:
    with served(indexed.folder) as client:
        yield client.address


@pytest.fixture(scope="module")
def article(indexed: gristmill.Corpus) -> str:
    return next(page.id for page in indexed.documents() if "riverpost.example/news" in page.url)


def _is_marked(page: Page, number: int) -> bool:
    """Whether a block is the one that is marked in the frame, and can be seen there."""
    script = f"""() => {{
      const block = document.getElementById("gm-block-{number}");
      if (!block) return false;
      const place = block.getBoundingClientRect();
      return block.matches(":target") && place.top >= 0 && place.top < innerHeight;
    }}"""
    for _ in range(2400):
        if len(page.frames) > 1 and page.frames[1].evaluate(script):
            return True
        page.wait_for_timeout(50)
    return False


def test_main_path(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/indexed/pages")
        check_access(page)
        page.get_by_label("Host").fill("gazette.example")
        page.get_by_label("What became of it").select_option("duplicate")
        page.get_by_role("button", name="Find").click()
        assert "host=gazette.example" in page.url
        page.locator(".results .name").first.click()
        expect(page.locator(".verdict .chip")).to_have_text("duplicate")
        page.locator("#block-13").click()
        assert _is_marked(page, 13)
        assert page.url.endswith("#block-13")
        expect(page.locator("#block-13 .w")).to_be_visible()
        expect(page.locator("#block-13 .why")).to_be_visible()
        check_access(page)
        copy = page.locator("#block-13 .w a")
        target = copy.get_attribute("href")
        assert target
        copy.click()
        expect(page.locator(".b.current")).to_have_id(target.partition("#")[2])


def test_hovering_marks_a_block_in_the_stored_page(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"/indexed/pages/{article}")
        page.wait_for_load_state("load")
        page.locator("#block-2").hover()
        assert _is_marked(page, 2)
        expect(page.locator("#block-2 .w")).to_be_visible()
        page.locator("#block-100").dispatch_event("mouseover")
        assert _is_marked(page, 100)
        assert page.evaluate("scrollY") == 0, "only the frame scrolls"


def test_keyboard_only(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"/indexed/pages/{article}?with=justext")
        for _ in range(4):
            page.keyboard.press("j")
        expect(page.locator(".b.current")).to_have_id("block-3")
        page.keyboard.press("k")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".b.current")).to_have_id("block-4")
        assert _is_marked(page, 4)
        assert page.evaluate("document.activeElement.closest('.b').id") == "block-4"
        page.keyboard.press("d")
        expect(page.locator(".b.current.differs")).to_have_count(1)
        assert "Block" in page.inner_text("[data-said]")


def test_a_link_to_a_block_shows_it_on_both_sides(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"/indexed/pages/{article}#block-60")
        expect(page.locator(".b.current")).to_have_id("block-60")
        expect(page.locator("#block-60")).to_be_in_viewport()
        assert _is_marked(page, 60)


def test_one_goes_through_results_by_keys(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/indexed/pages?reason=kept&lang=de")
        page.locator(".results .name").first.click()
        first = page.inner_text("h1")
        page.keyboard.press("n")
        expect(page.locator(".steps")).to_contain_text("result 2")
        assert page.inner_text("h1") != first
        page.keyboard.press("p")
        expect(page.locator(".steps")).to_contain_text("result 1")
        assert page.inner_text("h1") == first


def test_the_view_changes_the_address(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"/indexed/pages/{article}#block-5")
        page.locator("select[name=method]").select_option("justext")
        page.wait_for_url("**method=justext*")
        assert page.url.endswith(f"/indexed/pages/{article}?method=justext#block-5")
        page.locator("select[name=with]").select_option("mill")
        page.wait_for_url("**with=mill*")
        page.locator("input[type=range]").fill("0.2")
        page.wait_for_url("**max_boilerplate=0.2*")
        assert page.inner_text("[data-threshold]") == "0.20"
        page.get_by_role("link", name="As built").click()
        expect(page.locator("#judged-title")).to_have_text("Blocks by mill")


def test_narrow_and_dark(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address, viewport=NARROW, dark=True) as page:
        for query in ("", "?colour=role&with=bte&look=plain"):
            page.goto(f"/indexed/pages/{article}{query}")
            check_access(page)


def test_without_scripts_the_page_can_be_read(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address, java_script_enabled=False) as page:
        page.goto(f"/indexed/pages/{article}#block-7")
        expect(page.locator("#block-7 .w")).to_be_visible()
        page.locator("select[name=colour]").select_option("role")
        page.get_by_role("button", name="Show").click()
        assert "colour=role" in page.url


def test_from_a_page_to_its_annotation(chromium: Browser, address: str, article: str) -> None:
    with opened(chromium, address) as page:
        page.goto(f"/indexed/pages/{article}")
        page.get_by_role("link", name="Annotate this page").click()
        page.get_by_label("Your name").fill("Ada")
        page.get_by_role("button", name="Start judging").click()
        page.wait_for_url(f"**/indexed/annotate/page/{article}?annotator=Ada")


def test_a_page_without_blocks_has_nothing_to_colour(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/indexed/pages?reason=status")
        expect(page.locator(".results .chip").first).to_have_text("redirects and errors")
        page.locator(".results .name").first.click()
        expect(page.locator(".verdict .chip")).to_have_text("redirects and errors")
        assert page.locator("[data-view]").count() == 0
        check_access(page)
