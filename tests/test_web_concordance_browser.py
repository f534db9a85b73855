"""The concordancer in a real browser: by mouse and by keyboard, narrow and dark, with scripts of every direction."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import NARROW, check_access, opened
from playwright.sync_api import Browser, Page, ViewportSize, expect
from web_server import served

import gristmill
from gristmill.engine import InlineEngine
from gristmill.text.collation import collator_of

ARABIC = (
    "تقع الطاحونة القديمة على ضفة النهر منذ أكثر من مئتي عام، وكان أهل القرية يطحنون فيها القمح كل صباح قبل أن تشتد "
    "حرارة الشمس. وبعد أن توقفت الطاحونة عن العمل تحولت إلى متحف صغير يزوره الأطفال والكبار من المدن المجاورة."
)
JAPANESE = (
    "古い水車小屋は二百年以上も前から川のほとりに立っており、村の人々は毎朝、日差しが強くなる前にここで小麦を挽いていました。"
    "水車小屋の仕事が終わると、小さな博物館になり、夏の間はずっと近くの町から子供や大人が訪れるようになりました。"
)


@pytest.fixture(scope="module")
def address(indexed: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("browsed")
    shutil.copytree(indexed.folder, place / "own")
    pages = place / "pages"
    pages.mkdir()
    for lang, text in (("ar", ARABIC), ("ja", JAPANESE)):
        paragraphs = f"<p>{text}</p>" * 2
        head = f'<head><meta charset="utf-8"><title>{lang}</title></head>'
        html = f'<html lang="{lang}">{head}<body>{paragraphs}</body></html>'
        (pages / f"{lang}.html").write_text(html, "utf-8")
    gristmill.build([pages], place / "scripts", engine=InlineEngine())
    gristmill.index(place / "scripts", engine=InlineEngine())
    with served(place / "own", place / "scripts") as client:
        yield client.address


def _left(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"]


def test_search_sort_count_and_come_back(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/own/search")
        page.fill("#q", "the")
        page.keyboard.press("Escape")
        page.click("button.primary")
        assert "819" in page.inner_text(".summary")
        assert page.url.endswith("/own/search?q=the"), "only what was asked is in the address"
        check_access(page)
        page.click("nav[aria-label=Order] >> text=right")
        first = page.inner_text(".kwic li:first-child .after")
        page.click("text=next →")
        assert "Lines 21–40 of 819" in page.inner_text(".shown")
        words = [text.split()[0] for text in (first, page.inner_text(".kwic li:first-child .after"))]
        assert words == sorted(words, key=collator_of("en").key)
        page.click("nav[aria-label=Counts] >> text=lemma after")
        check_access(page)
        count = page.inner_text("table.frequency tbody tr:first-child td:nth-child(3)")
        page.click("table.frequency tbody tr:first-child a")
        assert page.inner_text(".total") == count
        assert page.locator(".filters .chip").count() == 1
        page.click(".filters a")
        assert page.inner_text(".total") == "819"
        page.click("nav.tabs >> text=Distribution")
        assert page.locator("svg.columns a").count() > 3
        check_access(page)
        page.click("nav.tabs >> text=Collocations")
        assert page.input_value("#q") == "the"
        page.click("nav.tabs >> text=History")
        page.click("main table a >> nth=0")
        assert page.input_value("#q") == "the"


@pytest.mark.parametrize(("viewport", "dark"), [(None, False), (NARROW, True)])
def test_labels_are_seen_and_completed(
    chromium: Browser, address: str, viewport: ViewportSize | None, dark: bool
) -> None:
    with opened(chromium, address, viewport=viewport, dark=dark) as page:
        page.goto("/own/search")
        page.fill("#q", '1:[tag="ADJ"] 2:[tag="NOUN"] & ')
        page.wait_for_selector(".completions li >> text=2")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector(".completions li >> text=lemma")
        page.keyboard.type('tag = "NOUN" wi')
        page.wait_for_selector(".completions li >> text=within")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.wait_for_selector(".completions li >> text=<s/>")
        for _ in range(4):  # behind it are those of chunks
            page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page.locator("#q")).to_have_value('1:[tag="ADJ"] 2:[tag="NOUN"] & 2.tag = "NOUN" within <s/>')
        page.keyboard.press("Enter")
        page.wait_for_selector(".kwic .node .labelled")
        first = page.locator(".kwic .node .labelled").first
        assert first.get_attribute("title") == "label 1"
        assert (first.text_content() or "").startswith("label 1: ")
        check_access(page)
        page.click("nav[aria-label=View] >> text=sentences")
        check_access(page)
        page.click("nav[aria-label=Counts] >> text=lemma of 2")
        assert page.locator("table.frequency tbody tr").count() > 3
        page.click("nav.tabs >> text=Help")
        check_access(page)
        page.click("text=(?longest)")
        assert page.locator(".kwic li").count() > 0


def test_by_keyboard_alone(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/own/search")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.type("[le")
        page.wait_for_selector(".completions li")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("#q")).to_have_value('[lemma="')
        page.keyboard.type("mil")
        page.wait_for_selector(".completions li >> text=mill")
        assert page.get_attribute("#q", "aria-expanded") == "true"
        check_access(page)
        page.keyboard.type("l")
        page.wait_for_selector(".completions li:first-child >> text=mill")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        expect(page.locator("#q")).to_have_value('[lemma="mill"')
        page.keyboard.type("]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".kwic")
        assert page.inner_text(".total") == "6"
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector(".kwic li:nth-child(2) .wider mark")
        assert page.inner_text(".wider mark").lower() == "mill"
        check_access(page)
        page.keyboard.press("Escape")
        assert page.locator(".wider").count() == 0
        page.keyboard.press("k")
        link = page.get_attribute(".kwic li:first-child .ref", "href")
        assert link is not None
        assert "#block-" in link
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"


def test_the_page_of_a_line_is_a_key_away(chromium: Browser, address: str) -> None:
    with opened(chromium, address, expected=(404,)) as page:
        page.goto("/own/search?q=mill")
        page.keyboard.press("j")
        with page.expect_navigation():
            page.keyboard.press("o")
        assert "/own/pages/" in page.url
        assert "#block-" in page.url


def test_a_mistake_is_where_the_cursor_is(chromium: Browser, address: str) -> None:
    with opened(chromium, address, expected=(400,)) as page:
        page.goto('/own/search?q=%22%F0%9F%98%80%22+[lemma%3D"go"+%26+]')
        assert page.inner_text(".here") == "]"
        assert page.evaluate("document.activeElement.id") == "q"
        value = page.input_value("#q")
        at = page.evaluate("document.activeElement.selectionStart")
        assert value.encode("utf-16-le")[2 * at :].decode("utf-16-le") == "]"
        check_access(page)


def test_answers_fit_a_telephone(chromium: Browser, address: str) -> None:
    paths = (
        "search?q=the&having=a&window=5",
        "search?q=the&view=sentence",
        "search?q=mill&beside=scripts",
        'frequency?q=[tag%3D"NOUN"]&by=lemma,host',
        "distribution?q=the&by=month",
    )
    with opened(chromium, address, viewport=NARROW, dark=True) as page:
        for path in paths:
            page.goto(f"/own/{path}")
            check_access(page)


def test_what_comes_before_a_hit_is_where_one_reads_it_first(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/scripts/search?q=الطاحونة&limit=5")
        line = ".kwic li:nth-child(2) "
        assert page.get_attribute(f"{line}.line", "dir") == "rtl"
        assert _left(page, f"{line}.before") > _left(page, f"{line}.node") > _left(page, f"{line}.after")
        page.goto("/scripts/search?q=水車小屋&limit=5")
        assert page.locator(f"{line}.line").count() == 1
        assert _left(page, f"{line}.before") < _left(page, f"{line}.node") < _left(page, f"{line}.after")
        text = page.inner_text(f"{line}.line").replace("\n", "")
        assert "水車小屋の仕事" in text, "no spaces where the text has none"
        check_access(page)


def test_hits_stand_below_each_other(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/own/search?q=the&limit=40")
        boxes = [node.bounding_box() for node in page.locator(".kwic .node").all()]
        middles = [box["x"] + box["width"] / 2 for box in boxes if box]
        assert len(middles) == 40
        assert max(middles) - min(middles) < 2


def test_the_main_path_needs_no_script(chromium: Browser, address: str) -> None:
    with opened(chromium, address, java_script_enabled=False) as page:
        page.goto("/own/search")
        page.fill("#q", "mill")
        page.press("#q", "Enter")
        page.click(".kwic li:first-child .node")
        assert page.inner_text("mark") == "mill"
        page.goto("/own/subcorpora")
        page.fill("[name=name]", "english")
        page.fill("[name=where]", 'lang="en"')
        page.click("text=Save")
        page.click("table.subcorpora tbody a")
        assert page.input_value("[name=where]") == "@english"


def test_subcorpora_and_standing_queries_by_their_forms(chromium: Browser, address: str) -> None:
    with opened(chromium, address) as page:
        page.goto("/own/subcorpora")
        page.fill("[name=name]", "news")
        page.type("[name=where]", "ho")
        page.wait_for_selector(".completions li")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("#where")).to_have_value('host="')
        page.keyboard.type("gaz")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator("#where")).to_have_value(r'host="gazette\.example"')
        page.keyboard.press("Enter")
        page.wait_for_selector("table.subcorpora >> text=news")
        check_access(page)
        page.click("table.subcorpora tr:has-text('news') summary")
        page.click("table.subcorpora tr:has-text('news') >> text=Remove")
        assert page.locator("table.subcorpora >> text=news").count() == 0
        page.goto("/own/watches?q=mill")
        page.click("form button.primary")
        page.wait_for_selector("main table >> text=mill")
        check_access(page)
        page.click("main table th a")
        assert "Nothing was found yet" in page.inner_text("main")


def test_hostile_text_is_shown_and_not_run(chromium: Browser, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    text = "An attack &lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(2)&gt; hides in the text. " * 12
    title = "&lt;/title&gt;&lt;script&gt;alert(3)&lt;/script&gt;"
    (pages / "a.html").write_text(f"<html lang=en><title>{title}</title><body><p>{text}</p></body></html>", "utf-8")
    gristmill.build([pages], tmp_path / "bad", engine=InlineEngine())
    gristmill.index(tmp_path / "bad", engine=InlineEngine())
    with served(tmp_path / "bad") as client, opened(chromium, client.address) as page:
        page.on("dialog", lambda dialog: pytest.fail(f"a script of the page ran: {dialog.message}"))
        page.goto("/bad/search?q=attack")
        assert "<script>" in page.inner_text(".kwic")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector(".wider")
        assert "<img" in page.inner_text(".wider")
        for path in ("frequency?q=[]&by=title", "distribution?q=attack&by=title"):
            page.goto(f"/bad/{path}")
            assert "<script>" in page.inner_text("main")
