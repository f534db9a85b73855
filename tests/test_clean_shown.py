"""What `gristmill clean` shows of a page, with every method."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from gristmill.cleaning import METHODS, clean
from gristmill.cli.page import PAGE_FORMATS
from gristmill.document import Block, Document

TEXT = "The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember. "
PAGE = f"""<html lang="en-GB"><head><title>A &lt;mill&gt;</title><link rel=canonical href="http://m.example/?a=1&amp;b=2">
<meta name=author content="A. Miller"><meta property="article:published_time" content="2024-05-01T08:00:00Z"></head>
<body><ul><li><a href=/>Home</a><li><a href=/a>About</a></ul><h1>The mill</h1>
<p>{TEXT * 3}</p><p>{TEXT * 2}</p><ol><li>{TEXT}</ol></body>"""


class _Reader(HTMLParser):
    """All tags with their attributes, and all text outside of `style`."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += "" if self.tags and self.tags[-1][0] == "style" else data


def judged(document: Document) -> _Reader:
    return _Reader(PAGE_FORMATS["html"](document))


@pytest.mark.parametrize("method", list(METHODS))
def test_markup_has_the_kind_before_each_kept_block(method: str) -> None:
    document = clean(PAGE, lang="en", method=method)
    lines = PAGE_FORMATS["markup"](document).splitlines()
    assert len(lines) == len(document.kept())
    assert all(re.match("<[hpl]>[^<]", line) for line in lines)
    assert "".join(line[3:] + "\n" for line in lines) == PAGE_FORMATS["text"](document)
    found = {block.kind for block in document.blocks if block.text in {"The mill", "Home", TEXT.strip()}}
    assert found == {"h", "l"}


@pytest.mark.parametrize("method", list(METHODS))
def test_every_block_is_shown_with_score_label_and_kind(method: str) -> None:
    document = clean(PAGE, lang="en", method=method)
    shown = judged(document)
    boxes = [given for tag, given in shown.tags if tag == "div" and (given["class"] or "").startswith("b ")]
    kept = {id(block) for block in document.kept()}
    assert len(boxes) == len(document.blocks)
    for box, block in zip(boxes, document.blocks, strict=True):
        classes = (box["class"] or "").split()
        assert classes[1:3] == [f"q{block.quantile}", block.kind]
        assert ("out" in classes) == (id(block) not in kept)
        assert f"{block.label}, score {block.score:.4f}" in (box["title"] or "")
        assert block.text in shown.text


def test_what_a_page_says_of_itself_is_shown() -> None:
    document = clean(PAGE, "http://m.example/mill", "en", "justext")
    found = json.loads(PAGE_FORMATS["json"](document))
    shown = judged(document).text
    for name, value in {
        "title": "A <mill>",
        "canonical": "http://m.example/?a=1&b=2",
        "declared_lang": "en-GB",
        "author": "A. Miller",
        "published": "2024-05-01T08:00:00Z",
    }.items():
        assert found[name] == value
        assert value in shown
    assert "threshold 0.5" in shown


def test_it_needs_nothing_else_and_nothing_gets_out() -> None:
    hostile = "</p><script>alert(1)</script> \"'><img src=x onerror=y> &amp; </style>"
    block = Block(hostile, "p", hostile, 0, 1, 1, 0, 0, 0, score=0.95, label=hostile)
    document = Document(
        url=hostile,
        title=hostile,
        canonical=hostile,
        lang=hostile,
        author=hostile,
        published=hostile,
        declared_lang=hostile,
        method=hostile,
    )
    document.blocks = [block]
    document.measure(0.93)
    shown = judged(document)
    assert {tag for tag, _ in shown.tags} <= set(
        "html head meta title style body h1 dl dt dd div b small i span p".split()
    )
    assert not any(name.startswith("on") or name in {"src", "href"} for _, given in shown.tags for name in given)
    assert shown.text.count(hostile) >= 8
    assert "url(" not in PAGE_FORMATS["html"](document)


def test_a_page_without_blocks() -> None:
    assert "no visible text" in judged(clean("")).text
