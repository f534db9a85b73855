"""Metadata of pages that mean harm, or nothing at all: nothing raises, all can be stored, time is linear."""

import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill import clean
from gristmill.cleaning.metadata import complete
from gristmill.cleaning.metadata.found import MAX_CHARACTERS, MAX_ITEMS
from gristmill.cleaning.segmentation import segment
from gristmill.document import Document, to_arrow

TEXT = (
    "<h1>The old mill</h1><p>The mill stood by the river for two hundred years, and nobody knew who had built it.</p>"
)
_LIMIT_SECONDS = 20

_NAMES = st.sampled_from(
    "@type @id @graph @context headline name author creator datePublished dateModified dateCreated publisher image url "
    "license articleSection keywords description commentCount articleBody mainEntity mainEntityOfPage".split()
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["Article", "Person", "WebPage", "2015-03-21", "\ud800", "x\0y", "#a", "https://m.example/"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES, inner, max_size=6),
    max_leaves=30,
)


def in_script(written: str) -> str:
    return f"<title>The old mill</title><script type='application/ld+json'>{written}</script>{TEXT}"


def stored(document: Document) -> Document:
    """The document, which can be stored and written as JSON in UTF-8."""
    to_arrow([document])
    json.dumps(document.to_json(), ensure_ascii=False).encode()
    return document


@given(_VALUES)
@example({"@type": "Article", "author": {"name": "\ud800"}, "headline": "\ud83d", "keywords": ["\udfff"]})
@example({"@type": "Article", "commentCount": 10**400, "articleBody": [], "datePublished": {}})
@example({"@type": [["Article"]], "@id": {}, "@graph": {"@graph": [None]}})
def test_json_ld_of_any_shape(value: Any) -> None:
    stored(clean(in_script(json.dumps(value).replace("</", "<\\/"))))


@given(st.text(alphabet=st.sampled_from('{}[]",:\\u0d8 \n@typeArticle;<!-/')))
def test_scripts_of_any_text(written: str) -> None:
    stored(clean(in_script(written)))


@given(
    st.lists(
        st.builds(
            "<{} {}='{}' {}='{}' {}>{}</i>".format,
            st.sampled_from(["i", "a", "time", "meta", "link", "h1", "div", "html"]),
            st.sampled_from(["itemprop", "rel", "class", "name", "property", "datetime"]),
            st.sampled_from(
                "author datePublished comment name tag license canonical byline date og:title keywords".split()
            ),
            st.sampled_from(["content", "href", "datetime", "lang", "id"]),
            st.sampled_from(["2015-03-21", "Ann Miller", "&#xd800;", "\0", "", "x" * 3000]),
            st.sampled_from(["itemscope", "hidden", ""]),
            st.sampled_from(["Ann Miller", "By Ann", "21 March 2015", "", "<b>", "</div>"]),
        ),
        max_size=12,
    )
)
def test_tags_of_any_kind(tags: list[str]) -> None:
    found = stored(clean(f"<title>The old mill</title>{TEXT}{''.join(tags)}", "http://[broken/2015/03/21/"))
    assert set(found.metadata_from.values()) <= {
        *("json-ld", "opengraph", "meta", "microdata", "link", "time", "byline", "address", "title", "heading", "html"),
    }


@pytest.mark.parametrize(
    "written",
    [
        "[" * 100_000,
        "[" * 50_000 + "]" * 50_000,
        '{"@graph":' * 20_000 + "1" + "}" * 20_000,
        '{"@type": "Article", "author": ' * 6_000,
        "{} " * 60_000,
        '{"a":1},' * 20_000,
        '{"a": ' + "," * 150_000,
        ", " * 90_000 + "]",
        '{"a": ' + "1" * 100_000 + "}",
        '{"@type": "Article", "keywords": [' + '"x",' * 40_000 + '"y"]}',
        '{"@type": "Article", "author": "' + "By " * 50_000 + '"}',
        '"\\ud800' * 20_000,
        "[" + '{"@type":"Article","headline":"x"},' * 5_000 + "{}]",
    ],
)
def test_json_ld_of_bad_shape_takes_no_time(written: str) -> None:
    start = time.process_time()
    stored(clean(in_script(written)))
    assert time.process_time() - start < _LIMIT_SECONDS


def test_json_ld_without_measure_is_passed_over() -> None:
    huge = json.dumps({"@type": "Article", "author": "Ann Miller", "articleBody": "x" * 5_000_000})
    small = json.dumps({"@type": "Article", "author": "Bob Baker"})
    assert clean(in_script(huge)).author == ""
    assert clean(in_script(huge) + in_script(small)).author == "Bob Baker"


def test_values_and_lists_have_a_limit() -> None:
    many = ", ".join(map(str, range(10_000)))
    tags = "".join(f"<a rel=tag>{number}</a>" for number in range(10_000))
    metas = "".join(f"<meta property=article:tag content={number}>" for number in range(10_000))
    long = f"<meta name=description content='{'x' * 100_000}'><meta name=author content='{'y' * 100_000}'>"
    for head in (f"<meta name=keywords content='{many}'>", tags, metas):
        assert len(clean(f"{head}{long}{TEXT}").keywords) == MAX_ITEMS
    found = clean(f"{long}{TEXT}")
    assert (len(found.description), found.author) == (MAX_CHARACTERS, "")


@pytest.mark.parametrize(
    "unit",
    [
        "<i itemprop=author></i>",
        "<i itemprop='author' itemscope>",
        "<a rel=author>x",
        "<time datetime=2015-03-21>",
        "<h1>The old mill",
        "<h1 class=author>By Ann ",
        "<p class=date>2015 ",
        "<p>By ",
        "<p>21 March ",
    ],
)
def test_many_tags_take_linear_time(unit: str) -> None:
    start = time.process_time()
    segmented = segment(f"<title>The old mill</title>{TEXT}{unit * 20_000}")
    complete(segmented.metadata, segmented.columns, "https://m.example/2015/03/21/", "")
    assert time.process_time() - start < _LIMIT_SECONDS
