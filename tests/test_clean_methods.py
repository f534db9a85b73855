"""What all cleaning methods have in common, on pages of all kinds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from cases import case
from hypothesis import example, given
from hypothesis import strategies as st

from gristmill.cleaning import METHODS, Features, Method, Scores, Segmentation, Segmented, segment, segment_text

SEGMENTATIONS: tuple[Segmentation, ...] = ("block", "text-node", "non-inline", "all-but-links", "container", "html4")
PAGES = {
    "empty": "",
    "no text": "<div><p></p><script>x</script></div>",
    "one word": "word",
    "only links": "<ul>" + "<li><a href=/>Home</a>" * 20 + "</ul>",
    "only tags around": "<b><i>word</i></b>" * 30,
    "text": (
        "<p>The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember."
    )
    * 5,
    "no spaces": "<p>河边有一座很老的磨坊，磨坊里住着一个老人。" * 5,
    "open elements": "<div><table><tr><td>the mill" * 500,
    "symbols": "<p>©<p>…<p>1<p>—<p>\u202e\u0301<select><option>x</select>",
    "one long line": "word " * 20_000,
}

# Parts of pages, whole and broken, of which pages are put together.
_TAGS = (
    "p div span a b li ul ol table tr td th h1 h6 br hr script style noscript template title select option "
    "article nav pre textarea svg"
).split()
_ATTRIBUTES = st.sampled_from(
    ["", " hidden", " style='display:none'", " class='nav menu'", " id=main", " href=/x", ' x="', " <", "=", " class="]
)
_START = st.builds("<{}{}>".format, st.sampled_from(_TAGS), _ATTRIBUTES)
_END = st.sampled_from(_TAGS).map("</{}>".format)
_BROKEN = st.sampled_from(
    [
        "<",
        "<!--",
        "-->",
        "<![CDATA[",
        "</",
        "<p",
        "&amp;",
        "&#x1F600;",
        "&#0;",
        "&lt",
        "\0",
        "\r\n",
        "<?xml",
        "<!doctype html>",
    ]
)
_SENTENCE = st.sampled_from(
    [
        "The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember. ",
        "Home | About | © 2024 ",
        "河边有一座很老的磨坊。",
        "Ο μύλος στέκει εκεί από πάντα. ",
        "1 2 3.50 € a@b.example http://m.example/ #mill ",
    ]
)
_OUTSIDE = st.sampled_from(  # attributes that no tag holds
    [
        "class=x",
        " id=",
        "style=display:none",
        " style='display:none'",
        "hidden",
        " hidden ",
        "=",
        '="',
        "='",
        ' class="a b"',
        " id='",
    ]
)
ODD_PAGES = st.lists(st.one_of(_START, _END, _BROKEN, _SENTENCE, _OUTSIDE, st.text(max_size=12)), max_size=40).map(
    "".join
)
NO_TAGS = st.lists(st.one_of(_OUTSIDE, _SENTENCE, st.sampled_from([">", "'", '"', " ", "<", "-->"])), max_size=12).map(
    "".join
)


def check(found: Scores, page: Segmented) -> None:
    assert len(found.values) == len(found.labels) == len(page.blocks)
    assert found.values.dtype == np.float64
    assert ((found.values >= 0) & (found.values <= 1)).all()  # which is not so of what is not a number
    assert all(found.labels)


@pytest.fixture(params=list(METHODS))
def method(request: pytest.FixtureRequest) -> Method:
    return METHODS[request.param]


@pytest.mark.parametrize("lang", ["en", "zh", "und"])
def test_every_block_gets_a_score_and_a_label(method: Method, lang: str) -> None:
    for name, page in PAGES.items():
        with case(name):
            segmented = segment(page, method.segmentation)
            found = method.score(Features(segmented), lang)
            check(found, segmented)
            again = method.score(Features(segment(page, method.segmentation)), lang)
            assert (found.values.tolist(), list(found.labels)) == (again.values.tolist(), list(again.labels))


@pytest.mark.parametrize("name", list(METHODS))
@given(page=ODD_PAGES, lang=st.sampled_from(["en", "zh", "el", "und", "xx"]))
@example(page="<select><option>a</select><svg><title>b</svg>" * 3, lang="und")
def test_odd_pages_with_every_segmentation(name: str, page: str, lang: str) -> None:
    for segmentation in SEGMENTATIONS:
        segmented = segment(page, segmentation)
        check(METHODS[name].score(Features(segmented), lang), segmented)


@pytest.mark.parametrize("name", list(METHODS))
@given(NO_TAGS, _START | _END | st.just(""))
@example("class=x", "")
@example("style=display:none", "<p>")
@example("id='", "")
def test_attributes_before_the_first_tag(name: str, before: str, tag: str) -> None:
    segmented = segment(f"{before}{tag}the mill", METHODS[name].segmentation)
    check(METHODS[name].score(Features(segmented), "en"), segmented)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.score_site])
@given(pages=st.lists(ODD_PAGES, min_size=1, max_size=5))
@example(pages=[PAGES["text"]] * 3)
@example(pages=["", PAGES["text"], ""])
def test_odd_sites(name: str, pages: list[str]) -> None:
    score_site: Callable[[list[Features]], list[Scores]] | None = METHODS[name].score_site
    assert score_site
    segmented = [segment(page, METHODS[name].segmentation) for page in pages]
    for found, page in zip(score_site([Features(page) for page in segmented]), segmented, strict=True):
        check(found, page)


@pytest.mark.parametrize("name", list(METHODS))
def test_plain_text_has_no_elements_or_tags(name: str) -> None:
    segmented = segment_text("the first line\nthe second line\n")
    found = METHODS[name].score(Features(segmented), "en")
    assert len(segmented.blocks) == 2
    check(found, segmented)


_IN_ANOTHER_PROCESS = """
import json
from gristmill import sample
from gristmill.archive import find_sources, read
from gristmill.cleaning import METHODS, clean_site, sites
from gristmill.document import Page
truth = sample.truth()
pages = [item for item in read(find_sources(["sample"])[0]) if isinstance(item, Page) and item.url in truth]
chosen = [page for site in list(sites(pages).values())[::4] for page in site[:4]]
found = {}
for name in METHODS:
    for site in sites(chosen).values():
        for document in clean_site(site, method=name):
            blocks = [(block.score.hex(), block.label, block.kind, block.text) for block in document.blocks]
            found[f"{name} {document.url}"] = blocks
print(json.dumps(found))
"""


def test_the_same_pages_give_the_same_scores_in_any_process() -> None:
    """To the last bit, whatever order sets and dictionaries have there."""
    answers = []
    for seed in ("1", "2718"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ran = subprocess.run(
            [sys.executable, "-c", _IN_ANOTHER_PROCESS], env=environment, capture_output=True, check=True
        )
        answers.append(json.loads(ran.stdout))
    assert answers[0] == answers[1]
    assert {name.partition(" ")[0] for name in answers[0]} == set(METHODS)
