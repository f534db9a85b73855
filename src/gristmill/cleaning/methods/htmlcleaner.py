"""The method `htmlcleaner`.

Girardi, Htmlcleaner: extracting the relevant text from the web pages (2007); Pomikálek (2011), 2.6.5; Baisa (2009),
1.2. The text of a page is the run of blocks with the most characters in function words less those in links (nFW - nA)
that begins and ends with a good sentence: longer than the average, with a capital first and a punctuation mark last.
The unit is the block, where Girardi has sentences; the function words are the stop list; the characters in links are
estimated from the share of words in links. Without a stop list, the usual share of the text counts as function words.
Letters without case can begin a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import filterfalse

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores, page_method
from gristmill.cleaning.methods.subsequence import score_best_run

_LETTERS = re.compile(r"[^\W\d_]+")
_USUAL_FUNCTION_WORD_SHARE = 0.3  # of the characters of running text


@page_method("htmlcleaner")
def htmlcleaner(page: Features, lang: str) -> Scores:
    """Score blocks by how much they add to the best run, or would take from it."""
    values = _function_word_characters(page, lang) - page.characters * page.link_density
    return score_best_run(values, np.zeros(len(values)), _good_sentences(page))


def _function_word_characters(page: Features, lang: str) -> Floats:
    """Count the characters of each block that are in function words."""
    stop_words = page.models.stop_list(lang)
    if not stop_words:
        return np.multiply(page.characters, _USUAL_FUNCTION_WORD_SHARE, dtype=float)
    return np.array([sum(map(len, filter(stop_words.__contains__, _words(text)))) for text in page.texts], float)


def _words(text: str) -> list[str]:
    """Return all words of a text, in any order. The expression is slow, so it sees only items with other characters."""
    items = text.split()
    return [*filter(str.isalpha, items), *_LETTERS.findall(" ".join(filterfalse(str.isalpha, items)))]


def _good_sentences(page: Features) -> npt.NDArray[np.bool_]:
    """Tell which blocks are long enough, and begin and end as sentences do."""
    good = page.characters > page.characters.mean() if page.texts else np.zeros(0, np.bool_)
    for at in np.flatnonzero(good):
        text = page.texts[at]
        first = _LETTERS.search(text)
        good[at] = first is not None and not first[0][0].islower() and unicodedata.category(text[-1]).startswith("P")
    return good
