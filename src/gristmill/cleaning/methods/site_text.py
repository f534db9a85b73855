"""Text that is repeated on the pages of a site: the text-based method of Gibson, Punera and Tomkins (2005).

The volume and evolution of web page templates; here after Pomikálek (2011), section 2.3. Tags are ignored: a window
slides over all the words of a page, from block to block, and a window that is on enough pages of the site is part of a
template. The score of a block is the share of its words that such windows cover. Windows are of words rather than
characters, and all of them are hashed instead of each D-th, since arrays make that cheap.

Scripts without spaces count by characters. The language makes no difference. What is not repeated (links to related
pages, a notice that is on one page only) is not found, whatever it is.

**A site of one page** has nothing to compare: its page is cleaned by `density`, as `site-diff` does. To keep all of it
would be true to the paper, but who asks for clean text does not want the menu back because a crawl found only one page
of a site. The labels tell.
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
_LABELS = ("own", "partly repeated", "repeated")  # not at all, up to half of it, more than half


@dataclass(frozen=True, slots=True)
class Settings:
    """Words of a window, and on how many pages it has to be."""

    window: int = 6
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
    """The words of a page as hashes, and for each the block it is in."""
    codes = utf16("\n".join([text.replace("\n", " ") for text in texts]))
    blank = (codes == _SPACE) | (codes == _BLOCK_END)
    alone = blank if codes.size == 0 or codes.max() < ord(FIRST_UNSPACED) else blank | unspaced_codes()[codes]
    starts = ~blank
    starts[1:] &= alone[1:] | alone[:-1]
    first = np.flatnonzero(starts)
    if not first.size:
        return np.zeros(0, np.uint64), first
    word = np.cumsum(starts) - 1
    within = (
        np.arange(codes.size) - first[np.maximum(word, 0)]
    )  # white space before the first word counts for it, but is worth nothing
    terms = np.where(blank, np.uint64(0), codes + np.uint64(1)) * powers(BASE, codes.size)[np.maximum(within, 0)]
    hashes = np.add.reduceat(terms, first)
    hashes ^= hashes >> np.uint64(
        29
    )  # so that windows, which are sums of multiples too, do not mix up letters of different words
    return hashes * np.uint64(0xBF58476D1CE4E5B9), np.cumsum(codes == _BLOCK_END)[first]


def _windows(words: Hashes, size: int) -> Hashes:
    """The hash of each run of `size` words."""
    count = max(0, words.size - size + 1)
    hashes = np.zeros(count, np.uint64)
    for at, power in enumerate(powers(BASE, size)):
        hashes += words[at : at + count] * power
    return hashes


def _covered(template: Flags, size: int, words: int) -> Flags:
    """For each word whether it is in a window of the template."""
    edges = np.zeros(words + 1, np.int64)
    starts = np.flatnonzero(template)
    edges[starts] += 1
    edges[starts + size] -= 1
    return np.cumsum(edges)[:-1] > 0


def _scores(covered: Flags, blocks: npt.NDArray[np.intp], count: int) -> Scores:
    shares = np.bincount(blocks, covered, count) / np.maximum(np.bincount(blocks, minlength=count), 1)
    return Scores(shares, [_LABELS[halves] for halves in np.ceil(shares * 2).astype(int).tolist()])


METHODS.register("site-text")(Method(score=density, score_site=site_text))
