"""The cost of a page grows no faster than the page, whatever it is made of: four times the page, four times the time.

Work that grows with the square of the page would take sixteen times as long.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable

import pytest
from growth import Make, check_growth

from gristmill.cleaning import METHODS, Features, segment
from gristmill.decoding import decode
from gristmill.kernel.names import _hash
from gristmill.text.composition import compose

LEAST = 0.005
"""Seconds: what takes less is no danger."""

# What is repeated; what stands before it and behind it is given where it matters.
COMMENTS = (
    "<!--x--!>|<!--x-->|<!--|<!-->|<!--->|<!---!>|<!--!>|<!--x--|-->|--!>|<!|<!x>|<!doctype "
    "html>|<?|<?x>|<![CDATA[x]]>|<![CDATA[|</>|</"
)
CHARACTERS = (
    "<|>|=|\"|'|=\">|='|&|&amp;|&amp|&#|&#x3c;|&nope;|&CounterClockwiseContourIntegral|&nGt;|&#x301;"
    "|<p>e&#x301;|&#32;|a|word |\n| |\t|\0|\x01|\xa0|é|漢|😀|\u0301|-|."
)
TAGS = (
    "<a|<a |<p class=\"|<p class='|<p class=x |<p a=\"'|<p x='>'|<p \"|<p/|<x-y>z|<p a='>'>x|<p a='<script>'>|<a "
    "'b>|<a \">x<!--"
)
RAW_TEXT = (
    "<script>x|<script>x</script>|</script|<script></scripts|<script><!--<script>|<style>x</style>|<iframe>x|<title>x|<title>x</title>"
    "|<title></titles|<textarea>x|<textarea>x</textarea>|<xmp>x</xmp>|<plaintext>x|<pre>x</pre>|<pre>x|<pre>\n\n|<pre><b>x</b>\n"
    "|<pre> x<br>|<noscript>x</noscript>|<svg>x|<template>x</template>"
    "|<script/>x|<script/>x<!--<script>|<title/>x|<textarea/>x|<noscript/>x|<svg/>x|<video/><!--</video>-->x"
)
BLOCKS = (
    "<div>|<div>x|<div>x</div>|</div>|<p>x|<b>x|<b>x</b>|<i><b></i></b>|<h1>x|<ul><li>x|<li>x|</ul>|<dl><dt>x<dd>y|<blockquote>x|<table><tr><td>x"
    "|<tr><td>x<td>y|<table><tr><td>x</td><td>y</td></tr></table>|<td>x|<tbody><tr>|</table>|<caption>x|<select><option>x|<br>|x<br>|x<br><br>"
    "|<br>x<!--y-->|<hr>|<img alt=x>|<a href=x>y</a>|<a>x|<a>x<div>|<span class=a>x</span>|<ruby>x<rt>y|<body>|<html "
    "lang=de>|<p>x<br>y"
)
HIDDEN = (
    "<p hidden>x|<b hidden>x|<b hidden>x</b>|<div hidden>|<b style=display:none>|<p style='display:none'>x</p>|<p "
    "id=a class=b>x"
)
METADATA = (
    "<meta name=author content=x>|<meta name=date content=2020-01-01>|<meta|<meta name=author |<link rel=canonical "
    "href=x>"
    "|<link rel=canonical |<time datetime=2020>x|<base href=x>"
    '|<script>{"datePublished":"2020"}</script>|<script>"datePublished" : </script>'
)
IN_ONE_TAG = (
    "id= |class= |id=a |class='a' |style=display:none |hidden |hidden=x |a=b |='|\"|=|/|\"class=a|'id=a|\"hidden| "
    'class="'
    "|class=\"a\"id='b' "
)
IN_ONE_VALUE = "A|class= |hidden |<p>|<script>|<!--|&amp; "
AROUND = {
    "class": ('<p class="', '">x'),
    "style": ("<p style='", "'>x"),
    "link": ("<a href='data:", "'>x</a>"),
    "meta": ("<meta name=author content='", "'>"),
}

CONSTRUCTS = [
    ("", unit, "") for unit in f"{COMMENTS}|{CHARACTERS}|{TAGS}|{RAW_TEXT}|{BLOCKS}|{HIDDEN}|{METADATA}".split("|")
]
CONSTRUCTS += [(start, unit, ">x") for start in ("<p ", "<meta name=author ") for unit in IN_ONE_TAG.split("|")]
CONSTRUCTS += [(start, unit, end) for start, end in AROUND.values() for unit in IN_ONE_VALUE.split("|")]
CONSTRUCTS += [
    ("", "<!--x--!>", "-->"),
    ("<!--", "<!--x--!", "-->"),
    ("<title>", "a", "</title>x"),
    ("<a title='> <script>'>", "<p a='>'>x", ""),
]

ENCODED = (
    "<meta charset=|<meta charset=x>|<meta content='charset=|<?xml encoding='|charset=|\x1b$B|~{|+AAA-"
    "|Ã©|â€™|ÃƒÂ©|Â |a |é|漢字|&#233;|\0|\x01"
)
OF_METHODS = [
    "<p>x",
    "<div>x",
    "<table><tr><td>x",
    "<a href=x>y</a> ",
    "<h1>x</h1><p>y",
    "<p>the mill is on the river and it has been for long, they say.",
    "<p>漢字。",
    "word ",
    "<p>word <a href=x>link</a>.",
    "x<br>",
    "<pre>x\n",
    "<tr><td>x<td>y",
]


def check(make: Make, size: int) -> None:
    check_growth(make, size, size, LEAST)


def repeated(unit: str, size: int) -> str:
    return unit * max(1, size // len(unit.encode()))


def names(constructs: Iterable[tuple[str, ...]]) -> list[str]:
    return [ascii(" ".join(filter(None, construct)))[1:-1] for construct in constructs]


@pytest.mark.parametrize(("before", "unit", "behind"), CONSTRUCTS, ids=names(CONSTRUCTS))
def test_segmenting(before: str, unit: str, behind: str) -> None:
    def make(size: int) -> Callable[[], object]:
        page = before + repeated(unit, size) + behind
        return lambda: segment(page)

    check(make, 60_000)


@pytest.mark.parametrize("bits", [0, 8])
def test_names_of_elements(bits: int) -> None:
    """All different; or so many with the same last bits of their hashes, so that they get in each other's way."""

    def make(size: int) -> Callable[[], object]:
        names = map(str, itertools.count())
        found = (name for name in names if not _hash(bytearray(name.encode()), 0, len(name)) & (1 << bits) - 1)
        page = "".join(f"<p class={name}>x" for name in itertools.islice(found, size))
        return lambda: segment(page)

    check(make, 2_000 >> bits // 4)


@pytest.mark.parametrize("unit", ENCODED.split("|"), ids=ascii)
@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16-le"])
def test_decoding(encoding: str, unit: str) -> None:
    def make(size: int) -> Callable[[], object]:
        data = repeated(unit, size).encode(encoding, "replace") + b"\xff\xe9x"
        return lambda: decode(data)

    check(make, 25_000)


@pytest.mark.parametrize("unit", ["\u0301", "\u0301\u0323", "e\u0301", "\u1100\u1161", "\u0f71\u0f72"], ids=ascii)
def test_combining_characters(unit: str) -> None:
    def make(size: int) -> Callable[[], object]:
        text = "a" + repeated(unit, size)
        return lambda: compose(text)

    check(make, 25_000)


@pytest.mark.parametrize("method", list(METHODS))
def test_methods(method: str) -> None:
    def make(size: int) -> Callable[[], object]:
        pages = [
            segment(page + repeated(unit, size), METHODS[method].segmentation)
            for unit in OF_METHODS
            for page in ("", _title(size))
        ]
        pages.append(segment(_words(size), METHODS[method].segmentation))
        return lambda: [METHODS[method].score(Features(page), "en") for page in pages]

    check(make, 2_000)


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.score_site])
@pytest.mark.parametrize("unit", OF_METHODS)
def test_site_methods(method: str, unit: str) -> None:
    score = METHODS[method].score_site
    assert score

    def longer_pages(size: int) -> Callable[[], object]:
        pages = [
            segment(f"<p>{number}{_words(500)}{repeated(unit, size)}", METHODS[method].segmentation)
            for number in range(4)
        ]
        return lambda: score([Features(page) for page in pages])

    def more_pages(size: int) -> Callable[[], object]:
        pages = [
            segment(f"<p>{number}{repeated(unit, 500)}", METHODS[method].segmentation) for number in range(size // 1000)
        ]
        return lambda: score([Features(page) for page in pages])

    check(longer_pages, 5_000)
    check(more_pages, 5_000)


def _title(size: int) -> str:
    """A long title, and blocks to be looked for in it."""
    return f"<title>{'word' * size}</title>" + "".join(f"<p>wordwordword{number}" for number in range(size // 16))


def _words(size: int) -> str:
    """Blocks of random words, all different."""
    rng = random.Random(1)
    return "".join(f"<p>{' '.join(f'w{rng.randrange(999)}' for _ in range(12))}" for _ in range(size // 50))
