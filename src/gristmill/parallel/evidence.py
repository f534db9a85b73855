"""What speaks for a pair of pages, and how much: features from 0 to 1, and a score that adds up their weights.

    score = 1 / (1 + exp(-(BIAS + sum of weight * certainty * contrast)))

The contrast of a feature, from -1 to 1, says whether its value is more like that of pages that translate each other, or
like that of any two pages of the site. Both are measured on the site itself: so a structure that all pages share, as
they come from one template, says nothing, and numbers that all pages of the site have neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.parallel.outline import Outline

WEIGHTS = {
    "declared": 4.5,
    "address": 4.0,
    "ids": 1.0,
    "structure": 1.2,
    "length": 1.2,
    "numbers": 2.0,
    "names": 2.0,
    "links": 1.5,
    "picture": 1.5,
    "words": 3.5,
    "best": 2.0,
}
"""How much each feature counts, in log odds.

Two pages that declare each other are a pair if nothing is known of their texts, and so are two whose addresses differ
in the code of the language (4.5 and 4 against a bias of 3.5). They are none if two or three of the others say no.
Structure and length together (2.4) never make a pair. Numbers, names and links can, and words with any other.
"""
BIAS = -3.5
DECLARED = frozenset(("declared", "address", "ids", "picture", "best"))
"""Features that speak for a pair or say nothing; the others are compared with what is usual on the site."""
CLAIMS = frozenset(("declared", "address"))
"""Features by which a site claims that pages are translations."""
SECOND_CLAIM = 0.25
"""How much of the lesser claim counts."""
TYPICAL = {"structure": 0.85, "length": 0.8, "numbers": 0.6, "names": 0.25, "links": 0.4, "words": 0.45}
"""What features are like for pages that translate each other, where the site has no pairs that declare it."""
BY_CHANCE = {"structure": 0.5, "length": 0.35, "numbers": 0.05, "names": 0.05, "links": 0.1, "words": 0.1}
"""What they are like for any two pages, where the site has few."""
LOWEST = {"structure": -2.0, "length": -2.0}
"""How much features may speak against a pair, if it is not 1: a summary is no translation, whatever is declared."""
_MAY_BE_MISSING = frozenset(("names", "links"))
"""Features that translations may lack: they speak against a pair as far as the site is seen to have them."""
_PRIOR_PAIRS = 6
"""How many pairs of the site count as much as these two tables."""
_MIN_CONTRAST = 0.02
_WHOLE_CONTRAST = 0.2
"""The least difference between the two, and the one from which on a feature counts in full."""
_BINS = 24
"""Parts of a text, by its length, in which beginnings of blocks are counted."""
_KINDS = "phl"
_MARGIN = 3.0
"""Log odds between the best candidate of a page and the next one at which it is best beyond doubt."""
_FEW_CHARACTERS = 20
"""Characters that are added to lengths, so that those of short texts may differ."""
_LENGTH_SCALE = 0.3
"""The logarithm of a ratio of lengths at which the feature is 1/e."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """What a feature is like for any two pages of a site, and for translations."""

    by_chance: float
    typical: float
    lowest: float = -1.0
    """The lowest contrast: how much the feature may speak against a pair."""
    strength: float = 1.0
    """How much of the contrast counts: where translations are hardly different from other pages, hardly any."""

    @classmethod
    def measured(cls, name: str, random: Floats, trusted: Floats) -> Contrast:
        """Measure it on random pairs and on pairs that are trusted, with what is usual elsewhere as a start.

        Trusted pairs may be wrong, all of them: so it stays half of the way to what is usual elsewhere, but for
        features that pairs may lack.
        """
        chance = (BY_CHANCE[name] * _PRIOR_PAIRS + float(random.sum())) / (_PRIOR_PAIRS + len(random))
        middle = float(np.median(trusted)) if len(trusted) else 0.0
        seen = (TYPICAL[name] * _PRIOR_PAIRS + middle * len(trusted)) / (_PRIOR_PAIRS + len(trusted))
        is_optional = name in _MAY_BE_MISSING
        typical = max(seen, chance if is_optional else (TYPICAL[name] + chance) / 2) + _MIN_CONTRAST
        known = len(trusted) / (_PRIOR_PAIRS + len(trusted)) if is_optional else 1.0
        strength = min(1.0, (typical - chance) / _WHOLE_CONTRAST)
        return cls(chance, typical, LOWEST.get(name, -1.0) * known, strength)

    def of(self, values: Floats) -> Floats:
        """Return the contrast of values: 1 if they are those of translations, -1 if they are those of any two pages."""
        middle, half = (self.typical + self.by_chance) / 2, (self.typical - self.by_chance) / 2
        contrast: Floats = np.clip((values - middle) / half, self.lowest, 1.0)
        return contrast * self.strength


def odds(values: Mapping[str, Floats], certainty: Mapping[str, Floats], contrasts: Mapping[str, Contrast]) -> Floats:
    """Add up what features say, as log odds.

    A site that declares translations gives them such addresses, too, so of the two the lesser one counts in part.
    """
    total: Floats = np.full(1, BIAS)
    claims = []
    for name, column in values.items():
        said = column if name in DECLARED else contrasts[name].of(column)
        weighted = WEIGHTS[name] * certainty.get(name, np.float64(1.0)) * said
        if name in CLAIMS:
            claims.append(weighted)
        else:
            total = total + weighted
    if claims:
        most = np.max(claims, axis=0)
        total = total + most + SECOND_CLAIM * (np.sum(claims, axis=0) - most)
    return np.asarray(total, np.float64)


def margins(ours: Ints, theirs: Ints, log_odds: Floats) -> Floats:
    """Tell how far candidates are the best of both of their pages, from 0 to 1: by `_MARGIN` in log odds or more.

    A page that has one candidate only is compared with one that has nothing in common.
    """
    found = np.full(len(ours), np.inf)
    for pages in (ours, theirs):
        order = np.lexsort((-log_odds, pages))
        ordered = pages[order]
        begins = np.searchsorted(ordered, ordered, "left")
        second = np.minimum(begins + 1, len(order) - 1)
        has_second = np.append(ordered, -1)[begins + 1] == ordered
        others = np.where(
            np.arange(len(order)) == begins,
            np.where(has_second, log_odds[order[second]], -np.inf),
            log_odds[order[begins]],
        )
        margin = np.empty(len(order))
        margin[order] = log_odds[order] - np.maximum(others, BIAS)
        found = np.minimum(found, margin)
    values: Floats = np.clip(found / _MARGIN, 0.0, 1.0)
    return values


def scores_of(log_odds: Floats) -> Floats:
    """Turn log odds into scores from 0 to 1."""
    scores: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -50, 50)))
    return scores


def profile_of(outline: Outline) -> Floats:
    """Count where in its text the blocks of each kind begin: `_BINS` numbers for each kind, spread to the next bins.

    Lengths of blocks count as their share of the text, so it does not matter which language needs more letters.
    """
    found = np.zeros((len(_KINDS), _BINS + 2))
    lengths = np.array(outline.lengths, np.float64)
    total = lengths.sum()
    if total:
        places = (np.cumsum(lengths) - lengths) / total * _BINS
        kinds = np.fromiter(map(_KINDS.find, outline.kinds), np.int64, len(outline.kinds))
        whole = places.astype(np.int64)
        part = places - whole
        np.add.at(found, (kinds, whole + 1), 1 - np.abs(part - 0.5))
        np.add.at(found, (kinds, whole + np.where(part < 0.5, 0, 2)), np.abs(part - 0.5))
    return np.ravel(found)


def structures(source: Floats, target: Floats, ours: Ints, theirs: Ints) -> Floats:
    """Compare the profiles of pairs: 1 if they are equal, 0 if they have nothing in common (Bray and Curtis 1957)."""
    found = np.zeros(len(ours))
    step = 4096
    for first in range(0, len(ours), step):
        one, other = source[ours[first : first + step]], target[theirs[first : first + step]]
        both = one.sum(axis=1) + other.sum(axis=1)
        found[first : first + step] = 1 - np.abs(one - other).sum(axis=1) / np.maximum(both, 1e-9)
    return found


def usual_ratio(source: Floats, target: Floats, ours: Ints, theirs: Ints) -> float:
    """Return the logarithm of the usual ratio of the lengths of pairs: the median, with three that are equally long."""
    ratios = np.log((target[theirs] + _FEW_CHARACTERS) / (source[ours] + _FEW_CHARACTERS))
    return float(np.median(np.concatenate([ratios, np.zeros(3)])))


def lengths(source: Floats, target: Floats, ours: Ints, theirs: Ints, usual: float) -> Floats:
    """Compare the ratio of the lengths of pairs with the usual one."""
    ratios = np.log((target[theirs] + _FEW_CHARACTERS) / (source[ours] + _FEW_CHARACTERS))
    values: Floats = np.exp(-np.abs(ratios - usual) / _LENGTH_SCALE)
    return values
