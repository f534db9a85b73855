"""The labels of text nodes that Victor learns, from gold pages, and how many of them a model gets right.

Marek, Pecina, Spousta (2007) had five: header, text, list, continuation (of the block before) and other. Spousta,
Marek, Pecina (2008) had three: header, text and other. Accuracy is the share of nodes with the right label; unlabelled
accuracy only asks whether a node is other or not (2008, section 5.2).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.evaluation.labels import block_labels
from gristmill.evaluation.nodes import gold_with_undecided, is_canola, text_nodes
from gristmill.evaluation.training.pages import MIN_TEXT_SHARE, LabelledPage
from gristmill.evaluation.words import plain_words

LABELS_2007 = ("other", "header", "text", "list", "continuation")
TWO_LABELS = ("other", "text")
"""Those of the thesis for Canola: boilerplate and main content."""
_OTHER, _HEADER, _TEXT, _LIST, _CONTINUATION = range(5)
_SEGMENT = re.compile(r"<([phl])>(.*?)(?=<[phl]>|\Z)", re.IGNORECASE | re.DOTALL)
_KINDS = {"h": _HEADER, "p": _TEXT, "l": _LIST}


def labels_of_2007(page: LabelledPage) -> Ints:
    """Label the text nodes of a page by the markup of CleanEval; without that, all that is no boilerplate is text.

    A node that stands in the same heading, paragraph or list item of the gold text as the content before it is its
    continuation: `<p>Hello <b>world</b>!</p>` is text and two continuations.
    """
    kinds, segments = _segments_of(page)
    labels = kinds.copy()
    content = np.flatnonzero(page.is_text)
    again = (segments[content][1:] == segments[content][:-1]) & (segments[content][1:] >= 0)
    labels[content[1:][again]] = _CONTINUATION
    return labels


def labels_of_2008(page: LabelledPage) -> Ints:
    """Label the text nodes of a page as header, text or other."""
    if is_canola(page.gold.annotated):
        two = two_labels(page)
        return np.where(two > 0, _TEXT, two)
    kinds, _ = _segments_of(page)
    return np.where(kinds == _LIST, _TEXT, kinds)


def two_labels(page: LabelledPage) -> Ints:
    """Label the text nodes of a page as text or other; -1 for those that the annotators of Canola were undecided on."""
    labels = page.is_text.astype(np.intp)
    if is_canola(page.gold.annotated):
        gold = gold_with_undecided(text_nodes(page.gold.annotated or ""))
        labels[(block_labels(page.features.texts, gold) > MIN_TEXT_SHARE) & ~page.is_text] = -1
    return labels


def _segments_of(page: LabelledPage) -> tuple[Ints, Ints]:
    """Return for each text node its kind of content, and in which heading, paragraph or list item of the gold it is.

    Nodes are looked for in the gold text from the place of the last one on, and else from its beginning; where one is
    not found, it is text, in segment -1.
    """
    found = [(_KINDS[kind.lower()], plain_words(text)) for kind, text in _SEGMENT.findall(page.gold.annotated or "")]
    parts = [f" {' '.join(words)} " for _, words in found]
    gold, starts = "\n".join(parts), list(accumulate((len(part) + 1 for part in parts), initial=0))
    kinds, segments = np.where(page.is_text, _TEXT, _OTHER), np.full(len(page.is_text), -1)
    place = 0
    for at in np.flatnonzero(page.is_text).tolist() if found else ():
        wanted = f" {' '.join(plain_words(page.features.texts[at]))} "
        here = gold.find(wanted, max(0, place - 1))
        here = here if here >= 0 else gold.find(wanted)
        if here >= 0 and wanted.strip():
            place = here + len(wanted)
            segments[at] = bisect_right(starts, here) - 1
            kinds[at] = found[segments[at]][0]
    return kinds, segments


def accuracies(found: Sequence[Ints], right: Sequence[Ints]) -> dict[str, float]:
    """Return labelled and unlabelled accuracy, and precision and recall of content nodes, over the nodes of all pages.

    Found [0, 1, 2, 2] for [0, 2, 2, 0]: two of four labels are right, three of four if header and text are one, and two
    of three content nodes, which are all that there are.
    """
    labels, gold = np.concatenate([np.zeros(0, np.intp), *found]), np.concatenate([np.zeros(0, np.intp), *right])
    kept, content = labels != _OTHER, gold != _OTHER
    hits = _share(kept & content, kept), _share(kept & content, content)
    return {
        "accuracy": _share(labels == gold, np.ones(len(gold), np.bool_)),
        "unlabelled accuracy": _share(kept == content, np.ones(len(gold), np.bool_)),
        "precision": hits[0],
        "recall": hits[1],
    }


def _share(some: Flags, of: Flags) -> float:
    return round(float(some.sum() / max(1, of.sum())), 4)
