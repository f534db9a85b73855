"""Cluster nouns that are said of a name, so that what is said most has company: comedian and author against dog.

By hypernyms of WordNet, as RoDEO does (section 4.2); or, without a WordNet, by distribution: nouns that stand in the
same grammatical relations with the same words, as the thesaurus compares them (Lin 1998).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any, Protocol

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.errors import UsageError
from gristmill.search.classes.nouns import Noun, classes_in
from gristmill.search.classes.wordnet import Synset, WordNet
from gristmill.search.sketches.base import Base
from gristmill.search.sketches.thesaurus import similarities
from gristmill.settings import read_toml, refuse_unknown

MIN_SIMILARITY = 0.05
"""Mean similarity of two clusters from which on they are one, by distribution."""
_SHOWN_HYPERNYMS = 4


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters of nouns, the one with the highest frequency first; and nouns that can't be classes."""

    members: list[list[Noun]]
    names: list[str]
    """What the nouns of each cluster have in common; empty if that has no name."""
    hypernyms: dict[str, str] = field(default_factory=dict)
    """The hypernyms of each noun that has some, by its key."""
    filtered: dict[str, dict[str, int]] = field(default_factory=dict)
    """Nouns that can't be classes, by the hypernym that says so, with their counts."""


class Clustering(Protocol):
    """A way to cluster nouns."""

    @property
    def about(self) -> str:
        """What it goes by, in words."""

    def clusters(self, nouns: Sequence[Noun]) -> Clusters:
        """Put nouns into clusters."""


@dataclass(frozen=True)
class ByHypernyms:
    """Clusters by the nearest of some hypernyms."""

    wordnet: WordNet
    senses: int = 1
    """How many senses of a noun count, the most frequent first; the cluster that is largest takes the noun."""
    hypernyms: Mapping[str, Sequence[str]] | None = None
    """Which hypernyms make clusters, and which are filtered; None for those that come with Gristmill."""

    @property
    def about(self) -> str:
        """What it goes by, in words."""
        return "hypernyms of WordNet"

    def clusters(self, nouns: Sequence[Noun]) -> Clusters:
        """Put nouns into clusters: the largest first, and each noun into the largest that it can be in."""
        above = {noun.key: self._nearest(noun) for noun in nouns}
        filtered: dict[str, dict[str, int]] = {}
        left: list[Noun] = []
        for noun in nouns:
            allowed = {name: sense for name, sense in above[noun.key].items() if name not in self._filtered}
            if above[noun.key] and not allowed:
                filtered.setdefault(next(iter(above[noun.key])), {})[noun.text] = noun.count
            else:
                above[noun.key] = allowed or {noun.text: None}
                left.append(noun)
        members, names, shown = [], [], {}
        while left:
            sizes: dict[str, int] = {}
            for noun in left:
                for name in above[noun.key]:
                    sizes[name] = sizes.get(name, 0) + noun.count
            best = max(sizes, key=lambda name: (sizes[name], name in self._roots.values(), name))
            chosen = [noun for noun in left if best in above[noun.key]]
            left = [noun for noun in left if best not in above[noun.key]]
            members.append(chosen)
            names.append(best if best in self._roots.values() else "")
            shown.update({noun.key: self._written(above[noun.key][best]) for noun in chosen})
        return Clusters(members, names, {key: text for key, text in shown.items() if text}, filtered)

    def _nearest(self, noun: Noun) -> dict[str, Synset | None]:
        """The nearest known hypernym of each sense of a noun, with the first sense that has it."""
        found: dict[str, Synset | None] = {}
        for sense in classes_in(self.wordnet, noun.text)[: self.senses]:
            distances = self.wordnet.distances(sense.offset)
            name = next((self._roots[offset] for offset in distances if offset in self._roots), "")
            found.setdefault(name or noun.text, sense)
        return found

    def _written(self, sense: Synset | None) -> str:
        if sense is None:
            return ""
        return ", ".join(synset.words[0] for synset in self.wordnet.chain(sense)[1 : 1 + _SHOWN_HYPERNYMS])

    @cached_property
    def _lists(self) -> Mapping[str, Sequence[str]]:
        return self.hypernyms if self.hypernyms is not None else own_hypernyms()

    @cached_property
    def _filtered(self) -> set[str]:
        return set(self._lists["filtered"])

    @cached_property
    def _roots(self) -> dict[int, str]:
        """The synsets of clusters, and those that are filtered, by their offsets: the first sense of each word."""
        words = [*self._lists["filtered"], *self._lists["clusters"]]
        return {sense.offset: word for word in words for sense in self.wordnet.senses(word)[:1]}


@dataclass(frozen=True)
class ByDistribution:
    """Clusters by the words with which nouns stand: those are joined first that are most similar on average."""

    base: Base
    min_similarity: float = MIN_SIMILARITY

    @property
    def about(self) -> str:
        """What it goes by, in words."""
        return "distribution (thesaurus)"

    def clusters(self, nouns: Sequence[Noun]) -> Clusters:
        """Put nouns into clusters."""
        matrix = similarities(self.base, [self._unit(noun) for noun in nouns])
        groups = _joined(matrix, self.min_similarity)
        members = [[nouns[at] for at in group] for group in groups]
        members.sort(key=lambda group: (-sum(noun.count for noun in group), min(noun.key for noun in group)))
        return Clusters(members, [""] * len(members))

    def _unit(self, noun: Noun) -> int:
        head = noun.text.rpartition(" ")[2]
        return max(self.base.find(form, "NOUN") for form in (head, noun.key))


def _joined(matrix: Floats, least: float) -> list[list[int]]:
    """Join the two groups with the highest mean similarity, again and again, until it is below the least."""
    groups = [[at] for at in range(len(matrix))]
    sums = matrix.copy()
    np.fill_diagonal(sums, 0.0)
    while len(groups) > 1:
        sizes = np.array([len(group) for group in groups], float)
        means = sums / np.outer(sizes, sizes)
        np.fill_diagonal(means, -1.0)
        one, other = sorted(map(int, np.unravel_index(int(np.argmax(means)), means.shape)))
        if means[one, other] < least:
            break
        groups[one] += groups.pop(other)
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sums = np.delete(np.delete(sums, other, 0), other, 1)
    return [sorted(group) for group in groups]


def own_hypernyms() -> Mapping[str, Sequence[str]]:
    """The hypernyms that come with Gristmill."""
    file = resources.files("gristmill.search.classes").joinpath("hypernyms.toml")
    return _checked(tomllib.loads(file.read_text("utf-8")), "hypernyms.toml")


def read_hypernyms(path: str | os.PathLike[str]) -> Mapping[str, Sequence[str]]:
    """Read a file of the user's own, with the lists `clusters` and `filtered`."""
    return _checked(read_toml(os.fspath(path)), os.fspath(path))


def _checked(table: Mapping[str, Any], name: str) -> Mapping[str, Sequence[str]]:
    refuse_unknown(table, {"clusters": 0, "filtered": 0}, name)
    lists = {key: table.get(key, []) for key in ("clusters", "filtered")}
    for key, words in lists.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UsageError(f"{name}: {key} must be a list of nouns")
    return lists
