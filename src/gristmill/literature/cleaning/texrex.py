"""The method `texrex`: a multi-layer perceptron on 37 features.

Schäfer, Accurate and efficient general-purpose boilerplate detection for crawled web corpora (2016). The features are
those of his Table 1. The network is 37-18-1 with symmetric Gaussians as hidden units and a bounded linear output
(section 3.1), one each for English, French, Swedish and German; pages in other languages get one that was trained on
all four. The score is the output of the network. With `units=sigmoid` the networks are our own, of symmetric sigmoids
with weight decay, which fit less closely to the documents that they have seen.

Blocks end at the tags of his footnote 9, and at no other. His data and his program fix what Table 1 leaves open: the
length of a block does not count its last character, letters and digits are divided by what is not white space,
DocMarkupProp is the share of *text* in the page, a block takes its container from the last container tag before its
text, be it a start tag or an end tag, and the tags of a block are all since the block before (`texrex_markup`). Two
things differ. A year is 2000 to 2029, not to 2019. And the text of forms and of `code`, which his program drops, is
scored as any other.

In scripts without spaces, the length of a block and of its sentences is that of as many words in an alphabet, letters
have no case, and wide full stops end sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import PageScorer, Scores
from gristmill.cleaning.models import check_features, load
from gristmill.errors import UsageError
from gristmill.literature.cleaning.texrex_markup import markup_columns
from gristmill.registry import part
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
_CHARACTERS_PER_WORD = 5  # in languages with spaces, on average


GAUSSIAN, SIGMOID = UNITS = ("gaussian", "sigmoid")
"""Kinds of hidden units: his, and ours."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Which networks are used."""

    units: str = GAUSSIAN
    """The kind of their hidden units."""

    def __post_init__(self) -> None:
        if self.units not in UNITS:
            raise UsageError(f"the units of texrex are {' or '.join(UNITS)}, not {self.units!r}")


DEFAULTS = Parameters()


def with_model(arrays: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> PageScorer:
    """Make a scorer of the arrays of a model."""
    check_features("texrex", arrays, FEATURES)
    return lambda page, lang: _score(page, lang, arrays, parameters)


@part("cleaning method", "texrex", segmentation="container", with_model=with_model, parameters=DEFAULTS)
def texrex(page: Features, lang: str, parameters: Parameters = DEFAULTS) -> Scores:
    """Score by the perceptron for the language, or by the one for all languages."""
    return _score(page, lang, load("texrex", FEATURES), parameters)


def _score(page: Features, lang: str, weights: Mapping[str, npt.NDArray[Any]], parameters: Parameters) -> Scores:
    if not len(page):
        return Scores(np.zeros(0), [])
    values = output(features(page), network(weights, lang, parameters.units))
    return Scores(values, ["boilerplate" if value > 0.5 else "text" for value in values.tolist()])


class Network(NamedTuple):
    """A perceptron with one hidden layer."""

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats
    units: str = GAUSSIAN


PARTS = Network._fields[:4]
"""The names of the weights in a model, behind that of the language."""


def prefix_of(units: str) -> str:
    """Return what the names of the arrays begin with that are for networks of such units."""
    return "" if units == SIGMOID else f"{units}."


def network(weights: Mapping[str, npt.NDArray[Any]], lang: str, units: str = GAUSSIAN) -> Network:
    """Return the network for a language; for a language without its own, that for all."""
    name = lang if f"{prefix_of(units)}{lang}.hidden" in weights else "all"
    hidden, hidden_bias, out, out_bias = (
        weights[f"{prefix_of(units)}{name}.{part}"].astype(np.float64) for part in PARTS
    )
    return Network(hidden, hidden_bias, out, out_bias, units)


def output(inputs: Floats, weights: Network) -> Floats:
    """Compute the output of a perceptron, which is bounded and else linear in its hidden units."""
    return np.clip(
        active(inputs @ weights.hidden + weights.hidden_bias, weights.units) @ weights.out + weights.out_bias, 0.0, 1.0
    )


def active(sums: npt.NDArray[Any], units: str) -> npt.NDArray[Any]:
    """Compute what hidden units make of the sums of their inputs, from -1 to 1.

    As FANN has them with a steepness of 1: a symmetric Gaussian is 1 for 0 and near -1 far from it on both sides.
    """
    found: npt.NDArray[Any] = np.tanh(sums) if units == SIGMOID else 2 * np.exp(-sums * sums) - 1
    return found


def features(page: Features) -> Floats:
    """Compute the features of all blocks, a row each."""
    markup = markup_columns(page.page)
    characters = Characters(page.texts)
    lengths = np.maximum(1, characters.lengths - 1)
    spaces = characters.count(characters.are("Z"))
    # More words than spaces separate: a script without spaces, in which fewer characters say as much.
    read = np.where(page.words > spaces + 1, np.maximum(lengths, _CHARACTERS_PER_WORD * page.words), lengths)
    columns = [
        np.minimum(read, 1000) / 1000,
        *_sizes(lengths, page.page.length, markup.raw_lengths),
        *_texts(page.texts, characters, lengths, np.maximum(1, lengths - spaces), read, markup.links),
        *markup.doctypes.T,
        *markup.containers.T,
        markup.closed,
        markup.open_share,
        markup.skipped,
    ]
    table = np.stack(columns, 1)
    raw = np.pad(table[:, FEATURES.index("MarkupProp")], 2, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(raw, 5)
    return np.column_stack((table, windows[:, 1:4].mean(1), windows.mean(1)))


def _sizes(lengths: Ints, page_length: int, raw_lengths: Ints) -> list[Floats]:
    """Compute the columns PageProp to MarkupProp."""
    total = max(1, int(lengths.sum()))
    middle = (np.cumsum(lengths) - lengths / 2) / total
    raw = np.maximum(lengths, raw_lengths)
    return [
        lengths / total,
        2 * np.abs(middle - 0.5),
        2 * np.abs(np.arange(len(lengths)) / len(lengths) - 0.5),
        np.full(len(lengths), min(1.0, total / max(1, page_length))),
        (raw - lengths) / raw,
    ]


def _texts(
    texts: list[str], characters: Characters, lengths: Ints, solid: Ints, read: Ints, links: Ints
) -> list[Floats]:
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
        *(marks / solid for marks in _marks(texts)),
        links / solid,
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
