"""jusText: Pomikálek, Removing Boilerplate and Duplicate Content from Web Corpora (2011), section 2.7.

Algorithm 2.2 classifies each block by its own properties as good, bad, short or near-good; Algorithm 2.3 then settles the short and
near-good ones by the good and bad blocks around them. The thresholds are those of jusText A (Table 2.7).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from gristmill.clean.methods.registry import METHODS
from gristmill.clean.words import has_unspaced_script
from gristmill.document import Block
from gristmill.language import stop_list

Class = Literal["good", "bad", "short", "near-good"]

_DECIDED = frozenset({"good", "bad"})
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")  # a hyphen does not divide a word (footnote 16)

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
    stop_words, limits = stop_list(lang), Thresholds()
    classes = [classify(block, stop_words, limits) for block in blocks]
    for block, own, good in zip(blocks, classes, settle(classes), strict=True):
        block.label, block.score = _VERDICTS[own, good]


def classify(block: Block, stop_words: frozenset[str], limits: Thresholds) -> Class:
    """Algorithm 2.2, context-free. A block inside `<select>` or with a copyright sign is bad (2.7.1).

    Where there is no list of stop words for a language, or none can be matched (scripts without spaces), length alone decides.
    """
    words, link_words, text = block.words, block.link_words, block.text
    if link_words and link_words / words > limits.max_link_density:
        return "bad"
    if "©" in text or "/select" in block.path:
        return "bad"
    if words < limits.length_low:
        return "bad" if link_words else "short"
    density = _stop_word_density(text, stop_words)
    if density is None or density > limits.stopwords_high:
        return "good" if words > limits.length_high else "near-good"
    return "near-good" if density > limits.stopwords_low else "bad"


def _stop_word_density(text: str, stop_words: frozenset[str]) -> float | None:
    if not stop_words or has_unspaced_script(text):
        return None
    words = _WORD.findall(text)
    return sum(map(stop_words.__contains__, words)) / len(words) if words else 0.0


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
