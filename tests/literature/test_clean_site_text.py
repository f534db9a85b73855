"""site-text: windows of characters or words that occur often on the pages of a site."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.errors import UsageError
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.repeats import PAGES, Often
from gristmill.literature.cleaning.site_text import Parameters, site_text

OWN = Often(count=PAGES, upper=0)
TWO = Often(share=0, least=2, count=PAGES, upper=0)


def page(*blocks: str) -> Features:
    return Features(segment("".join(f"<p>{block}</p>" for block in blocks)))


def of_words(window: int, often: Often) -> Parameters:
    """Our own variant: windows of words, of which all are counted."""
    return Parameters(**asdict(often), unit="words", window=window, step=1)


def values(pages: list[Features], window: int = 3, often: Often = TWO) -> list[list[float]]:
    return [scores.values.tolist() for scores in site_text(pages, of_words(window, often))]


def test_a_menu_is_found_and_text_is_not() -> None:
    first = page("Home", "News", "Contact us", "The mill burnt down in spring")
    second = page("Home", "News", "Contact us", "A new mill was built")
    assert values([first, second]) == [[1, 1, 1, 0], [1, 1, 1, 0]]


def test_the_score_is_the_share_of_covered_words() -> None:
    first = page("Posted by the editor Anna Bell", "one two")
    second = page("Posted by the editor Carl Dunn", "three four")
    scores = site_text([first, second], of_words(3, TWO))
    assert scores[0].values.tolist() == pytest.approx([4 / 6, 0])
    assert scores[0].labels == ["repeated", "own"]


def test_labels_by_share() -> None:
    first, second = page("in the year of 1901 we went away", "x"), page("in the year of grace", "y")
    scores = site_text([first, second], of_words(4, TWO))
    assert scores[0].values.tolist() == [0.5, 0]
    assert scores[0].labels == ["partly repeated", "own"]
    assert scores[1].values.tolist() == pytest.approx([0.8, 0])


def test_words_are_whole_and_in_order() -> None:
    assert values([page("ab c d e"), page("a bc d e")]) == [[0], [0]]
    assert values([page("one two three"), page("two one three")]) == [[0], [0]]
    assert values([page("one two three"), page("one two threes")]) == [[0], [0]]


def test_on_how_many_pages() -> None:
    assert [Often().pages(site) for site in (2, 3, 4, 5, 30, 31, 100, 200, 10_000)] == [2, 2, 2, 3, 3, 4, 10, 20, 20]
    pages = [page("one two three", f"own{number}") for number in range(2)] + [
        page(f"other{number}") for number in range(4)
    ]
    assert values(pages, often=OWN)[0] == [0, 0]
    pages[2] = page("one two three")
    assert [scores[0] for scores in values(pages, often=OWN)] == [1, 1, 1, 0, 0, 0]


def test_a_page_that_was_fetched_twice_is_counted_once() -> None:
    text = page("Home of the mill", "The mill burnt down in spring")
    other = page("Home of the mill", "A new mill was built")
    assert values([text, other, text]) == [[1, 0], [1, 0], [1, 0]]


@pytest.mark.parametrize("copies", [1, 2])
def test_a_page_alone_is_cleaned_by_density(copies: int) -> None:
    only = Features(
        segment("<ul><li>Home</li><li>News</li></ul><div><p>" + "The mill burnt down. " * 20 + "</p></div>")
    )
    expected = density(only, "")
    for scores in site_text([only] * copies):
        assert scores.values.tolist() == expected.values.tolist()
        assert scores.labels == expected.labels
    assert expected.values[0] > 0.5


def test_scripts_without_spaces_count_by_characters() -> None:
    first, second = page("欢迎光临石桥茶叶铺甲乙丙丁"), page("欢迎光临石桥茶叶铺戊己")
    assert values([first, second]) == [[pytest.approx(9 / 13)], [pytest.approx(9 / 11)]]
    assert (
        values([page("𠀀𠀁𠀂𠀃"), page("𠀀𠀁𠀂𠀄")], window=6) == [[pytest.approx(7 / 8)]] * 2
    )  # the last two begin with the same half


def test_pages_without_text() -> None:
    nothing, short = page(), page("one")
    assert values([nothing, short, page("one two three"), Features(segment_text("one two three\nfour"))]) == [
        [],
        [0],
        [1],
        [1, 0],
    ]
    assert site_text([]) == []
    assert [len(scores.values) for scores in site_text([nothing, nothing])] == [0, 0]


def naive(pages: list[list[str]], window: int, least: int) -> list[list[float]]:
    words = [[(word, at) for at, block in enumerate(blocks) for word in block.split()] for blocks in pages]
    windows = [
        [tuple(word for word, _ in own[at : at + window]) for at in range(len(own) - window + 1)] for own in words
    ]
    counted = {tuple(blocks): set(found) for blocks, found in zip(pages, windows, strict=True)}
    result = []
    for blocks, own, found in zip(pages, words, windows, strict=True):
        covered = {
            at + i
            for at, text in enumerate(found)
            if sum(text in other for other in counted.values()) >= least
            for i in range(window)
        }
        shares = []
        for block in range(len(blocks)):
            mine = [at in covered for at, (_, where) in enumerate(own) if where == block]
            shares.append(sum(mine) / len(mine))
        result.append(shares)
    return result


_BLOCK = st.lists(st.sampled_from(["a", "b", "ab", "ba", "é"]), min_size=1, max_size=6).map(" ".join)


@given(
    st.lists(st.lists(_BLOCK, max_size=5), min_size=2, max_size=6, unique_by=tuple),
    st.integers(1, 4),
    st.integers(2, 3),
)
def test_as_one_would_count_by_hand(pages: list[list[str]], window: int, least: int) -> None:
    found = values([page(*blocks) for blocks in pages], window, Often(share=0, least=least, count=PAGES, upper=0))
    expected = naive(pages, window, max(2, min(least, -(-len(pages) // 2))))
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(own, other)


FOUR = Parameters(share=0, least=2, window=4, step=2)


def test_characters_and_each_second_window() -> None:
    """As the thesis tells it (2.3), with W = 4 and D = 2.

    `abcdefgh 11` has the windows abcd, cdef, efgh and `gh 1` at 0, 2, 4 and 6. The first three are on both pages, and
    cover the first block.
    """
    first, second = page("abcdefgh", "11"), page("abcdefgh", "22")
    assert [scores.values.tolist() for scores in site_text([first, second], FOUR)] == [[1, 0], [1, 0]]
    assert site_text([first, second], FOUR)[0].labels == ["repeated", "own"]


def test_what_is_sampled_at_other_offsets_is_not_counted_together() -> None:
    """One character later, the windows at 0, 2 and 4 are Xabc, bcde and defg: none is on the other page, too.

    A third page with the first offset makes abcd, cdef and efgh frequent. Then the page in between is scanned at every
    place, and its text is found, but for the X.
    """
    first, shifted, third = page("abcdefgh", "11"), page("Xabcdefgh", "22"), page("abcdefgh", "33")
    assert [scores.values.tolist() for scores in site_text([first, shifted], FOUR)] == [[0, 0], [0, 0]]
    all_windows = Parameters(share=0, least=2, window=4, step=1)
    assert site_text([first, shifted], all_windows)[0].values.tolist() == [1, 0]
    found = site_text([first, shifted, third], FOUR)
    assert found[1].values.tolist() == [pytest.approx(8 / 9), 0]


def test_what_occurs_too_often_is_no_template() -> None:
    """`abab` begins at 0, 2, 4 and 6 of each page: 8 occurrences, and 3 times the two pages is 6.

    At 8 begins `ab H`, once on each page, so that 2 of 10 characters of the first block are template.
    """
    pages = [page("ababababab", "Home of the mill", text) for text in ("one", "two")]
    assert [scores.values.tolist()[:2] for scores in site_text(pages, FOUR)] == [[0.2, 1]] * 2
    without = Parameters(share=0, least=2, window=4, step=2, upper=0)
    assert [scores.values.tolist()[:2] for scores in site_text(pages, without)] == [[1, 1]] * 2


@pytest.mark.parametrize("given", [{"unit": "bytes"}, {"count": "sites"}, {"window": 0}, {"step": 0}])
def test_wrong_parameters(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Parameters(**given)
