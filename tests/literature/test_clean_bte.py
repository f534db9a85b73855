"""Body text extraction: the stretch that is found, against the formula tried for all stretches of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.bte import bte


def objective(bits: list[int], first: int, last: int) -> int:
    """T of the thesis, 2.6.1: tags outside, and words inside, the tokens from `first` to `last`."""
    return sum(bits[:first]) + sum(1 - bit for bit in bits[first : last + 1]) + sum(bits[last + 1 :])


def tokens(page: Features) -> tuple[list[int], list[tuple[int, int]]]:
    """A page as bits, 0 for a word and 1 for a tag, and the first and last token of each block."""
    bits: list[int] = []
    places = []
    for block, before in zip(page.blocks, page.page.tags_before.tolist(), strict=True):
        bits += [1] * before
        places.append((len(bits), len(bits) + block.words + block.tags - 1))
        bits += [0] * block.words + [1] * block.tags
    return bits, places


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</div>", "<br><br>", "<img>", "<b>", "<a>", "word ", "some words ", "a few words more "]
        ),
        max_size=25,
    )
)
def test_the_objective_is_as_high_as_it_can_be(parts: list[str]) -> None:
    page = Features(segment("".join(parts), "text-node"))
    bits, places = tokens(page)
    found = bte(page, "en")
    kept = [place for place, value in zip(places, found.values, strict=True) if value <= 0.5]
    # Of all stretches of tokens, one of whole text nodes is the best. Without any, all tags are outside: that is less.
    tried = [objective(bits, first, last) for first in range(len(bits)) for last in range(first, len(bits))]
    best = max([sum(bits), *tried])
    assert best == (objective(bits, kept[0][0], kept[-1][1]) if kept else sum(bits))
    assert found.labels == ["text" if value <= 0.5 else "boilerplate" for value in found.values]


PAGE = """<ul><li><a href=/>Home</a><li><a href=/a>All news</a></ul>
<h1>The mill</h1><p>The mill stands where the <b>river</b> leaves the wood.<p>It has stood there for ever.
<ul><li><a href=/>Home</a><li><a href=/c>Contact</a></ul>"""


def test_a_page() -> None:
    page = Features(segment(PAGE, "text-node"))
    found = bte(page, "en")
    kept = [text for text, value in zip(page.texts, found.values, strict=True) if value <= 0.5]
    assert kept == [
        "The mill",
        "The mill stands where the",
        "river",
        "leaves the wood.",
        "It has stood there for ever.",
    ]
    # With one tag on each side of "river" and before the last sentence, words less tags are 5 - 1 + 1 - 1 + 3 - 1 + 6
    # = 12. The heading adds 2 words and takes 2 tags: without it, 12 are left. Without the first or the second node
    # there are 3 - 1 + 6 = 8 behind it, without the third 6, and without the last 5 - 1 + 1 - 1 + 3 = 7 before it.
    assert found.values[2:7].tolist() == pytest.approx([12 / 24, 8 / 24, 8 / 24, 6 / 24, 7 / 24])
    # To go on to "Home" costs 3 tags and gives a word: 12 - 3 + 1. Then "Contact": 10 - 3 + 1.
    assert found.values[7:].tolist() == pytest.approx([1 - 10 / 24, 1 - 8 / 24])


def test_a_plain_text_is_all_text() -> None:
    assert bte(Features(segment("word", "text-node")), "und").labels == ["text"]
    assert bte(Features(segment("")), "und").labels == []
