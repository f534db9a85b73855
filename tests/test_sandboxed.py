"""Stored pages are written anew without anything that acts, and their blocks are marked."""

from __future__ import annotations

import re
import time

import pytest
from attack_page import ATTACKS, attack_page
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.decoding import decode
from gristmill.html.marks import Mark
from gristmill.html.safe_css import safe_css
from gristmill.html.sandboxed import POLICY, sandboxed_page

_TAG = re.compile(r"<(/?)([a-z0-9-]+)((?: [a-z]+(?:=\"[^\"<>]*\")?)*)>")
_ALLOWED = frozenset(
    (
        "a abbr acronym address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd"
        " del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr"
        " html i ins kbd label legend li main mark menu nav ol p pre q rp rt ruby s samp search section small span"
        " strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr"
        " gm-block img meta title style"
    ).split()
)


def _marks(text: str) -> list[Mark]:
    blocks = gristmill.clean(text).blocks
    return [Mark(number, block.start, block.end, "gm-q-a", f'"{number}"') for number, block in enumerate(blocks)]


def _shown(text: str, *, plain: bool = False) -> str:
    text = decode(text.encode("utf-8", "replace")).text
    return sandboxed_page(text, _marks(text), plain=plain)


def _body(page: str) -> str:
    return page[page.rindex("</style>") + len("</style>") :]


def _check_harmless(page: str) -> None:
    """Raise unless everything that begins with `<` is a known tag with quoted, harmless attributes."""
    css = re.findall(r"<style>([^<]*)</style>", page)
    for sheet in css[:1] if len(css) > 1 else []:
        assert not re.search(r"url\((?!\s*[\"']?data:image/)|@import|@font-face|expression\(", sheet, re.IGNORECASE)
    for found in re.finditer("<", page):
        if page.startswith("<!DOCTYPE html>", found.start()):
            continue
        tag = _TAG.match(page, found.start())
        assert tag, page[found.start() : found.start() + 200]
        assert tag[2] in _ALLOWED, tag[0]
        for name, value in re.findall(r' ([a-z]+)(?:="([^"]*)")?', tag[3]):
            assert not name.startswith("on"), tag[0]
            assert name not in {"href", "action", "srcset", "background", "target"}, tag[0]
            assert name != "src" or value.startswith("data:image/"), tag[0]


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("plain", [False, True])
def test_nothing_is_left_of_an_attack(name: str, plain: bool) -> None:
    text = decode(attack_page(ATTACKS[name])).text
    _check_harmless(sandboxed_page(text, _marks(text), plain=plain))


_PIECES = [*"<>/\"'=&;!-abpt \n\0 é", "script", "style", "<p ", " onx=", "</", "<!--", "<svg ", "<a href=", "url("]


@given(st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
def test_nothing_that_can_be_written_is_left(text: str) -> None:
    _check_harmless(_shown(text))


def test_blocks_are_marked_as_a_whole() -> None:
    page = _body(_shown("<p>one <a href='/x'>two</a> three</p><ul><li><b>four</b> five</li></ul>"))
    assert page == (
        '<p><gm-block id="gm-block-0" class="gm-block gm-of-0 gm-q-a" title="&quot;0&quot;">one '
        '<a class="gm-link">two</a> three</gm-block></p><ul><li>'
        '<gm-block id="gm-block-1" class="gm-block gm-of-1 gm-q-a" title="&quot;1&quot;"><b>four</b> five</gm-block>'
        "</li></ul>"
    )


def test_a_block_of_tags_that_do_not_balance_is_marked_in_parts() -> None:
    page = _shown("<p>one <b>two</p><p>three")
    assert page.count('id="gm-block-0"') == 1
    assert page.count("gm-of-0 ") == 2
    assert ":root:has(#gm-block-0:target) .gm-of-0" in page


def test_every_block_of_every_page_is_marked_once(
    corpus: gristmill.Corpus, sample_pages: dict[str, gristmill.Page]
) -> None:
    del corpus
    for source in list(sample_pages.values())[::8]:
        text = decode(source.body).text
        marks = _marks(text)
        page = sandboxed_page(text, marks)
        found = re.findall(r'id="gm-block-(\d+)"', page)
        assert found == [str(mark.number) for mark in marks]


def test_plain_text_is_text() -> None:
    text = "one <b>two</b> & three\n\nfour"
    page = sandboxed_page(text, [Mark(0, 0, 22, "", ""), Mark(1, 24, 28, "", "")], is_text=True)
    assert "one &lt;b&gt;two&lt;/b&gt; &amp; three</gm-block>" in page
    assert ">four</gm-block>" in page


def test_the_look_of_a_page_stays_but_for_what_loads() -> None:
    page = _shown(
        "<style>p{color:red;background:url(http://x/y)}</style><body class=a><p style='margin:0;background:url(x)'>text"
    )
    assert "p{color:red;background:gm-none(" in page
    assert '<body class="a"><p style="margin:0;background:gm-none(x)">' in page
    plain = _shown("<style>p{display:none}</style><p style='opacity:0' class=a>text", plain=True)
    assert "p{display:none}" not in plain
    assert "<p><gm-block" in plain


def test_pictures_that_are_in_the_page_are_shown() -> None:
    gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    page = _shown(f"<p>text<img src='data:image/gif;base64,{gif}' width=1 height='1 onload=x' alt='a\"b'>")
    assert f'<img src="data:image/gif;base64,{gif}" alt="a&quot;b" width="1">' in page
    assert '<span class="gm-image">a mill</span>' in _shown("<p>text<img src=/mill.png alt='a mill'>")


@pytest.mark.parametrize(
    "css",
    [
        "a{b:url(http://x)}",
        "a{b:URL( 'http://x')}",
        r"a{b:\75\72\6c(http://x)}",
        r"a{b:u\r\l(http://x)}",
        "@import 'x';a{}",
        r"@\69 mport 'x'",
        "@im/**/port 'x'",
        "@font-face{src:local(x)}",
        "a{b:image-set('x' 1x)}",
        "</style><script>",
        "a{width:expression(alert(1))}",
        "a{b:u/**/rl(x)}",
        "/* a{b:url(x)}",
        "a{b:u//rl(x)}",
        "a{b:uhttp:rl(hthttps:tps:/http:/x)}",
        "@imp@charset;ort 'x';",
        "@imp@font-face{}ort 'x';",
    ],
)
def test_css_loads_nothing(css: str) -> None:
    found = safe_css(css)
    assert "<" not in found
    assert not re.search(
        r"(?<!gm-none)(?:url|image-set|expression|src)\(|@import|@font-face|http", found, re.IGNORECASE
    )


def test_pictures_in_css_stay_as_they_are() -> None:
    css = "a{background:url(data:image/jpeg;base64,/9j//4AA//8=)}"
    assert safe_css(css) == css


def test_hostile_css_takes_linear_time() -> None:
    start = time.process_time()
    for css in ("/*" * 250_000, "url(" * 120_000, "@import " * 60_000, "\\" * 500_000, "url( " * 100_000):
        safe_css(css)
    assert time.process_time() - start < 30


def test_hostile_pages_take_linear_time() -> None:
    start = time.process_time()
    for text in ("<div>" * 100_000, "<b>x" * 50_000, "</p>" * 100_000, "<svg>" * 50_000 + "</object>" * 50_000):
        _shown(text)
    assert time.process_time() - start < 60


def test_the_policy_allows_nothing() -> None:
    assert POLICY.startswith("sandbox; default-src 'none'")
    assert "allow-" not in POLICY
    assert "'self'" not in POLICY.replace("frame-ancestors 'self'", "")
