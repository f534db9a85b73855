"""The descent to the densest element, against Algorithm 1 as it is printed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.density import density, density_sparse
from gristmill.cleaning.segmentation import segment

Node = Any
"""A text, or a list of nodes that stand in one element."""

nodes = st.recursive(
    st.integers(1, 60).map(lambda length: "w" * length),
    lambda inner: st.lists(inner, min_size=1, max_size=4),
    max_leaves=15,
)


def html(node: Node) -> str:
    return node if isinstance(node, str) else "<div>" + "<br><br>".join(map(html, node)) + "</div>"


def characters(node: Node) -> int:
    return len(node) if isinstance(node, str) else sum(map(characters, node))


def elements(node: Node) -> int:
    return 0 if isinstance(node, str) else 1 + sum(map(elements, node))


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
    page = Features(segment("<br><br>".join(map(html, root))))
    assert page.texts == texts(root)
    found, wanted = density(page, "en"), target(root)
    assert [text for text, value in zip(page.texts, found.values, strict=True) if value <= 0.5] == texts(wanted)
    assert found.labels == ["text" if value <= 0.5 else "boilerplate" for value in found.values]
    dense = characters(wanted) / elements(wanted) >= 10
    assert density_sparse(page, "en").values.tolist() == (found.values.tolist() if dense else [1] * len(page.blocks))


def test_scores_by_hand() -> None:
    """10 + 20 + 100 characters: to hold the 20, the target has to grow by 20 of 30, which the whole page exceeds."""
    page = Features(segment(f"{'a' * 10}<div>{'b' * 20}<div>{'c' * 100}</div></div>"))
    assert density(page, "en").values == pytest.approx([1, 0.5 + 20 / 30 / 2, 0])


def test_the_densest_child_is_not_entered_if_it_holds_half_or_less() -> None:
    page = Features(segment(f"<div>{'a' * 50}</div><div>{'b' * 25}<p>{'c' * 25}</p></div>"))
    assert density(page, "en").labels == ["text"] * 3


def test_a_sparse_page_is_boilerplate() -> None:
    page = Features(segment("<table>" + "<tr><td>one<td>two" * 9 + "</table>"))
    assert set(density_sparse(page, "en").labels) == {"sparse"}
    assert set(density(page, "en").labels) == {"text"}


def test_elements_without_text_do_not_count() -> None:
    bare, padded = (
        f"<div>{'a' * 30}</div><div>{'b' * 50}</div>",
        f"<div>{'a' * 30}</div><div><p></p><p></p>{'b' * 50}<p></p></div>",
    )
    for html_ in (bare, padded):
        assert density(Features(segment(html_)), "en").labels == ["boilerplate", "text"]


def test_a_page_without_blocks() -> None:
    assert density(Features(segment("<div></div>")), "en").labels == []


@pytest.mark.parametrize("depth", [100_000])
def test_deep_pages_take_linear_time(depth: int) -> None:
    page = Features(segment("word <div>" * depth))
    assert len(density(page, "en").labels) == len(page.blocks)
