"""Pages are cut into the blocks that a reader sees, to the letter, on broken pages too."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.cleaning import segment, segment_text
from gristmill.columns import fold
from gristmill.decoding import decode
from gristmill.document import Document, Page
from gristmill.kernel import COMPILED
from gristmill.text.words import count_words

WRONGLY_DECODED = "https://nisi.example/politismos/mylos-vivliothiki.html"


def texts(html: str) -> list[str]:
    return [block.text for block in segment(html).blocks]


def test_every_block_of_the_sample(sample_documents: dict[str, Document], truth: dict[str, dict[str, Any]]) -> None:
    for url, document in sample_documents.items():
        if url != WRONGLY_DECODED:
            found = [(fold(block.text), block.kind) for block in document.blocks]
            assert found == [(block["text"], block["kind"]) for block in truth[url]["blocks"]], url


def test_titles_of_the_sample(sample_documents: dict[str, Document], truth: dict[str, dict[str, Any]]) -> None:
    found = [
        truth[url]["title"] in document.title for url, document in sample_documents.items() if url != WRONGLY_DECODED
    ]
    assert all(found)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a<p>b<p>c", ["a", "b", "c"]),
        ("<p>one<br>two<br><br>three<br> <br>four", ["one\ntwo", "three", "four"]),
        ("<p>a<b>b</b>c <i>d</i></p>", ["abc d"]),
        ("<td>x<td>y<tr><td>z", ["x", "y", "z"]),
        ("<p>x<script>var a = '<p>no</p>'</script>y", ["xy"]),
        ("<style>p{}</style><template><p>no</template><noscript>no</noscript><iframe>no</iframe><p>yes", ["yes"]),
        ("<div hidden>no<div>no</div>no</div>yes", ["yes"]),
        ("a <span style='DISPLAY : none'>no</span>b", ["a b"]),
        ("<p hidden>no<p>yes", ["yes"]),
        ("<body style='display:none'><p>yes", ["yes"]),
        ("<svg><title>no</title><text>no</text></svg><title>t</title>yes", ["yes"]),
        ("<!-- no --><p>yes<!-- no", ["yes"]),
        ("<select><option>a<option>b</select>", ["a", "b"]),
        ("<textarea><b>x</b></textarea>", ["<b>x</b>"]),
        ("a&nbsp;b&#1;&#x0;c &amp; e&#769;", ["a b\ufffdc & é"]),
        ("<ul><li>a<ul><li>b</ul>c</ul>", ["a", "b", "c"]),
        ("<a href=x>a<div>b</a></div>", ["a", "b"]),
        ("<", ["<"]),
        ("", []),
        ("<p> \n </p><div></div>", []),
        ("class=x", ["class=x"]),
        ("a id=", ["a id="]),
        ("style=display:none<p>yes", ["style=display:none", "yes"]),
        ("style='display:none' <p>yes<p>yes</p>", ["style='display:none'", "yes", "yes"]),
        (" hidden <p>yes</p>", ["hidden", "yes"]),
        ('x ="<p class=a>y', ['x ="', "y"]),
        ("<iframe src='x' /><p>yes<script/><style/><p>yes<title/><p>yes", ["yes", "yes", "yes"]),
        ("<p>a<script src='x'/>no<p>no</script>b", ["ab"]),
        ("<p>a<noscript/>b<video/>c<svg/>d<textarea/>e", ["abcd", "e"]),
        ("<div><a name='x'/><p>a</p><script/><p>b</p><script>no</script><p hidden=''/>c</div>", ["a", "b", "c"]),
        ("<noscript><p>yes</noscript>", ["yes"]),
        ("<p> \n\n\n </p>                      <noscript><p>yes</noscript> ", ["yes"]),
        ("<noscript><p>no</noscript>yes", ["yes"]),
        ("yes<noscript><p>no</noscript>", ["yes"]),
        ("<noscript><template>no</template></noscript>", []),
    ],
)
def test_blocks(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


SERIALISED = """<html id="forum" lang="en"><head><meta charset="utf-8"/><title>The mill</title><script src="a.js"/>
<!--[if lt IE 9]><script src="b.js"></script><link href="c.css"><![endif]--></head>
<body><noscript><iframe src="d"/></noscript><a name="top"/><div class="clear"/><div id="thread">
<article><i class="icon"/><p>Who mends the wheel?</p></article>
<iframe src="e" hidden="hidden"/><article><p>The miller does.<br/>He always has.</p><span/></article></div>
<script>run("<p>no</p>")</script></body></html>"""


@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0" encoding="utf-8"?>\n', "<!DOCTYPE html>\n"])
def test_pages_by_an_xml_serialiser(declaration: str) -> None:
    blocks = segment(declaration + SERIALISED).blocks
    assert [block.text for block in blocks] == ["Who mends the wheel?", "The miller does.\nHe always has."]
    assert {block.path for block in blocks} == {"html/body/div/article/p"}
    assert not any(block.link_words for block in blocks)
    for block in blocks:
        assert (declaration + SERIALISED)[block.start : block.end].replace("<br/>", "\n") == block.text


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<h1>a</h1><p>b<li>c<dt>d<td>e", "hplp" + "p"),
        ("<li><div>a</div></li><li><p>b</p></li>", "lp"),
        ("<h2><span>a</span></h2>", "h"),
        ("<ul><li>a<li>b</ul>c", "llp"),
    ],
)
def test_kinds(html: str, kinds: str) -> None:
    found = "".join(block.kind for block in segment(html).blocks)
    assert found == kinds.replace("hplpp", "hpllp")


def test_paths_counts_and_positions() -> None:
    html = "<div><ul><li>go <a href=x>to the</a> <b>mill</b></li></ul>\n<p>  rest &amp; more </p></div>"
    first, second = segment(html).blocks
    assert first.path == "html/body/div/ul/li"
    assert (first.words, first.link_words, first.links, first.tags) == (4, 2, 1, 4)
    assert html[first.start : first.end] == "go <a href=x>to the</a> <b>mill</b>"
    assert second.path == "html/body/div/p"
    assert html[second.start : second.end].strip() == "rest &amp; more"


def test_a_block_that_ends_with_the_page() -> None:
    for html in ("x", "\n x", "<p>x", "<p>x\ny", "<p>x<!-- no", "\r\nx\r"):
        (block,) = segment(html).blocks
        assert block.end == len(html.replace("\r\n", "\n"))
        assert html.replace("\r\n", "\n")[block.start] == "x"


def test_tags_between_blocks_belong_to_none() -> None:
    assert [block.tags for block in segment("<div><span></span><br><p>a</p><i></i></div><p>b<b>c</b>").blocks] == [0, 2]


def test_positions_in_the_sample(sample_pages: dict[str, Page], sample_documents: dict[str, Document]) -> None:
    step = 4 if COMPILED else 40  # of 7,400 blocks, each of which is a page to segment
    for url, page in sample_pages.items():
        charset = page.headers["content-type"].partition("charset=")[2] or None
        source = decode(page.body, declared=charset).text
        end = 0
        for number, block in enumerate(sample_documents[url].blocks):
            assert end <= block.start < block.end <= len(source)
            end = block.end
            if number % step == 0:
                assert [fold(text) for text in texts(source[block.start : block.end])[:1]] == [fold(block.text)]


def test_plain_text_is_cut_into_lines() -> None:
    blocks = segment_text("one two\n\n  three\n").blocks
    assert [(block.text, block.start, block.end) for block in blocks] == [("one two", 0, 7), ("three", 9, 16)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("two words", 2),
        ("", 0),
        ("чай с лимоном", 3),
        ("漢字仮名", 2),
        ("漢字 and kana", 3),
        ("漢字。", 1),
        ("ภาษาไทยไม่เว้นวรรค", 4),
        ("བོད་ཡིག་གི་སྐད་ཡིག།", 3),
        ("ｶﾞｲﾄﾞ 人々", 4),
        ("né à l’heure", 3),
    ],
)
def test_words_in_all_scripts(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize("before", ["class=x", " id='x'", ' style="display:none"', "a class=b id=c"])
def test_attributes_before_the_first_tag_are_text(before: str) -> None:
    segmented = segment(f"{before}<p class=y>yes</p><div>yes")
    assert [block.text for block in segmented.blocks] == [before.strip(), "yes", "yes"]
    assert list(segmented.elements.names) == ["", "y", ""]


SOUP = st.lists(
    st.sampled_from(
        "<p> </p> <div> </div> <div hidden> <br> <br/> <a> </a> <a href='x'> <b> </b> <table> <tr> <td> </td> "
        "</table> <li> </ul> <script>"
        " </script> <!-- --> <title> </title> <select> <option> </select> <svg> </svg> <template> </template> <h1> "
        "</h2>"
        " <textarea> <pre> </pre> <th> &#10; &#9; \n \t &amp; &#0; & < > class=x id= style=display:none hidden ' \" ="
        " <p\x00 text \u0301 漢字 \xa0".split(" "),
    )
    | st.text(max_size=5),
    max_size=60,
).map("".join)


@given(SOUP)
@example("<p hidden><p hidden></p>x")
@example("</body></html></p></table>")
def test_tag_soup(html: str) -> None:
    end = 0
    for block in segment(html).blocks:
        assert block.text
        assert block.text[-1:].strip()
        assert fold(block.text) == " ".join(block.text.split())
        assert block.path.startswith("html/body")
        assert end <= block.start < block.end <= len(html)
        assert block.words >= 0
        end = block.end


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "x",
        "<div>x" * 100_000,
        "<b>x" * 100_000,
        "<a>x<div>" * 50_000,
        "</div></p></td>" * 50_000,
        "<table><tr><td>x" * 30_000,
        "<li>x" * 100_000,
        "<br>" * 200_000,
        "<" * 500_000,
        "&" * 500_000,
        "<!--" * 100_000,
        "<p hidden>" * 50_000,
        "<b hidden>x" * 50_000,
        "<span style=display:none>x</span>y" * 50_000,
        "<svg><title>x</title></svg>" * 30_000,
        "<div hidden>x" * 50_000,
        "<div " + "a " * 200_000,
        "\x00" * 500_000,
    ],
    ids=lambda html: html[:12],
)
def test_hostile_pages_do_not_hang(html: str) -> None:
    """Work that grows with the square of the page would take hours here."""
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(300)
    try:
        segment(html)
    finally:
        signal.alarm(0)


def _give_up(number: int, frame: object) -> None:
    raise TimeoutError(f"signal {number} in {frame}")
