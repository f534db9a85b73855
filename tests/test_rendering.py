"""Boxes of blocks: estimated ones by hand, and those of a browser, which must not ask the network for anything."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gristmill import clean
from gristmill.cleaning.rendering import rendered
from gristmill.cleaning.rendering.boxes import Boxes
from gristmill.cleaning.rendering.estimated import columns_of, estimate, tops_of
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.errors import UsageError
from gristmill.literature.cleaning.genieknows_blocks import semantic_blocks

PAGE = "<h1>Title</h1><table width=1000><tr><td width=200>left</td><td><p>right one</p>two</td></tr></table><p>below é"


@pytest.fixture(scope="module")
def browser() -> None:
    """Skips the test where there is no Chromium."""
    if rendered.find_browser() is None:
        pytest.skip("no Chromium or no Playwright is installed, so no page is rendered")


def test_cells_share_the_width_of_their_row() -> None:
    page = segment("<table><tr><td>abcd</td><td><ul><li>efgh</ul></td></tr></table>")
    left, width = columns_of(page.elements, page.columns.folded.lengths())
    tags = page.elements.tags
    cells = [at for at, tag in enumerate(tags) if tag == "td"]
    assert left[cells].tolist() == [0, 512]
    assert width[cells].tolist() == [512, 512]
    assert left[tags.index("li")] == 552  # indented by 40
    assert width[tags.index("li")] == 472


def test_cells_stand_beside_each_other() -> None:
    page = segment("<p>a<table><tr><td>b<td><p>c<p>d</table><p>e")
    # The heights are 10 each: the row begins at 10 and is as high as its second cell, 20.
    assert tops_of(page.elements, np.full(5, 10.0)).tolist() == [0, 10, 10, 20, 30]
    nested = segment("<table><tr><td><table><tr><td>a<td>b</table><td>c</table><p>d")
    assert tops_of(nested.elements, np.full(4, 10.0)).tolist() == [0, 0, 0, 10]


def test_fonts_and_lines_are_estimated() -> None:
    found = estimate(segment(f"<h1>ab</h1><p>{'x' * 300}<p>y"))
    assert found.font_size.tolist() == [32, 16, 16]
    assert found.weight.tolist() == [700, 400, 400]
    # 300 characters of 8 pixels are 2400, three lines of 1024, each 19.2 high; the heading is 38.4 high.
    assert found.height == pytest.approx([38.4, 57.6, 19.2])
    assert found.y == pytest.approx([0, 38.4, 96])
    assert found.width.tolist() == [32, 1024, 8]


def test_boxes_are_joined() -> None:
    sides = ([0, 10, 5], [0, 20, 9], [10, 20, 0], [10, 5, 0])
    x, y, width, height = (np.array(side, float) for side in sides)
    boxes = Boxes(x, y, width, height, np.array([10.0, 20, 30]), np.full(3, 400.0), np.ones(3), np.zeros(3))
    found = boxes.joined(np.array([0, 2]))
    assert (found.x.tolist(), found.y.tolist()) == ([0, 5], [0, 9])
    assert (found.width.tolist(), found.height.tolist()) == ([30, 0], [25, 0])
    assert found.font_size == pytest.approx([15, 30])  # both have an area of 100


def test_nothing_and_odd_pages_are_estimated() -> None:
    assert len(estimate(segment(""))) == 0
    for html in ("<div>" * 3000 + "a", "<tr>" * 500 + "<td>" * 500 + "x", "<td>a<td>b"):
        page = segment(html)
        found = estimate(page)
        assert len(found) == len(page)
        assert np.isfinite(found.y + found.x + found.width + found.height).all()


def test_comments_tell_where_blocks_begin() -> None:
    page = segment("<p>é <b>a</b></p>b", "text-node")
    assert rendered.marked(page) == "<p><!--gristmill:0-->é <b><!--gristmill:1-->a</b></p><!--gristmill:2-->b"


def test_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendered, "find_browser", lambda: None)
    with pytest.raises(UsageError, match=r"pip install 'gristmill\[render\]'.*playwright install chromium"):
        clean(PAGE, method="fiasco:render=yes")


def test_a_browser_that_is_none_is_said(tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(UsageError, match="can't be started"):
        rendered._Browser(str(broken)).ask({}, 1.0)


@pytest.mark.usefixtures("browser")
def test_boxes_are_those_of_the_browser() -> None:
    page = segment(PAGE, "text-node")
    found = rendered.render(page)
    title, left, one, two, below = range(5)
    assert found.font_size[title] == 32
    assert found.weight[title] == 700
    assert found.x[one] == found.x[two] > found.x[left] + 190
    assert found.y[two] > found.y[one] > found.y[title]
    assert found.y[below] > found.y[two]
    assert (found.height > 10).all()
    assert found.contrast == pytest.approx(np.ones(5))


@pytest.mark.usefixtures("browser")
def test_style_of_the_page_counts() -> None:
    page = segment("<style>.a{float:left;width:200px} .b{margin-left:300px;color:#999}</style><div class=a>menu</div>"
                   "<div class=b>text</div>")  # fmt: skip
    found = rendered.render(page)
    assert found.x[1] - found.x[0] == pytest.approx(300)
    assert found.contrast[1] == pytest.approx(0.4)


@pytest.mark.usefixtures("browser")
def test_backgrounds_divide_elements() -> None:
    """The second text has a colour of its own, the third that of the body: the `div` is three semantic blocks."""
    page = segment("<body bgcolor=#ffffee><div><p>menu<p style='background:#010203'>text<p>end</div>")
    found = rendered.render(page)
    assert found.background.tolist() == [0xFFFFEE, 0x010203, 0xFFFFEE]
    assert semantic_blocks(page, found, 1.0).tolist() == [0, 1, 2]
    assert semantic_blocks(page, estimate(page), 1.0).tolist() == [0]


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and what was asked of it."""
    paths: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", paths
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("browser")
def test_nothing_is_asked_of_the_network_and_no_script_runs(asked: tuple[str, list[str]]) -> None:
    address, paths = asked
    html = (
        f'<link rel=stylesheet href="{address}/style.css"><meta http-equiv=refresh content="0;url={address}/next">'
        f'<p>text<img src="{address}/image.png"><iframe src="{address}/frame"></iframe>'
        f'<script>document.body.innerHTML = ""; fetch("{address}/script")</script>'
        f'<script src="{address}/s.js"></script>'
        f'<p style="background:url({address}/background)">more'
    )
    found = rendered.render(segment(html))
    assert (found.width > 0).all()
    again = rendered.render(segment(PAGE))
    assert (again.width > 0).all()
    assert paths == []


@pytest.mark.usefixtures("browser")
def test_a_page_that_takes_too_long_is_estimated() -> None:
    page = segment(PAGE)
    started = time.monotonic()
    found = rendered.render(page, time_limit=0.001)
    assert found.x.tolist() == estimate(page).x.tolist()
    assert time.monotonic() - started < 60
    assert rendered.render(page).font_size[0] == 32  # the next page has a new browser


@pytest.mark.usefixtures("browser")
def test_what_has_no_markup_is_estimated() -> None:
    page = segment_text("one\ntwo")
    assert rendered.render(page).y.tolist() == estimate(page).y.tolist()


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize("method", ["fiasco", "genieknows"])
def test_methods_can_render(method: str) -> None:
    text = (
        "They carried what was left of the grain down to the river, and waited there for the miller and his boat. " * 5
    )
    menu = "".join(f'<li><a href="/x{at}">Item {at}</a></li>' for at in range(12))
    found = clean(f"<ul>{menu}</ul><p>{text}<p>{text}", lang="en", method=f"{method}:render=yes").text
    assert "grain" in found
    assert "Item 3" not in found


@pytest.mark.usefixtures("browser")
def test_odd_pages_can_be_rendered() -> None:
    for html in (
        "<table>stray<tr><td>x",
        "<textarea>a</textarea><p>b",
        "<div>" * 2000 + "a",
        "<plaintext>a<p>b",
        "<p>\0",
    ):
        page = segment(html, "text-node")
        assert len(rendered.render(page)) == len(page)
