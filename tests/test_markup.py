"""Tags are found as the HTML standard says, whatever the page: compared with a tokenizer that goes by the letter."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from turbohtml import TokenType, tokenize

from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import NO_TAG, scan
from gristmill.cleaning.uncompiled import markup as uncompiled
from gristmill.kernel.elements import CODES, NAMES, RAW_TEXT

CUT_OUT = RAW_TEXT | {"title"}
"""Elements that are cut out up to behind their end tag."""
SCRIPT_IN_COMMENT_IN_SCRIPT = re.compile("<script.*<!--.*<script", re.IGNORECASE | re.DOTALL)

QUOTE_IN_NAME = re.compile("<[a-z][^\\s/>]*['\"]", re.IGNORECASE)

PARTS = (
    "<p> </p> <DIV </div> <a </A> <b> <x-y> <script> <script </script> </SCRIPT </scripts> <style> </style> <iframe "
    "</iframe> <textarea>"
    " <xmp </textarea> </xmp > <title> </title> <plaintext> <noembed> </noembed> <!-- <!--> <!---> --> --!> - ! "
    "<!doctype <! <? </ </> < >"
    " / = ' \" class id=x title=' title=\" a='>' b=\">\" ID='<b>' =\" x=a\"b c'd é text \n \t"
).split(" ")
SOUP = st.lists(st.sampled_from([*PARTS, " "]), max_size=40).map("".join)

Tag = tuple[bool, str, dict[str, str]]


def by_the_letter(html: str) -> list[Tag]:
    """Whether each tag is an end tag, its name, and if it is a start tag its attributes.

    End tags of what is cut out are left out.
    """
    found: list[Tag] = []
    inside = ""
    for token in tokenize(html):
        if token.type not in {TokenType.START_TAG, TokenType.END_TAG}:
            continue
        name, is_end = token.tag or "", token.type == TokenType.END_TAG
        if not (is_end and name == inside):
            found.append(
                (
                    is_end,
                    name if name in CODES else "",
                    {} if is_end else {key: value or "" for key, value in token.attrs or []},
                )
            )
        inside = name if name in CUT_OUT and not is_end else ""
    assume(inside != "title")
    return found


def on_arrays(html: str) -> list[Tag]:
    markup = scan(html.encode())
    found: list[Tag] = []
    columns = (markup.starts, markup.ends, markup.codes, markup.closing)
    for start, end, code, is_end in zip(*(column.tolist() for column in columns), strict=True):
        if code != NO_TAG:
            given_ = {} if is_end else attributes(markup.data[start:end])
            found.append((is_end, NAMES[code], {name.decode(): value.decode() for name, value in given_.items()}))
    return found


@given(SOUP)
@example("<a title='> <script>'>x<p></script>")
@example("<a title='> <!-- '>x<p> -->")
@example("<script a='>'>'</script><p>")
@example("<textarea><script></textarea><p></script>")
@example("<<!-- -->p><p>")
@example("<p\nclass=x\tid='y'>")
@example("<p class=")
@example("<p></")
@example("<!--x--!><p>-->")
@example("<!--!><p>--!><b>")
@example("<!---!><p>-->")
@example("<script a='<p>")
@example("a > b < c <script> < </script ><p>")
def test_tags_are_those_of_the_standard(html: str) -> None:
    assume(not SCRIPT_IN_COMMENT_IN_SCRIPT.search(html) and not QUOTE_IN_NAME.search(html))
    assert on_arrays(html) == by_the_letter(html)


@given(SOUP)
def test_places_are_those_in_the_source(html: str) -> None:
    markup = uncompiled.scan(html.encode())
    for place, text in zip(markup.in_source(markup.starts).tolist(), markup.starts.tolist(), strict=True):
        assert html[place] == "<" == chr(markup.data[text])


@pytest.mark.parametrize(
    ("html", "titles"),
    [
        ("<title>a</title>", [b"a"]),
        ("<TITLE x>a<b>c</Title >", [b"a<b>c"]),
        ("<title>a<p>b", [b"a"]),
        ("<title>a", [b"a"]),
        ("<script><title>a</title></script>", []),
    ],
)
def test_titles(html: str, titles: list[bytes]) -> None:
    assert [title for _, title in scan(html.encode()).titles] == titles


def test_scripts_are_kept_aside() -> None:
    assert scan(b"<script>a</script>b<script x>c").scripts == [b"a", b"c"]
