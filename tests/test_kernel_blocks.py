"""The kernel's blocks: compiled and uncompiled loops, and the array code, cut a page in the same way."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_segment import SOUP

from gristmill.arrays.dtypes import Array
from gristmill.cleaning import segment
from gristmill.cleaning.attributes import attributes
from gristmill.cleaning.markup import Tags
from gristmill.cleaning.segmentation import segment_markup
from gristmill.cleaning.segmented import Segmentation, Segmented
from gristmill.cleaning.uncompiled import blocks as arrays
from gristmill.cleaning.uncompiled.attributes import find_attributes
from gristmill.cleaning.uncompiled.markup import Markup, scan
from gristmill.cleaning.uncompiled.tree import RULES as ARRAY_RULES
from gristmill.cleaning.uncompiled.tree import follow
from gristmill.kernel import rows, tokenise
from gristmill.kernel.elements import NAMES
from gristmill.kernel.rules import RULES


def _kernel(package: str) -> SimpleNamespace:
    """Give all functions of this part of the kernel."""
    modules = [import_module(f"{package}.{name}") for name in ("nesting", "blocks", "holders", "names")]
    return SimpleNamespace(**{name: value for module in modules for name, value in vars(module).items()})


KERNELS = [_kernel("gristmill.kernel")]
with suppress(ImportError):
    KERNELS.append(_kernel("gristmill.kernel.compiled"))
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=["python", "compiled"][: len(KERNELS)])
SEGMENTATIONS = st.sampled_from(sorted(RULES))


def _parts(kernel: Any, html: str, segmentation: str = "block") -> dict[str, Array]:
    """Cut a page and return all that the kernel finds, by name."""
    data, rules = html.replace("\r", " ").replace("\0", " ").encode("utf-8", "replace"), RULES[segmentation]
    tags = tokenise(data)
    elements, tops = kernel.follow(tags, rules)
    hidden = kernel.hide(data, tags, rules, elements, tops)
    pieces = kernel.find_pieces(data, tags, rules, hidden)
    blocks = kernel.cut(data, tags, rules, elements, tops, pieces)
    kernel.to_characters(data, blocks)
    spans, described, paths = kernel.hold(elements, blocks, rules, tags.shape[1])
    names, codes = kernel.find_names(data, tags, elements)
    found = {"elements": elements, "tops": tops, "hidden": hidden, "pieces": pieces, "blocks": blocks, "spans": spans}
    return found | {"described": described, "paths": np.array(paths), "names": np.array(names), "codes": codes}


@pytest.mark.skipif(len(KERNELS) == 1, reason="the kernel is not compiled")
@given(SOUP, SEGMENTATIONS)
@example("<p>" + "<b id=x class=é><div class='a b' id=x>é" * 70, "block")
def test_compiled_and_uncompiled_loops_agree(html: str, segmentation: str) -> None:
    expected, found = (_parts(kernel, html, segmentation) for kernel in KERNELS)
    for name, array in expected.items():
        assert np.array_equal(array, found[name]), name


def _tags(markup: Markup, segmentation: Segmentation) -> Array:
    """Make an array of the tags that the array code has found; names are left out."""
    tags = np.zeros((rows.TAG_ROWS, len(markup.codes)), np.int32)
    tags[rows.START] = markup.starts
    tags[[rows.END, rows.RAW_END, rows.TEXT]] = markup.ends
    tags[rows.CODE], tags[rows.CLOSING] = markup.codes, markup.closing
    opened = follow(markup, ARRAY_RULES[segmentation]).opened[1:]
    tags[rows.HIDES, find_attributes(markup, opened).hidden] = 1
    return tags


def _described(page: Segmented) -> dict[str, Any]:
    """Give all that is known of blocks and elements but the names of these."""
    elements = page.elements
    parts = {
        name: getattr(elements, name).tolist() for name in ("codes", "parents", "first", "end", "opened", "closed")
    }
    columns = {name: getattr(page, name).tolist() for name in ("holders", "tags_before", "tags", "tags_up_to")}
    return parts | columns | {"blocks": page.blocks}


@given(SOUP, SEGMENTATIONS)
@example("<div>x<ul>y<br> <br>z" * 40, "block")
@example("<pre>a &amp;\n b<br>c</pre><xmp>&amp; <b></xmp><a>x</a><a>&#32;</a><textarea>&lt;", "block")
@example("<noscript>" + "a " * 30 + "</noscript><span hidden>b<span hidden>c</span>d<div>e", "block")
@example("<table><tr><td>a<td>b<tr><td><table><tr><td>c<td>d</table><td>e<tr><td>f", "text-node")
def test_arrays_and_loops_agree(html: str, segmentation: Segmentation) -> None:
    markup = scan(html.replace("\r", " ").replace("\0", " ").encode("utf-8", "replace"))
    markup.page.cuts, markup.page.missing = [], [0]  # as if the page had no raw text: places are those in the data
    expected = arrays.segment_markup(markup, 0, segmentation)
    found = segment_markup(Tags(markup.data, _tags(markup, segmentation)), 0, segmentation)
    assert _described(found) == _described(expected)
    assert found.texts == expected.texts


NAME = st.text(st.characters(codec="utf-8", exclude_characters="'\0\r"), max_size=4)
TAG = st.tuples(st.permutations(["class", "id", "title"]), st.tuples(NAME, NAME, NAME), st.integers(0, 3))


@each_kernel
@given(st.lists(TAG))
def test_names_are_those_in_the_tags(kernel: Any, given_tags: list[tuple[list[str], tuple[str, ...], int]]) -> None:
    written = [
        "<p" + "".join(f" {name}='{value}'" for name, value in list(zip(names, values, strict=True))[:number]) + ">"
        for names, values, number in given_tags
    ]
    data = "x".join(written).encode()
    tags = tokenise(data)
    elements, _ = kernel.follow(tags, RULES["block"])
    names, codes = kernel.find_names(data, tags, elements)
    assert [names[code] for code in codes.tolist()] == ["", *map(_name, written)]
    assert len(set(names)) == len(names)


def _name(tag: str) -> str:
    """Join class and id of a tag."""
    values = [value.decode() for name, value in attributes(tag.encode()).items() if name in {b"class", b"id"}]
    return " ".join(values if values[:1] != [""] else values[1:]).translate(dict.fromkeys(range(9, 14), " "))


def test_names_with_equal_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<p class=a>x<p class=b>x<p class=a>x<p id=b>"
    expected = _parts(KERNELS[0], html)
    monkeypatch.setattr("gristmill.kernel.names._hash", lambda *_: 0)
    assert np.array_equal(_parts(KERNELS[0], html)["names"], expected["names"])
    monkeypatch.setattr("gristmill.kernel.names.MAX_TRIES", 0)
    found = _parts(KERNELS[0], html)
    assert found["names"].tolist() == ["", "a", "b"]
    assert found["codes"].tolist() == [0, 1, 2, 1, 2]


@each_kernel
def test_elements_are_followed_to_their_ends(kernel: Any) -> None:
    found = _parts(kernel, "<div><p>a<p hidden>b</div>")
    elements = found["elements"]
    assert [NAMES[code] for code in elements[rows.NAME]] == ["", "div", "p", "p"]
    assert elements[rows.PARENT].tolist() == [0, 0, 1, 1]
    assert elements[rows.OPENED].tolist() == [-1, 0, 1, 2]
    assert elements[rows.CLOSED].tolist() == [4, 3, 2, 3]
    assert found["tops"].tolist() == [1, 2, 3, 0]
    assert found["hidden"].tolist() == [0, 0, 1, 0]


@each_kernel
def test_pieces_become_blocks(kernel: Any) -> None:
    found = _parts(kernel, "<p>a <b>b</b><i>c</i><br>d<p>e")
    pieces, blocks = found["pieces"], found["blocks"]
    assert pieces[rows.PIECE_START].tolist() == [3, 8, 16, 25, 29]
    assert pieces[rows.SEPARATOR].tolist() == [rows.NOTHING] * 3 + [rows.LINE_END, rows.BLOCK_END]
    assert blocks[rows.FIRST_PIECE].tolist() == [0, 4]
    assert blocks[rows.TAGS].tolist() == [5, 0]


@each_kernel
def test_elements_hold_blocks(kernel: Any) -> None:
    found = _parts(kernel, "<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>")
    assert found["spans"].T.tolist() == [[0, 4], [0, 2], [0, 1], [1, 2], [2, 4], [2, 4], [2, 3], [3, 4]]
    assert found["described"].tolist() == [[2, 2, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert found["paths"].tolist() == ["html/body/ul/li", "html/body/table/tr/td"]


@each_kernel
def test_places_are_in_characters(kernel: Any) -> None:
    html = "é<p>αβγδεζηθικλμ<script>ñ</script>ν 漢字😀</p>x<p> y"
    blocks = _parts(kernel, html)["blocks"]
    spans = blocks[rows.FROM : rows.UP_TO + 1].T.tolist()
    assert [html[start:end] for start, end in spans] == ["é", "αβγδεζηθικλμ<script>ñ</script>ν 漢字😀", "x", "y"]


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("<p class = 'a b' id= c>", "a b c"),
        ("<p class=a class=b id=c id=d>", "a c"),
        ("<p title='class=no' id=c>", "c"),
        ("""<p title="it's" class=a id=c>""", "a c"),
        ("<p\tid='c\td' class=a>", "c d a"),
    ],
)
def test_arrays_and_loops_find_the_same_names(tag: str, name: str) -> None:
    html = f"x = y <div>x</div>{tag}x"
    assert segment(html).elements.names.tolist() == ["", "", name]
    assert arrays.segment_markup(scan(html.encode()), 0).elements.names.tolist() == ["", "", name]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<div style = 'display: none'>no</div>yes, this", ["yes, this"]),
        ('<div style= "display:none">no</div>yes, this', ["yes, this"]),
        ("<p style='color:red' style='display:none'>yes", ["yes"]),
        ("<p title=\"its style='display:none'\">yes", ["yes"]),
        ('<p title="missing quote><b style="display:none">yes', ["yes"]),
        ("<script><!-- write('<script>x</script>no') --></script>yes", ["yes"]),
    ],
)
def test_arrays_and_loops_hide_what_the_standard_hides(html: str, texts: list[str]) -> None:
    # On the pages of the gold standards, these are all the ways in which browsers read a tag otherwise than by its
    # looks.
    html += "<p>and a paragraph that is long enough to be more than what is hidden"
    assert segment(html).texts[:-1] == texts
    assert arrays.segment_markup(scan(html.encode()), 0).texts[:-1] == texts


def test_paths_of_deep_pages_are_cut() -> None:
    paths = segment("<section>" + "<div>x" * 100).columns.path
    assert len(set(paths.values)) == len(paths.values)
    assert paths[99] == "html/body" + "/div" * 62
    assert paths[30] == "html/body/section" + "/div" * 31


def test_a_page_of_nothing_but_references_to_white_space() -> None:
    assert not segment("<p>&nbsp;<div>&#32;").columns.text.tolist()
