"""The filters `datatrove-quality` and `datatrove-ngrams`: Gopher's rules as DataTrove counts, and FineWeb was made.

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
from gristmill.filter.repetition import RepeatedNgrams, repeated_ngrams
from gristmill.registry import part
from gristmill.text.scripts import has_unspaced_script

# Close to DataTrove's tokeniser for English: `1,000`, `a_b`, `--all` and addresses are one token, `it’s` is two, a
# hyphen separates, `...` is one.
_TOKEN = re.compile(
    r"https?://\S++"
    r"|(?:(?<!\S)[-@/.~]{1,2}+)?[^\W_]++(?:[.,:/@_][^\W_]++)*+"
    r"|(?<=\w)['’][^\W_]{1,2}+(?!\w)"
    r"|\.{2,}+|--++|[^\w\s]|_"
)
_BULLETS = ("•", "-")


@part("filter", "datatrove-quality")
@dataclass(frozen=True)
class DatatroveQuality(GopherQuality):
    """Applies `gopher-quality`, but punctuation marks count as words (DataTrove; FineWeb: Penedo et al. 2024).

    So text is dropped in which more than every fifth token is a mark or a number, since it has no letters. Marks don't
    count for the number of words and their length.
    """

    def measure(self, document: Document) -> Measured:
        """Compute the figures, where words and punctuation marks are tokens."""
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


@part("filter", "datatrove-ngrams")
@dataclass(frozen=True)
class DatatroveNgrams(RepeatedNgrams):
    """Applies `repeated-ngrams`, but first copies don't count (DataTrove; FineWeb: Penedo et al. 2024).

    Of copies that overlap, only the first counts. Shares are of all characters, with the spaces between words.
    Punctuation marks are words of their own.
    """

    def shares(self, text: str) -> dict[str, float]:
        """Return the share of characters for each threshold."""
        tokens = _TOKEN.findall(text)
        ends = starts_of(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        total = max(len(text), 1)
        shares = {}
        for n, (places, groups, counts) in repeated_ngrams(tokens):
            lengths = ends[places + n] - ends[places]
            if f"top{n}" in self.__dataclass_fields__:
                often = counts[groups]
                with_spaces = lengths + n - 1
                shares[f"top{n}"] = int(with_spaces[np.argmax(often)] * often.max()) / total if len(places) else 0.0
            else:
                shares[f"all{n}"] = _later_copies(places.tolist(), groups.tolist(), lengths.tolist(), n) / total
        return shares


def _later_copies(places: list[int], groups: list[int], lengths: list[int], n: int) -> int:
    """Count the characters of n-grams that occur before; the next copy is looked for behind the last one."""
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
