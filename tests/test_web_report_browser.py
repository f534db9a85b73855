"""The report in a real browser: in the app, and as a file that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import NARROW, check_access, opened
from playwright.sync_api import Browser, Page
from web_server import served

import gristmill
from gristmill.html.report import make_report
from gristmill.report.threshold import Thresholds
from gristmill.report.totals import CorpusFigures


@pytest.fixture(scope="module")
def address(corpus: gristmill.Corpus) -> Iterator[str]:
    with served(corpus.folder) as client:
        yield client.address


@pytest.fixture(scope="module")
def file(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "report.html"
    path.write_bytes(make_report(corpus.reader, "sample"))
    return path


@pytest.fixture(scope="module")
def thresholds(corpus: gristmill.Corpus) -> Thresholds:
    return Thresholds(CorpusFigures(corpus.reader))


def _shown(page: Page, when: str, unit: str) -> str:
    return page.inner_text(f'[data-cut="{when} {unit}"]')


def _slide(page: Page, value: str) -> None:
    page.locator("input[type=range]").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})) }", value
    )


def test_the_slider_shows_at_once_what_would_be_kept(chromium: Browser, address: str, thresholds: Thresholds) -> None:
    with opened(chromium, address) as page:
        page.goto("/sample/report/threshold")
        assert not page.is_visible("form[data-threshold] button")
        _slide(page, "0.2")
        cut = thresholds.cut(0.2)
        for when, kept in (("before", cut.before), ("after", cut.after)):
            assert _shown(page, when, "pages") == f"{kept.pages:,}"
            assert _shown(page, when, "blocks") == f"{kept.blocks:,}"
            assert _shown(page, when, "words") == f"{kept.words:,}"
        assert page.url.endswith("?max_boilerplate=0.2")
        page.check("input[value=text]")
        page.check("input[value=comment]")
        cut = thresholds.cut(0.2, "text,comment")
        page.locator('[data-cut="after pages"]', has_text=re.compile(rf"^{cut.after.pages:,}$")).wait_for()
        assert _shown(page, "after", "words") == f"{cut.after.words:,}"
        assert page.url.endswith("?max_boilerplate=0.2&roles=text&roles=comment")
        page.reload()  # what one sees is in the address
        assert _shown(page, "after", "words") == f"{cut.after.words:,}"
        assert page.input_value("input[type=range]") == "0.2"


def test_the_slider_by_keyboard(chromium: Browser, address: str, thresholds: Thresholds) -> None:
    with opened(chromium, address) as page:
        page.goto("/sample/report/threshold?max_boilerplate=0.4")
        page.focus("input[type=range]")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("output") == "0.42"
        assert _shown(page, "before", "words") == f"{thresholds.cut(0.42).before.words:,}"
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert page.is_checked("input[name=roles] >> nth=0")


def test_without_a_script(chromium: Browser, address: str, thresholds: Thresholds) -> None:
    with opened(chromium, address, java_script_enabled=False) as page:
        page.goto("/sample/report/threshold")
        page.check("input[value=text]")
        page.click("form[data-threshold] button")
        assert "roles=text" in page.url
        assert _shown(page, "after", "words") == f"{thresholds.cut(0.5, 'text').after.words:,}"


def test_from_the_stages_to_samples_by_keyboard(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/sample")
        assert page.inner_text("h1") == "Report"
        page.focus("nav[aria-label='Parts of the report'] a >> nth=4")
        page.keyboard.press("Enter")
        page.wait_for_url("**/report/samples")
        first = page.inner_text(".sample-list")
        page.focus("text=New samples")
        page.keyboard.press("Enter")
        page.wait_for_url("**/report/samples?seed=1")
        assert page.inner_text(".sample-list") != first
        page.select_option("select[name=reason]", "duplicate")
        page.click("button:has-text('Show')")
        page.wait_for_url("**/report/samples?seed=1&reason=duplicate")
        assert page.locator("section.samples").count() == 1


def test_groups_are_sorted_by_a_click(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/sample/report/breakdown")
        page.click("nav[aria-label='Group by'] >> text=Language")
        page.click("th >> text=pages")
        counts = [int(text.replace(",", "")) for text in page.locator("tbody tr td:nth-child(2)").all_inner_texts()[1:]]
        assert counts == sorted(counts, reverse=True)
        assert page.get_attribute("th[aria-sort]", "aria-sort") == "descending"


@pytest.mark.parametrize(("narrow", "dark"), [(False, True), (True, False)])
def test_the_file_stands_alone(chromium: Browser, file: Path, thresholds: Thresholds, narrow: bool, dark: bool) -> None:
    context = chromium.new_context(
        viewport=NARROW if narrow else None, color_scheme="dark" if dark else "light", offline=True
    )
    problems: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(file.as_uri())
    _slide(page, "0.3")
    cut = thresholds.cut(0.3)
    assert _shown(page, "after", "pages") == f"{cut.after.pages:,}"
    assert _shown(page, "after", "words") == f"{cut.after.words:,}"
    page.check("input[value=text]")
    assert _shown(page, "before", "words") == f"{thresholds.cut(0.3, 'text').before.words:,}"
    assert _shown(page, "before", "pages") == "–"
    check_access(page)
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", colour))) < 60) == dark
    context.close()
    assert problems == []
