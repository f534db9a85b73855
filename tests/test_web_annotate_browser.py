"""The annotator in a real browser: by keyboard alone, by mouse, with a server that is killed meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from browser import NARROW, check_access, opened
from playwright.sync_api import Browser, Page, expect
from ports import lasting_port
from web_process import server_process
from web_server import Client, served

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.judgements.blocks.marks import Judgement
from gristmill.judgements.blocks.pages import read_page
from gristmill.judgements.blocks.store import BlockStore

PAGE = "00000-000051"


@pytest.fixture(scope="module")
def folder(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(corpus.folder, tmp_path_factory.mktemp("judged") / "mills"))


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    with served(folder) as found:
        yield found


def _stored(folder: Path, annotator: str, page: str = PAGE) -> dict[int, Judgement]:
    with BlockStore(folder) as store:
        return store.of_page(page, store.outlines([page])[page]).get(annotator, {})


def _open(page: Page, annotator: str, **more: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in {"annotator": annotator, **more}.items())
    page.goto(f"/mills/annotate/page/{PAGE}?{query}")
    page.wait_for_selector("#judging[data-ready]")


def _press(page: Page, keys: str) -> None:
    for key in keys.split():
        page.keyboard.press(key)


def _saved(page: Page) -> None:
    expect(page.locator("#saved")).to_have_attribute("data-state", "saved")


def _verdicts(judgements: dict[int, Judgement]) -> str:
    last = max(judgements, default=-1)
    return "".join(judgements.get(at, Judgement()).verdict[:1] or "-" for at in range(last + 1))


def test_by_keyboard_alone(chromium: Browser, client: Client, folder: Path) -> None:
    with opened(chromium, client.address) as page:
        page.goto("/mills/annotate")
        check_access(page)
        page.focus("[name=annotator]")
        page.keyboard.type("Key")
        page.keyboard.press("Enter")
        page.wait_for_selector("#judging[data-ready]")
        chosen = urlsplit(page.url).path.rpartition("/")[2]
        total = page.locator(".block").count()
        _press(page, "b b 6 g z 5 g j u k k u")
        _saved(page)
        assert _verdicts(_stored(folder, "Key", chosen)) == "bbggguu"
        assert page.inner_text("#judged") == "7"
        _press(page, "Enter")
        page.wait_for_url(lambda url: chosen not in url and "/page/" in url)
        found = _stored(folder, "Key", chosen)
        assert len(found) == total
        assert found[total - 1].verdict == "bad"
        page.wait_for_selector("#judging[data-ready]")


def test_ranges_paths_and_the_rest(chromium: Browser, client: Client, folder: Path) -> None:
    total = len(read_page(CorpusReader(folder), PAGE).outline.hashes)
    paths = [block.path for block in read_page(CorpusReader(folder), PAGE).document.blocks]
    with opened(chromium, client.address) as page:
        _open(page, "Ran")
        _press(page, "m j j g Shift+ArrowDown Shift+ArrowDown b")
        _saved(page)
        assert _verdicts(_stored(folder, "Ran")) == "gggbbb"
        _press(page, "8 . U")
        _saved(page)
        assert _verdicts(_stored(folder, "Ran")) == "gggbbb-" + "u" * (total - 7)
        _press(page, "z")
        _saved(page)
        assert _verdicts(_stored(folder, "Ran")) == "gggbbb"
        _press(page, "Home p c")
        _saved(page)
        same = {at for at, path in enumerate(paths) if path == paths[0]}
        assert set(_stored(folder, "Ran")) == set(range(6)) - same
        _press(page, "z Home Escape c End 1 b")
        _saved(page)
        assert _verdicts(_stored(folder, "Ran")) == "b" * total
        _press(page, "3 . n")
        assert page.locator(".block[aria-current]").get_attribute("id") == "b3"
        _press(page, "5 Backspace Escape ArrowUp")
        assert page.locator(".block[aria-current]").get_attribute("id") == "b2"


def test_roles(chromium: Browser, client: Client, folder: Path) -> None:
    with opened(chromium, client.address) as page:
        _open(page, "Rol")
        _press(page, "r t m j j r l r Escape")
        _saved(page)
        found = _stored(folder, "Rol")
        assert [found[at].role for at in range(3)] == ["list", "list", "list"]
        _press(page, "r -")
        _saved(page)
        assert 2 not in _stored(folder, "Rol")
        _press(page, "g")
        page.click("[data-do=role]")
        check_access(page)
        page.click("#roles [data-role=heading]")
        _saved(page)
        assert _stored(folder, "Rol")[3] == Judgement("", "heading")
        page.reload()
        expect(page.locator("#b4 .role")).to_have_text("heading")


def test_by_mouse(chromium: Browser, client: Client, folder: Path) -> None:
    with opened(chromium, client.address) as page:
        _open(page, "Mou")
        page.click("#b2 .text")
        page.click("#b4 .text", modifiers=["Shift"])
        expect(page.locator(".block.selected")).to_have_count(3)
        page.click("[data-mark=good]")
        page.click("#b6 .text")
        page.click("[data-mark=undecided]")
        _saved(page)
        assert _verdicts(_stored(folder, "Mou")) == "-ggg-u"
        page.click("[data-do=undo]")
        _saved(page)
        assert _verdicts(_stored(folder, "Mou")) == "-ggg"
        page.click("text=Judge by numbers")
        page.fill("[name=first]", "8")
        page.select_option("[name=verdict]", "bad")
        page.click(".by-number button")
        page.wait_for_url("**#b9")
        assert _verdicts(_stored(folder, "Mou")) == "-ggg---b"
        page.wait_for_selector("#judging[data-ready]")
        page.click("#finish")
        page.wait_for_url(lambda url: PAGE not in url)


def test_suggestions_are_shown_and_taken(chromium: Browser, client: Client, folder: Path) -> None:
    suggested = read_page(CorpusReader(folder), PAGE).suggested().tolist()
    with opened(chromium, client.address) as page:
        _open(page, "Sug")
        assert page.locator("[data-suggestion]").count() == 0
        assert "suggest=1" not in page.content().split("<ol", 1)[1]
        _press(page, "s")
        page.wait_for_url("**suggest=1*")
        page.wait_for_selector("#judging[data-ready]")
        check_access(page)
        _press(page, "x w")
        score = page.locator(".block[aria-current]").get_attribute("data-score")
        assert score is not None
        assert 0.15 < float(score) < 0.85
        _press(page, "Enter")
        page.wait_for_url(lambda url: PAGE not in url)
    stored = _stored(folder, "Sug")
    wanted = ["good" if good else "bad" for good in suggested]
    wanted[0] = "bad" if suggested[0] else "good"
    assert [stored[at].verdict for at in range(len(wanted))] == wanted
    with BlockStore(folder) as store:
        assert [visit.suggested for visit in store.visits("Sug")] == [True]


def test_the_current_block_is_in_view(chromium: Browser, client: Client) -> None:
    with opened(chromium, client.address) as page:
        _open(page, "See")
        total = page.locator(".block").count()
        for number in range(2, total + 1):
            _press(page, "j")
            box = page.locator(f"#b{number}").bounding_box()
            bar = page.locator(".bar").bounding_box()
            assert box
            assert bar
            assert box["y"] >= bar["y"] + bar["height"] - 1
            assert box["y"] + min(box["height"], 300) <= 900
        _press(page, "Home")
        first = page.locator("#b1").bounding_box()
        bar = page.locator(".bar").bounding_box()
        assert first
        assert bar
        assert first["y"] >= bar["y"] + bar["height"] - 1


def test_the_help(chromium: Browser, client: Client) -> None:
    with opened(chromium, client.address) as page:
        _open(page, "Hel")
        _press(page, "?")
        expect(page.locator("#help")).to_be_visible()
        check_access(page)
        _press(page, "g Escape")
        expect(page.locator("#help")).to_be_hidden()
        assert page.inner_text("#judged") == "0"


@pytest.mark.parametrize("dark", [False, True])
def test_narrow(chromium: Browser, client: Client, dark: bool) -> None:
    with opened(chromium, client.address, viewport=NARROW, dark=dark) as page:
        _open(page, "Nar", suggest="1")
        _press(page, "g b u")
        check_access(page)


def test_two_windows_of_one_annotator(chromium: Browser, client: Client, folder: Path) -> None:
    with opened(chromium, client.address) as page:
        _open(page, "Two")
        other = page.context.new_page()
        _open(other, "Two")
        _press(other, "g g")
        _saved(other)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        expect(page.locator("#b2")).to_have_attribute("data-verdict", "good")
        page.bring_to_front()
        _press(page, "b")
        _saved(page)
        assert _verdicts(_stored(folder, "Two")) == "bg"


def test_a_killed_server_loses_nothing(chromium: Browser, corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "mills"))
    context = chromium.new_context()
    page = context.new_page()
    try:
        with server_process(folder, lasting_port()) as (client, process):
            page.goto(f"{client.address}/mills/annotate/page/{PAGE}?annotator=Kil")
            page.wait_for_selector("#judging[data-ready]")
            _press(page, "g g")
            _saved(page)
            process.kill()
            process.wait()
        _press(page, "b b 1 2 u")
        expect(page.locator("#saved")).to_have_attribute("data-state", "unsaved")
        assert "not saved" in page.inner_text("#saved")
        assert _verdicts(_stored(folder, "Kil")) == "gg"
        with server_process(folder, urlsplit(client.address).port or 0):
            _saved(page)
            assert _verdicts(_stored(folder, "Kil")) == "ggbb" + "u" * 8
    finally:
        context.close()


def test_clicks_of_a_closed_window_are_sent_later(chromium: Browser, corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(corpus.folder, tmp_path / "mills"))
    context = chromium.new_context()
    page = context.new_page()
    try:
        with server_process(folder, lasting_port()) as (client, process):
            address = f"{client.address}/mills/annotate/page/{PAGE}?annotator=Clo"
            page.goto(address)
            page.wait_for_selector("#judging[data-ready]")
            process.kill()
            process.wait()
        _press(page, "g b")
        expect(page.locator("#saved")).to_have_attribute("data-state", "unsaved")
        page.close()
        with server_process(folder, urlsplit(client.address).port or 0):
            again = context.new_page()
            again.goto(address)
            _saved(again)
            assert _verdicts(_stored(folder, "Clo")) == "gb"
    finally:
        context.close()


def test_agreement_and_gold(chromium: Browser, client: Client) -> None:
    for name, verdict in (("One", "good"), ("Two Ⅱ", "bad")):
        found = client.get("/api/mills/annotate-page", page="00000-000097", annotator=name).json()
        marks = [f"0-{len(found['blocks']) - 1}:{verdict}"]
        asked = {"page": "00000-000097", "annotator": name, "digest": found["digest"], "marks": marks, "finish": True}
        assert client.post("/api/mills/annotate-mark", asked).status == 200
    with opened(chromium, client.address) as page:
        page.goto("/mills/annotate/agreement?annotator=One")
        check_access(page)
        page.click("table.dispute a >> nth=0")
        page.wait_for_selector("#judging[data-ready]")
        number = urlsplit(page.url).fragment
        assert page.locator(".block[aria-current]").get_attribute("id") == number
        page.goto("/mills/annotate/training")
        check_access(page)
        with page.expect_download() as downloading:
            page.click("text=Download")
        assert downloading.value.suggested_filename == "judged.parquet"


def test_training(chromium: Browser, client: Client, folder: Path) -> None:
    for _ in range(3):
        name = client.get("/api/mills/annotate-next", annotator="Tra", order="random").json()["page"]
        found = client.get("/api/mills/annotate-page", page=name, annotator="Tra", suggest=1).json()
        marks = [f"{block['number']}:{block['suggestion']['verdict']}" for block in found["blocks"]]
        asked = {"page": name, "annotator": "Tra", "digest": found["digest"], "marks": marks, "finish": True}
        assert client.post("/api/mills/annotate-mark", asked).status == 200
    with opened(chromium, client.address) as page:
        page.goto("/mills/annotate/training")
        page.click("text=Train on my pages")
        expect(page.locator("#steps")).to_be_visible()
        check_access(page)
        page.reload()
        expect(page.locator("table.folds")).to_be_visible(timeout=300_000)
        check_access(page)
        assert "models/judged-1.mill" in page.inner_text("main")
    assert (folder / "models/judged-1.mill").is_file()
