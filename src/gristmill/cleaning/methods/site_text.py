"""The method `site-text`: remove text that is repeated on the pages of a site. Independent of language.

The text-based method of Gibson, Punera and Tomkins, The volume and evolution of web page templates (2005); here after
Pomikálek (2011), section 2.3. Tags are ignored: a window slides over all words of a page, from block to block, and a
window that is on enough pages of the site is part of a template. The score of a block is the share of its words that
such windows cover. Windows are of words rather than characters, and all of them are hashed instead of each D-th, since
arrays make that cheap. In scripts without spaces each character is a word.

What is not repeated (links to related pages, a notice on one page only) is not found.

**A site of one page** has nothing to compare with: its page is cleaned by `density`, as `site-diff` does. To keep all
of it would be true to the paper, but nobody wants the menu back only because a crawl has a single page of a site. The
labels show which method was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.arrays.hashing import BASE, powers
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.density import density
from gristmill.cleaning.methods.registry import METHODS, Method, Scores
from gristmill.cleaning.methods.repeats import Often, first_copies, repeated
from gristmill.text.scripts import FIRST_UNSPACED, unspaced_codes
from gristmill.text.units import utf16

_SPACE, _BLOCK_END = 32, 10
_LABELS = ("own", "partly repeated", "repeated")  # for a share of 0, of up to a half, of more


@dataclass(frozen=True, slots=True)
class Settings:
    """The size of windows, and on how many pages a window has to be."""

    window: int = 6
    """Words."""
    often: Often = field(default_factory=Often)


def site_text(pages: Sequence[Features], settings: Settings | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    settings = settings or Settings()
    counted = first_copies(pages)
    if counted.sum() < 2:
        return [density(page, "") for page in pages]
    words = [_words(page.texts) for page in pages]
    windows = [_windows(hashes, settings.window) for hashes, _ in words]
    found = repeated(windows, counted, settings.often)
    return [
        _scores(_covered(template, settings.window, len(hashes)), blocks, len(page.texts))
        for page, (hashes, blocks), template in zip(pages, words, found, strict=True)
    ]


def _words(texts: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.intp]]:
    """Hash the words of a page, and return for each also the block it is in.

    A word's hash is the sum of its codes times powers of a base, by place within the word. For `ab c`, the words start
    at [0, 3]; the places within them are [0, 1, 2, 0]; the third term is a blank, and is 0; `reduceat` adds up the
    terms from each start to the next.
    """
    codes = utf16("\n".join([text.replace("\n", " ") for text in texts]))
    blank = (codes == _SPACE) | (codes == _BLOCK_END)
    alone = blank if codes.size == 0 or codes.max() < ord(FIRST_UNSPACED) else blank | unspaced_codes()[codes]
    starts = ~blank
    starts[1:] &= alone[1:] | alone[:-1]
    first = np.flatnonzero(starts)
    if not first.size:
        return np.zeros(0, np.uint64), first
    word = np.cumsum(starts) - 1
    within = np.arange(codes.size) - first[np.maximum(word, 0)]  # negative before the first word, where all is blank
    terms = np.where(blank, np.uint64(0), codes + np.uint64(1)) * powers(BASE, codes.size)[np.maximum(within, 0)]
    hashes = np.add.reduceat(terms, first)
    # Mixed, since hashes of windows are sums with powers of the same base, which would confuse letters of two words.
    hashes ^= hashes >> np.uint64(29)
    return hashes * np.uint64(0xBF58476D1CE4E5B9), np.cumsum(codes == _BLOCK_END)[first]


def _windows(words: Hashes, size: int) -> Hashes:
    """Hash each run of `size` words."""
    count = max(0, words.size - size + 1)
    hashes = np.zeros(count, np.uint64)
    for at, power in enumerate(powers(BASE, size)):
        hashes += words[at : at + count] * power
    return hashes


def _covered(template: Flags, size: int, words: int) -> Flags:
    """Tell for each word whether it is in a window of the template; windows may overlap.

    Windows of two words that begin at 1 and 2 change the depth of four words by [0, 1, 1, -1] and behind them by -1;
    added up, the depth is [0, 1, 2, 1].
    """
    edges = np.zeros(words + 1, np.int64)
    starts = np.flatnonzero(template)
    edges[starts] += 1
    edges[starts + size] -= 1
    return np.cumsum(edges)[:-1] > 0


def _scores(covered: Flags, blocks: npt.NDArray[np.intp], count: int) -> Scores:
    """Score blocks by the share of their words that are covered."""
    shares = np.bincount(blocks, covered, count) / np.maximum(np.bincount(blocks, minlength=count), 1)
    return Scores(shares, [_LABELS[halves] for halves in np.ceil(shares * 2).astype(int).tolist()])


METHODS.register("site-text")(Method(score=density, score_site=site_text))
