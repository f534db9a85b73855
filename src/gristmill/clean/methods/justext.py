"""jusText: Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora (2011), section 2.7.

Algorithm 2.2 classifies each block by its own properties as good, bad, short or near-good; Algorithm 2.3 then settles the short and
near-good ones by the good and bad blocks around them. The thresholds are those of jusText A (Table 2.7).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import Literal, cast

import numpy as np
import numpy.typing as npt

from gristmill.clean.methods.registry import METHODS
from gristmill.clean.words import are_unspaced, has_unspaced_script
from gristmill.decode.tidy import utf16
from gristmill.document import Block
from gristmill.language import stop_list

Class = Literal["good", "bad", "short", "near-good"]

_DECIDED = frozenset({"good", "bad"})
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")  # a hyphen does not divide a word (footnote 16)
# The same for ASCII in C loops: a hyphen that is not between letters is none of a word's, then only letters and hyphens are left.
_LOOSE_HYPHEN = re.compile(r"-(?:(?![A-Za-z])|(?<![A-Za-z]-))")
_ONLY_WORDS = {code: chr(code) if chr(code).isalpha() or chr(code) in "-\n" else " " for code in range(128)}

# Label and score by a block's own class and whether it is good in the end: a class that it has by itself counts for more than one that
# it has by its neighbours.
_VERDICTS: dict[tuple[Class, bool], tuple[str, float]] = {
    ("good", True): ("good", 0.0),
    ("near-good", True): ("near-good, good", 0.2),
    ("short", True): ("short, good", 0.4),
    ("near-good", False): ("near-good, bad", 0.6),
    ("short", False): ("short, bad", 0.8),
    ("bad", False): ("bad", 1.0),
}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The five parameters of Algorithm 2.2."""

    max_link_density: float = 0.2
    length_low: int = 10
    length_high: int = 30
    stopwords_low: float = 0.30
    stopwords_high: float = 0.32


@METHODS.register("justext")
def justext(blocks: Sequence[Block], lang: str) -> None:
    """Score blocks as jusText A does: those scored 0.4 or less are its good blocks."""
    limits = Thresholds()
    classes = [_class_without_stop_words(block, limits) for block in blocks]
    open_ = [at for at, own in enumerate(classes) if own is None]
    densities = _stop_word_densities([blocks[at].text for at in open_], stop_list(lang))
    for at, density in zip(open_, densities, strict=True):
        classes[at] = _class_by_stop_words(blocks[at], density, limits)
    decided = cast("list[Class]", classes)
    for block, own, good in zip(blocks, decided, settle(decided), strict=True):
        block.label, block.score = _VERDICTS[own, good]


def classify(block: Block, stop_words: frozenset[str], limits: Thresholds) -> Class:
    """Algorithm 2.2, context-free. A block inside `<select>` or with a copyright sign is bad (2.7.1).

    Where there is no list of stop words for a language, or none can be matched (scripts without spaces), length alone decides.
    """
    own = _class_without_stop_words(block, limits)
    return own or _class_by_stop_words(block, _stop_word_densities([block.text], stop_words)[0], limits)


def _class_without_stop_words(block: Block, limits: Thresholds) -> Class | None:
    """The first half of Algorithm 2.2; None if stop words decide."""
    words, link_words = block.words, block.link_words
    if link_words and link_words / words > limits.max_link_density:
        return "bad"
    if "©" in block.text or "/select" in block.path:
        return "bad"
    if words < limits.length_low:
        return "bad" if link_words else "short"
    return None


def _class_by_stop_words(block: Block, density: float | None, limits: Thresholds) -> Class:
    """The second half."""
    if density is None or density > limits.stopwords_high:
        return "good" if block.words > limits.length_high else "near-good"
    return "near-good" if density > limits.stopwords_low else "bad"


def _stop_word_densities(texts: list[str], stop_words: frozenset[str]) -> list[float | None]:
    """For each text the share of stop words among its words, None if it can't be told."""
    if not stop_words or not texts:
        return [None] * len(texts)
    page = "\n".join(texts)
    if page.count("\n") >= len(texts):  # never so in blocks that our own segmentation has made
        page = "\n".join(text.replace("\n", " ") for text in texts)
    if not page.isascii():
        codes = utf16(page)
        codes = codes[codes > 127]
        if _are_letters()[codes].any():  # the ASCII way below would lose them
            unspaced = are_unspaced(codes)
            return [None if unspaced and has_unspaced_script(text) else _density(_words(text), stop_words) for text in texts]
        page = page.encode("ascii", "replace").decode()
    if "-" in page:
        page = _LOOSE_HYPHEN.sub(" ", page)
    return [_density(line.split(), stop_words) for line in page.translate(_ONLY_WORDS).split("\n")]


def _words(text: str) -> list[str]:
    """All words, in any order. The expression is slow, so it gets only what is not all letters."""
    items = text.split()
    return [*filter(str.isalpha, items), *_WORD.findall(" ".join(filterfalse(str.isalpha, items)))]


def _density(words: list[str], stop_words: frozenset[str]) -> float:
    return len(list(filter(stop_words.__contains__, words))) / len(words) if words else 0.0


@functools.cache
def _are_letters() -> npt.NDArray[np.bool_]:
    """For each UTF-16 code unit whether words can have it; surrogates may stand for a letter."""
    letters = np.zeros(1 << 16, np.bool_)
    for run in _WORD.finditer("".join(map(chr, range(1 << 16)))):
        letters[slice(*run.span())] = True
    letters[0xD800:0xDC00] = True
    return letters


def settle(classes: Sequence[Class]) -> list[bool]:
    """Algorithm 2.3, context-sensitive: whether each block is good in the end."""
    before = _nearest(classes)
    after = _nearest(classes[::-1])[::-1]
    return [
        own == "good" if own in _DECIDED else _is_good(own, *left, *right) for own, left, right in zip(classes, before, after, strict=True)
    ]


def _nearest(classes: Sequence[Class]) -> list[tuple[Class, Class]]:
    """For each block the class of the nearest earlier block that is good or bad, and of the nearest that is not short.

    The edges of the page count as bad blocks.
    """
    decided: Class = "bad"
    not_short: Class = "bad"
    nearest = []
    for own in classes:
        nearest.append((decided, not_short))
        if own != "short":
            not_short = own
            if own != "near-good":
                decided = own
    return nearest


def _is_good(own: Class, left: Class, left_not_short: Class, right: Class, right_not_short: Class) -> bool:
    """Settle a short or near-good block."""
    if left == right:
        return left == "good"
    return own == "near-good" or (left_not_short if left == "bad" else right_not_short) == "near-good"
