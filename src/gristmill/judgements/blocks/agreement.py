"""How far annotators agree: percent, Cohen's kappa of each two, Fleiss' kappa of all.

Counted are blocks that two or more have judged, each once, or by its words: two people who differ on a link differ on
less than two who differ on a paragraph. Kappa says how much better the agreement is than it would be by chance, if
everybody used the classes as often as they do, but blindly: 1 is full agreement, 0 is chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.errors import UsageError
from gristmill.judgements.blocks.marks import VERDICTS, Judgement
from gristmill.judgements.blocks.store import BlockStore
from gristmill.roles import ROLES

Subject = Literal["verdict", "role"]
_CLASSES: dict[str, tuple[str, ...]] = {"verdict": VERDICTS, "role": ROLES}


@dataclass(frozen=True, slots=True)
class Item:
    """A block that some annotators have judged: its page and number, its words, and the class that each gave it."""

    page: str
    block: int
    words: int
    classes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Measure:
    """Observed agreement, and kappa; None if there is nothing to compare, or if chance alone explains all of it."""

    percent: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The agreement of two annotators on what both have judged."""

    first: str
    second: str
    pages: int
    blocks: int
    words: int
    by_blocks: Measure
    by_words: Measure


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of all annotators: of each two, and of all together on what two or more have judged."""

    subject: Subject
    annotators: list[str]
    pages: int
    blocks: int
    words: int
    pairs: list[Pair]
    by_blocks: Measure
    """Percent of pairs of judgements that are equal, and Fleiss' kappa."""
    by_words: Measure


def agreement(store: BlockStore, subject: Subject = "verdict", annotators: Sequence[str] = ()) -> Agreement:
    """Compute the agreement of all annotators, or of some."""
    if subject not in _CLASSES:
        raise UsageError(f"there is no agreement on {subject!r} (there is on: {', '.join(_CLASSES)})")
    return agreement_of(list(items(store, subject, annotators)), subject)


def items(store: BlockStore, subject: Subject = "verdict", annotators: Sequence[str] = ()) -> Iterable[Item]:
    """List the blocks that two or more have judged, as far as their texts are still there."""
    for page, outline in store.outlines(store.judged_pages()).items():
        found = store.of_page(page, outline)
        own = {name: found[name] for name in found if not annotators or name in annotators}
        for block in range(len(outline.hashes)):
            classes = _classes(own, block, subject)
            if len(classes) > 1:
                yield Item(page, block, int(outline.words[block]), classes)


def _classes(own: Mapping[str, Mapping[int, Judgement]], block: int, subject: Subject) -> dict[str, str]:
    given = {name: getattr(found[block], subject) for name, found in own.items() if block in found}
    return {name: value for name, value in given.items() if value}


def agreement_of(found: Sequence[Item], subject: Subject = "verdict") -> Agreement:
    """Compute the agreement on some blocks."""
    names = sorted({name for item in found for name in item.classes})
    known = _CLASSES[subject]
    counts = np.array([[list(item.classes.values()).count(name) for name in known] for item in found], np.float64)
    words = np.array([item.words for item in found], np.float64)
    return Agreement(
        subject,
        names,
        len({item.page for item in found}),
        len(found),
        int(words.sum()),
        [pair for two in combinations(names, 2) if (pair := _pair(found, *two, known))],
        fleiss(counts.reshape(-1, len(known)), np.ones(len(found))),
        fleiss(counts.reshape(-1, len(known)), words),
    )


def _pair(found: Sequence[Item], first: str, second: str, known: tuple[str, ...]) -> Pair | None:
    both = [item for item in found if first in item.classes and second in item.classes]
    if not both:
        return None
    ones = np.array([known.index(item.classes[first]) for item in both])
    others = np.array([known.index(item.classes[second]) for item in both])
    words = np.array([item.words for item in both], np.float64)
    size = len(known)

    def table(weights: Floats) -> Floats:
        counted = np.bincount(ones * size + others, weights, size * size).astype(np.float64)
        return counted.reshape(size, size)

    return Pair(
        first,
        second,
        len({item.page for item in both}),
        len(both),
        int(words.sum()),
        cohen(table(np.ones(len(both)))),
        cohen(table(words)),
    )


def cohen(table: Floats) -> Measure:
    """Cohen's kappa (1960) of a table that counts how often two annotators gave which classes.

    Rows are the classes of one, columns those of the other; counts may be weights, such as words.
    """
    total = table.sum()
    if not total:
        return Measure(None, None)
    observed = float(np.trace(table) / total)
    chance = float(table.sum(0) @ table.sum(1) / total**2)
    return Measure(observed, _kappa(observed, chance))


def fleiss(counts: Floats, weights: Floats) -> Measure:
    """Fleiss' kappa (1971): a row for each block, how many annotators gave it each class; blocks have weights.

    Fleiss has the same number of annotators for all blocks. Where it differs, the agreement on a block is that of its
    own annotators, and the share of a class that of all judgements.
    """
    votes = counts.sum(1)
    several = (votes > 1) & (weights > 0)
    if not several.any():
        return Measure(None, None)
    counts, votes, weights = counts[several], votes[several], weights[several]
    equal = ((counts**2).sum(1) - votes) / (votes * (votes - 1))
    observed = float(np.average(equal, weights=weights))
    shares = (counts * weights[:, None]).sum(0)
    shares /= shares.sum()
    return Measure(observed, _kappa(observed, float(shares @ shares)))


def _kappa(observed: float, chance: float) -> float | None:
    return None if chance >= 1 - 1e-12 else (observed - chance) / (1 - chance)
