"""Blocks keep their lines where a page shows them: code, verse, addresses, rows of tables.

Words and scores are the same without.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gristmill
from gristmill.annotation import tokenise
from gristmill.cleaning import METHODS, Features, segment, segment_text
from gristmill.cleaning.cleaneval import marked
from gristmill.columns import fold
from gristmill.config import CleanConfig, Config, FilterConfig
from gristmill.corpus.formats.text import text as as_text
from gristmill.corpus.selecting import SelectedDocument
from gristmill.dedup.tokens import tokenise as hashes
from gristmill.document import Document, from_arrow, to_arrow
from gristmill.engine.inline import InlineEngine
from gristmill.filter.c4 import C4Lines

POEM = (
    "<p>Upon the river stands a mill,<br>\n  The wheel is <i>never</i> <br/>standing still,<br><br>The miller "
    "sleeps.</p>"
)
CODE = """<pre class="code">
<span class="k">def</span> <b>mill</b>(grain):

    <span>if</span> grain &lt; 1:
\treturn   None
    </pre>"""
TABLE = "<table><tr><th>year<th>flour<tr><td>1901<td>12 <b>t</b><td></td><tr><td>1902<td>13 t</table><p>After it."
SPACES = st.text("ab \n\t\xa0\u3000é。1.", max_size=12)
SHOWN = st.lists(
    st.sampled_from(
        "<pre> </pre> <textarea> </textarea> <xmp> </xmp> <br> <br/> <p> <b> </b> <span> <img> <a>x</a> <td> <tr> "
        "<table> </table> <th>"
        " <div> </div> <b\thidden> &amp; &#10; &#9; &#1; &#173; e&#769; <!--x--> <script>x</script>".replace(
            "\t", "\x00"
        ).split()
    ).map(lambda part: part.replace("\x00", " "))
    | SPACES,
    max_size=30,
).map("".join)


def blocks(html: str) -> list[str]:
    return [block.text for block in segment(html).blocks]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (POEM, ["Upon the river stands a mill,\nThe wheel is never\nstanding still,", "The miller sleeps."]),
        (CODE, ["def mill(grain):\n\n    if grain < 1:\n\treturn   None"]),
        ("<address>The Mill<br>River Road 1<br>Wood</address>", ["The Mill\nRiver Road 1\nWood"]),
        ("<p><br>a<br></p>b<br>", ["a", "b"]),
        ("a<b hidden>x<br>y</b>b<br hidden>c", ["a b\nc"]),
        ("<pre>\n\n  a\n b</pre><p>c  d", ["  a\n b", "c d"]),
        ("<pre>  one   line </pre>", ["one   line"]),
        ("<pre>    <i>a</i>\n    <i>b</i></pre>", ["    a\n    b"]),
        ("<pre>a<br>b<br><br>c</pre>", ["a\nb", "c"]),
        ("<pre>a<img>b<a>1</a><a>2</a><b hidden> x\n</b>c</pre>", ["a b1 2c"]),
        ("<pre>a&nbsp;&nbsp;b&#13;c&#10;d&#1;e&#769;</pre>", ["a  b c\ndé"]),
        ("<pre><div>  a\n b</div>\n c\n  d</pre>", ["  a\n b", " c\n  d"]),
        ("<textarea>\n a\n  <b></textarea>", [" a\n  <b>"]),
        ("<xmp>a\n <p>b</xmp><listing>c\n d</listing><plaintext>e\n </p>", ["a\n <p>b", "c\n d", "e\n </p>"]),
        ("<pre> \n </pre><pre></pre>", []),
        ("<div><pre>a\n b", ["a\n b"]),
    ],
)
def test_lines(html: str, expected: list[str]) -> None:
    assert blocks(html) == expected


def test_plain_text_has_a_block_a_line() -> None:
    assert [block.text for block in segment_text("  a\t b\n\n\tc\n").blocks] == ["a b", "c"]


@pytest.mark.parametrize(
    ("html", "rows", "text"),
    [
        (TABLE, [1, 1, 2, 2, 3, 3, 0], "year\tflour\n1901\t12 t\n1902\t13 t\nAfter it."),
        ("<table><tr><td>a<td>b<p>c<tr><td>d<td>e</table>", [0, 0, 0, 2, 2], "a\nb\nc\nd\te"),
        ("<table><tr><td>only<tr><td>cells</table>", [0, 0], "only\ncells"),
        ("<table><tr><td>menu<td><table><tr><td>a<td>b</table></table>", [0, 2, 2], "menu\na\tb"),
        ("<table><tr><td>a<td><table><tr><td>b</table></table>", [1, 1], "a\tb"),
        ("<table><td>no<td>row</table>", [0, 0], "no\nrow"),
        ("<tr><td>a<td hidden>b<td>c<tr>x", [1, 1, 0], "a\tc\nx"),
    ],
)
def test_rows(html: str, rows: list[int], text: str) -> None:
    found = segment(html).blocks
    assert [block.row for block in found] == rows
    assert Document(blocks=found).text == text


def test_cells_that_are_not_kept_join_nothing() -> None:
    document = Document(blocks=segment("<tr><td>a<td>b<td>c<tr><td>d<td>e").blocks)
    document.blocks[0].score = document.blocks[2].score = document.blocks[4].score = 1.0
    assert document.text == "b\nd"
    assert Document().text == Document().folded == ""


@given(SHOWN)
@example("<pre>a\x1eb<br>c&#30;</pre>x\x1ey<br>z&#30;")
@example("<pre> <b hidden>x</b><br>a  </pre>")
def test_words_are_those_of_the_folded_text(html: str) -> None:
    """White space is all that differs from a page on which nothing is shown in lines."""
    plain = html.replace("<pre>", "<div>").replace("</pre>", "</div>")
    segmented = segment(html)
    for block, text in zip(segmented.blocks, segmented.texts, strict=True):
        assert block.text == block.text.rstrip() != ""
        assert ("\n" in block.text) or block.text[0] != " "
        assert text == fold(block.text) == " ".join(block.text.split())
    if "<textarea>" not in html and "<xmp>" not in html:
        assert segmented.texts == segment(plain).texts


@pytest.mark.parametrize("method", list(METHODS))
def test_scores_are_those_of_the_folded_text(method: str) -> None:
    page = "<h1>The mill</h1>" + POEM * 3 + CODE * 2 + TABLE
    shown = segment(page, METHODS[method].segmentation)
    same = segment(page, METHODS[method].segmentation)
    same.columns.text = same.columns.folded
    assert shown.columns.text.tolist() != same.columns.text.tolist()
    found, expected = (METHODS[method].score(Features(segmented), "en") for segmented in (shown, same))
    assert (found.values.tolist(), list(found.labels)) == (expected.values.tolist(), list(expected.labels))


def test_documents_are_the_same_to_filters_and_de_duplication() -> None:
    page = f"{CODE}{POEM}{TABLE}"
    shown = gristmill.clean(page, method="all")
    flat = gristmill.clean(page.replace("pre", "div").replace("<br>\n", " ").replace("<br/>", " "), method="all")
    assert shown.text != flat.text
    assert shown.folded == flat.folded
    assert (shown.digest, shown.words, shown.lang) == (flat.digest, flat.words, flat.lang)
    assert shown.length == len(shown.text)
    assert (
        hashes([fold(block.text) for block in shown.blocks]).hashes.tolist()
        == hashes([block.text for block in shown.blocks]).hashes.tolist()
    )


def test_long_lines_are_hashed_as_long_texts_are() -> None:
    words = [f"word{number}" for number in range(60_000)]
    assert hashes(["\n".join(words)]).hashes.tolist() == hashes([" ".join(words)]).hashes.tolist()


def test_tokens_stand_where_the_text_has_them() -> None:
    (block,) = segment(CODE).blocks
    tokens = tokenise(block.text, "en")
    assert [
        block.text[start : start + len(word)] for word, start in zip(tokens.words, tokens.starts, strict=True)
    ] == tokens.words
    folded_tokens = tokenise(fold(block.text), "en")
    assert (tokens.words, tokens.sentences) == (folded_tokens.words, folded_tokens.sentences)


def test_markup_has_a_line_a_block() -> None:
    assert marked(segment(POEM).blocks).splitlines() == [
        "<p>Upon the river stands a mill, The wheel is never standing still,",
        "<p>The miller sleeps.",
    ]


def test_an_empty_line_ends_a_document_of_plain_text() -> None:
    document = Document(blocks=segment(CODE + TABLE).blocks)
    made = "".join(as_text(SelectedDocument(document, 0, [], [])))
    assert made.startswith("def mill(grain):\n    if grain < 1:\n\treturn   None\nyear\tflour\n1901\t12 t\n")
    assert made.index("\n\n") == len(made) - 2


def test_rules_for_lines_look_at_blocks() -> None:
    found = C4Lines().judge(
        gristmill.clean(
            "<p>It is the privacy<br>policy of<br>this old mill.<p>It is<br>the mill of the wood.", method="all"
        )
    )
    assert found.dropped == [0]


def test_rows_and_lines_are_stored(tmp_path: Path) -> None:
    document = gristmill.clean(CODE + TABLE, method="all")
    stored = from_arrow(to_arrow([document]))[0]
    assert stored == document
    (tmp_path / "page.html").write_text(CODE + TABLE)
    config = Config(clean=CleanConfig("all"), filter=FilterConfig(()))
    corpus = gristmill.build([tmp_path / "page.html"], tmp_path / "corpus", config, engine=InlineEngine())
    gristmill.export(corpus, tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text())["text"] == document.text
