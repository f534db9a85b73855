"""Headline and summary of an article correct the scores of its page, and change nothing where they don't fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from growth import check_growth

from gristmill.cleaning import METHODS, Features, clean_page, segment
from gristmill.cleaning.hints import LABELS, hinted
from gristmill.cleaning.methods import Scores
from gristmill.cleaning.site import clean_site
from gristmill.document import Document, Page

HEADLINE = "Council votes to keep the old bridge open"
SUMMARY = "After a long debate the council decided on Monday that the old bridge stays open to walkers."
TEXT = [
    (
        "After a long debate the council decided on Monday that the old bridge stays open to walkers, and to those who "
        "come by bicycle, though not to cars, which have had to go around by the new road since the flood of last year."
    ),
    (
        "The repair will take three years, said the engineer in charge, and the money comes from the county, which had "
        "first refused to pay for it. Nobody in the hall spoke against the plan when it was put to the vote at last."
    ),
]
OTHER = [
    (
        "The school on the hill gets a new roof this summer, after pupils had been taught in tents for most of the "
        "spring because rain came through the ceiling of every room on the upper floor of the building."
    ),
    (
        "Farmers in the valley expect the best harvest in ten years, and have already hired more hands than they could "
        "find last autumn, when half of the apples were left on the trees for the birds."
    ),
]


def _paragraphs(texts: list[str]) -> str:
    return "".join(f"<p>{text}</p>\n" for text in texts)


def _page(body: str) -> Page:
    html = (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>x</title></head><body>{body}</body></html>'
    )
    return Page("http://example.org/a", html.encode())


def _cleaned(body: str, headline: str = HEADLINE, summary: str = SUMMARY) -> Document:
    page = _page(body)
    page.attributes = {"headline": headline, "summary": summary}
    return clean_page(page, "en", "all")


def _labels(document: Document) -> dict[str, str]:
    return {block.text[:12]: block.label for block in document.blocks if block.label in LABELS}


def test_what_is_above_the_headline_is_no_text() -> None:
    document = _cleaned(f"{_paragraphs(OTHER)}<h1>{HEADLINE}</h1>{_paragraphs(TEXT)}")
    assert document.text == "\n".join([HEADLINE, *TEXT])
    assert _labels(document) == {
        OTHER[0][:12]: "before-headline",
        OTHER[1][:12]: "before-headline",
        HEADLINE[:12]: "headline",
    }
    assert [block.text for block in document.blocks][:2] == OTHER


@pytest.mark.parametrize(
    "shown",
    [
        "Council votes to keep the old bridge open",
        "COUNCIL VOTES TO KEEP THE OLD BRIDGE OPEN!",
        "“Council votes to keep the ‘old bridge’ open”",
        "Council votes to keep the old <i>bridge</i> open",
        "Council votes to keep the ancient bridge open",
    ],
)
@pytest.mark.parametrize("given", [HEADLINE, f"{HEADLINE} - The Valley Post", f"The Valley Post: {HEADLINE}"])
def test_headlines_are_found_in_other_words(shown: str, given: str) -> None:
    document = _cleaned(f"{_paragraphs(OTHER)}<h1>{shown}</h1>{_paragraphs(TEXT)}", given)
    assert OTHER[0] not in document.text
    assert TEXT[0] in document.text


def test_of_several_posts_only_the_one_with_the_headline_is_text() -> None:
    def post(title: str, texts: list[str]) -> str:
        return f'<div class="post"><h2 class="t"><a href="/x">{title}</a></h2><div>{_paragraphs(texts)}</div></div>'

    above, below = post("A new roof for the school", OTHER[:1]), post("A good harvest", OTHER[1:])
    assert _cleaned(above + post(HEADLINE, TEXT) + below).text == "\n".join([HEADLINE, *TEXT])
    labels = _labels(_cleaned(post(HEADLINE, TEXT) + above + below))
    assert labels[OTHER[0][:12]] == labels[OTHER[1][:12]] == "other-article"


def test_posts_without_elements_of_their_own_end_at_the_next_linked_headline() -> None:
    def post(title: str, texts: list[str]) -> str:
        return f'<h3><a href="/x">{title}</a></h3>{_paragraphs(texts)}'

    assert _cleaned(post(HEADLINE, TEXT) + post("A good harvest", OTHER)).text == "\n".join([HEADLINE, *TEXT])


def test_headings_within_an_article_do_not_end_it() -> None:
    document = _cleaned(f"<h2>{HEADLINE}</h2><p>{TEXT[0]}</p><h2>Three years of repair</h2><p>{TEXT[1]}</p>")
    assert document.text == "\n".join([HEADLINE, TEXT[0], "Three years of repair", TEXT[1]])


def test_teasers_of_other_articles_are_no_text() -> None:
    teaser = f'<div class="box"><div><h3><a href="/b">A good harvest</a></h3><p>{OTHER[1]}</p></div></div>'
    document = _cleaned(f"<div><h1>{HEADLINE}</h1>{_paragraphs(TEXT * 2)}{teaser}</div>")
    assert document.text == "\n".join([HEADLINE, *TEXT, *TEXT])
    assert _labels(document)[OTHER[1][:12]] == "teaser"


def test_a_headline_in_a_list_of_links_below_the_article_is_not_its_beginning() -> None:
    document = _cleaned(f'<h1>Bridge saved</h1>{_paragraphs(TEXT)}<ul><li><a href="/a">{HEADLINE}</a></li></ul>')
    assert TEXT[0] in document.text


def test_of_two_headlines_the_one_above_the_text_counts() -> None:
    new = f'<ul><li><a href="/a">{HEADLINE}</a></li></ul><p>{OTHER[0]}</p>'
    document = _cleaned(f"{new}<h1>{HEADLINE}</h1>{_paragraphs(TEXT)}")
    assert OTHER[0] not in document.text
    assert TEXT[0] in document.text


def test_a_summary_that_was_taken_for_boilerplate_is_text() -> None:
    page = segment(f'<h1>{HEADLINE}</h1><p class="lead">{SUMMARY}</p><p>{OTHER[0]}</p>')
    scores = hinted(
        Scores(np.array([0.1, 0.9, 0.1]), ["a", "b", "c"]), page, {"headline": HEADLINE, "summary": SUMMARY}
    )
    assert scores.values.tolist() == [0.0, 0.0, 0.1]
    assert scores.labels == ["headline", "summary", "c"]


@pytest.mark.parametrize("hints", [{}, {"summary": SUMMARY}, {"headline": ""}, {"headline": "Nothing like it is here"}])
def test_without_a_headline_nothing_changes(hints: dict[str, str]) -> None:
    page = _page(f"{_paragraphs(OTHER)}<h1>{HEADLINE}</h1>{_paragraphs(TEXT)}")
    before = clean_page(page, "en")
    page.attributes = hints
    assert replace(clean_page(page, "en"), attributes={}) == before


def test_a_headline_with_most_text_before_it_is_not_believed_without_the_summary() -> None:
    body = f"{_paragraphs(TEXT * 3)}<h2>{HEADLINE}</h2><p>{OTHER[0]}</p>"
    assert _cleaned(body, summary="").text.startswith(TEXT[0])


def test_chinese_headlines() -> None:
    headline, text = (
        "市议会决定保留旧桥",
        "经过长时间的辩论，市议会星期一决定旧桥继续向行人开放，但汽车仍须绕行新路。" * 3,
    )
    document = _cleaned(f"<p>{'学校今年夏天将换新屋顶。' * 4}</p><h1>{headline}</h1><p>{text}</p>", headline, text[:40])
    assert document.text == f"{headline}\n{text}"


@pytest.mark.parametrize(
    "hostile",
    [
        "\0" * 100_000,
        "a " * 50_000,
        "\x1b[31m\u202e" * 1000,
        ": " * 5000,
        "\ud800x",
        " - ".join(["x"] * 3000),
        "<h1>",
        "ﷺ" * 900,
    ],
)
def test_hostile_hints_are_harmless(hostile: str) -> None:
    body = f"<h1>{HEADLINE}</h1>{_paragraphs(TEXT)}"
    for headline, summary in ((hostile, SUMMARY), (HEADLINE, hostile), (hostile, hostile)):
        assert TEXT[0] in _cleaned(body, headline, summary).text


@pytest.mark.parametrize("empty", ["", "<html>", "<p>"])
def test_pages_without_text(empty: str) -> None:
    assert _cleaned(empty).text == ""


@pytest.mark.parametrize(
    "piece",
    [
        f"<h2>{HEADLINE}</h2>",
        f"<h2>{HEADLINE}</h2><p>{SUMMARY}</p>",
        f'<div><h3 class="t"><a href="x">{HEADLINE}</a></h3>',
        '<div><h3><a href="x">y</a></h3><p>z</p></div>',
        "<div>" * 20 + '<h3><a href="x">y</a></h3>',
        SUMMARY,
    ],
)
def test_time_is_linear(piece: str) -> None:
    hints = {"headline": HEADLINE, "summary": SUMMARY}

    def make(size: int) -> Callable[[], object]:
        page = segment(f"<h1>{HEADLINE}</h1><p>{TEXT[0]}</p>" + piece * size)
        scores = METHODS["all"].score(Features(page), "en")
        return lambda: hinted(scores, page, hints)

    check_growth(make, 200, 3_000, 0.005)


def test_site_methods_use_hints() -> None:
    pages = [_page(f"{_paragraphs(OTHER)}<h1>{title}</h1>{_paragraphs(TEXT)}") for title in (HEADLINE, "x", "y")]
    pages[0].attributes = {"headline": HEADLINE}
    labels = [block.label for block in clean_site(pages, "en", "site-text")[0].blocks]
    assert "headline" in labels
