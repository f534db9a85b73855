"""Htmlcleaner: function words less links, between good sentences."""

from __future__ import annotations

import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.htmlcleaner import htmlcleaner
from gristmill.cleaning.segmentation import segment

MENU = "<p><a href=/>The home of the mill and of the millers</a>" * 3


def kept(html: str, lang: str = "en") -> list[str]:
    page = Features(segment(html, "non-inline"))
    return [text for text, value in zip(page.texts, htmlcleaner(page, lang).values, strict=True) if value <= 0.5]


def test_a_page() -> None:
    long = "The mill stands where the river leaves the wood, and it is as old as the wood."
    assert kept(f"{MENU}<p>{long}<p>Millers, flour<p>{long}{MENU}") == [long, "Millers, flour", long]


@pytest.mark.parametrize(
    "no_good_sentence",
    [
        "the mill is where it was and will be there.",
        "The mill is where it was and will be",
        "(the mill is where it was and will be)",
        "To be.",
    ],
)
def test_a_run_ends_with_a_good_sentence(no_good_sentence: str) -> None:
    good = "The mill stands where the river leaves the wood, and it is as old as the wood."
    assert kept(f"<p>{good}<p>{no_good_sentence}") == [good]
    assert kept(f"<p>{no_good_sentence}<p>{good}") == [good]


def test_scores_by_hand() -> None:
    first, link, second = (
        "The the the the the the mill.",
        "the the the the mill mill mill mill",
        "The the the the mills.",
    )
    page = Features(segment(f"<p>{first}<p><a href=/>{link}</a><p>{second}<p>x<p>x", "non-inline"))
    found = htmlcleaner(page, "en")
    assert found.labels == ["text", *["boilerplate"] * 4]
    # Function words have 18, 12 and 12 characters, the link 35: a run over all three is worth 18 + 12 - 35 + 12 = 7.
    assert found.values == pytest.approx([12 / 18 / 2, 1 - 7 / 18 / 2, 1 - 12 / 18 / 2, 1, 1])


def test_without_a_stop_list_links_decide() -> None:
    good = "河边有一座很老的磨坊，磨坊里住着一个老人。"
    menu = f"<p><a href=/>{good[:-1]}</a>"
    assert kept(f"{menu * 3}<p>{good}<p>{good}{menu * 3}<p>x<p>x", "zh") == [good, good]


def test_a_page_without_blocks() -> None:
    assert kept("") == []
