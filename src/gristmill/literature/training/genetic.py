"""Breed a regular expression by a genetic algorithm, for `hofmann:by=genetic`.

Hofmann and Weerkamp (2007), as described by Baisa (2009), 1.2: the population consists of expressions that are trees;
one gets two points for every word of the text that it keeps, and loses one for every other word that it keeps; the
candidates of the next generation are chosen, crossed and mutated. The size of the population, how candidates are chosen
(tournaments, after Koza 1992) and the rates are not given there, and are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.literature.cleaning.hofmann_genetic import DROP, END, KEEP, NAMES, OR, Expression

POINTS_KEPT, POINTS_EXTRA = 2, -1
"""What a word of the text, and another word, adds to the points of an expression that keeps it."""
_NODES = (KEEP, DROP, OR)
_MAX_WORDS = 80  # of an expression


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of breeding."""

    population: int = 50
    generations: int = 30
    tournament: int = 4
    """The best of so many becomes a parent."""
    crossed: float = 0.7
    """The share of children that have two parents."""


@dataclass(frozen=True, slots=True)
class Example:
    """A page as it is written for expressions, and what each of its blocks is worth."""

    page: str
    points: Floats

    @classmethod
    def of(cls, page: str, words: Floats, shares: Floats) -> Example:
        """Make an example of the words of blocks, and of the share of them that is text."""
        return cls(page, words * (POINTS_KEPT * shares + POINTS_EXTRA * (1 - shares)))


def points(words: Sequence[str], examples: Sequence[Example]) -> float:
    """Add up the points of an expression on all pages."""
    expression = Expression.of(words)
    return float(sum(example.points[expression.kept(example.page, len(example.points))].sum() for example in examples))


def breed(examples: Sequence[Example], settings: Settings, seed: int) -> list[str]:
    """Breed an expression; the best one of a generation lives on unchanged."""
    random = np.random.default_rng(seed)
    known: dict[tuple[str, ...], float] = {}

    def judged(words: list[str]) -> float:
        key = tuple(words)
        if key not in known:
            known[key] = points(words, examples)
        return known[key]

    population = [_random_root(random) for _ in range(settings.population)]
    for _ in range(settings.generations):
        scores = np.array(list(map(judged, population)))
        children = [population[int(scores.argmax())]]
        while len(children) < settings.population:
            one, other = (_chosen(population, scores, settings.tournament, random) for _ in range(2))
            child = _crossed(one, other, random) if random.random() < settings.crossed else _mutated(one, random)
            children.append(child if len(child) <= _MAX_WORDS else one)
        population = children
    return max(population, key=judged)


def _chosen(population: list[list[str]], scores: Floats, size: int, random: np.random.Generator) -> list[str]:
    some = random.integers(len(population), size=size)
    return population[int(some[scores[some].argmax()])]


def _random_root(random: np.random.Generator) -> list[str]:
    """Make an expression of some nodes, of which one is to be tried after the other."""
    number = int(random.integers(2, 5))
    return [OR, *(word for _ in range(number) for word in _random_node(random, 2)), END]


def _random_node(random: np.random.Generator, depth: int) -> list[str]:
    """Make a node with one to three parts, or a literal; nodes are at most so deep."""
    if not depth or random.random() < 0.3:
        return [NAMES[int(random.integers(len(NAMES)))]]
    kind = _NODES[int(random.integers(len(_NODES)))]
    return [
        kind,
        *(word for _ in range(int(random.integers(1, 4))) for word in _random_node(random, depth - 1)),
        END,
    ]


def _crossed(one: list[str], other: list[str], random: np.random.Generator) -> list[str]:
    """Put a part of one expression in the place of a part of another."""
    start, end = _random_part(one, random)
    first, last = _random_part(other, random)
    return one[:start] + other[first:last] + one[end:]


def _mutated(words: list[str], random: np.random.Generator) -> list[str]:
    """Replace a part by a new one, add a new one before it, or take it away."""
    start, end = _random_part(words, random)
    way = int(random.integers(4))
    new = _random_node(random, 1 + int(random.integers(2)))
    if way == 0:
        return words[:start] + new + words[start:]
    if way == 1 and len(words) > 4:
        return words[:start] + words[end:]
    return words[:start] + new + words[end:]


def _random_part(words: list[str], random: np.random.Generator) -> tuple[int, int]:
    """Choose a part below the root: where it begins, and where it ends."""
    inside = [at for at in range(1, len(words) - 1) if words[at] != END]
    if not inside:
        return 1, 1
    start = inside[int(random.integers(len(inside)))]
    if words[start] not in _NODES:
        return start, start + 1
    depth, end = 1, start + 1
    while depth:
        depth += (words[end] in _NODES) - (words[end] == END)
        end += 1
    return start, end
