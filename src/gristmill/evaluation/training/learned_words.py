"""Learn what words say, for `mill`: words in the names of classes and ids, and the first words and pairs of blocks.

For each word, its value is the log-odds of text where it stands, less those of all words. Sites have equal weights: a
word that is on thousands of pages of one site says something about that site only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Floats
from gristmill.cleaning.methods.mill import Phrases
from gristmill.cleaning.methods.mill_features import name_words
from gristmill.cleaning.segmented import Elements

_MIN_SITES = 5  # on which a name must be to be learned
_PRIOR_SITES = 2.0  # with the mean share of text, added for each name (smoothing)
_MIN_PHRASE_SITES = 6
_PRIOR_PHRASE_SITES = 3.0

PhraseShares = tuple[npt.NDArray[np.uint32], Floats]
"""The phrases of a page, and for each the share of text in the blocks that have it."""


def name_shares(elements: Elements, words: Floats, shares: Floats) -> dict[str, float]:
    """Return for each word in the names of elements the share of text in these; blocks of 0 words don't count."""
    weights = np.sqrt(words)
    totals = np.concatenate(([[0.0, 0.0]], np.cumsum(np.stack((weights * shares, weights), axis=1), axis=0)))
    text, whole = (totals[elements.end] - totals[elements.first]).T
    found: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for names, part, all_of_it in zip(elements.names, text.tolist(), whole.tolist(), strict=True):
        if names and all_of_it > 0:
            for word in name_words(names):
                found[word][0] += part
                found[word][1] += all_of_it
    return {word: min(1.0, part / all_of_it) for word, (part, all_of_it) in found.items()}


def phrase_shares(
    phrases: npt.NDArray[np.uint32], starts: npt.NDArray[np.int32], shares: Floats, counted: Flags
) -> PhraseShares:
    """Return the phrases of the blocks of a page that count, and the share of text in the blocks with each."""
    blocks = np.repeat(np.arange(len(shares)), np.diff(starts))
    places = counted[blocks]
    keys, numbers = np.unique(phrases[places], return_inverse=True)
    return keys, _means(numbers, shares[blocks[places]])


def learn_names(pages: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """Learn the names that are on enough sites, given the site of each page and its shares of text by name."""
    sites: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for site, found in pages:
        for word, share in found.items():
            sites[word][site].append(share)
    means = {
        word: [sum(shares) / len(shares) for shares in found.values()]
        for word, found in sites.items()
        if len(found) >= _MIN_SITES
    }
    everything = [mean for found in means.values() for mean in found]
    usual = sum(everything) / max(1, len(everything))
    if not 0 < usual < 1:  # all names have text, or none has: they say nothing
        return {}
    names = {}
    for word in sorted(means):
        text, number = sum(means[word]), len(means[word])
        odds = (text + _PRIOR_SITES * usual) / (number - text + _PRIOR_SITES * (1 - usual))
        names[word] = math.log(odds) - math.log(usual / (1 - usual))
    return names


def learn_phrases(pages: Iterable[tuple[str, PhraseShares]]) -> Phrases:
    """Learn the phrases that are on enough sites, given the site of each page and its shares of text by phrase."""
    sites: defaultdict[str, list[PhraseShares]] = defaultdict(list)
    for site, found in pages:
        sites[site].append(found)
    all_keys, all_shares = _joined([_mean_of_site(found) for found in sites.values()])
    keys, numbers = np.unique(all_keys, return_inverse=True)
    text = np.bincount(numbers, all_shares, len(keys))
    count = np.bincount(numbers, minlength=len(keys))
    often = count >= _MIN_PHRASE_SITES
    keys, text, count = keys[often], text[often], count[often]
    usual = float(text.sum() / max(1, count.sum()))
    if not 0 < usual < 1:
        return Phrases.none()
    odds = (text + _PRIOR_PHRASE_SITES * usual) / (count - text + _PRIOR_PHRASE_SITES * (1 - usual))
    return Phrases(keys.astype(np.uint32), (np.log(odds) - math.log(usual / (1 - usual))).astype(np.float32))


def _mean_of_site(pages: Sequence[PhraseShares]) -> PhraseShares:
    """Return the phrases of a site, and the means of its pages."""
    if len(pages) == 1:
        return pages[0]
    all_keys, all_shares = _joined(pages)
    keys, numbers = np.unique(all_keys, return_inverse=True)
    return keys, _means(numbers, all_shares)


def _means(numbers: npt.NDArray[np.intp], values: Floats) -> Floats:
    """Return the mean of the values of each number."""
    size = int(numbers.max()) + 1 if len(numbers) else 0
    return np.asarray(np.bincount(numbers, values, size) / np.maximum(1, np.bincount(numbers, minlength=size)))


def _joined(parts: Sequence[PhraseShares]) -> PhraseShares:
    keys = [np.zeros(0, np.uint32), *(part for part, _ in parts)]
    return np.concatenate(keys), np.concatenate([np.zeros(0), *(part for _, part in parts)])
