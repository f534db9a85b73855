"""boilerpipe's decision trees, against literal copies of Algorithm 2.1 and of the tree for Canola."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.boilerpipe import boilerpipe
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.thesis import boilerpipe_canola

Blocks = list[tuple[int, int]]
"""Words outside and inside links."""


def page(blocks: Blocks) -> Features:
    html = "".join(f"<p>{'w ' * words}<a href=x>{'w ' * links}</a>" for words, links in blocks)
    return Features(segment(html, "all-but-links"))


def algorithm_2_1(blocks: Blocks) -> list[str]:
    padded = [(0, 0), *blocks, (0, 0)]
    words = [outside + inside for outside, inside in padded]
    density = [inside / (outside + inside or 1) for outside, inside in padded]
    labels = []
    for at in range(1, len(padded) - 1):
        is_content = False
        if density[at] <= 0.333333:
            if density[at - 1] <= 0.555556:
                is_content = words[at - 1] > 4 if words[at] <= 16 and words[at + 1] <= 15 else True
            elif words[at] <= 40:
                is_content = words[at + 1] > 17
            else:
                is_content = True
        labels.append("content" if is_content else "boilerplate")
    return labels


def canola_tree(blocks: Blocks) -> list[str]:
    padded = [(0, 0), *blocks, (0, 0)]
    words = [outside + inside for outside, inside in padded]
    linked = [inside > 0 for _, inside in padded]
    labels = []
    for at in range(1, len(padded) - 1):
        before_text = linked[at] and words[at + 1] > 11
        beside_text = words[at + 1] > 6 and not linked[at + 1] and not linked[at - 1]
        beside_text &= words[at] > 6 or words[at - 1] > 7 or words[at + 1] > 19
        labels.append("content" if before_text or words[at] > 19 or beside_text else "boilerplate")
    return labels


BLOCKS = st.lists(
    st.tuples(st.sampled_from([1, 4, 5, 7, 8, 10, 12, 15, 16, 17, 18, 20, 40, 41]), st.sampled_from([0, 0, 2, 5, 20])),
    max_size=8,
)


@given(BLOCKS)
def test_the_tree_for_canola(blocks: Blocks) -> None:
    found = boilerpipe_canola(page(blocks), "en")
    assert found.labels == canola_tree(blocks)
    assert ["content" if value <= 0.5 else "boilerplate" for value in found.values] == found.labels


def test_blocks_end_at_all_tags_but_links() -> None:
    """Thesis, 2.6.4: the link is part of its block, the bold word is a block of its own."""
    found = segment("<p>the <a href=x>old</a> mill <b>stands</b> here", "all-but-links")
    assert found.texts == ["the old mill", "stands", "here"]
    assert found.columns.link_words.tolist() == [1, 0, 0]


@given(BLOCKS)
def test_the_tree(blocks: Blocks) -> None:
    found = boilerpipe(page(blocks), "en")
    assert found.labels == algorithm_2_1(blocks)
    assert ["content" if value <= 0.5 else "boilerplate" for value in found.values] == found.labels


@pytest.mark.parametrize(("inside", "label"), [(9, "content"), (10, "boilerplate")])
def test_a_third_of_links_is_above_the_limit(inside: int, label: str) -> None:
    """1/3 is more than the 0.333333 of the tree."""
    assert boilerpipe(page([(20, inside)]), "en").labels == [label]


def test_scores_by_hand() -> None:
    """Alone on its page, a block without links is judged by its words; full of links, by these."""
    assert boilerpipe(page([(50, 0)]), "en").values == pytest.approx([0.5 - (50 - 16.5) / (50 + 16.5) / 2])
    assert boilerpipe(page([(0, 50)]), "en").values == pytest.approx([0.5 + (1 - 0.333333) / (1 + 0.333333) / 2])


def test_a_page_without_blocks() -> None:
    assert boilerpipe(page([]), "en").labels == []
