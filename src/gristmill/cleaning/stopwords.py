"""Stop-word density, for all blocks of a page at once: the lookup tables and conversions are shared by the blocks.

Used by the features of blocks, and by jusText for the few blocks that it asks about.
"""

from __future__ import annotations

import functools
import math
import re

from gristmill.arrays.dtypes import Flags
from gristmill.text.scripts import are_unspaced, has_unspaced_script
from gristmill.text.units import SECOND_HALVES, SURROGATES, utf16
from gristmill.text.words import are_letters, words

# Words of ASCII text by `str.translate` and `str.split`, which are C loops. First a hyphen that is not between letters
# is removed; then all characters but letters, hyphens and line ends become spaces.
_LOOSE_HYPHEN = re.compile(r"-(?:(?![A-Za-z])|(?<![A-Za-z]-))")
_ONLY_WORDS = {code: chr(code) if chr(code).isalpha() or chr(code) in "-\n" else " " for code in range(128)}


def stop_word_densities(texts: list[str], stop_words: frozenset[str]) -> list[float]:
    """Return for each text the share of stop words among its words; NaN without a stop list or without word spaces."""
    if not stop_words or not texts:
        return [math.nan] * len(texts)
    page = "\n".join(texts)
    if page.count("\n") >= len(texts):  # never for blocks of our own segmentation, whose white space is folded
        page = "\n".join(text.replace("\n", " ") for text in texts)
    if not page.isascii():
        codes = utf16(page)
        codes = codes[codes > 127]
        if _are_letters()[codes].any():  # the ASCII path below would lose them
            unspaced = are_unspaced(codes)
            return [
                math.nan if unspaced and has_unspaced_script(text) else _density(words(text), stop_words)
                for text in texts
            ]
        page = page.encode("ascii", "replace").decode()
    if "-" in page:
        page = _LOOSE_HYPHEN.sub(" ", page)
    return [_density(line.split(), stop_words) for line in page.translate(_ONLY_WORDS).split("\n")]


def _density(words: list[str], stop_words: frozenset[str]) -> float:
    return len(list(filter(stop_words.__contains__, words))) / len(words) if words else 0.0


@functools.cache
def _are_letters() -> Flags:
    """Tell for each UTF-16 code unit whether it can be part of a word; a surrogate may stand for a letter."""
    letters = are_letters().copy()
    letters[SURROGATES.start : SECOND_HALVES.start] = True
    return letters
