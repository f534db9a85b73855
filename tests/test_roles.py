"""Roles of blocks: one page for each role, and for each confusion that was seen on pages of the web."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gristmill import kernel
from gristmill.cleaning import roles as finding
from gristmill.cleaning.features import Features
from gristmill.cleaning.role_words import NAMES, PAIRS, STEMS, TEXTS
from gristmill.cleaning.roles import roles_of
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.columns import KINDS
from gristmill.kernel import role_rows, role_texts
from gristmill.kernel import roles as loops
from gristmill.roles import ROLES

LINES = [
    "The mill by the river has ground the grain of three villages since before the war, and it still does so today.",
    "Its wheel was built by a carpenter from the next valley, who took two winters and asked for flour, not money.",
    "In dry summers the water is so low that the stones stand still, and the miller mends sacks and waits for rain.",
    "Nobody knows how long that will go on, since bread from the town is cheaper than the flour that it is made of.",
]
ARTICLE = "".join(f"<p>{line}</p>" for line in LINES)
HEAD = "<title>The last mill of the valley - Valley News</title><h1>The last mill of the valley</h1>"


def roles(html: str, kind: str = "") -> dict[str, str]:
    """Return the role of each text of a page."""
    page = Features(segment(html))
    found = roles_of(page, kind)
    assert len(found) == len(page)
    return dict(zip(page.texts, found.tolist(), strict=True))


def role_in(html: str, text: str, kind: str = "") -> str:
    """Return the role of one text of a page, after a look at the article on it: its paragraphs must stay text."""
    found = roles(html, kind)
    assert {found[line] for line in LINES if line in found} <= {"text"}
    return found[text]


def around(before: str = "", within: str = "", behind: str = "") -> str:
    """Make a page with an article, and something above, in and below it."""
    paragraphs = [f"<p>{line}</p>" for line in LINES]
    body = "".join([*paragraphs[:2], within, *paragraphs[2:]])
    return f"{HEAD}{before}<div class=story>{body}</div>{behind}"


def test_headline_is_the_heading_that_is_like_the_title() -> None:
    html = f"<title>Mills at rest - News</title><h1>Valley News</h1><h2>Mills at rest</h2>{ARTICLE}"
    assert role_in(html, "Valley News") == "heading"
    assert role_in(html, "Mills at rest") == "title"


def test_headline_without_a_heading() -> None:
    html = "<title>Valley News | Mills at rest</title><div><b>Mills at rest</b></div>" + ARTICLE
    assert role_in(html, "Mills at rest") == "title"
    named = f"<title>Valley News</title><div class=article_headline>Mills at rest</div>{ARTICLE}"
    assert role_in(named, "Mills at rest") == "title"


def test_headline_of_a_page_without_title_is_the_heading_above_the_text() -> None:
    assert role_in(f"<h3>Mills</h3>{ARTICLE}", "Mills") == "title"
    assert role_in(f"<nav><h3>Mills</h3></nav>{ARTICLE}", "Mills") != "title"


@pytest.mark.parametrize(
    ("html", "text", "role"),
    [
        ("<h2>The wheel</h2>", "The wheel", "heading"),
        ("<h2 id=how-promotion-cheats-work>The wheel</h2>", "The wheel", "heading"),
        ("<h2 id=comments-on-the-wheel>The wheel</h2>", "The wheel", "heading"),
        ("<h2>September 1911</h2>", "September 1911", "heading"),
        ("<h2>Monday, 4 September 1911</h2>", "Monday, 4 September 1911", "byline"),
        ("<p>@wheel(stones=2)</p>", "@wheel(stones=2)", "text"),
        ("<p>He laughed.</p>", "He laughed.", "text"),
        ("<p>By the river.</p>", "By the river.", "text"),
        ("<p>More rain fell.</p>", "More rain fell.", "text"),
        ("<ul><li>two stones<li>one wheel</ul>", "two stones", "list"),
        ("<ul><li><a href=x>Wheels of the upper valley</a></ul>", "Wheels of the upper valley", "list"),
        ("<table><tr><td>1911<td>12 sacks<tr><td>1912<td>9 sacks</table>", "12 sacks", "table"),
        ("<table><tr><td>Sown<td>12 May 1911<tr><td>Cut<td>3 July 1911</table>", "12 May 1911", "table"),
        ("<pre>grind(corn)</pre>", "grind(corn)", "code"),
        ('<div>{"mill": {"wheels": 1, "stones": 2}}</div>', '{"mill": {"wheels": 1, "stones": 2}}', "code"),
        ("<blockquote><p>It grinds slowly.</blockquote>", "It grinds slowly.", "quote"),
        ("<div class=pullquote>It grinds slowly.</div>", "It grinds slowly.", "quote"),
        (
            "<blockquote class=tweet><p>A mill!</p>— Ann (@ann) May 3, 2021</blockquote>",
            "— Ann (@ann) May 3, 2021",
            "quote",
        ),
        ("<figure><img src=x><figcaption>The wheel in winter</figcaption></figure>", "The wheel in winter", "caption"),
        ("<div class=wp-caption><p>The wheel in winter</div>", "The wheel in winter", "caption"),
        ("<h4 class=storyphotocaption>The wheel in winter</h4>", "The wheel in winter", "caption"),
        ("<div class=image-box><div>The wheel in winter</div></div>", "The wheel in winter", "caption"),
        ("<p>Photo: A. Miller</p>", "Photo: A. Miller", "caption"),
        ("<p>The wheel in winter. Credit: A. Miller</p>", "The wheel in winter. Credit: A. Miller", "caption"),
        ("<p>图：磨坊</p>", "图：磨坊", "caption"),
        ("<p>Advertisement</p>", "Advertisement", "notice"),
        ("<p>Article continues below this ad</p>", "Article continues below this ad", "notice"),
        ("<p>Anzeige</p>", "Anzeige", "notice"),
        (
            "<div class=newsletter-box>Get the best mills in your inbox.</div>",
            "Get the best mills in your inbox.",
            "notice",
        ),
        (
            "<p>Want more? <a href=x>Sign up for our newsletter</a> on mills.</p>",
            "Want more? Sign up for our newsletter on mills.",
            "notice",
        ),
        ("<ul class=share><li>Facebook<li>Twitter</ul>", "Facebook", "notice"),
        (
            "<p>Copyright 2012 Valley News. All rights reserved. Ask before you print it.</p>",
            "Copyright 2012 Valley News. All rights reserved. Ask before you print it.",
            "notice",
        ),
        ("<p><a href=x>Read more: The mills of the plain</a></p>", "Read more: The mills of the plain", "teaser"),
        ("<h3>MORE: The mills of the plain</h3>", "MORE: The mills of the plain", "teaser"),
        (
            "<div class=related><h3>Other mills</h3><p><a href=x>The mills of the plain</a></div>",
            "Other mills",
            "teaser",
        ),
        (
            "<h3><a href=x>The mills of the plain are for sale</a></h3><div>Read it now</div>",
            "The mills of the plain are for sale",
            "teaser",
        ),
        ("<form>Search <input></form>", "Search", "form"),
        ("<select><option>May<option>June</select>", "June", "form"),
    ],
)
def test_blocks_in_an_article(html: str, text: str, role: str) -> None:
    assert role_in(around(within=html), text) == role


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div class=byline>Ann Miller</div>", "Ann Miller"),
        ("<div>By Ann Miller</div>", "By Ann Miller"),
        ("<div>ByAnn Miller</div>", "ByAnn Miller"),
        ("<h3>By Ann Miller</h3>", "By Ann Miller"),
        ("<div>December 17, 2023, 12:34 PM</div>", "December 17, 2023, 12:34 PM"),
        ("<div>17.12.2023</div>", "17.12.2023"),
        ("<div>5 min read</div>", "5 min read"),
        ("<div>Posted on 3 May 2021 by Ann</div>", "Posted on 3 May 2021 by Ann"),
        ("<div>3. Mai 2021, 12:05 Uhr</div>", "3. Mai 2021, 12:05 Uhr"),
        ("<div>3 мая 2021</div>", "3 мая 2021"),
        ("<div>2021年5月3日</div>", "2021年5月3日"),
        ("<div>The Associated Press</div>", "The Associated Press"),
        ("<p><a href=x>ann@valley.example</a></p>", "ann@valley.example"),
    ],
)
def test_bylines(html: str, text: str) -> None:
    assert role_in(around(before=html), text) == "byline"


def test_author_behind_the_text_may_have_a_biography() -> None:
    life = "Ann Miller writes about mills and rivers, and has done so for as long as there has been a newspaper here."
    assert role_in(around(behind=f"<div class=author-bio><p>{life}</div>"), life) == "byline"


def test_a_name_of_author_or_date_around_the_article_says_nothing() -> None:
    html = around().replace("class=story", "class='story date-posts author-ann'")
    found = roles(html.replace("</p></div>", "</p><p>He laughed.</div>"))
    assert {found[line] for line in LINES} == {"text"}
    assert found["He laughed."] == "text"


@pytest.mark.parametrize(
    "name", ["paywall", "ad45", "LRPad", "related-content", "comment-open", "no-comments", "share"]
)
def test_names_of_all_paragraphs_say_nothing(name: str) -> None:
    html = around().replace("<p>", f"<p class={name}>")
    assert {roles(html)[line] for line in LINES} == {"text"}


def test_comments_by_their_names() -> None:
    html = around(behind="<div id=comments><h3>2 thoughts</h3><b>Bob</b><p>I saw one.</p><p>Leave yours</div>")
    found = roles(html)
    assert [found[text] for text in ("2 thoughts", "Bob", "I saw one.", "Leave yours")] == ["comment"] * 4


@pytest.mark.parametrize("heading", ["2 Comments", "Comments", "Kommentare (2)", "Σχόλια", "评论"])
def test_comments_by_their_heading(heading: str) -> None:
    longer = "I have seen this mill when I was a child, and the miller gave us flour in a bag that he had made himself."
    html = around(behind=f"<h3>{heading}</h3><div>Bob</div><p>{longer}<div>Eve</div><p>So did I.")
    found = roles(html)
    assert [found[text] for text in (heading, "Bob", longer, "So did I.")] == ["comment"] * 4
    assert {found[line] for line in LINES} == {"text"}


def test_posts_of_a_forum_are_no_comments() -> None:
    html = around(behind="<div class=comments><p>I saw one.</div>")
    assert role_in(html, "I saw one.", "forum") == "text"
    assert role_in(html, "I saw one.", "article") == "comment"


def test_the_next_article_below_comments_is_text() -> None:
    other = (
        "A second mill stands further up, where the valley is narrow and the water falls from one stone to the next."
    )
    html = f"{HEAD}<div>{ARTICLE}<h2>3 comments</h2><h2>Another mill in the same valley</h2><p>{other}</div>"
    assert role_in(html, other) == "text"


def test_a_section_on_comments_is_text() -> None:
    line = (
        "Whatever stands behind a sign is a comment, and nobody who grinds the file will ever know that it was there."
    )
    sections = f"<h2>Comments</h2><p>{line}</p><h2>Limits</h2><p>{line} So be careful.</p>"
    found = roles(f"{HEAD}<div>{ARTICLE}{sections}</div>")
    assert [found["Comments"], found[line], found["Limits"]] == ["heading", "text", "heading"]


def test_a_link_to_comments_above_the_text_is_navigation() -> None:
    html = around(before="<div class=comments><a href=#c>12 comments</a></div>")
    assert role_in(html, "12 comments") == "navigation"


def test_what_editors_write_is_no_comment() -> None:
    html = around().replace("class=story", "class=commentary")
    assert {roles(html)[line] for line in LINES} == {"text"}


def test_menus_are_navigation_and_links_to_articles_teasers() -> None:
    menu = "".join(f"<li><a href=x>{word}</a>" for word in ("Home", "News", "Sport", "Imprint"))
    links = "".join(
        f"<li><a href=x>{text}</a>"
        for text in ("A new bridge for the upper valley", "Rain is coming, says the miller", "Bread is too cheap")
    )
    html = around(before=f"<ul>{menu}</ul>", behind=f"<h4>In other news</h4><ol>{links}</ol>")
    assert role_in(html, "Sport") == "navigation"
    months = "<ul><li><a href=x>May 2004</a><li><a href=x>June 2004</a></ul>"
    assert role_in(around(behind=months), "May 2004") == "navigation"
    fields = "<nav><a href=x>Home</a><select><option>All our old news</select></nav>"
    assert role_in(around(before=fields), "All our old news") == "form"
    line = "<p><a href=x>About us</a> | <a href=x>All our mills</a> | <a href=x>Old wheels</a>"
    assert role_in(around(behind=line), "About us | All our mills | Old wheels") == "navigation"
    assert role_in(around(behind="<p><a href=x>[Index]</a> <a href=x>[Wheels]</a>"), "[Index] [Wheels]") == "navigation"
    assert role_in(html, "Bread is too cheap") == "teaser"
    assert role_in(html, "In other news") == "teaser"
    assert role_in(around(before=f"<nav><p>{LINES[0][:40]}</nav>"), LINES[0][:40]) == "navigation"


def test_what_stands_between_teasers_is_a_part_of_them() -> None:
    items = "".join(
        f"<h3><a href=x>{text} is for sale again</a></h3><div>Dec 23, 1:2{n} PM</div>"
        for n, text in enumerate(("The upper mill", "The lower mill", "The old bridge"))
    )
    assert role_in(around(behind=items), "Dec 23, 1:21 PM") == "teaser"


def test_items_of_menus_that_are_no_links_are_navigation() -> None:
    words = ("Home", "Mills", "Wheels", "Old stones")
    menu = f"<ul>{''.join(f'<li>{word}' for word in words)}</ul>"
    cells = f"<table><tr>{''.join(f'<td>{word}' for word in words)}</table>"
    for items in (menu, cells):
        assert role_in(items + around(), "Old stones") == "navigation"
    assert role_in(around(behind=menu), "Old stones") == "navigation"
    assert role_in(around(before=menu), "Old stones") == "list"  # between headline and text: ingredients, facts
    assert role_in(around(within=menu), "Old stones") == "list"
    assert role_in(around(within=cells), "Old stones") == "table"
    assert role_in(around(behind=cells), "Old stones") == "table"
    assert role_in(menu + around(), "Old stones", "listing") == "list"


def test_signs_between_items_of_menus_are_navigation() -> None:
    assert role_in(around(before="<div>»</div>"), "»") == "navigation"
    assert role_in(around(within="<p>***</p>"), "***") == "text"


@pytest.mark.parametrize(
    "text", ["Back to the top", "« Previous Thread | Next Thread »", "Next story: The mills of the plain are for sale"]
)
def test_links_to_the_next_page_and_back_are_navigation(text: str) -> None:
    assert role_in(around(behind=f"<p><a href=x>{text}</a>"), text) == "navigation"


def test_links_that_begin_as_those_to_the_next_page_may_be_teasers() -> None:
    text = "Next summer the mill will be for sale"
    assert role_in(around(behind=f"<p><a href=x>{text}</a>"), text) == "teaser"


@pytest.mark.parametrize("name", ["blogroll", "linkcat-7", "cat-item cat-item-12", "widget_categories"])
def test_categories_and_links_to_other_blogs_are_navigation(name: str) -> None:
    text = "The mills and misadventures of Ann"
    items = f"<ul><li class='{name}'><a href=x>{text}</a></ul>"
    assert role_in(around(behind=items), text) == "navigation"


def test_the_date_of_today_above_the_page_is_navigation() -> None:
    date = "<div>Monday, 3 May 2021</div>"
    assert role_in(f"{date}<div>Valley News</div><div>Since 1911</div>{around()}", "Monday, 3 May 2021") == "navigation"
    assert role_in(date + around(), "Monday, 3 May 2021") == "byline"
    posted = "Posted on 3 May 2021"
    html = f"<div>{posted}</div><div>Valley News</div><div>Since 1911</div>{around()}"
    assert role_in(html, posted) == "byline"


def test_labels_of_the_form_for_a_comment_are_form() -> None:
    fields = "<form><h3>Leave a reply</h3><p>Be kind to the miller.<p>Your name <input><p>Send it</form>"
    html = around(behind=f"<div id=comments><p>Bob<p>I saw one.</p>{fields}</div>")
    found = roles(html)
    assert [found[text] for text in ("Your name", "Send it")] == ["form"] * 2
    others = ("Bob", "I saw one.", "Leave a reply", "Be kind to the miller.")
    assert [found[text] for text in others] == ["comment"] * 4


@pytest.mark.parametrize("name", ["recent-comments", "most_commented", "mostcommented"])
def test_boxes_of_comments_on_other_pages_are_teasers(name: str) -> None:
    html = around(behind=f"<div class={name}><p>Bob on <a href=x>The mills of the plain</a></div>")
    assert role_in(html, "Bob on The mills of the plain") == "teaser"


@pytest.mark.parametrize("name", ["postcontent restore", "messageText", "post-content"])
def test_a_post_of_a_forum_in_a_blockquote_is_no_quotation(name: str) -> None:
    html = around(within=f"<blockquote class='{name}'><p>It grinds slowly.</blockquote>")
    assert role_in(html, "It grinds slowly.") == "text"


def test_a_paragraph_in_a_cell_is_text() -> None:
    line = f"{LINES[0]} {LINES[1]}"
    found = roles(around(within=f"<table><tr><td>Wheel<td>{line}</table>"))
    assert [found["Wheel"], found[line]] == ["table", "text"]


def test_when_a_post_was_written_is_a_byline_in_a_cell_too() -> None:
    text = "Posted: Sun Jan 06, 2008 4:20 pm"
    assert role_in(around(within=f"<table><tr><td>{text}<td>Reply</table>"), text) == "byline"


def test_a_line_with_links_to_follow_is_a_notice() -> None:
    html = around(within="<p>Follow the mills of the valley on <a href=x>Twitter</a></p>")
    assert role_in(html, "Follow the mills of the valley on Twitter") == "notice"
    assert role_in(around(within="<p>Follow the river to the mill.</p>"), "Follow the river to the mill.") == "text"


def test_offers_of_a_listing_are_text() -> None:
    offers = "".join(f"<p><a href=x>Mill number {number} with a wheel and stones</a></p>" for number in range(9))
    html = f"<title>Mills</title>{offers}<aside><p><a href=x>All about old bridges and ferries</a></aside>"
    text = "Mill number 3 with a wheel and stones"
    assert roles(html)[text] == "teaser"
    assert roles(html, "listing")[text] == "text"
    assert roles(html, "listing")["All about old bridges and ferries"] == "teaser"


def test_edges_of_the_page() -> None:
    words = "We use cookies on this website, and ask you to accept that."
    html = around(
        before=f"<div class=cookie-banner>{words}</div><div class=masthead>News since 1911</div>",
        behind="<div class=sidebar><h3>About</h3>A paper for the valley</div><footer>© 2021 Valley News</footer>",
    )
    assert role_in(html, words) == "notice"
    assert role_in(html, "News since 1911") == "navigation"
    assert role_in(html, "About") == "notice"
    assert role_in(html, "A paper for the valley") == "notice"
    assert role_in(html, "© 2021 Valley News") == "notice"


def test_a_form_around_the_whole_page_says_nothing() -> None:
    found = roles(f"<form id=aspnetForm>{around()}</form>")
    assert {found[line] for line in LINES} == {"text"}
    assert found["The last mill of the valley"] == "title"
    assert roles("<form><p>Home<p>One mill<p>Two mills</form>")["One mill"] == "text"


def test_cookies_that_are_baked_stay_text() -> None:
    line = "Cookies need flour, and the flour of this mill makes better cookies than that of any website, they say."
    assert role_in(around(within=f"<p>{line}"), line) == "text"


def test_plain_text_and_empty_pages() -> None:
    assert roles_of(Features(segment(""))).tolist() == []
    page = Features(segment_text("The mill\n\n" + LINES[0]))
    assert roles_of(page).tolist() == ["text", "text"]


def test_numbers_and_names_of_roles_are_the_same() -> None:
    assert [getattr(role_rows, role.upper()) for role in ROLES] == list(range(len(ROLES)))
    assert KINDS.index("h") == role_rows.KIND_HEADING
    assert KINDS.index("l") == role_rows.KIND_LIST_ITEM


def test_words_are_listed_once_and_bits_differ() -> None:
    names = [word for words in NAMES.values() for word in words.split()]
    assert len(set(names)) == len(names)
    for words in TEXTS.values():
        assert len(set(words.split())) == len(words.split())
    says = [value for name, value in vars(role_rows).items() if name.startswith("SAYS_")]
    about = [value for name, value in vars(role_rows).items() if name.startswith(("ABOUT_", "HAS_", "IS_", "ENDS_"))]
    for bits in (says, about):
        assert sum(bits) == int(np.bitwise_or.reduce(bits))
    assert set(PAIRS.values()) | set(STEMS.values()) <= set(says)


def test_names_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MAX_KNOWN_NAMES", 3)
    known = finding._KnownNames()
    for number in range(10):
        assert known[f"comments c{number}"] == role_rows.SAYS_COMMENT
    assert len(known) <= 3


WORDS = [word for words in TEXTS.values() for word in words.split()]
TEXT = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from([*LINES, "2021", "©", "Mühle", "磨坊。", "𝔐", "{;=;=};"]))
)
TAGS = "p div li ul nav article main footer aside h1 h2 h3 td tr table blockquote figure section form pre a select"
CLASSES = st.sampled_from([word for words in NAMES.values() for word in words.split()[:4]])
PIECES = st.one_of(
    TEXT.map(" ".join),
    st.builds("<{} class={}>".format, st.sampled_from(TAGS.split()), CLASSES),
    st.builds("<{}>".format, st.sampled_from(TAGS.split())),
    st.builds("</{}>".format, st.sampled_from(TAGS.split())),
)
PAGES = st.builds("<title>{}</title>{}".format, TEXT.map(" ".join), st.lists(PIECES, max_size=60).map("\n".join))


@settings(max_examples=60)
@given(PAGES, st.sampled_from(["", "forum", "listing"]))
def test_every_page_has_roles_and_they_are_the_same_uncompiled(html: str, kind: str) -> None:
    page = Features(segment(html))
    found = roles_of(page, kind).tolist()
    assert set(found) <= set(ROLES)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(kernel, "find_roles", loops.find_roles)
        monkeypatch.setattr(kernel, "read_texts", role_texts.read_texts)
        assert roles_of(page, kind).tolist() == found


@given(st.binary(max_size=400), st.binary(max_size=60))
def test_bytes_that_are_no_text_are_read_the_same_uncompiled(data: bytes, title: bytes) -> None:
    known = role_texts.word_table({word.encode(): 1 << at % 20 for at, word in enumerate(WORDS)})
    offsets = np.array([0, len(data) // 3, len(data)], np.int32)
    plain = role_texts.read_texts(data, offsets, title, *known)
    assert kernel.read_texts(data, offsets, title, *known).tolist() == plain.tolist()


def test_tables_of_words_are_the_same_uncompiled() -> None:
    words = {word.encode(): 1 for word in WORDS}
    for compiled, plain in zip(kernel.word_table(words), role_texts.word_table(words), strict=True):
        assert compiled.tolist() == plain.tolist()
