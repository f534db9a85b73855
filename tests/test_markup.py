"""Tags are found as the HTML standard says, whatever the page: compared with a tokenizer that goes by the letter."""

from __future__ import annotations

import importlib
from pathlib import Path
from xml.parsers.expat import ParserCreate

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from turbohtml import TokenType, tokenize

from gristmill.cleaning import markup as cleaning_markup
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import NO_TAG, Markup, Tags, scan
from gristmill.cleaning.uncompiled import markup as uncompiled
from gristmill.cleaning.uncompiled import tag as uncompiled_tag
from gristmill.cleaning.uncompiled.attributes import find_attributes
from gristmill.kernel import COMPILED, tokens
from gristmill.kernel.elements import CODES, LITERAL_TEXT, NAMES, RAW_TEXT, VOID
from gristmill.kernel.rows import CLASS_END, CLASS_START, CODE, HIDES, ID_END, ID_START

CUT_OUT = RAW_TEXT | {"title"}
"""Elements that are cut out up to behind their end tag."""
FORMS = [tokens, importlib.import_module("gristmill.kernel.compiled.tokens")] if COMPILED else [tokens]
"""The tokenizer uncompiled, and compiled where it is."""

PARTS = (
    "<p> </p> <DIV </div> <a </A> <b> <x-y> <script> <script </script> </SCRIPT </scripts> <style> </style> <iframe "
    "</iframe> <textarea>"
    " <xmp </textarea> </xmp > <title> </title> <plaintext> <noembed> </noembed> <!-- <!--> <!---> --> --!> - ! "
    "<!doctype <! <? </ </> < >"
    " / /> <svg = ' \" class id=x title=' title=\" a='>' b=\">\" ID='<b>' =\" x=a\"b c'd é text \n \t"
    " <!--<script> <p\x01 hidden HIDDEN style='display:none' style= \v class=a /class=b -->"
).split(" ")
SOUP = st.lists(st.sampled_from([*PARTS, " "]), max_size=40).map("".join)

Tag = tuple[bool, str, dict[str, str]]


def by_the_letter(html: str) -> list[Tag]:
    """Whether each tag is an end tag, its name, and if it is a start tag its attributes.

    End tags of what is cut out are left out. Pages are, in which an element with raw text closes itself: that means
    nothing in HTML, but here (`docs/standard.md`).
    """
    found: list[Tag] = []
    inside = ""
    for token in tokenize(html):
        if token.type not in {TokenType.START_TAG, TokenType.END_TAG}:
            continue
        name, is_end = token.tag or "", token.type == TokenType.END_TAG
        assume(not (token.self_closing and name in RAW_TEXT | LITERAL_TEXT))
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


def tags_of(markup: Markup) -> list[Tag]:
    """The tags that were found, as `by_the_letter` has them: without the ends of elements that close themselves."""
    found: list[Tag] = []
    columns = (markup.starts, markup.ends, markup.codes, markup.closing)
    for start, end, code, is_end in zip(*(column.tolist() for column in columns), strict=True):
        if code != NO_TAG and start < end:
            given_ = {} if is_end else attributes(markup.data[start:end])
            found.append((is_end, NAMES[code], {name.decode(): value.decode() for name, value in given_.items()}))
    return found


def columns(markup: uncompiled.Markup | Tags) -> list[object]:
    """All that both forms find: tags as written, the texts between them, raw text, and attributes that matter."""
    data = markup.data
    starts, ends, codes = markup.starts.tolist(), markup.ends.tolist(), markup.codes.tolist()
    written = [data[start:end] if code != NO_TAG else b"" for start, end, code in zip(starts, ends, codes, strict=True)]
    bounds = zip([0, *markup.text_starts.tolist()], [*starts, len(data)], strict=True)
    texts = [data[start:end] for start, end in bounds]
    closing = (markup.closing & (markup.codes != NO_TAG)).tolist()
    found = [written, codes, closing, texts, markup.titles, markup.scripts]
    return [*found, *(in_rows(markup) if isinstance(markup, Tags) else in_tags(markup))]


def in_tags(markup: uncompiled.Markup) -> tuple[list[int], list[tuple[int, str]]]:
    """The tags that hide their elements, and the classes and ids of all tags, unless empty, as arrays find them."""
    found = find_attributes(markup, np.arange(len(markup.codes)))
    return found.hidden, [named for named in zip(found.named.tolist(), found.names, strict=True) if named[1]]


def in_rows(markup: Tags) -> tuple[list[int], list[tuple[int, str]]]:
    """The same as the kernel finds it; arrays leave out elements with raw text."""
    hidden, named = [], []
    for tag, column in enumerate(markup.tags.T.tolist()):
        if NAMES[column[CODE]] in CUT_OUT:
            continue
        if column[HIDES]:
            hidden.append(tag)
        for start, end in sorted([(column[CLASS_START], column[CLASS_END]), (column[ID_START], column[ID_END])]):
            if start < end:
                value = markup.data[start:end].decode()
                named.append((tag, value.translate(dict.fromkeys(map(ord, "\t\n\v\f\r"), " "))))
    return hidden, named


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
    expected = by_the_letter(html)
    assert tags_of(scan(html.encode())) == expected
    assert tags_of(uncompiled.scan(html.encode())) == expected


@given(SOUP.map(str.encode))
@example(b"<script><!--<script></script><p>--></script><b>")
@example(b"<script><!--<script-->x</script><p>")
@example(b"<p a=<=' b='>")
@example(b"<p a=b=' c='>")
@example(b"<p =' c='>")
@example(b"<x=' c='>")
@example(b"<p\x0bid=x><p\x01><p/id=x><p class = a class=b title='c id=d'>")
@example(b"<script/>a<textarea/><!-- </noscript> --><noscript/>b<title/><iframe x=/>")
@example(b"<script/>a</script><noscript/>b</noscript><svg/>c<textarea/>d</textarea><textarea/>")
@example(b"<a title='> <iframe/> <textarea/>'>x<iframe/>a<textarea/>b")
@example(b"<div><script/>a<script>b</script><p/></div>")
def test_arrays_find_what_the_loop_finds(data: bytes) -> None:
    expected = columns(uncompiled.scan(data))
    for form in FORMS:
        assert columns(Tags(data, form.tokenise(data))) == expected


def test_arrays_find_what_the_loop_finds_on_gold_pages(gold: Path) -> None:
    pages = pq.read_table(gold / "cleaneval.parquet", columns=["html"])["html"].to_pylist()
    for page in pages[::5] if COMPILED else pages[::50]:
        data = page.decode("utf-8", "replace").replace("\r", "\n").replace("\0", " ").encode()
        assert columns(Tags(data, FORMS[-1].tokenise(data))) == columns(uncompiled.scan(data))


WORDS = st.text(st.sampled_from("ab \n"), max_size=3)
LEAVES = WORDS | st.sampled_from(
    "<br/>|<i/>|<x-y a='b>c' />|<script src='/>'/>|<title/>|<textarea/>|<plaintext />".split("|")
)
DOCUMENTS = st.recursive(
    LEAVES | st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["script", "title", "iframe", "textarea"]), WORDS),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format, st.sampled_from("p div i noscript svg x-y".split()), st.lists(inner).map("".join)
    ),
).map("<html><hr/><b/>{}</html>".format)


def by_an_xml_parser(document: str) -> list[tuple[bool, str]]:
    """The tags that an XML parser finds: whether each is an end tag, and its name."""
    found: list[tuple[bool, str]] = []
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, _: found.append((False, name))
    parser.EndElementHandler = lambda name: found.append((True, name))
    parser.Parse(document, True)
    return [
        (is_end, name if name in CODES else "") for is_end, name in found if not (is_end and name in CUT_OUT | VOID)
    ]


@given(DOCUMENTS)
@example("<html><script/><!--<script>x</script> <br>--><p>a</p><script>b</script></html>")
def test_documents_in_xml_are_read_as_such(document: str) -> None:
    data = document.encode()
    expected = by_an_xml_parser(document)
    markups: list[Markup] = [uncompiled.scan(data), *(Tags(data, form.tokenise(data)) for form in FORMS)]
    for markup in markups:
        found = zip(markup.closing.tolist(), markup.codes.tolist(), strict=True)
        assert [(is_end, NAMES[code]) for is_end, code in found if code != NO_TAG] == expected
    assert columns(uncompiled.scan(data)) == columns(Tags(data, FORMS[-1].tokenise(data)))


@given(SOUP.map(lambda soup: f"<{soup}>".encode()))
@example(b"<p a='x>")
@example(b"<p a=b>c d=e>")
@example(b"<p = =a b = c d=>")
def test_attributes_of_a_tag(tag: bytes) -> None:
    expected = uncompiled_tag.attributes(tag)
    for form in FORMS:
        assert form.attributes(tag) == expected


@given(SOUP)
@example("é<!--é--><style>é{}</style><p>é<title>é</title><script>")
def test_places_in_the_page_are_those_that_the_loop_finds(html: str) -> None:
    data = html.encode()
    loops, arrays = Tags(data, FORMS[-1].tokenise(data)), uncompiled.scan(data)
    is_tag = loops.codes != NO_TAG
    (starts, ends, text_starts), found = loops.places_in_source(), arrays.places_in_source()
    assert found[0].tolist() == starts.tolist()
    assert found[1][is_tag].tolist() == ends[is_tag].tolist()
    assert found[2].tolist() == text_starts.tolist()


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
    page = b"<script>a</script>b<script type=x>ca</script><script>c"
    for markup in (scan(page), uncompiled.scan(page)):
        assert markup.scripts == [b"a", b"ca", b"c"]
        assert markup.scripts_of_type(b"x") == [b"ca"]
        assert markup.scripts_of_type(b"z") == []


def test_start_tags_of_some_names() -> None:
    page = b"<p>a<meta x><!-- <meta> --></meta><title><meta></title><META>"
    wanted = np.zeros(len(CODES) + 2, np.bool_)
    wanted[CODES["meta"]] = True
    for markup in (scan(page), uncompiled.scan(page)):
        tags = markup.start_tags(wanted)
        assert [markup.data[start:end] for _, start, end in tags] == [b"<meta x>", b"<META>"]
        assert {code for code, _, _ in tags} == {CODES["meta"]}


def test_a_page_with_places_beyond_32_bits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleaning_markup, "MAX_BYTES", 7)
    assert len(scan(b"<p>abcd").starts) == 1
    with pytest.raises(OverflowError, match="8 bytes"):
        scan(b"<p>abcde")
