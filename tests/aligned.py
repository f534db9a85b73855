"""Texts with known alignments, made up for tests, and how good an alignment is."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import numpy as np

from gristmill.alignment import Beads, Sentences
from gristmill.arrays.dtypes import Ints

Gold = list[tuple[list[int], list[int]]]


def sentences(rows: Iterable[Iterable[str]], blocks: Iterable[int] | None = None) -> Sentences:
    """A text of lists of words."""
    given = [list(row) for row in rows]
    numbers = np.zeros(len(given), np.int64) if blocks is None else np.array(list(blocks), np.int64)
    return Sentences(
        [word for row in given for word in row],
        np.array([len(row) for row in given], np.int64),
        np.array([sum(map(len, row)) + len(row) for row in given], np.int64),
        numbers,
        ["p"] * len(given),
        [" ".join(row) for row in given],
    )


def pair(
    size: int, seed: int, drop: float = 0.05, merge: float = 0.08, shared: float = 0.1
) -> tuple[Sentences, Sentences, Gold]:
    """A text in two made-up languages, with sentences that are dropped or merged on either side."""
    random = Random(seed)
    vocabulary = 200 + size
    partners = list(range(vocabulary))
    random.shuffle(partners)
    common = {number for number in range(0 if shared == 1 else 60, vocabulary) if random.random() < shared}
    sides: tuple[list[list[str]], list[list[str]]] = ([], [])
    gold: Gold = []
    for _ in range(size):
        numbers = [min(int(random.paretovariate(0.5)), vocabulary) - 1 for _ in range(random.randint(3, 20))]
        source = [f"{_name(number)}a" if number not in common else f"N{number}" for number in numbers]
        target = [f"{_name(partners[number])}o" if number not in common else f"N{number}" for number in numbers]
        random.shuffle(target)
        kind = random.random()
        if kind < drop / 2:
            gold.append(([len(sides[0])], []))
            sides[0].append(source)
        elif kind < drop:
            gold.append(([], [len(sides[1])]))
            sides[1].append(target)
        elif kind < drop + merge and len(source) > 6:
            half = len(source) // 2
            side = int(kind < drop + merge / 2)
            other = (source, target)[1 - side]
            parts = (source, target)[side]
            sides[1 - side].append(other)
            sides[side].extend([parts[:half], parts[half:]])
            one, two = [len(sides[1 - side]) - 1], [len(sides[side]) - 2, len(sides[side]) - 1]
            gold.append((two, one) if side == 0 else (one, two))
        else:
            gold.append(([len(sides[0])], [len(sides[1])]))
            sides[0].append(source)
            sides[1].append(target)
    return sentences(sides[0]), sentences(sides[1]), gold


def _name(number: int) -> str:
    """A word that looks like no other: 0 is `ba`, 25 is `bepa`."""
    name = ""
    while True:
        number, rest = divmod(number, 20)
        name += "bcdfghjklmnpqrstvwxz"[rest] + "aeiou"[number % 5]
        if not number:
            return name


def as_lists(beads: Beads) -> Gold:
    """The beads as lists of numbers of sentences."""
    return [
        (list(range(bead.source_start, bead.source_end)), list(range(bead.target_start, bead.target_end)))
        for bead in beads
    ]


def f1(found: Gold, gold: Gold) -> tuple[float, float]:
    """Strict and lax F1, as vecalign's `score.py` counts them, of beads with sentences on both sides."""
    found, gold = ([bead for bead in beads if bead[0] and bead[1]] for beads in (found, gold))
    scores = []
    for right in (_equal, _overlap):
        precision = right(found, gold) / max(len(found), 1)
        recall = right(gold, found) / max(len(gold), 1)
        scores.append(2 * precision * recall / max(precision + recall, 1e-9))
    return scores[0], scores[1]


def _equal(some: Gold, others: Gold) -> int:
    known = {(tuple(source), tuple(target)) for source, target in others}
    return sum((tuple(source), tuple(target)) in known for source, target in some)


def _overlap(some: Gold, others: Gold) -> int:
    targets: dict[int, set[int]] = {}
    for source, target in others:
        for sentence in source:
            targets.setdefault(sentence, set()).update(target)
    return sum(any(targets.get(sentence, set()) & set(target) for sentence in source) for source, target in some)


def bounds(beads: Beads) -> tuple[Ints, Ints]:
    """Where beads begin in both texts, and at the end where the last one ends."""
    return beads.source_bounds, beads.target_bounds
