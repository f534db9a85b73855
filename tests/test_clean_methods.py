"""What all cleaning methods have in common, on pages of all kinds."""

from __future__ import annotations

import pytest

from gristmill.clean import METHODS
from gristmill.clean.features import Features
from gristmill.clean.segment import segment, segment_text

PAGES = {
    "empty": "",
    "no text": "<div><p></p><script>x</script></div>",
    "one word": "word",
    "only links": "<ul>" + "<li><a href=/>Home</a>" * 20 + "</ul>",
    "only tags around": "<b><i>word</i></b>" * 30,
    "text": "<p>The mill stands where the river leaves the wood, and it has stood there for as long as anyone can remember." * 5,
    "no spaces": "<p>河边有一座很老的磨坊，磨坊里住着一个老人。" * 5,
    "open elements": "<div><table><tr><td>the mill" * 500,
    "symbols": "<p>©<p>…<p>1<p>—<p>\u202e\u0301<select><option>x</select>",
    "one long line": "word " * 20_000,
}


@pytest.mark.parametrize("name", list(METHODS))
@pytest.mark.parametrize("page", list(PAGES.values()), ids=list(PAGES))
@pytest.mark.parametrize("lang", ["en", "zh", "und"])
def test_every_block_gets_a_score_and_a_label(name: str, page: str, lang: str) -> None:
    method = METHODS[name]
    segmented = segment(page, method.segmentation)
    found = method.score(Features(segmented), lang)
    assert len(found.values) == len(found.labels) == len(segmented.blocks)
    assert ((found.values >= 0) & (found.values <= 1)).all()
    assert all(found.labels)
    again = method.score(Features(segment(page, method.segmentation)), lang)
    assert (found.values.tolist(), found.labels) == (again.values.tolist(), again.labels)


@pytest.mark.parametrize("name", list(METHODS))
def test_plain_text_has_no_elements_or_tags(name: str) -> None:
    found = METHODS[name].score(Features(segment_text("the first line\nthe second line\n")), "en")
    assert len(found.values) == len(found.labels) == 2
