"""The language models of `hofmann:by=title`: elements that the titles of the page could be a query for.

As in information retrieval, an element is the more relevant the more likely its language model makes the query. Baisa
(2009), 1.2, gives no formula and does not say how elements are chosen. Here it is query likelihood with Dirichlet
smoothing (Zhai and Lafferty 2001), and all elements are chosen that explain the titles better than the page does. The
titles are `<title>` and the headings `<h1>`. In scripts without spaces each character is a word.
"""

from __future__ import annotations

import re

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.features import Features
from gristmill.kernel.elements import CODES
from gristmill.text.scripts import UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_MAX_QUERY_WORDS = 64  # different ones, so that memory is bounded


def gains(page: Features, smoothing: float) -> Floats:
    """Give for each block how much better than the page its best element explains a word of the titles, in nats.

    Elements are all that hold the block but those that hold all words of the page, as the body does, and the block
    itself. A page of 10 words has the title "Mill", which with the title is 3 of its 11 words; an element has 2 of them
    among its 4. With a smoothing of 11 words, it explains the title by (2 + 11 * 3/11) / (4 + 11) = 1/3, and the page
    by (2 + 3) / (10 + 11) = 5/21: the gain is log 7/5. On a page without titles no element is better than another, and
    all gains are 0.
    """
    number, elements = len(page), page.page.elements
    query = titles(page)
    if not query or not number:
        return np.zeros(number)
    places = {word: at for at, word in enumerate(dict.fromkeys(query))}
    counts, words = _counts(page, places)
    asked = np.bincount([places[word] for word in query], minlength=len(places))
    usual = (counts[-1] + asked) / (words[-1] + len(query))

    def explained(found: Floats, lengths: Floats) -> Floats:
        chances = (found + smoothing * usual) / (lengths + smoothing)[:, None]
        likelihoods: Floats = np.log(chances) @ asked / len(query)
        return likelihoods

    first, end = elements.first, elements.end
    lengths = words[end] - words[first]
    of_elements = np.where(lengths < words[-1], explained(counts[end] - counts[first], lengths), -np.inf)
    of_blocks = explained(np.diff(counts, axis=0), np.diff(words))
    best = np.maximum(of_blocks, _best_above(of_elements, elements.parents)[page.page.holders])
    gain: Floats = best - explained(counts[-1:], words[-1:])
    return gain


def titles(page: Features) -> list[str]:
    """Return the words of the titles of a page."""
    codes = page.page.elements.codes[page.page.holders]
    headings = [page.texts[at] for at in np.flatnonzero(codes == CODES["h1"]).tolist()]
    words = _WORD.findall(" ".join([page.page.metadata.title, *headings]).lower())
    known = set(list(dict.fromkeys(words))[:_MAX_QUERY_WORDS])
    return [word for word in words if word in known]


def _counts(page: Features, places: dict[str, int]) -> tuple[Floats, Floats]:
    """Count each word of the titles, and all words, in the blocks before each block and in all of them."""
    counts = np.zeros((len(page) + 1, len(places)))
    lengths = np.zeros(len(page), np.int64)
    for at, text in enumerate(page.texts):
        words = _WORD.findall(text.lower())
        lengths[at] = len(words)
        for word in filter(places.__contains__, words):
            counts[at + 1, places[word]] += 1
    return np.cumsum(counts, 0), starts_of(lengths).astype(np.float64)


def _best_above(values: Floats, parents: Ints) -> Floats:
    """Give for each element the largest value of those around it and of itself.

    By pointer doubling: `above` is first the parent of each element, then its grandparent, then the fourth above.
    """
    best, above = values, parents
    while above.any():
        best = np.maximum(best, best[above])
        above = above[above]
    return best
