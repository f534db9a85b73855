"""boilerpipe's ArticleExtractor, rule by rule."""

from __future__ import annotations

import pytest

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.boilerpipe_article import _text_density, _titles, boilerpipe_article

LINE = "the old mill stands where the great river leaves the dark wood and turns "  # 14 words, 73 characters
LONG = LINE * 3
SHORT = "three short words"


def kept(*blocks: str, title: str = "") -> list[int]:
    """The numbers of the blocks that are kept."""
    html = f"<title>{title}</title>" + "".join(f"<p>{block}" for block in blocks)
    page = Features(segment(html, "all-but-links"))
    assert len(page) == len(blocks)
    return [at for at, value in enumerate(boilerpipe_article(page, "en").values) if value <= 0.5]


def test_the_largest_stretch_is_the_article() -> None:
    """The tree keeps the block before a long one as well as those around; two links lie between the two stretches."""
    link = f"<a href=x>{SHORT}</a>"
    assert kept(link, link, LONG, LONG, link, link, link, LONG, link) == [1, 2, 3]
    assert kept(link, LONG, link, link, link, LONG, LONG, link) == [4, 5, 6]


def test_one_removed_block_does_not_divide_the_article() -> None:
    """Blocks 1 and 4 are content. The one before each is fused with it, so that none is removed but the last."""
    link = f"<a href=x>{SHORT}</a>"
    assert kept(link, LONG, link, link, LONG, link) == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Have your say", True),
        ("Comments (3)", True),
        ("12 comments so far", True),
        ("© Reuters 2010", True),
        ("Thanks for your comments - this feedback is now closed", True),
        ("Tell us what you think...", True),
        ("Comment", False),  # only as a link
        ("No end is here", False),
        ("Have your say " + "and say it again and again " * 3, False),  # more than 14 words
    ],
)
def test_an_article_ends_where_it_says_so(text: str, ends: bool) -> None:
    assert kept(LONG, LONG, text, LONG) == ([0, 1] if ends else [0, 1, 2, 3])


def test_an_end_needs_60_words_before_it() -> None:
    """42 words of running text are too few, 84 are enough."""
    assert kept(LONG, "Have your say", LONG) == [0, 1, 2]
    assert kept(LONG, LONG, "Have your say", LONG) == [0, 1]


def test_words_a_line() -> None:
    """14 words fit into a line of 80 characters, 15 do not: of two lines only the first counts."""
    assert _text_density("one two three") == 3
    assert _text_density(LINE) == 14
    assert _text_density(LINE * 2) == 15  # "the" of the second line still fits: 73 + 4 = 77
    assert _text_density("") == 0


def test_the_title_is_kept_with_what_follows_it() -> None:
    """The headline is fused with a byline of 17 words, far above the article; without a title both are lost."""
    link = f"<a href=x>{SHORT}</a>"
    blocks = ["Of old mills", "by " + "name " * 17, link, link, link, LONG, LONG]
    assert kept(*blocks, title="Mill News - Of old mills") == [0, 1, 4, 5, 6]
    assert kept(*blocks, title="Mill News") == [4, 5, 6]


def test_titles() -> None:
    found = set(_titles("of old mills and their millers - mills.com | news"))
    assert {"of old mills and their millers", "of old mills and their millers - mills.com | news"} <= found
    assert "mills.com" not in found
    assert list(_titles("")) == []


def test_scores_and_hostile_pages() -> None:
    page = Features(segment(f"<p>{LONG}", "all-but-links"))
    found = boilerpipe_article(page, "en")
    assert found.labels == ["content"]
    assert found.values == pytest.approx([0.5 - (42 - 16.5) / (42 + 16.5) / 2])
    for html in ("", "x", "<div>" * 5_000 + "x", f"<title>{'- ' * 5_000}</title>x", "<title>|</title>|"):
        some = Features(segment(html, "all-but-links"))
        assert len(boilerpipe_article(some, "en").labels) == len(some)
