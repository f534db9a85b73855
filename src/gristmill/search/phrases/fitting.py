"""The form of a word that fits a place: the one with the features of the token that stood there.

It is one that the corpus has. Else it is made as other words make theirs that end alike: with `arrive → arrives` known,
`drive` with the same features is `drives`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.corpus.attributes import FEATS
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus

InUse = Callable[[str], Mapping[str, float]]
"""Gives the frequent words of a language, in lower case, with the share that each has of all words."""
_FORMS_OF_LEMMA = 20
"""How many times more frequent than its rare forms a lemma is, about."""
_MAX_EXAMPLES = 100_000
_MAX_ALIKE = 3
"""Characters at the ends of words that are compared."""


def nothing_in_use(lang: str) -> Mapping[str, float]:
    """Know no word."""
    del lang
    return {}


@dataclass
class Fitting:
    """Inflects words as the tokens of some documents are."""

    index: Index
    part: Subcorpus
    lang: str
    in_use: InUse = nothing_in_use
    _forms: dict[tuple[str, int, int], str] = field(default_factory=dict)
    _rules: dict[tuple[int, int], dict[tuple[str, str], Counter[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take the features of tokens, or their own tags where there are none."""
        feats = self.index.attributes.get(FEATS)
        self._features = feats if feats is not None and len(feats.lexicon) > 1 else self.index.attribute("xpos")
        self._tags, self._lemmas = self.index.attribute("tag"), self.index.attribute("lemma")
        self._words = self.index.attribute("lc")

    def keys(self, positions: Ids) -> list[tuple[int, int]]:
        """What a form must have to fit the places of some tokens."""
        tags, features = self._tags.ids[positions], self._features.ids[positions]
        return list(zip(tags.tolist(), features.tolist(), strict=True))

    def form(self, lemma: str, tag: int, features: int) -> str:
        """The form of a lemma that fits; empty if it is not known."""
        key = lemma, tag, features
        if key not in self._forms:
            self._forms[key] = self._attested(*key) or self._by_analogy(*key)
        return self._forms[key]

    def _attested(self, lemma: str, tag: int, features: int) -> str:
        """The commonest form of a lemma in the corpus with a tag and features; empty if there is none."""
        number = self._lemmas.lexicon.find(lemma)
        if number < 0:
            return ""
        positions = self._having(np.asarray(self._lemmas.positions(number), np.int64), tag, features)
        counts = Counter(self._words.lexicon.strings(self._words.ids[positions]))
        return min(counts, key=lambda form: (-counts[form], form)) if counts else ""

    def _having(self, positions: Ids, tag: int, features: int) -> Ids:
        fits = (self._tags.ids[positions] == tag) & (self._features.ids[positions] == features)
        return positions[np.flatnonzero(fits & self.part.holds(positions))]

    def _by_analogy(self, lemma: str, tag: int, features: int) -> str:
        """Make a form by the rule of endings that most words have which end like the lemma, in up to three letters.

        If the lemma is so frequent that all its forms are in a list of words in use, it must be one of these: so drive
        is not drived. It is empty if there is no such form, and the lemma itself if no word has such features.
        """
        scores: Counter[str] = Counter()
        for (old, new), ends in self._rules_of(tag, features).items():
            if lemma.endswith(old):
                made = lemma[: len(lemma) - len(old)] + new
                alike = max(len(end) * count for end, count in ends.items() if lemma.endswith(end))
                scores[made] = max(scores[made], alike)
        ranked = sorted(scores, key=lambda made: (-scores[made], made)) or [lemma]
        in_use = self._in_use
        is_frequent = in_use.get(lemma.lower(), 0) > _FORMS_OF_LEMMA * min(in_use.values(), default=0)
        if ranked[0] == lemma or (ranked[0] not in in_use and not is_frequent):
            return ranked[0]
        return next((made for made in ranked if made in in_use and made != lemma), "")

    @cached_property
    def _in_use(self) -> Mapping[str, float]:
        return self.in_use(self.lang)

    def _rules_of(self, tag: int, features: int) -> dict[tuple[str, str], Counter[str]]:
        """How words with a tag and features change: endings of lemma and form, and how many lemmas with which end do.

        `arrive → arrived` and `live → lived` are (`""`, `d`), twice with the end `ive`.
        """
        key = tag, features
        if key not in self._rules:
            positions = np.asarray(self._features.positions(features)[:_MAX_EXAMPLES], np.int64)
            positions = self._having(positions, tag, features)
            pairs = set(
                zip(
                    self._lemmas.lexicon.strings(self._lemmas.ids[positions]),
                    self._words.lexicon.strings(self._words.ids[positions]),
                    strict=True,
                )
            )
            rules: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
            for lemma, form in sorted(pairs):
                same = _common(lemma.lower(), form)
                if same:
                    for size in range(_MAX_ALIKE + 1):
                        rules[lemma[same:].lower(), form[same:]][lemma[len(lemma) - size :].lower()] += 1
            self._rules[key] = rules
        return self._rules[key]


def _common(one: str, other: str) -> int:
    """How many characters two words have in common at their beginnings."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
