"""The descent to the densest element, against Algorithm 1 as it is printed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.chosen import method_named
from gristmill.cleaning.segmentation import segment
from gristmill.literature.cleaning.density import Parameters, density

SPARSE = Parameters(sparse=True)
Node = Any
"""A text, or a list of nodes that stand in one element."""

nodes = st.recursive(
    st.integers(1, 60).map(lambda length: "w" * length),
    lambda inner: st.lists(inner, min_size=1, max_size=4),
    max_leaves=15,
)


def html(node: Node) -> str:
    return node if isinstance(node, str) else "<div>" + "<hr>".join(map(html, node)) + "</div>"


def characters(node: Node) -> int:
    return len(node) if isinstance(node, str) else sum(map(characters, node))


def elements(node: Node) -> int:
    """An element itself, those in it, and the `<hr>` between them."""
    return 0 if isinstance(node, str) else len(node) + sum(map(elements, node))


def texts(node: Node) -> list[str]:
    return [node] if isinstance(node, str) else [text for inner in node for text in texts(inner)]


def target(node: Node) -> Node:
    """Algorithm 1: getTargetNode."""
    children = [inner for inner in node if not isinstance(inner, str)]
    if children:
        densest = max(children, key=lambda inner: characters(inner) / elements(inner))
        if characters(densest) > 0.5 * characters(node):
            return target(densest)
    return node


@given(st.lists(nodes, min_size=1, max_size=4))
def test_algorithm_1(root: Node) -> None:
    page = Features(segment("<hr>".join(map(html, root))))
    assert page.texts == texts(root)
    found, wanted = density(page, "en"), target(root)
    assert [text for text, value in zip(page.texts, found.values, strict=True) if value <= 0.5] == texts(wanted)
    assert found.labels == ["text" if value <= 0.5 else "boilerplate" for value in found.values]
    dense = characters(wanted) / elements(wanted) >= 10
    assert density(page, "en", SPARSE).values.tolist() == (found.values.tolist() if dense else [1] * len(page.blocks))


def test_the_example_of_the_thesis() -> None:
    """Baisa 2009, Figure 2.2: of 129 characters 85 are in the first paragraph, the denser of two, so it is the target.

    (With the blanks between its five texts it has 89.)
    """
    page = Features(
        segment(
            "<body><p>This is highly random <b>sample</b> of text with arbitrary <a href='www.random.com'>link</a>\n"
            "And eventually end of paragraph.</p>\n<p>Another paragraph with quite boring content.</p></body>"
        )
    )
    assert page.characters.tolist() == [89, 44]
    assert density(page, "en").labels == ["text", "boilerplate"]


def test_scores_by_hand() -> None:
    """10 + 20 + 100 characters: to hold the 20, the target has to grow by 20 of 30, which the whole page exceeds."""
    page = Features(segment(f"{'a' * 10}<div>{'b' * 20}<div>{'c' * 100}</div></div>"))
    assert density(page, "en").values == pytest.approx([1, 0.5 + 20 / 30 / 2, 0])


def test_the_densest_child_is_not_entered_if_it_holds_half_or_less() -> None:
    page = Features(segment(f"<div>{'a' * 50}</div><div>{'b' * 25}<p>{'c' * 25}</p></div>"))
    assert density(page, "en").labels == ["text"] * 3


def test_a_sparse_page_is_boilerplate() -> None:
    page = Features(segment("<table>" + "<tr><td>one<td>two" * 9 + "</table>"))
    assert set(density(page, "en", SPARSE).labels) == {"sparse"}
    assert set(density(page, "en").labels) == {"text"}


@pytest.mark.parametrize("padding", ["<br>", "<p></p>", "<hr>", "<b></b>"])
def test_elements_without_text_and_line_breaks_count(padding: str) -> None:
    """2.5: `<br>` is a structure tag. 30 characters in one element are denser than 50 in two; a `<b>` counts nothing.

    The denser child has not more than half of the text, so all of the page is text.
    """
    page = Features(segment(f"<div>{'a' * 30}</div><div>{'b' * 50}{padding}</div>"))
    expected = ["text", "text"] if padding != "<b></b>" else ["boilerplate", "text"]
    assert density(page, "en").labels == expected


def test_line_breaks_make_a_page_sparse() -> None:
    """Nine lines of 9 characters are a text of 89 with spaces: in the body with 8 `<br>` that is 9.9 an element."""
    assert density(Features(segment("<br>".join(["a" * 10] * 9))), "en", SPARSE).labels == ["text"]  # 98 / 9
    page = Features(segment("<br>".join(["a" * 9] * 9)))
    assert density(page, "en", SPARSE).labels == ["sparse"]
    assert density(page, "en").labels == ["text"]


def test_the_first_heading_is_added() -> None:
    """`--addtitle`: getMainHeadline takes the first of all headings, wherever it stands."""
    page = Features(segment(f"<div>menu</div><h2>Mills</h2><h1>More</h1><div>{'a' * 90}</div>"))
    assert density(page, "en").labels == ["boilerplate"] * 3 + ["text"]
    found = density(page, "en", Parameters(addtitle=True))
    assert found.labels == ["boilerplate", "text", "boilerplate", "text"]
    assert found.values[1] == 0
    assert density(Features(segment("word")), "en", Parameters(addtitle=True)).labels == ["text"]


def test_the_old_name() -> None:
    page = Features(segment("<table>" + "<tr><td>one<td>two" * 9 + "</table>"))
    same = [method_named(name).score(page, "en").labels for name in ("density-sparse", "density:sparse=yes")]
    assert same == [["sparse"] * 18] * 2


def test_a_page_without_blocks() -> None:
    assert density(Features(segment("<div></div>")), "en").labels == []


@pytest.mark.parametrize("depth", [100_000])
def test_deep_pages_take_linear_time(depth: int) -> None:
    page = Features(segment("word <div>" * depth))
    assert len(density(page, "en").labels) == len(page.blocks)
