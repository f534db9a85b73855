"""The pages of an article become one page, with all text once and in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from localweb import NewspaperWeb
from localweb.newspapers import Paper

from gristmill.cleaning import clean_page
from gristmill.document import Page
from gristmill.feeds.joining import Cleaned, as_page, continues, join
from gristmill.language import Models

STYLES = pytest.mark.parametrize("style", [0, 1])


def _paper(kind: str, style: int) -> Paper:
    return next(paper for paper in NewspaperWeb(3, style, 1).papers.values() if paper.kind == kind)


def _page(url: str, html: bytes) -> Page:
    return Page(url, html, headers={"content-type": "text/html; charset=utf-8"})


def _cleaned(paper: Paper, number: int, part: int = 1) -> Cleaned:
    story = paper.stories[number]
    target = paper.style.address(paper, number, part)
    page = _page(f"http://{paper.host}{target}", paper.answer(target).body)
    return Cleaned.of(page, story.title, story.summary, Models.load())


@STYLES
def test_all_text_is_there_once_and_in_order(style: int) -> None:
    paper = _paper("pages", style)
    story = paper.stories[0]
    pages = [_cleaned(paper, 0, part) for part in range(1, paper.parts(story) + 1)]
    assert len(pages) > 2
    document = clean_page(_page(story.url, join(pages).encode()))
    text = " ".join(document.text.split())
    places = [text.find(paragraph) for paragraph in story.text]
    assert all(place >= 0 for place in places)
    assert all(before < behind for before, behind in pairwise(places))
    assert all(text.count(paragraph) == 1 for paragraph in story.text)


@STYLES
def test_the_pages_of_an_article_continue_each_other(style: int) -> None:
    paper = _paper("pages", style)
    first = _cleaned(paper, 0)
    assert continues(first, _cleaned(paper, 0, 2))
    assert not continues(first, first)
    assert not continues(first, _cleaned(paper, 1, 2))


def test_a_page_of_comments_does_not_continue_its_article() -> None:
    paper = _paper("plain", 0)
    first = _cleaned(paper, 0)
    comments = "<p>I don't believe a word of what is said in this article, and I have read all of it twice.</p>" * 2
    again = _page(first.page.url, first.source.replace("</article>", f"{comments}</article>").encode())
    story = paper.stories[0]
    assert not continues(first, Cleaned.of(again, story.title, story.summary, Models.load()))


def test_a_page_without_text_continues_nothing() -> None:
    paper = _paper("plain", 0)
    assert not continues(_cleaned(paper, 0), Cleaned.of(_page("http://x.example/", b""), "", "", Models.load()))


def test_pages_without_text_can_be_joined() -> None:
    empty = Cleaned.of(_page("http://x.example/", b"<p></p>"), "", "", Models.load())
    assert "<p></p>" in join([empty, empty])


def test_the_source_of_a_part_can_be_broken() -> None:
    paper = _paper("pages", 0)
    first, second = _cleaned(paper, 0), _cleaned(paper, 0, 2)
    body = second.source.replace("</p>", "<b><!--</b></script><p <a>").encode()
    story = paper.stories[0]
    broken = Cleaned.of(_page(second.page.url, body), story.title, story.summary, Models.load())
    document = clean_page(_page(story.url, join([first, broken]).encode()))
    assert story.text[1] in " ".join(document.text.split())


def test_what_a_feed_has_becomes_a_page() -> None:
    text = "The whole text of the article is in the feed, which is longer than what the page shows to its readers. " * 3
    document = clean_page(_page("http://x.example/", as_page("<b>Title & more</b>", f"<p>{text}</p>").encode()), "en")
    assert document.title == "<b>Title & more</b>"
    assert text.strip() in document.text
