"""The kernel cuts pages into tags, comments and raw text as the HTML standard says, compiled or not."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest
from html_declarations import comment, doctype, is_doctype

from gristmill.kernel import COMPILED, tokens
from gristmill.kernel.elements import NAMES
from gristmill.kernel.rows import (
    CLASS_END,
    CLASS_START,
    CLOSING,
    CODE,
    END,
    HIDES,
    ID_END,
    ID_START,
    RAW_END,
    START,
    TEXT,
)

FORMS = [tokens, importlib.import_module("gristmill.kernel.compiled.tokens")] if COMPILED else [tokens]


@pytest.fixture(params=FORMS, ids=lambda module: str(module.__name__))
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    """The tokenizer uncompiled, and compiled where it is."""
    form: ModuleType = request.param
    return form


def shown(page: str, kernel: ModuleType) -> str:
    """The page with its tags as `[name]`, `[/name]`, `[name|raw text]`, and `[!]` for what is no tag."""
    data = page.encode()
    found, at = "", 0
    for column in kernel.tokenise(data).T.tolist():
        found += data[at : column[START]].decode()
        name = "!" if column[CODE] < 0 else "/" * column[CLOSING] + NAMES[column[CODE]]
        raw = data[column[END] : column[RAW_END]].decode()
        found += f"[{name}|{raw}]" if raw else f"[{name}]"
        at = column[TEXT]
    return found + data[at:].decode()


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", ""),
        ("a<", "a<"),
        ("a</", "a</"),
        ("1 < 2 <3 <é", "1 < 2 <3 <é"),
        ("<P>a</P >b</p c='>'>", "[p]a[/p]b[/p]"),
        ("<p", "[!]"),
        ("a<p b", "a[!]"),
        ("a<p b='>", "a[!]"),
        ("<h1><h7><pre><prefix><p:b><sectionx>", "[h1][][pre][][][]"),
        ("<p\x01><p\x0b><p\f>", "[][][p]"),
        ("<p/><br/ ><p/x>", "[p][br][p]"),
        ("<p a=b/>c", "[p]c"),
        ('<p a="1"b="2">c', "[p]c"),
        ("<p a='\"'>b<p a=\"'\">c", "[p]b[p]c"),
        ("<p =a='>'>b", "[p]b"),
        ("<p a=>b", "[p]b"),
        ("<p a= >b", "[p]b"),
        ('<p a=x">b', "[p]b"),
        ("<p'a>b'>", "[]b'>"),
        ("<p <b>c", "[p]c"),
    ],
)
def test_tags(kernel: ModuleType, page: str, expected: str) -> None:
    assert shown(page, kernel) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<!-->a", "[!]a"),
        ("<!--->a", "[!]a"),
        ("<!---->a", "[!]a"),
        ("<!--->-->", "[!]-->"),
        ("<!--a--!>b", "[!]b"),
        ("<!--!>a-->b", "[!]b"),
        ("<!---!>a-->b", "[!]b"),
        ("<!--a-- >b--->c", "[!]c"),
        ("<!--a--", "[!]"),
        ("<!-", "[!]"),
        ("<!>a<!x>b", "[!]a[!]b"),
        ("<?php '?>'>a", "[!]'>a"),
        ("</>a</ b>c", "[!]a[!]c"),
        ("<!doctype html '>'>a", "[!]'>a"),
        ("<![CDATA[a>b]]>", "[!]b]]>"),
    ],
)
def test_what_is_no_tag(kernel: ModuleType, page: str, expected: str) -> None:
    assert shown(page, kernel) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<script>a<b</script>c", "[script|a<b]c"),
        ("<script>a</scripts></SCRIPT\n>b", "[script|a</scripts>]b"),
        ("<script>a</script b='>'>c", "[script|a]c"),
        ("<script>a</script b", "[script|a]"),
        ("<script>a</script", "[script|a</script]"),
        ("<script>a", "[script|a]"),
        ("<script ", "[!]"),
        ("<script/>a</script>b", "[script|a]b"),
        ("<script src='x' />a<b>c", "[script]a[b]c"),
        ("<script src=x/>a<b>c", "[script|a<b>c]"),
        ("<STYLE/>a<style>b</style>", "[style|a<style>b]"),
        ("<title/>a<p>b<title/>c", "[title]a[p]b[title]c"),
        ("<iframe/><!--</iframe>-->a", "[iframe|<!--]-->a"),
        ("<textarea/>a<p>b", "[textarea][/textarea]a[p]b"),
        ("<textarea/>a<p></textarea>b", "[textarea]a<p>[/textarea]b"),
        ("<plaintext/>a<p>", "[plaintext]a<p>"),
        ("<noscript/>a<p>b", "[noscript][/noscript]a[p]b"),
        ("<noscript/>a</noscript><noscript/>b", "[noscript]a[/noscript][noscript][/noscript]b"),
        ("<svg/>a<svg>b</svg><p/>c", "[svg][/svg]a[svg]b[/svg][p]c"),
        ("<script><!--</script>a-->", "[script|<!--]a-->"),
        ("<script><!--<script></script>a--></script>b", "[script|<!--<script></script>a-->]b"),
        ("<script><!--<script></script></script>a", "[script|<!--<script></script>]a"),
        ("<script><!--<script>--></script>a", "[script|<!--<script>-->]a"),
        ("<script><!--<scripts></script>a", "[script|<!--<scripts>]a"),
        ("<script><!--><script></script>a", "[script|<!--><script>]a"),
        ("<script><!--<SCRIPT/</Script/</script>a", "[script|<!--<SCRIPT/</Script/]a"),
        ("<script><script></script>a", "[script|<script>]a"),
        ("<style><!--</style>a", "[style|<!--]a"),
        ("<iframe><p></iframe>a<noembed></p></noembed>b", "[iframe|<p>]a[noembed|</p>]b"),
        ("<noframes><p></noframes>a", "[noframes|<p>]a"),
        ("<noscript><p></noscript>", "[noscript][p][/noscript]"),
        ("<title>a<b>&amp;</title>c", "[title|a<b>&amp;]c"),
        ("<title>a<p>b<title>c<p>", "[title|a][p]b[title|c][p]"),
        ("<textarea><p></textarea>a", "[textarea]<p>[/textarea]a"),
        ("<xmp><p></xm></XMP a>b", "[xmp]<p></xm>[/xmp]b"),
        ("<plaintext><p></plaintext>", "[plaintext]<p></plaintext>"),
        ("</script>a</title>b", "[/script]a[/title]b"),
    ],
)
def test_raw_text(kernel: ModuleType, page: str, expected: str) -> None:
    assert shown(page, kernel) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<div><script/>a<p/>b<script>c</script></div>", "[div][script]a[p][/p]b[script|c][/div]"),
        ("<?xml version='1.0'?><A><b/><title/><xmp/>c</A>\n", "[!][a][b][/b][title][xmp][/xmp]c[/a]\n"),
        ("<div><!--</p>--><br/><i/>a</div>", "[div][!][br][i][/i]a[/div]"),
        ("<div><br><i/>a</div>", "[div][br][i]a[/div]"),
        ("<div><i/>a<p>b</div>", "[div][i]a[p]b[/div]"),
        ("<div><i/>a</div></div>", "[div][i]a[/div][/div]"),
        ("<div><i/>a</div><div></div>", "[div][i]a[/div][div][/div]"),
        ("<div><i/>a</div><br/>", "[div][i]a[/div][br]"),
        ("<div><i/>a<script>b</div>", "[div][i]a[script|b</div>]"),
        ("<div><i/>a</div><textarea>", "[div][i]a[/div][textarea]"),
        ("<div><i/>a<title>b</div>", "[div][i]a[title|b][/div]"),
        ("<div><i a=b/>a</div>", "[div][i]a[/div]"),
        ("<div><svg/><path/>a</div>", "[div][svg][/svg][]a[/div]"),
    ],
)
def test_documents_in_xml(kernel: ModuleType, page: str, expected: str) -> None:
    assert shown(page, kernel) == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (b"<p class=a id='b c'>", (b"a", b"b c", 0)),
        (b'<p CLASS = "a b" class=c ID=x id=y>', (b"a b", b"x", 0)),
        (b"<p/id=x/class=y>", (b"", b"x/class=y", 0)),
        (b"<p title=' class=a id=b hidden'>", (b"", b"", 0)),
        (b"<p class id>", (b"", b"", 0)),
        (b"<p xclass=a idx=b data-id=c>", (b"", b"", 0)),
        (b"<p hidden>", (b"", b"", 1)),
        (b"<p HIDDEN=''id=a>", (b"", b"a", 1)),
        (b"<p hiddens aria-hidden=true>", (b"", b"", 0)),
        (b"<p style='color:red; Display :\n NONE'>", (b"", b"", 1)),
        (b"<p style='color:red' style='display:none'>", (b"", b"", 0)),
        (b"<p style='display:          none'>", (b"", b"", 0)),
        (b"<p style=display:non>", (b"", b"", 0)),
        (b"</p class=a hidden>", (b"", b"", 0)),
        (b"<p class=a hidden id='", (b"", b"", 0)),
    ],
)
def test_attributes_that_matter(kernel: ModuleType, tag: bytes, expected: tuple[bytes, bytes, int]) -> None:
    [column] = kernel.tokenise(b"text" + tag).T.tolist()
    data = b"text" + tag
    found = data[column[CLASS_START] : column[CLASS_END]], data[column[ID_START] : column[ID_END]], column[HIDES]
    assert found == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        (b"<a HREF=x rel='a b' x>", {b"href": b"x", b"rel": b"a b", b"x": b""}),
        (b"<a b=1 B=2>", {b"b": b"1"}),
        (b"<a/b=c/>", {b"b": b"c/"}),
        (b"<a =b c = 'd'e>", {b"=b": b"", b"c": b"d", b"e": b""}),
        (b"<a b=>c=d>", {b"b": b""}),
        (b"<a b='c' d='e>", {b"b": b"c"}),
        (b"<a", {}),
    ],
)
def test_attributes(kernel: ModuleType, tag: bytes, expected: dict[bytes, bytes]) -> None:
    assert kernel.attributes(tag) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"<!-- a -->", " a "),
        (b"<!--a--!>", "a"),
        (b"<!-->", ""),
        (b"<!--->", ""),
        (b"<!--a--", "a"),
        (b"<!--a---!", "a-"),
        (b"<!a>", "a"),
        (b"<?a?>", "?a?"),
        (b"</ a>", " a"),
        (b"</>", None),
        (b"</a", None),
        (b"<a", None),
        (b"<!doctype>", None),
    ],
)
def test_comments(written: bytes, expected: str | None) -> None:
    assert comment(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"<!DOCTYPE HTML>", ("html", None, None, True)),
        (b"<!doctypehtml>", ("html", None, None, True)),
        (b"<!doctype>", (None, None, None, False)),
        (b"<!doctype html x>", ("html", None, None, False)),
        (b"<!doctype html", ("html", None, None, False)),
        (b"<!doctype html public 'a'>", ("html", "a", None, True)),
        (b'<!doctype html PUBLIC "a""b">', ("html", "a", "b", True)),
        (b"<!doctype html public 'a' 'b' c>", ("html", "a", "b", True)),
        (b"<!doctype html system 'a'>", ("html", None, "a", True)),
        (b"<!doctype html system 'a>", ("html", None, "a", False)),
        (b"<!doctype html public>", ("html", None, None, False)),
    ],
)
def test_doctypes(written: bytes, expected: tuple[str | None, str | None, str | None, bool]) -> None:
    assert is_doctype(written)
    assert doctype(written) == expected
