"""Evaluate on Canola, a gold standard whose text nodes were judged by several people.

See Pomikálek 2011, 2.8.2 and 2.9.1. Each text node stands in an element of the class `krdwrd-tag-CLASS-RELIABILITY`:
1 is bad, 2 undecided, 3 good, `mrgtie` a tie; the reliability is the share of the annotators who said so, in per cent.
There are releases of the data without reliabilities.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import groupby
from typing import Literal

from gristmill.document import Document
from gristmill.evaluation.align import MAX_ALIGNED_WORDS, pairs
from gristmill.evaluation.metrics import Counts
from gristmill.evaluation.words import plain_words

Verdict = Literal["good", "bad", "undecided", ""]

_CLASS = re.compile(r"\bkrdwrd-tag-(\w+?)(?:-(\d+))?(?![\w-])")
_VERDICTS: dict[str, Verdict] = {"1": "bad", "2": "undecided", "3": "good", "mrgtie": "undecided"}
_MARKED_SECTION = re.compile(r"<!\[(?:[^>]{0,1000}>)?")  # `<![if IE]>`; of some the parser would raise an error
_NO_TEXT = frozenset({"head", "style", "script", "select"})  # as in the thesis
_VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)


@dataclass(frozen=True, slots=True)
class TextNode:
    """A text node, with white space folded, and the annotators' verdict; an empty one is none."""

    text: str
    verdict: Verdict = ""
    reliability: int | None = None


def is_canola(annotated: str | None) -> bool:
    """Whether an annotation is that of Canola, of text nodes."""
    return annotated is not None and "krdwrd-tag" in annotated


def text_nodes(annotated: str) -> list[TextNode]:
    """Read the text nodes of an annotated page that have words in them, in order."""
    reader = _Reader()
    reader.feed(_MARKED_SECTION.sub(" ", annotated))
    reader.close()
    return [node for node in reader.nodes if plain_words(node.text)]


class _Reader(HTMLParser):
    """A parser that collects text nodes; the innermost element with an annotation counts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.nodes: list[TextNode] = []
        self._open: list[tuple[str, TextNode, bool]] = [("", TextNode(""), False)]
        """The open elements: name, annotation, and whether they are within one whose text does not count."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            _, outer, hidden = self._open[-1]
            self._open.append((tag, _annotation(dict(attrs).get("class") or "") or outer, hidden or tag in _NO_TEXT))

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        _, annotation, hidden = self._open[-1]
        if text and not hidden:
            self.nodes.append(TextNode(text, annotation.verdict, annotation.reliability))


def _annotation(classes: str) -> TextNode | None:
    found = _CLASS.search(classes)
    return TextNode("", _VERDICTS.get(found[1], ""), int(found[2]) if found[2] else None) if found else None


def keeps(document: Document, nodes: Sequence[TextNode]) -> list[bool]:
    """Determine for each text node of a page whether a cleaned version of that page keeps it.

    All blocks of the document, kept and not, are aligned with the text nodes word by word. A node is kept if at least
    half of its words stand in kept blocks.
    """
    kept = {id(block) for block in document.kept()}
    block_words = [(word, id(block) in kept) for block in document.blocks for word in plain_words(block.text)]
    node_words = [(word, at) for at, node in enumerate(nodes) for word in plain_words(node.text)]
    in_text = [0] * len(nodes)
    for left, right in pairs([word for word, _ in block_words], [word for word, _ in node_words]):
        in_text[node_words[right][1]] += block_words[left][1]
    lengths = [len(plain_words(node.text)) for node in nodes]
    return [0 < length <= 2 * count for count, length in zip(in_text, lengths, strict=True)]


def is_cut(document: Document, nodes: Sequence[TextNode]) -> bool:
    """Whether the page is too long to be aligned to its end."""
    return (
        max(sum(block.words for block in document.blocks), sum(len(plain_words(node.text)) for node in nodes))
        > MAX_ALIGNED_WORDS
    )


def by_nodes(nodes: Sequence[TextNode], kept: Sequence[bool], reliability: int = 0) -> Counts:
    """Count characters in good and in kept text nodes of at least this reliability; undecided ones don't count.

    A threshold of 0 takes all nodes, also those of unknown reliability.
    """
    decided = [
        (node, keep)
        for node, keep in zip(nodes, kept, strict=True)
        if node.verdict in {"good", "bad"} and (not reliability or (node.reliability or 0) >= reliability)
    ]
    return Counts(
        sum(len(node.text) for node, keep in decided if keep and node.verdict == "good"),
        sum(len(node.text) for node, keep in decided if keep),
        sum(len(node.text) for node, _ in decided if node.verdict == "good"),
    )


def gold_with_undecided(nodes: Sequence[TextNode]) -> str:
    """The gold text with undecided nodes as well as good ones (Table 2.6, left half)."""
    return "\n".join(node.text for node in nodes if node.verdict in {"good", "undecided"})


def perfect_fragments(nodes: Sequence[TextNode]) -> list[int]:
    """The lengths of the runs of nodes that are not bad: the fragmentation of a perfect cleaning (Table 2.11)."""
    runs = groupby(nodes, key=lambda node: node.verdict != "bad")
    return [sum(len(node.text) + 1 for node in run) - 1 for good, run in runs if good]
