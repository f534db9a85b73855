"""Htmlcleaner: function words less links, between good sentences."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.htmlcleaner import _link_characters, htmlcleaner

MENU = "<p><a href=/>The home of the mill and of the millers</a>" * 3


def kept(html: str, lang: str = "en") -> list[str]:
    page = Features(segment(html, "html4"))
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
    page = Features(segment(f"<p>{first}<p><a href=/>{link}</a><p>{second}<p>x<p>x", "html4"))
    found = htmlcleaner(page, "en")
    assert found.labels == ["text", *["boilerplate"] * 4]
    # Function words have 18, 12 and 12 characters, the link 35: a run over all three is worth 18 + 12 - 35 + 12 = 7.
    assert found.values == pytest.approx([12 / 18 / 2, 1 - 7 / 18 / 2, 1 - 12 / 18 / 2, 1, 1])


def test_the_unit_is_the_sentence() -> None:
    """In one block: the first sentence is no good beginning, so the run begins with the second, and ends with it.

    The sentences have 22 and 78 characters, so more than half of the block is in the run. As blocks, the first letter
    would be small, and nothing would be text.
    """
    small, good = (
        "and so it is, he says.",
        "The mill stands where the river leaves the wood, and it is as old as the wood.",
    )
    assert kept(f"<p>{small} {good}<p>x<p>x") == [f"{small} {good}"]
    assert kept(f"<p>{small * 5} {good}<p>x<p>x") == []  # 110 of 189 characters are outside


def test_form_fields_are_removed() -> None:
    """Baisa 2009, 1.2: neither a button nor a list of choices is text, though a run goes over them."""
    long = "The mill stands where the river leaves the wood, and it is as old as the wood."
    choice = "It is the mill of the millers, and it is where it was."
    fields = f"<select><option>{choice}<option>{choice}</select><textarea>{choice}</textarea><button>{choice}</button>"
    assert kept(f"{MENU}<p>{long}{fields}<p>{long}{MENU}") == [long, long]
    assert kept(fields) == []


def test_images_and_tags_that_html_4_does_not_have_cut_no_sentence() -> None:
    """Baisa 2009, 1.2: they are discarded, so that the sentence around them is one; `<hr>` is standard."""
    sentence = "The mill stands <img src=m>where the <nobr>river</nobr> leaves <o:p>the</o:p> wood, <input>as it did."
    page = segment(f"<p>{sentence}<section>So it is.<hr>And was.", "html4")
    assert page.texts == ["The mill stands where the river leaves the wood, as it did. So it is.", "And was."]


def test_links_count_in_the_sentence_that_they_stand_in() -> None:
    """The first sentence has no link, so its function words count in full, and it is more than half of the block.

    By words, two thirds of the block are links: so much of each sentence would cost more than the function words give.
    """
    sentence = "The mill is as old as the wood, and it is where it was before the wood was there, says the old miller."
    html = f"<p>{sentence} <a href=/>{'k ' * 45}</a><p>x<p>x"
    assert kept(html) == [f"{sentence} {('k ' * 45).strip()}"]


@pytest.mark.parametrize(
    ("html", "sentences", "expected"),
    [
        ("<p>To <a href=/>the old mill</a>. It <a href=/b>is</a>.", ["To the old mill.", "It is."], [12, 2]),
        ("<p>No link<p><a href=/>All of\u3000it</a>", ["No link", "All of it"], [0, 9]),
        ("<p>caf<a href=/>e\u0301 x</a>", ["caf\u00e9 x"], [3]),
        ("<p>e<a href=/>\u0301x</a>", ["\u00e9x"], None),
        ("<p>To <button><a href=/>no</a></button><p><a href=/>it</a>", ["To", "it"], [0, 2]),
    ],
)
def test_characters_in_links(html: str, sentences: list[str], expected: list[int] | None) -> None:
    page = Features(segment(html, "html4"))
    assert [text for text in page.texts if text != "no"] in (sentences, [" ".join(sentences)])
    found = _link_characters(page, sentences, np.array(list(map(len, sentences))))
    assert expected == (None if found is None else found.tolist())


def test_without_a_stop_list_links_decide() -> None:
    good = "河边有一座很老的磨坊，磨坊里住着一个老人。"
    menu = f"<p><a href=/>{good[:-1]}</a>"
    assert kept(f"{menu * 3}<p>{good}<p>{good}{menu * 3}<p>x<p>x", "zh") == [good, good]


def test_a_page_without_blocks() -> None:
    assert kept("") == []
