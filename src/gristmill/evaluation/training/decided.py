"""Blocks of a page that annotators could not decide on: nothing is learned from them (Pomikálek 2011, 2.9.6)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.evaluation.align import pairs
from gristmill.evaluation.nodes import is_canola, text_nodes
from gristmill.evaluation.words import plain_words


def decided_blocks(texts: Sequence[str], annotated: str | None) -> Flags:
    """Tell which blocks count, of a page whose annotation has the classes of KrdWrd; all, if it has none.

    Blocks and text nodes are aligned word by word. A block does not count if at least half of its words stand in nodes
    that are undecided, or on which annotators are tied.
    """
    flags = np.ones(len(texts), np.bool_)
    nodes = text_nodes(annotated or "") if is_canola(annotated) else []
    if not any(node.verdict == "undecided" for node in nodes):
        return flags
    page = [(word, number) for number, text in enumerate(texts) for word in plain_words(text)]
    target = [(word, node.verdict == "undecided") for node in nodes for word in plain_words(node.text)]
    undecided, lengths = np.zeros(len(texts)), np.bincount([number for _, number in page], minlength=len(texts))
    for left, right in pairs([word for word, _ in page], [word for word, _ in target]):
        undecided[page[left][1]] += target[right][1]
    flags[(lengths > 0) & (2 * undecided >= lengths)] = False
    return flags
