"""The method `texrex`: a multi-layer perceptron on 37 features.

Schäfer, Accurate and efficient general-purpose boilerplate detection for crawled web corpora (2016). The features are
those of his Table 1. The network is 37-18-1 (section 3.1), one each for English, French, Swedish and German; pages in
other languages get one that was trained on all four. The score is the output of the network.

His data and his program fix what Table 1 leaves open: the length of a block does not count its last character, letters
and digits are divided by what is not white space, DocMarkupProp is the share of *text* in the page, and a block takes
its container from the last container tag before its text, be it a start tag or an end tag. Three things differ. A year
is 2000 to 2029, not to 2019. Blocks end where Gristmill's blocks end, at some more tags than his. And what Gristmill's
blocks do not contain is estimated: how much markup stands before a block's first letter, how many of its tags are start
tags, and the type of the document, which is set to its mean in the training data.

In scripts without spaces, the length of a block and of its sentences is that of as many words in an alphabet, letters
have no case, and wide full stops end sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores, page_method
from gristmill.cleaning.models import check_features, load
from gristmill.cleaning.segmented import Segmented
from gristmill.text.characters import Characters

FEATURES = tuple(
    (
        "Length PageProp PercText PercDiv DocMarkupProp MarkupProp PunctProp LetterProp NumberProp TagProp EmailProp"
        " UriProp HashProp YearProp AnchorProp UpperProp SentBogus SentLength SentCount Copy EndsPunct"
        " DtXhtml DtHtml4 DtHtml5 ContArticle ContSection ContDiv ContP ContH ContBlock ContTd ContLi ContClose"
        " OpenProp SkippedDivs Window1 Window2"
    ).split()
)
"""The names of the features, in the order of the training data."""
DOCTYPES = slice(FEATURES.index("DtXhtml"), FEATURES.index("DtHtml5") + 1)

_CONTAINERS = {"article": 0, "section": 1, "div": 2, "p": 3, "blockquote": 5, "td": 6, "li": 7}
_CONTAINERS.update(dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), 4))
_NO_CONTAINER = 8
_MARKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"<[A-Za-z!?/][^<>\n]{0,999}>",
        r"(?<![^\W_])[\w.-]{1,64}@[\w.-]{1,255}",
        r"(?<![^\W_])(?:[^\W\d_]{2,6}://|www\.)[^\s]",
        r"#\d{0,20}[^\W\d_]",
        r"(?<=[^0-9\n])20[0-2][0-9](?![0-9])",
    )
)
_HINTS = ("<", "@", ("://", "www."), "#", "20")  # a text without the hint is not searched for the pattern
# Average lengths, for estimates.
_CHARACTERS_PER_WORD = 5  # in languages with spaces
_CHARACTERS_PER_TAG_BETWEEN = 10  # of tags between blocks
_CHARACTERS_PER_TAG_INSIDE = 40  # of tags inside blocks, many of which are links
_CHARACTERS_PER_END_TAG = 6


def with_model(arrays: Mapping[str, npt.NDArray[Any]]) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("texrex", arrays, FEATURES)
    return lambda page, lang: _score(page, lang, arrays)


@page_method("texrex", with_model=with_model)
def texrex(page: Features, lang: str) -> Scores:
    """Score by the perceptron for the language, or by the one for all languages."""
    return _score(page, lang, load("texrex", FEATURES))


def _score(page: Features, lang: str, weights: Mapping[str, npt.NDArray[Any]]) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    inputs = features(page)
    inputs[:, DOCTYPES] = weights["doctypes"]
    values = output(inputs, network(weights, lang))
    return Scores(values, ["boilerplate" if value > 0.5 else "text" for value in values.tolist()])


Network = tuple[Floats, Floats, Floats, Floats]
"""Weights and biases of the hidden layer, then of the output."""


def network(weights: Mapping[str, npt.NDArray[Any]], lang: str) -> Network:
    """Return the weights for a language; for a language without its own, those for all."""
    name = lang if f"{lang}.hidden" in weights else "all"
    hidden, hidden_bias, out, out_bias = (
        weights[f"{name}.{part}"].astype(np.float64) for part in ("hidden", "hidden_bias", "out", "out_bias")
    )
    return hidden, hidden_bias, out, out_bias


def output(inputs: Floats, weights: Network) -> Floats:
    """Compute the output of the perceptron: symmetric sigmoid hidden units and a bounded linear output."""
    hidden, hidden_bias, out, out_bias = weights
    return np.clip(np.tanh(inputs @ hidden + hidden_bias) @ out + out_bias, 0.0, 1.0)


def features(page: Features) -> Floats:
    """Compute the features of all blocks, a row each; the type of the document is left at 0."""
    characters = Characters(page.texts)
    lengths = np.maximum(1, characters.lengths - 1)
    spaces = characters.count(characters.are("Z"))
    # More words than spaces separate: a script without spaces, in which fewer characters say as much.
    read = np.where(page.words > spaces + 1, np.maximum(lengths, _CHARACTERS_PER_WORD * page.words), lengths)
    columns = [
        np.minimum(read, 1000) / 1000,
        *_sizes(page, lengths),
        *_texts(page, characters, lengths, np.maximum(1, lengths - spaces), read),
        *([np.zeros(len(lengths))] * 3),
        *_markup(page.page, page.tags),
    ]
    table = np.stack(columns, 1)
    raw = np.pad(table[:, FEATURES.index("MarkupProp")], 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(raw, 5)
    return np.column_stack((table, windows[:, 1:4].mean(1), windows.mean(1)))


def _sizes(page: Features, lengths: Ints) -> list[Floats]:
    """Compute the columns PageProp to MarkupProp."""
    total = max(1, int(lengths.sum()))
    middle = (np.cumsum(lengths) - lengths / 2) / total
    raw = np.maximum(lengths, _raw_lengths(page))
    return [
        lengths / total,
        2 * np.abs(middle - 0.5),
        2 * np.abs(np.arange(len(lengths)) / len(lengths) - 0.5),
        np.full(len(lengths), min(1.0, total / max(1, page.page.length))),
        (raw - lengths) / raw,
    ]


def _raw_lengths(page: Features) -> Ints:
    """Estimate how long each block is in the source, from behind the tag before it to behind the tag after it.

    Only the position of its text is known. If there are tags in the block, some may stand before the text: as much of
    the gap as the tags between the blocks leave, but no more than so many tags take.
    """
    starts = page.columns.start.astype(np.int64)
    ends = page.columns.end.astype(np.int64)
    gaps = starts - np.concatenate(([0], ends[:-1])) - _CHARACTERS_PER_TAG_BETWEEN * page.page.tags_before
    inside = _CHARACTERS_PER_TAG_INSIDE * page.tags - (ends - starts - page.characters)
    lengths: Ints = ends - starts + np.clip(gaps, 0, np.maximum(0, inside)) + _CHARACTERS_PER_END_TAG
    return lengths


def _texts(page: Features, characters: Characters, lengths: Ints, solid: Ints, read: Ints) -> list[Floats]:
    """Compute the columns PunctProp to EndsPunct."""
    upper, letters = characters.count(characters.are("Lu")), characters.count(characters.are("L"))
    ends, wide_ends = characters.among(".?!"), characters.among("。？！")
    last = (ends | wide_ends)[characters.starts + np.maximum(0, characters.lengths - 1)]
    ends[:-1] &= characters.are("Z")[1:]
    sentences = characters.count(ends | wide_ends)
    count = np.maximum(1, sentences)
    return [
        characters.count(characters.are("P")) / lengths,
        letters / solid,
        characters.count(characters.are("N")) / solid,
        *(marks / solid for marks in _marks(page.texts)),
        page.links / solid,
        upper / np.maximum(1, letters),
        (sentences == 0).astype(np.float64),
        np.minimum(100, read // count) / 100,
        np.minimum(10, count) / 10,
        (characters.count(characters.codes == ord("©")) > 0).astype(np.float64),
        last.astype(np.float64),
    ]


def _marks(texts: list[str]) -> list[Ints]:
    """Count the literal tags, e-mail addresses, URLs, hashtags and years in each text."""
    counts = []
    for pattern, hints in zip(_MARKS, _HINTS, strict=True):
        wanted = hints if isinstance(hints, tuple) else (hints,)
        counts.append(
            np.array(
                [len(pattern.findall(text)) if any(hint in text for hint in wanted) else 0 for text in texts], np.intp
            )
        )
    return counts


def _markup(page: Segmented, tags: Ints) -> list[Floats]:
    """Compute the columns ContArticle to SkippedDivs."""
    elements, holders, number = page.elements, page.holders, len(page)
    own = np.array([_CONTAINERS.get(tag, _NO_CONTAINER) for tag in elements.tags])
    breaks = own != _NO_CONTAINER
    containers = _nearest(own, elements.parents)
    opened, closed = (
        np.bincount(places[1:], minlength=number + 1)[:number] for places in (elements.first, elements.end)
    )
    skipped = sum(
        np.bincount(places[1:][breaks[1:]], minlength=number + 1)[:number] for places in (elements.first, elements.end)
    )
    # Text behind an end tag: the element that ended there stood in the same element as the text.
    last = elements.end < number
    last[0] = False
    last[last] &= holders[elements.end[last]] == elements.parents[last]
    ended = np.full(number, -1)
    ended[elements.end[last]] = np.flatnonzero(last)
    container = np.where(ended >= 0, containers[ended], containers[holders])
    one_hot = container[:, None] == np.arange(_NO_CONTAINER)
    return [
        *one_hot.astype(np.float64).T,
        (ended >= 0).astype(np.float64),
        _share_of_start_tags(opened, closed, tags, elements.end[holders] == np.arange(1, number + 1)),
        np.clip(skipped - np.append(0, np.ones(number - 1)), 0, 20) / 20,
    ]


def _nearest(own: Ints, parents: Ints) -> Ints:
    """Return for each element its own kind of container, or that of the nearest container around it.

    By pointer doubling: the distance that `up` reaches doubles with each step, until nothing changes.
    """
    up = np.where(own == _NO_CONTAINER, parents, np.arange(len(own)))
    while True:
        further = up[up]
        if np.array_equal(further, up):
            return own[up]
        up = further


def _share_of_start_tags(opened: Ints, closed: Ints, tags: Ints, ends_with_element: npt.NDArray[np.bool_]) -> Floats:
    """Compute OpenProp: the share of start tags among the tags since the block before and the one that ends this block.

    Of the tags inside a block, half are taken for start tags.
    """
    starts_own, ends_own = (~ends_with_element).astype(np.intp), ends_with_element.astype(np.intp)
    starts = opened - np.append(0, starts_own[:-1]) + starts_own + tags / 2
    ends = closed - np.append(0, ends_own[:-1]) + ends_own + tags / 2
    starts, ends = np.maximum(0, starts), np.maximum(0, ends)
    share: Floats = starts / np.maximum(1, starts + ends)
    return share
