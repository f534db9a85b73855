"""Markdown and the structure of a page: what is rendered is what the page has, and its words are those of the text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import run
from growth import check_growth
from hypothesis import given
from hypothesis import strategies as st
from rendered import elements_of, html_of, words_of

import gristmill
from gristmill.cleaning.formatting.escaping import escape
from gristmill.cli.page import PAGE_FORMATS
from gristmill.config import CleanConfig
from gristmill.document import Document
from gristmill.engine import InlineEngine

ADDRESS = "https://mill.example/news/"
TEXT = "The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember. "
HOSTILE = (
    "* _ __ ** *** # ## [ ] [x](y) ![x](y) <b> </b> <br> <!-- & &amp; &#42; 1. 1) 12. - + -- --- === > | |-| :-: ` ``"
    " ``` ~~~ ~~ ~ \\ \\\\ ! [x]: http://example.org <http://a.example> a_b _a_ *a* **a** 5*3*2 $x$ ^ { } # a"
    " 漢字。 ： « » ’ “x” € ©"
).split()
TAGS = (
    "b i em strong code kbd a del s p div h1 h2 h6 ul ol li dl dt dd blockquote pre table tr td th caption thead span"
    " br br/ hr img q sub section"
).split()
ATTRIBUTES = (
    "",
    ' href="x y.html"',
    " href='a(b)c'",
    " href=javascript:x",
    " class=language-python",
    " colspan=3",
    " rowspan=2",
    " start=7",
    " value=3",
    " hidden",
)


def everything(html: str | bytes) -> Document:
    return gristmill.clean(html, method="all")


def markdown(html: str, url: str | None = None) -> str:
    return gristmill.markdown(html, everything(html), url=url)


def structure(html: str) -> list[dict[str, Any]]:
    return gristmill.structure(html, everything(html))


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<h1>The mill</h1><h4>By the river</h4>", "# The mill\n\n#### By the river\n"),
        ("<p>One<p>Two", "One\n\nTwo\n"),
        ("<p>A <b>big</b> and <i>old</i> mill", "A **big** and _old_ mill\n"),
        ("<p>A <strong>big <em>old</em></strong> mill", "A **big _old_** mill\n"),
        ("<p><b>big <i>old</b> mill</i> here", "**big _old_** _mill_ here\n"),
        ("<p>un<b>believ</b>able, un<i>known</i>s", "un**believ**able, un*known*s\n"),
        ("<p><b> spaced </b>out", "**spaced** out\n"),
        ("<p><b>注意：</b>文字", "**注意**：文字\n"),
        ("<p>Type <code>x = `y`</code>.", "Type `` x = `y` ``.\n"),
        ("<p>A <del>wind</del> water mill", "A ~~wind~~ water mill\n"),
        ("<p>Two<br>lines", "Two  \nlines\n"),
        ("<p>a<hr>b", "a\n\nb\n"),
        ("<p>5 * 3 _a_ [x] # &lt;b> &amp;amp; snake_case", "5 \\* 3 \\_a\\_ \\[x\\] # \\<b> \\&amp; snake_case\n"),
        (
            "<p># no<p>- no<p>1. no<p>> no<p>+ no<p>2) no",
            "\\# no\n\n\\- no\n\n1\\. no\n\n\\> no\n\n\\+ no\n\n2\\) no\n",
        ),
        ("<p>x<br>---<br>===", "x  \n\\---  \n\\===\n"),
        ("<h2><b>Strong</b></h2>", "## Strong\n"),
        ("<h2>1. The C# #</h2>", "## 1. The C# \\#\n"),
        ("<h2><div>Two</div><div>parts</div></h2>", "## Two parts\n"),
        ("<b><p>One<p>Two</b><p>Three", "**One**\n\n**Two**\n\nThree\n"),
        ("<p><b>One<p>Two", "**One**\n\nTwo\n"),
        ("", ""),
    ],
)
def test_text(html: str, wanted: str) -> None:
    assert markdown(html) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<ul><li>a<li>b</ul>", "- a\n- b\n"),
        ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d\n"),
        ("<ol start=9><li>a<li>b<li value=20>c</ol>", "9. a\n10. b\n20. c\n"),
        ("<ol><li><p>a<p>b<li>c</ol>", "1. a\n\n   b\n\n2. c\n"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c\n"),
        ("<ul><li>a<ol start=4><li>b</ol></ul>", "- a\n\n  4. b\n"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b\n"),
        ("<ul><li><pre>x\n\ny</pre></ul>", "- ```\n  x\n\n  y\n  ```\n"),
        ("<ul>not a list</ul>", "not a list\n"),
        ("<li>a<li>b", "- a\n- b\n"),
        ("<dl><dt>mill<dd>grinds<dt>wheel<dd>turns</dl>", "- mill\n\n  grinds\n\n- wheel\n\n  turns\n"),
        ("<blockquote>a<p>b<blockquote>c</blockquote></blockquote>", "> a\n>\n> b\n>\n> > c\n"),
        ("<blockquote><ul><li>a</ul></blockquote>", "> - a\n"),
        ("<ul><li>1. a</ul>", "- 1\\. a\n"),
    ],
)
def test_lists_and_quotations(html: str, wanted: str) -> None:
    assert markdown(html) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<pre>def mill():\n    return 1</pre>", "```\ndef mill():\n    return 1\n```\n"),
        ('<pre><code class="language-python">x</code></pre>', "```python\nx\n```\n"),
        ('<div class="highlight-js notranslate"><div><pre>x</pre></div></div>', "```js\nx\n```\n"),
        ('<pre class="brush: c++;">x</pre>', "```c++\nx\n```\n"),
        ("<pre class=language-none>x</pre>", "```\nx\n```\n"),
        ("<pre>```\na\n```</pre>", "````\n```\na\n```\n````\n"),
        ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```\n"),
        ("<pre>a</pre><pre>b</pre>", "```\na\n```\n\n```\nb\n```\n"),
    ],
)
def test_code(html: str, wanted: str) -> None:
    assert markdown(html) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            "<table><tr><th>year<th>flour<tr><td>1901<td>12 | 13<br>t</table>",
            "| year | flour |\n| --- | --- |\n| 1901 | 12 \\| 13<br>t |\n",
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n"),
        (
            "<table><thead><tr><td>a<td>b<tbody><tr><td>c<td>d</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n",
        ),
        (
            "<table><caption>Cap</caption><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "Cap\n\n| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |\n",
        ),
        ("<table><tr><td>a<td colspan=99>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n"),
        (
            "<table><tr><td>a<td>&nbsp;<td>b<tr><td>c<td><td>d</table>",
            "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><p>c<p>d<td><ul><li>e<li>f</ul></table>",
            "| a | b |\n| --- | --- |\n| c<br>d | e<br>f |\n",
        ),
        ("<table><tr><td><code>a|b</code><td>x</table>", "|  |  |\n| --- | --- |\n| `a\\|b` | x |\n"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb\n"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb\n"),
        ("<table><tr><td>1\n2<td><pre>a\nb</pre></table>", "1 2\n\n```\na\nb\n```\n"),
        (
            "<table><tr><td><table><tr><th>a<th>b<tr><td>c<td>d</table><td>e</table>",
            "| a | b |\n| --- | --- |\n| c | d |\n\ne\n",
        ),
        ("<ul><li>x<table><tr><th>a<th>b</table></ul>", "- x\n\n  | a | b |\n  | --- | --- |\n"),
    ],
)
def test_tables(html: str, wanted: str) -> None:
    assert markdown(html) == wanted
    rows = [line.strip() for line in wanted.splitlines() if line.strip().startswith("|") and "---" not in line]
    cells = sum(row.count("|") - row.count("\\|") - 1 for row in rows)
    assert elements_of(markdown(html))["td"] + elements_of(markdown(html))["th"] == cells


@pytest.mark.parametrize(
    ("html", "url", "wanted"),
    [
        ("<a href=a.html>mill</a>", ADDRESS, "[mill](https://mill.example/news/a.html)"),
        ("<a href=a.html>mill</a>", None, "[mill](a.html)"),
        ("<base href=/old/><a href=a.html>mill</a>", ADDRESS, "[mill](https://mill.example/old/a.html)"),
        ("<base href=//other.example/><a href=a>mill</a>", ADDRESS, "[mill](https://other.example/a)"),
        ("<a href='/a b_(c)?x=1&amp;y=2'>mill</a>", ADDRESS, "[mill](https://mill.example/a%20b_(c)?x=1&y=2)"),
        ("<a href='/a)b'>mill</a>", None, "[mill](/a%29b)"),
        ("<a href='?a&amp;copy;=1'>mill</a>", None, "[mill](?a\\&copy;=1)"),
        ("<a href=javascript:alert(1)>mill</a>", ADDRESS, "mill"),
        ("<a href='JaVa\nscript:alert(1)'>mill</a>", ADDRESS, "mill"),
        ("<a href=mailto:m@mill.example>mail</a>", ADDRESS, "[mail](mailto:m@mill.example)"),
        ("<a name=x>mill</a>", ADDRESS, "mill"),
        ("<a href='http://[x'>mill</a>", ADDRESS, "mill"),
        ("Look!<a href=a>mill</a>", None, "Look\\![mill](a)"),
        ("<a href=a>[mill]</a>", None, "[\\[mill\\]](a)"),
        ("<a href=a><b>big</b> mill</a>", None, "[**big** mill](a)"),
        ("<b><a href=a>big</a> mill</b>", None, "**[big](a) mill**"),
        ("<a href=a>big</a><a href=b>mill</a>", None, "[big](a) [mill](b)"),
        ("<a href=a><h2>mill</h2><p>text</a>", None, "## [mill](a)\n\n[text](a)"),
        ("<a href=a><img src=x></a>mill", None, "mill"),
        ("<a href=a><code>x</code></a>", None, "[`x`](a)"),
    ],
)
def test_links(html: str, url: str | None, wanted: str) -> None:
    assert markdown(html, url) == f"{wanted}\n"
    assert "](" not in gristmill.markdown(html, everything(html), url=url, links=False)


def test_addresses_come_back() -> None:
    rendered = html_of(markdown("<a href='/a)b c&amp;amp;d'>x</a><a href='/(w)|`_*_'>y</a>", ADDRESS))
    assert 'href="https://mill.example/a%29b%20c&amp;amp;d"' in rendered
    assert 'href="https://mill.example/(w)%7C%60_*_"' in rendered


def test_only_kept_blocks() -> None:
    html = "<ul><li>one<li>two<li>three</ul><table><tr><th>a<th>b<tr><td>c<td>d<tr><td>e<td>f</table>"
    document = everything(html)
    for block in document.blocks:
        block.score = float(block.text in {"two", "d", "e", "f"})
    found = gristmill.markdown(html, document)
    assert found == "- one\n- three\n\n| a | b |\n| --- | --- |\n| c |  |\n"


def test_only_blocks_whose_role_is_text() -> None:
    html = "<h1>one</h1><p>two<p>three"
    document = everything(html)
    for number, role in enumerate(("title", "text", "caption")):
        document.blocks[number].role = role
    document.roles = "title,text"
    assert gristmill.markdown(html, document) == "# one\n\ntwo\n"
    assert len(gristmill.structure(html, document)) == 2


def test_numbers_are_those_of_the_page() -> None:
    html = "<ol><li>one<li>two<li>three</ol>"
    document = everything(html)
    document.blocks[1].score = 1.0
    assert gristmill.markdown(html, document) == "1. one\n3. three\n"


@pytest.mark.parametrize("method", ["victor", "boilerpipe", "mill", "justext"])
def test_methods_that_cut_otherwise(method: str) -> None:
    html = "<p>The <b>big</b> mill <a href=x>grinds</a>.<ul><li>un<i>believ</i>able</ul><pre>a <b>b</b>\n  c</pre>"
    document = gristmill.clean(html, method=method)
    document.max_boilerplate = 1.0
    wanted = "The **big** mill [grinds](x).\n\n- un*believ*able\n\n```\na b\n  c\n```\n"
    assert gristmill.markdown(html, document) == wanted


def test_structure() -> None:
    html = """<h2>Mills</h2><p>They <b>grind</b>.<ol start=2><li>grain<ul><li>rye</ul></ol>
    <blockquote>Slowly.</blockquote><pre class=language-sh>grind\n  --all</pre><dl><dt>mill<dd>grinds</dl>
    <table><tr><th>year<th>flour<tr><td>1901<td>12<br>t</table>"""
    document = everything(html)
    found = gristmill.structure(html, document)
    assert found == [
        {"type": "heading", "text": "Mills", "blocks": [0], "level": 2},
        {"type": "paragraph", "text": "They grind.", "blocks": [1]},
        {
            "type": "list",
            "kind": "ordered",
            "items": [
                {
                    "number": 2,
                    "content": [
                        {"type": "paragraph", "text": "grain", "blocks": [2]},
                        {
                            "type": "list",
                            "kind": "bullet",
                            "items": [{"content": [{"type": "paragraph", "text": "rye", "blocks": [3]}]}],
                        },
                    ],
                }
            ],
        },
        {"type": "quote", "content": [{"type": "paragraph", "text": "Slowly.", "blocks": [4]}]},
        {"type": "code", "text": "grind\n  --all", "blocks": [5], "language": "sh"},
        {
            "type": "list",
            "kind": "description",
            "items": [
                {
                    "content": [
                        {"type": "term", "text": "mill", "blocks": [6]},
                        {"type": "paragraph", "text": "grinds", "blocks": [7]},
                    ]
                }
            ],
        },
        {
            "type": "table",
            "rows": [
                [
                    {"text": "year", "header": True, "blocks": [8]},
                    {"text": "flour", "header": True, "blocks": [9]},
                ],
                [
                    {"text": "1901", "header": False, "blocks": [10]},
                    {"text": "12\nt", "header": False, "blocks": [11]},
                ],
            ],
        },
    ]
    assert [document.blocks[number].text for number in range(12)] == [
        *("Mills", "They grind.", "grain", "rye", "Slowly.", "grind\n  --all", "mill", "grinds"),
        *("year", "flour", "1901", "12\nt"),
    ]


def leaf_blocks(nodes: list[dict[str, Any]]) -> list[int]:
    """The blocks of all parts, in order."""
    found: list[int] = []
    for node in nodes:
        found += node.get("blocks", [])
        found += leaf_blocks(node.get("content", []))
        for item in node.get("items", []):
            found += leaf_blocks(item["content"])
        for row in node.get("rows", []):
            found += leaf_blocks(row)
    return found


@st.composite
def pages(draw: st.DrawFn) -> str:
    parts = draw(
        st.lists(
            st.one_of(
                st.builds(lambda tag, more: f"<{tag}{more}>", st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
                st.builds(lambda tag: f"</{tag}>", st.sampled_from(TAGS)),
                st.sampled_from(HOSTILE).map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;")),
                st.sampled_from([" ", "\n", "mill", "mill ", " river", ".", "(", "&nbsp;", "&#x301;", "&shy;", "\t"]),
            ),
            max_size=40,
        )
    )
    return "<p>" + "".join(parts)


@given(pages())
def test_the_words_are_those_of_the_text(html: str) -> None:
    document = everything(html)
    assert words_of(gristmill.markdown(html, document, url=ADDRESS)) == document.text.split()
    assert words_of(gristmill.markdown(html, document, links=False)) == document.text.split()
    assert leaf_blocks(gristmill.structure(html, document)) == list(range(len(document.blocks)))


@given(pages(), st.sampled_from(["victor", "boilerpipe"]))
def test_the_characters_are_those_of_the_text(html: str, method: str) -> None:
    document = gristmill.clean(html, method=method)
    document.max_boilerplate = 1.0
    assert "".join(words_of(gristmill.markdown(html, document))) == "".join(document.text.split())


@given(st.lists(st.sampled_from([*HOSTILE, " ", "a"]), max_size=12).map("".join))
def test_escaped_text_comes_back(text: str) -> None:
    folded = " ".join(text.split())
    assert words_of(f"x {escape(folded)}") == ["x", *folded.split()]


@given(pages())
def test_the_outline_of_stored_blocks_has_the_same_words(html: str) -> None:
    document = everything(html)
    assert words_of(PAGE_FORMATS["markdown"](document)) == document.text.split()


@pytest.mark.parametrize("name", ["wcxb-a", "andy-a", "ceed-a", "daniel-a", "cleaneval"])
def test_gold_pages(gold: Path, name: str) -> None:
    for html in pq.read_table(gold / f"{name}.parquet", columns=["html"])["html"].to_pylist()[:10]:
        document = gristmill.clean(html, ADDRESS)
        for document.max_boilerplate in (0.5, 1.0):
            assert words_of(gristmill.markdown(html, document)) == document.text.split()


@pytest.mark.parametrize(("cut_by", "named"), [("all", "victor"), ("victor", "all"), ("victor", "no-such-method")])
def test_a_document_that_a_method_cut_in_another_way_than_today(cut_by: str, named: str) -> None:
    html = "<p>The <b>old</b> mill</p><ul><li>rye <i>and</i> oats</li></ul>"
    document = gristmill.clean(html, method=cut_by)
    document.max_boilerplate = 1.0
    before = gristmill.markdown(html, document)
    document.method = named
    assert gristmill.markdown(html, document) == before
    assert "**old**" in before


def test_a_document_of_another_page() -> None:
    with pytest.raises(gristmill.UsageError, match="does not belong to this page"):
        gristmill.markdown("<p>one", everything("<p>one<p>two"))
    with pytest.raises(TypeError, match=r"document must be a gristmill.Document"):
        gristmill.markdown("<p>one", "two")  # type: ignore[arg-type]


def test_a_page_is_given_as_for_clean(tmp_path: Path) -> None:
    html = "<meta charset=iso-8859-7><h1>Ο μύλος</h1><p>" + "Ο μύλος αλέθει το σιτάρι κοντά στο ποτάμι. " * 20
    data = html.encode("iso-8859-7")
    path = tmp_path / "mill.html"
    path.write_bytes(data)
    wanted = gristmill.markdown(html)
    assert wanted.startswith("# Ο μύλος\n\nΟ μύλος αλέθει")
    for given_as in (data, path, gristmill.Page(ADDRESS, data)):
        assert gristmill.markdown(given_as) == wanted
    document = gristmill.clean(data.replace(b"iso-8859-7", b"x"), lang="el")
    assert gristmill.markdown(data.replace(b"iso-8859-7", b"x"), document) == wanted


def test_a_page_of_plain_text() -> None:
    page = gristmill.Page("", b"1. One\n\n* Two\n", is_text=True)
    assert gristmill.markdown(page, gristmill.clean(page, method="all")) == "1\\. One\n\n\\* Two\n"


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "mill.html"
    path.write_text(f"<h1>The mill</h1><p>{TEXT * 3}<a href=x>More</a> of <b>it</b>.<p>{TEXT * 3}")
    shown = run("clean", str(path), "--format", "markdown", "--url", ADDRESS).stdout.decode()
    assert shown.startswith("# The mill\n\nThe mill stands")
    assert f"[More]({ADDRESS}x) of **it**.\n" in shown
    assert b"More of **it**." in run("clean", str(path), "-f", "markdown", "--no-links").stdout
    found = json.loads(run("clean", str(path), "--format", "json").stdout)
    assert [(part["type"], part["blocks"]) for part in found["structure"]] == [
        ("heading", [0]),
        ("paragraph", [1]),
        ("paragraph", [2]),
    ]


def test_export(tmp_path: Path) -> None:
    html = f"""<h2>The mill</h2><p>{TEXT * 4}</p><ul><li>{TEXT}<ul><li>{TEXT}</ul><li><p>{TEXT}</ul>
    <blockquote>{TEXT}</blockquote><pre>x = 1\n  y = 2</pre><table><tr><th>year<th>flour<tr><td>1901<td>12</table>"""
    (tmp_path / "mill.html").write_text(html)
    config = replace(gristmill.Config().with_filters(preset="none"), clean=CleanConfig("all"))
    gristmill.build(tmp_path / "mill.html", tmp_path / "corpus", config, engine=InlineEngine())
    gristmill.export(tmp_path / "corpus", tmp_path / "mill.md", selection=gristmill.Selection(max_duplicate=1))
    line = TEXT.strip()
    comment, shown = (tmp_path / "mill.md").read_text().split("\n\n", 1)
    assert comment.startswith("<!-- 00000-000000 file:")
    assert shown == (
        f"## The mill\n\n{(TEXT * 4).strip()}\n\n- {line}\n  - {line}\n- {line}\n\n> {line}\n\n"
        "```\nx = 1\n  y = 2\n```\n\n| year | flour |\n| --- | --- |\n| 1901 | 12 |\n\n"
    )


def test_rows_of_stored_tables_with_cells_missing() -> None:
    document = everything("<table><tr><th>a<td>b<td>c<tr><th>d<td>e<td>f<tr><th>g<td>h<td>i</table>")
    for number in (3, 7, 8):
        document.blocks[number].score = 1.0
    wanted = "|  |  |  |\n| --- | --- | --- |\n| a | b | c |\n|  | e | f |\n| g |  |  |\n"
    assert PAGE_FORMATS["markdown"](document) == wanted


def test_export_of_the_sample(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "sample.md")
    gristmill.export(corpus, tmp_path / "sample.txt")
    shown = (tmp_path / "sample.md").read_text()
    words = [word for word in words_of(shown) if word != "<<html_block>>"]
    assert words == (tmp_path / "sample.txt").read_text().split()
    assert elements_of(shown)["li"] > 20


@pytest.mark.parametrize(
    "unit",
    [
        "<ul><li>x",
        "<blockquote>x",
        "<table><tr><td>x<td>y",
        "<tr><td rowspan=999>x",
        "<tr><td colspan=999>x<td>y",
        "<td>x",
        "<b>x",
        "<b>x</b><i>y</i>",
        "<b><i>x</b></i>",
        "<a href=y>x</a>",
        "<a href=y>x",
        "<a href=y><p>x",
        "x<wbr>",
        "x<br>",
        "<pre><div>x",
        "<h1><div>x",
        "<h1>x",
        "<ol><li>x</ol>",
        "<dl><dt>x<dd>y",
        "<code>`",
        "*",
        "_",
        "_a",
        "[",
        "&amp;",
        "#",
        "-",
        "<li>x",
    ],
)
@pytest.mark.parametrize("before", ["", "<table><tr><th>a<th>b", f"<p><a href={'z' * 900}>", "<ol><li>"])
def test_time_is_linear(before: str, unit: str) -> None:
    def make(size: int) -> Callable[[], object]:
        html = before + unit * (size // len(unit))
        document = everything(html)
        return lambda: gristmill.markdown(html, document, url=ADDRESS)

    check_growth(make, 3_000, 3_000, 0.01)
