"""The method `site-text`: remove text that is repeated on the pages of a site. Independent of language.

The text-based method of Gibson, Punera and Tomkins, The volume and evolution of web page templates (2005); here after
Pomikálek (2011), section 2.3: "a sliding window of W characters; sampled each D-th fragment and computed its hash.
Frequent hashes are then stored and used for scanning the pages of the website for boilerplate content." Tags are
ignored: the window slides over the text of a page from block to block, with a blank between them. The hashes of each
D-th window are counted, and those whose number is within the two thresholds of `repeats` are template. Then every
window of every page is looked up. The score of a block is the share of its characters that such windows cover.

W, D and the thresholds are our own values, as the text gives none. D is small: a piece of the template that begins at
another offset on each page is sampled on one page of D only, and sites in a crawl are small.

`site-text:unit=words,window=6,step=1,count=pages,upper=0` is our own variant: windows are of words, all are hashed, and
pages are counted instead of occurrences. In scripts without spaces each character is a word then.

What is not repeated (links to related pages, a notice on one page only) is not found.

**A site of one page** has nothing to compare with: its page is cleaned by `density`, as `site-diff` does. To keep all
of it would be true to the paper, but nobody wants the menu back only because a crawl has a single page of a site. The
labels show which method was used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Hashes
from gristmill.arrays.hashing import BASE, powers, prefix_sums
from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.registry import Scores
from gristmill.errors import UsageError
from gristmill.literature.cleaning.density import density
from gristmill.literature.cleaning.repeats import Often, first_copies, repeated
from gristmill.registry import part
from gristmill.text.scripts import FIRST_UNSPACED, unspaced_codes
from gristmill.text.units import utf16

_SPACE, _BLOCK_END = 32, 10
_NO_BLOCK = -1
_LABELS = ("own", "partly repeated", "repeated")  # for a share of 0, of up to a half, of more


CHARACTERS, WORDS = "characters", "words"


@dataclass(frozen=True)
class Parameters(Often):
    """Windows and how they are sampled, and how often one has to occur."""

    unit: str = CHARACTERS
    """What a window is made of: `characters`, or `words`."""
    window: int = 24
    """Its size W, in these units."""
    step: int = 2
    """D: each so many-th window is counted."""

    def __post_init__(self) -> None:
        """Raise if windows of this kind can't be made."""
        super().__post_init__()
        if self.unit not in {CHARACTERS, WORDS}:
            raise UsageError(f"unit is {self.unit!r}: give {CHARACTERS} or {WORDS}")
        if self.window < 1 or self.step < 1:
            raise UsageError("window and step must be at least 1")


@part("cleaning method", "site-text", alone=density, parameters=Parameters())
def site_text(pages: Sequence[Features], parameters: Parameters | None = None) -> list[Scores]:
    """Score the pages of one site together."""
    parameters = parameters or Parameters()
    counted = first_copies(pages)
    if counted.sum() < 2:
        return [density(page, "") for page in pages]
    units = [hashed_words(page.texts) if parameters.unit == WORDS else _characters(page.texts) for page in pages]
    windows = [_windows(hashes, parameters.window) for hashes, _ in units]
    found = repeated(windows, counted, parameters, parameters.step)
    return [
        _scores(_covered(template, parameters.window, len(hashes)), blocks, len(page.texts))
        for page, (hashes, blocks), template in zip(pages, units, found, strict=True)
    ]


def _characters(texts: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.intp]]:
    """Return the characters of a page as numbers, and for each the block it is in.

    There is one blank between two blocks, which is in none. For the blocks `ab` and `c` these are the characters `ab c`
    of the blocks [0, 0, -1, 1].
    """
    codes = utf16("\n".join([text.replace("\n", " ") for text in texts]))
    ends = codes == _BLOCK_END
    blocks = np.where(ends, _NO_BLOCK, np.cumsum(ends))
    return np.where(ends, _SPACE, codes).astype(np.uint64) + np.uint64(1), blocks


def hashed_words(texts: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.intp]]:
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


def _windows(units: Hashes, size: int) -> Hashes:
    """Hash each run of `size` units: a difference of two prefix sums, divided by the power of its first place."""
    count = max(0, units.size - size + 1)
    sums, inverses = prefix_sums(units)
    hashes: Hashes = (sums[size : size + count] - sums[:count]) * inverses[:count]
    return hashes


def _covered(template: Flags, size: int, units: int) -> Flags:
    """Tell for each character or word whether it is in a window of the template; windows may overlap.

    Windows of two words that begin at 1 and 2 change the depth of four words by [0, 1, 1, -1] and behind them by -1;
    added up, the depth is [0, 1, 2, 1].
    """
    edges = np.zeros(units + 1, np.int64)
    starts = np.flatnonzero(template)
    edges[starts] += 1
    edges[starts + size] -= 1
    return np.cumsum(edges)[:-1] > 0


def _scores(covered: Flags, blocks: npt.NDArray[np.intp], count: int) -> Scores:
    """Score blocks by the share of their characters or words that are covered."""
    covered, blocks = covered[blocks != _NO_BLOCK], blocks[blocks != _NO_BLOCK]
    shares = np.bincount(blocks, covered, count) / np.maximum(np.bincount(blocks, minlength=count), 1)
    return Scores(shares, [_LABELS[halves] for halves in np.ceil(shares * 2).astype(int).tolist()])
