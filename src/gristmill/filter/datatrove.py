"""Gopher's rules as DataTrove counts, and so as FineWeb was made.

Punctuation marks are words of their own, and the first copy of what is repeated does not count.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.ragged import starts_of
from gristmill.document import Document
from gristmill.filter.gopher import GopherQuality, Measured, count_symbols, has_letter
from gristmill.filter.registry import FILTERS
from gristmill.filter.repetition import RepeatedNgrams, repeated_ngrams
from gristmill.text.scripts import has_unspaced_script

# Near to DataTrove's tokeniser for English: `1,000`, `a_b`, `--all` and addresses are whole, `it’s` is two, a hyphen
# divides, `...` is one.
_TOKEN = re.compile(
    r"https?://\S++|(?:(?<!\S)[-@/.~]{1,2}+)?[^\W_]++(?:[.,:/@_][^\W_]++)*+|(?<=\w)['’][^\W_]{1,2}+(?!\w)|\.{2,}+|--++|[^\w\s]|_"
)
_BULLETS = ("•", "-")


@FILTERS.register("datatrove-quality")
@dataclass(frozen=True)
class DatatroveQuality(GopherQuality):
    """The rules of `gopher-quality`, where punctuation marks are words without letters (DataTrove; FineWeb: Penedo et al. 2024).

    So text goes in which every fifth word or mark is a mark or a number. Marks don't count for the number of words and
    their length.
    """

    def measure(self, document: Document) -> Measured:
        """Count words and marks."""
        text = document.folded
        tokens = Counter(_TOKEN.findall(text))
        words = {token: number for token, number in tokens.items() if token[0].isalnum() or token[-1].isalnum()}
        total, count = max(tokens.total(), 1), sum(words.values())
        lines = text.splitlines()
        spaced = not has_unspaced_script(text)
        return Measured(
            words=count if spaced else document.words,
            spaced=spaced,
            length=sum([len(word) * number for word, number in words.items()]) / max(count, 1),
            symbols=count_symbols(text) / total,
            bullets=sum([line.lstrip().startswith(_BULLETS) for line in lines]) / max(len(lines), 1),
            letters=sum([number for word, number in words.items() if has_letter(word)]) / total,
        )


@FILTERS.register("datatrove-ngrams")
@dataclass(frozen=True)
class DatatroveNgrams(RepeatedNgrams):
    """The rules of `repeated-ngrams`, where only later copies count, and those that overlap another one don't (DataTrove; FineWeb).

    Characters are a part of all, with the spaces between words. Punctuation marks are words of their own.
    """

    def shares(self, text: str) -> dict[str, float]:
        """The share of characters for each threshold."""
        tokens = _TOKEN.findall(text)
        ends = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        total = max(len(text), 1)
        shares = {}
        for n, (places, groups, counts) in repeated_ngrams(tokens):
            lengths = ends[places + n] - ends[places]
            if f"top{n}" in self.__dataclass_fields__:
                often = counts[groups]
                shares[f"top{n}"] = (
                    int((lengths + n - 1)[np.argmax(often)] * often.max()) / total if len(places) else 0.0
                )
            else:
                shares[f"all{n}"] = _later_copies(places.tolist(), groups.tolist(), lengths.tolist(), n) / total
        return shares


def _later_copies(places: list[int], groups: list[int], lengths: list[int], n: int) -> int:
    """Characters of n-grams that were there before; after one that was, the next one begins behind it."""
    seen: set[int] = set()
    characters = behind = 0
    for place, group, length in zip(places, groups, lengths, strict=True):
        if place < behind:
            continue
        if group in seen:
            characters += length
            behind = place + n
        else:
            seen.add(group)
    return characters
