"""Canola's text nodes: how they are read, and how the blocks of a cleaned page are found again in them."""

from __future__ import annotations

import re

import gristmill
from gristmill.evaluation import Counts, GoldPage, score
from gristmill.evaluation.nodes import TextNode, by_nodes, gold_with_undecided, keeps, perfect_fragments, text_nodes

GOOD = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he "
    "had said it would do. "
) * 3
ANNOTATED = f"""<html><head><title>no text</title><style>p {{}}</style></head><body>
<ul><li><a href="/"><kw class="krdwrd-tag-1-100">River</kw></a>\
<li><a href="/"><kw class="krdwrd-tag-1-80">The mill</kw></a></ul>
<h1><kw class="krdwrd-tag-2-60">A caption</kw></h1><br>
<p class="x"><kw class="krdwrd-tag-3-100">{GOOD}<b>said</b> he.</kw> <kw class="krdwrd-tag-mrgtie-50">tied</kw></p>
<select><option class="krdwrd-tag-1">none</select>\
<p class="krdwrd-tag-3">Unknown <kw class="krdwrd-tag-1">inner</kw> again</p>
<p>not annotated</p><p><kw class="krdwrd-tag-7">odd</kw> - <kw class="krdwrd-tag-1"> , </kw></p></body></html>"""


def nodes_of(*verdicts: str) -> list[TextNode]:
    return [TextNode("x" * 10, verdict) for verdict in verdicts]  # type: ignore[arg-type]


def test_text_nodes() -> None:
    nodes = text_nodes(ANNOTATED)
    assert [(node.text, node.verdict, node.reliability) for node in nodes] == [
        ("River", "bad", 100),
        ("The mill", "bad", 80),
        ("A caption", "undecided", 60),
        (GOOD.strip(), "good", 100),
        ("said", "good", 100),
        ("he.", "good", 100),
        ("tied", "undecided", 50),
        ("Unknown", "good", None),
        ("inner", "bad", None),
        ("again", "good", None),
        ("not annotated", "", None),
        ("odd", "", None),
    ]


def test_blocks_are_found_again() -> None:
    html = re.sub(r'<kw class="[^"]*">', "<kw>", ANNOTATED)
    nodes = text_nodes(ANNOTATED)
    document = gristmill.clean(html, lang="en", method="justext")
    kept = {node.text for node, keep in zip(nodes, keeps(document, nodes), strict=True) if keep}
    assert kept == {GOOD.strip(), "said", "he.", "tied"}
    for block in document.blocks:
        block.score = 0.0
    assert all(keeps(document, nodes))


def test_counts_at_two_thresholds() -> None:
    nodes = [
        TextNode("a" * 10, "good", 100),
        TextNode("b" * 20, "good", 70),
        TextNode("c" * 5, "bad", 100),
        TextNode("d" * 7, "bad"),
    ]
    nodes += [TextNode("e" * 100, "undecided", 100), TextNode("f" * 100)]
    everything = [True] * len(nodes)
    assert by_nodes(nodes, everything, 100) == Counts(10, 15, 10)
    assert by_nodes(nodes, everything, 0) == Counts(30, 42, 30)
    assert by_nodes(nodes, [True, False, False, True, True, True]) == Counts(10, 17, 30)


def test_a_perfect_cleaning() -> None:
    assert perfect_fragments(nodes_of("bad", "good", "undecided", "bad", "", "bad")) == [21, 10]
    assert gold_with_undecided(text_nodes(ANNOTATED)).split("\n")[:2] == ["A caption", GOOD.strip()]


def test_all_scores_of_a_page() -> None:
    html = re.sub(r'<kw class="[^"]*">', "<kw>", ANNOTATED).encode()
    page = GoldPage("canola", "1", html, GOOD + "said he.", "en", annotated=ANNOTATED)
    scores = score(page, gristmill.clean(html, lang="en", method="justext"))
    assert scores.nodes
    assert scores.nodes.characters[100].precision == 1
    assert scores.nodes.characters[100].recall == 1
    assert 0.9 < scores.nodes.characters[0].recall < 1
    assert scores.words.recall == 1
    assert scores.cleaneval
    assert scores.cleaneval.text_and_markup is None


def test_hostile_annotations() -> None:
    for annotated in (
        "",
        "<",
        "</p></kw>",
        "<kw class=krdwrd-tag-3>" * 5000 + "x",
        '<kw class="krdwrd-tag-">x',
        "<![x",
        "<![foo[",
        "<![foo[x]]>",
        "\x00\ud800",
    ):
        nodes = text_nodes(annotated)
        assert len(nodes) <= 1
        assert len(keeps(gristmill.clean(annotated.encode("utf-8", "replace")), nodes)) == len(nodes)
