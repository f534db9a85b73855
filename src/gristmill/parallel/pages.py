"""Find the pages of a site that are translations of each other.

The steps: candidates by what pages declare, by addresses, and by rare terms they share (`candidates`); a score for each
by all evidence (`evidence`); a matching in which no page is in two pairs (`matching`); and once more, with links to
pages that were paired counting as links to the same page. Work and memory are linear in the number of pages: some 20 kB
a page beside the outlines themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.parallel.addresses import address_key
from gristmill.parallel.candidates import Candidates, address_pairs, declared_pairs
from gristmill.parallel.evidence import (
    BIAS,
    DECLARED,
    Contrast,
    lengths,
    margins,
    odds,
    profile_of,
    scores_of,
    structures,
    usual_ratio,
)
from gristmill.parallel.matching import match
from gristmill.parallel.outline import Keys, Outline
from gristmill.parallel.terms import Terms, overlaps, sharing, terms_of

MIN_SCORE = 0.5
"""The least score of a pair."""
MAX_SAME_WORDS = 0.6
"""The share of words that two pages may have in common, as they are: beyond it, one is a copy of the other."""
MAX_DROPPED = 3
"""Candidates of a page that lost and are told, the best ones."""
_MIN_TOLD_SCORE = 0.05
_MAX_SHARED = 6
"""Candidates of a page by terms of each kind."""
_MAX_RANDOM = 2000
"""Pairs by which it is measured what any two pages have in common."""
_MAX_TRANSLATIONS = 2
_MIN_PROBABILITY = 0.05
_MAX_PICTURES = 3
"""Pages of a language that may have the same picture; what more have is a logo."""
_ROUNDS = 2
_TRUSTED = 0.5
"""What features of declarations and addresses must be for a pair that others are measured by."""


class Translations(Protocol):
    """A dictionary, as `gristmill.alignment.Dictionary` is one."""

    def translations(self, word: str) -> Iterable[tuple[str, float]]:
        """Return the translations of a word, with probabilities."""


@dataclass(frozen=True, slots=True)
class PagePair:
    """Two pages that are translations of each other, or a candidate that lost."""

    source: str
    """The id of the document in the first language."""
    target: str
    score: float
    features: dict[str, float] = field(default_factory=dict)
    """The values of the features, from 0 to 1; those of which nothing is known are left out."""
    reasons: str = ""
    """The same in words, what counted most first."""
    dropped: str = ""
    """Why it is no pair; empty if it is one."""


def pair_pages(
    source: Sequence[Outline],
    target: Sequence[Outline],
    dictionary: Translations | None = None,
    *,
    min_score: float = MIN_SCORE,
    without: Collection[str] = (),
    counts: Counter[str] | None = None,
) -> list[PagePair]:
    """Pair the pages of one site in two languages; also return candidates that lost, with the reason.

    The language of an outline is that of its text, whatever its address says. `without` leaves out features, by their
    names in `evidence.WEIGHTS`. `counts` gets how many candidates and comparisons there were, and what was left out.
    The order of the pages does not matter; pairs are in the order of the addresses of the source.
    """
    if not source or not target:
        return []
    ordered = [sorted(pages, key=lambda outline: (outline.url, outline.id)) for pages in (source, target)]
    site = _Site(
        ordered[0], ordered[1], dictionary, frozenset(without), counts if counts is not None else Counter(), min_score
    )
    return site.pairs()


@dataclass(slots=True)
class _Scored:
    """Candidates with their features and scores, as columns."""

    ours: Ints
    theirs: Ints
    values: dict[str, Floats]
    certainty: dict[str, Floats]
    contrasts: dict[str, Contrast]
    scores: Floats
    copied: Floats


class _Site:
    """The pages of a site in two languages, sorted."""

    def __init__(
        self,
        source: list[Outline],
        target: list[Outline],
        dictionary: Translations | None,
        without: frozenset[str],
        counts: Counter[str],
        min_score: float,
    ) -> None:
        self.source, self.target, self.without, self.counts = source, target, without, counts
        self.min_score = min_score
        self.terms: dict[str, tuple[Terms, Terms]] = {}
        self._add_terms("numbers", lambda outline: outline.numbers)
        self._add_terms("names", lambda outline: outline.names)
        self._add_terms("links", lambda outline: outline.links)
        if dictionary is not None and "words" not in without:
            ours, theirs = _translated(source, target, dictionary)
            self.terms["words"] = terms_of(ours, theirs)
        self.profiles = np.array(list(map(profile_of, source))), np.array(list(map(profile_of, target)))
        self.lengths = _lengths(source), _lengths(target)
        self.candidates = self._candidates()

    def _add_terms(self, name: str, keys: Callable[[Outline], Keys]) -> None:
        if name not in self.without:
            self.terms[name] = terms_of(list(map(keys, self.source)), list(map(keys, self.target)))

    def _candidates(self) -> Candidates:
        found = Candidates()
        languages = self.source[0].lang, self.target[0].lang
        if "declared" not in self.without:
            found.declared, left = declared_pairs(self.source, self.target)
            self.counts["declarations left out"] += left
        alike, ids, _ = address_pairs(self.source, self.target, languages)
        if "address" not in self.without:
            found.address = alike
        if "ids" not in self.without:
            found.ids = ids
        for name in sorted(self.terms):
            self._add_sharing(found, name)
        return found

    def _add_sharing(self, found: Candidates, name: str) -> None:
        ours, theirs, looked_at = sharing(*self.terms[name], _MAX_SHARED)
        self.counts["comparisons"] += looked_at
        found.shared.update(zip(ours.tolist(), theirs.tolist(), strict=True))

    def pairs(self) -> list[PagePair]:
        """Score the candidates and choose the pairs, twice: then links lead to paired pages, and more is usual."""
        scored = self._scored()
        chosen = self._match(scored)
        for _ in range(_ROUNDS - 1):
            ours, theirs = scored.ours[chosen], scored.theirs[chosen]
            if "links" in self.terms:
                self._follow_links(ours, theirs)
                self._add_sharing(self.candidates, "links")
            scored = self._scored(set(zip(ours.tolist(), theirs.tolist(), strict=True)))
            chosen = self._match(scored)
        self.counts["candidates"] += len(scored.ours)
        self.counts["pairs"] += len(chosen)
        return _told(self, scored, chosen)

    def _match(self, scored: _Scored) -> Ints:
        is_copy = scored.copied > MAX_SAME_WORDS
        return match(scored.ours, scored.theirs, np.where(is_copy, 0.0, scored.scores), self.min_score)

    def _follow_links(self, ours: Ints, theirs: Ints) -> None:
        """Take links to a page of a pair for links to the other one."""
        keys = [np.array([address_key(page.url) for page in pages], np.uint64) for pages in (self.source, self.target)]
        order = np.argsort(keys[1][theirs], kind="stable")
        known, partners = keys[1][theirs][order], keys[0][ours][order]

        def followed(outline: Outline) -> Keys:
            places = np.searchsorted(known, outline.links)
            found = np.flatnonzero(np.append(known, 0)[places] == outline.links) if len(known) else places[:0]
            links = outline.links.copy()
            links[found] = partners[places[found]]
            return np.unique(links)

        self.terms["links"] = terms_of([page.links for page in self.source], list(map(followed, self.target)))

    def _scored(self, paired: Collection[tuple[int, int]] = frozenset()) -> _Scored:
        """Compute all features of the candidates, and their scores; what is usual is measured on pairs, too."""
        ours, theirs = self.candidates.pairs()
        values: dict[str, Floats] = {}
        for name in ("declared", "address", "ids"):
            if name not in self.without:
                values[name] = self.candidates.column(getattr(self.candidates, name), ours, theirs)
        none = np.zeros(len(ours))
        trusted: Flags = (values.get("declared", none) > _TRUSTED) | (values.get("address", none) > _TRUSTED)
        if paired:
            pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
            trusted |= np.fromiter(map(paired.__contains__, pairs), np.bool_, len(ours))
        if "picture" not in self.without:
            values["picture"] = self._pictures(ours, theirs)
        random = _random_pairs(len(self.source), len(self.target), ours[trusted], theirs[trusted])
        certainty: dict[str, Floats] = {}
        contrasts: dict[str, Contrast] = {}
        for name, compare in self._comparisons(ours, theirs, trusted):
            raw, certain = compare(ours, theirs)
            by_chance, chance_certain = compare(*random)
            values[name], certainty[name] = raw, certain
            contrasts[name] = Contrast.measured(name, by_chance[chance_certain > 0], raw[trusted & (certain > 0)])
        same = terms_of(list(map(_word_keys, self.source)), list(map(_word_keys, self.target)))
        copied = _ratio(*overlaps(*same, ours, theirs))
        if "best" not in self.without:
            said = {name: column for name, column in values.items() if name not in DECLARED}
            values["best"] = margins(ours, theirs, odds(said, certainty, contrasts))
        scores = scores_of(odds(values, certainty, contrasts))
        return _Scored(ours, theirs, values, certainty, contrasts, scores, copied)

    def _comparisons(
        self, ours: Ints, theirs: Ints, trusted: Flags
    ) -> list[tuple[str, Callable[[Ints, Ints], tuple[Floats, Floats]]]]:
        """Return the features that compare the texts of two pages, with functions that return value and certainty."""
        found: list[tuple[str, Callable[[Ints, Ints], tuple[Floats, Floats]]]] = []
        if "structure" not in self.without:
            found.append(("structure", lambda one, other: (structures(*self.profiles, one, other), np.ones(len(one)))))
        if "length" not in self.without:
            usual = usual_ratio(*self.lengths, ours[trusted], theirs[trusted])
            found.append(("length", lambda one, other: (lengths(*self.lengths, one, other, usual), np.ones(len(one)))))
        for name, terms in sorted(self.terms.items()):
            found.append((name, lambda one, other, terms=terms: _compared(terms, one, other)))  # type: ignore[misc]
        return found

    def _pictures(self, ours: Ints, theirs: Ints) -> Floats:
        """Tell which pairs have the same picture that hardly any other page has."""
        images = [np.array([page.image for page in pages], np.uint64) for pages in (self.source, self.target)]
        frequent = set()
        for side in images:
            keys, numbers = np.unique(side, return_counts=True)
            frequent.update(keys[numbers > _MAX_PICTURES].tolist())
        rare = ~np.isin(images[0], np.array(sorted(frequent | {0}), np.uint64))
        same: Flags = (images[0][ours] == images[1][theirs]) & rare[ours]
        return same.astype(np.float64)


def _compared(terms: tuple[Terms, Terms], ours: Ints, theirs: Ints) -> tuple[Floats, Floats]:
    shared, certainty = overlaps(*terms, ours, theirs)
    return _ratio(shared, certainty), certainty


def _ratio(shared: Floats, certainty: Floats) -> Floats:
    """Return the share that is common, without the shrinkage."""
    ratio: Floats = np.divide(shared, certainty, out=np.zeros(len(shared)), where=certainty > 0)
    return ratio


def _random_pairs(ours: int, theirs: int, trusted_ours: Ints, trusted_theirs: Ints) -> tuple[Ints, Ints]:
    """Return pairs of any two pages, without those that are trusted; always the same ones."""
    numbers = np.arange(min(_MAX_RANDOM, 4 * ours * theirs))
    one, other = numbers * 7919 % ours, (numbers * 104_729 + numbers // ours + 1) % theirs
    pairs = np.unique(one * theirs + other)
    pairs = pairs[~np.isin(pairs, trusted_ours * theirs + trusted_theirs)]
    first, second = np.divmod(pairs, theirs)
    return first, second


def _lengths(pages: Sequence[Outline]) -> Floats:
    return np.array([page.length for page in pages], np.float64)


def _word_key(word: str) -> int:
    return xxhash.xxh3_64_intdigest(word.encode("utf-8", "replace"))


def _word_keys(outline: Outline) -> Keys:
    return np.unique(np.fromiter(map(_word_key, outline.words), np.uint64))


def _translated(
    source: Sequence[Outline], target: Sequence[Outline], dictionary: Translations
) -> tuple[list[Keys], list[Keys]]:
    """Return the words of all pages as keys in the target language, as far as the dictionary has them."""
    vocabulary = {word for outline in target for word in outline.words}
    known: dict[str, list[int]] = {}
    reachable: set[int] = set()
    for outline in source:
        for word in outline.words:
            if word not in known:
                likely = [
                    other
                    for other, probability in dictionary.translations(word)
                    if probability >= _MIN_PROBABILITY and other in vocabulary
                ]
                known[word] = list(map(_word_key, likely[:_MAX_TRANSLATIONS]))
                reachable.update(known[word])
    ours = [np.unique(np.array([key for word in page.words for key in known[word]], np.uint64)) for page in source]
    allowed = np.array(sorted(reachable), np.uint64)
    theirs = [keys[np.isin(keys, allowed)] for keys in map(_word_keys, target)]
    return ours, theirs


_IN_WORDS = {
    "declared": "declared by hreflang or a language switcher",
    "address": "addresses differ in the language",
    "ids": "same numbers in the addresses",
    "structure": "structure",
    "length": "length",
    "numbers": "numbers in common",
    "names": "names and cognates in common",
    "links": "links in common",
    "picture": "same picture",
    "words": "words in common by the dictionary",
    "best": "no other page is as much alike",
}


def _told(site: _Site, scored: _Scored, chosen: Ints) -> list[PagePair]:
    """Return the pairs, and the best of the candidates that lost, with features and reasons."""
    partner_of = dict(zip(scored.ours[chosen].tolist(), chosen.tolist(), strict=True))
    partner_to = dict(zip(scored.theirs[chosen].tolist(), chosen.tolist(), strict=True))
    is_chosen = set(chosen.tolist())
    order = np.lexsort((scored.theirs, -np.round(scored.scores, 6), scored.ours))
    told: Counter[int] = Counter()
    found = []
    for number in order.tolist():
        ours, theirs = int(scored.ours[number]), int(scored.theirs[number])
        dropped = ""
        if number not in is_chosen:
            told[ours] += 1
            if told[ours] > MAX_DROPPED or scored.scores[number] < _MIN_TOLD_SCORE:
                continue
            if scored.copied[number] > MAX_SAME_WORDS:
                dropped = "both pages have the same text"
            elif scored.scores[number] < site.min_score:
                dropped = f"score below {site.min_score}"
            elif ours in partner_of:
                dropped = f"better pair: {site.target[int(scored.theirs[partner_of[ours]])].id}"
            else:
                dropped = f"better pair: {site.source[int(scored.ours[partner_to[theirs]])].id}"
        features, reasons = _reasons(scored, number)
        score = round(float(scored.scores[number]), 6)
        found.append(PagePair(site.source[ours].id, site.target[theirs].id, score, features, reasons, dropped))
    return found


def _reasons(scored: _Scored, number: int) -> tuple[dict[str, float], str]:
    """Return the features of a candidate, and the same in words."""
    features: dict[str, float] = {}
    said: list[tuple[float, str]] = []
    for name, column in scored.values.items():
        value = float(column[number])
        if (name in DECLARED and not value) or (name in scored.certainty and not scored.certainty[name][number]):
            continue
        features[name] = round(value, 4)
        single = {key: scored.values[key][number : number + 1] for key in (name,)}
        certain = {key: scored.certainty[key][number : number + 1] for key in (name,) if key in scored.certainty}
        weight = float(odds(single, certain, scored.contrasts)[0]) - BIAS
        said.append((weight, name))
    texts = []
    for weight, name in sorted(said, key=lambda item: (-abs(item[0]), item[1])):
        if name == "declared":
            how = "both ways" if features[name] == 1 else "one way or by several pages"
            texts.append(f"{_IN_WORDS[name]}, {how}")
        elif name in DECLARED:
            texts.append(_IN_WORDS[name])
        else:
            texts.append(f"{_IN_WORDS[name]} {features[name]:.2f}{'' if weight > 0 else ' (speaks against it)'}")
    return features, "; ".join(texts)
