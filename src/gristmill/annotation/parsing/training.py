"""Train the parser on sentences of treebanks: some seconds for a language, and the same sentences give the same model.

Actions and relations are learned in rounds over all sentences. The weights are the averages of those after each round
but the first ones, rounded to integers of one byte; those that say little are left out, as many as the size of a model
asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.parsing.model import MAX_LABELS, Model, Weights
from gristmill.annotation.parsing.projective import lifted
from gristmill.annotation.parsing.templates import ACTION_TEMPLATES, RELATION_TEMPLATES
from gristmill.annotation.parsing.words import WordTable
from gristmill.annotation.tagging.treebank import Sentence, Token
from gristmill.arrays.ragged import starts_of
from gristmill.errors import UsageError
from gristmill.kernel import (
    Features,
    KeyTable,
    describe_actions,
    describe_relations,
    learn_actions,
    learn_relations,
)
from gristmill.kernel.parse_slots import ACTIONS, ATOMS, LABEL_ATOMS

ROUNDS = 10
_FIRST_AVERAGED = 1 / 3  # of the rounds
_RATE = 0.1
_FIRST_SQUARE = 0.05
_LEFT_OUT = 0.4
"""The share of features that are left out at random."""
_FIRST_EXPLORING, _EXPLORATION = 1, 0.9
"""The first round in which the parser goes on by its own choice, and how often it does."""
_MIN_COUNT = 2
_SCALE = 24
"""What weights are multiplied with before they are rounded."""
_MAX_ENTRIES, _MAX_RELATION_ENTRIES = 330_000, 240_000
"""Weights that a model has at most: some 1 MB in all."""


@dataclass(frozen=True, slots=True)
class _Data:
    """Sentences as numbers."""

    table: WordTable
    types: NDArray[np.int32]
    starts: NDArray[np.int32]
    offsets: NDArray[np.int32]
    """Of heads, in trees without crossing relations."""
    relations: NDArray[np.int32]
    """Numbers of relations; -1 of roots, and where none is known."""


def train(sentences: Sequence[Sentence], lang: str, seed: int = 0) -> Model:
    """Train a model on sentences with trees; its card says of what, but not how good it is."""
    versions = [version for sentence in sentences for version in sentence.versions()]
    names = sorted({token.deprel for version in versions for token in version if token.head and token.deprel})
    if len(names) > MAX_LABELS:
        raise UsageError(f"the words have {len(names):,} relations; a parser can have {MAX_LABELS:,}")
    data = _data_of(versions, names)
    card = {
        "language": lang,
        "treebanks": dict(sorted(Counter(sentence.treebank for sentence in sentences).items())),
        "sentences": len(sentences),
        "words": sum(len(sentence.words) for sentence in sentences),
        "seed": seed,
    }
    return Model(_train_actions(data, seed), _train_relations(data, max(len(names), 1), seed), names or ["dep"], card)


def _data_of(sentences: Sequence[Sequence[Token]], names: Sequence[str]) -> _Data:
    """Number the words and relations of sentences."""
    table, numbers = WordTable(), {name: number for number, name in enumerate(names)}
    tokens = [token for sentence in sentences for token in sentence]
    return _Data(
        table,
        table.types_of([(token.word, token.lemma, token.tag, token.feats) for token in tokens]),
        starts_of(np.array([len(sentence) for sentence in sentences], np.int64)).astype(np.int32),
        np.array([head for sentence in sentences for head in lifted([token.head for token in sentence])], np.int32),
        np.array([numbers.get(token.deprel, -1) if token.head else -1 for token in tokens], np.int32),
    )


def _train_actions(data: _Data, seed: int) -> Weights:
    """Learn the weights of actions."""
    arrays = (data.table.attributes, data.table.tags, data.offsets)
    nothing = Features(ACTION_TEMPLATES, ATOMS, KeyTable(np.zeros(0, np.uint32).data))
    keys = _frequent(describe_actions(data.types, data.starts, *arrays, nothing))
    features = Features(ACTION_TEMPLATES, ATOMS, KeyTable(keys.data))

    def learn(
        number: int, order: NDArray[np.int32], weights: NDArray[np.float32], squares: NDArray[np.float32]
    ) -> None:
        exploration = _EXPLORATION if number >= _FIRST_EXPLORING else 0.0
        learned = (*arrays, features, weights, squares)
        learn_actions(data.types, data.starts, order, *learned, _RATE, _LEFT_OUT, exploration, _seed(seed, number))

    return _learned(learn, data, keys, ACTIONS, seed, ACTION_TEMPLATES, _MAX_ENTRIES)


def _train_relations(data: _Data, labels: int, seed: int) -> Weights:
    """Learn the weights of relations."""
    arrays = (data.table.attributes, data.table.tags, data.offsets, data.relations)
    nothing = Features(RELATION_TEMPLATES, LABEL_ATOMS, KeyTable(np.zeros(0, np.uint32).data))
    keys = _frequent(describe_relations(data.types, data.starts, *arrays, nothing))
    features = Features(RELATION_TEMPLATES, LABEL_ATOMS, KeyTable(keys.data))

    def learn(
        number: int, order: NDArray[np.int32], weights: NDArray[np.float32], squares: NDArray[np.float32]
    ) -> None:
        learned = (*arrays, features, weights, squares)
        learn_relations(data.types, data.starts, order, *learned, _RATE, _LEFT_OUT, _seed(seed, number))

    return _learned(learn, data, keys, labels, seed, RELATION_TEMPLATES, _MAX_RELATION_ENTRIES)


def _frequent(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the keys that are there often enough, in order."""
    found, counts = np.unique(keys, return_counts=True)
    return np.ascontiguousarray(found[counts >= _MIN_COUNT])


def _seed(seed: int, number: int) -> int:
    """Make a seed for a round."""
    return (seed * 1000 + number + 1) * 2654435761 % (1 << 32)


_Learn = Callable[[int, NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]], None]


def _learned(
    learn: _Learn,
    data: _Data,
    keys: NDArray[np.uint32],
    labels: int,
    seed: int,
    templates: NDArray[np.int32],
    most: int,
) -> Weights:
    """Learn weights in rounds over all sentences in random order, and return their rounded averages."""
    weights = np.zeros((len(keys), labels), np.float32)
    squares = np.full((len(keys), labels), _FIRST_SQUARE, np.float32)
    average, averaged = np.zeros_like(weights), 0
    generator = np.random.default_rng(seed)
    for number in range(ROUNDS):
        learn(number, generator.permutation(len(data.starts) - 1).astype(np.int32), weights, squares)
        if number >= ROUNDS * _FIRST_AVERAGED:
            average += weights
            averaged += 1
    average /= max(averaged, 1)
    return Weights(templates, *_rounded(keys, average, most))


def _rounded(
    keys: NDArray[np.uint32], weights: NDArray[np.float32], most: int
) -> tuple[NDArray[np.uint32], NDArray[np.int8]]:
    """Round weights to integers; leave out the smallest ones if there are too many, and rows that have none left."""
    rounded = np.clip(np.rint(weights * _SCALE), -127, 127).astype(np.int8)
    sizes = np.bincount(np.abs(rounded.ravel().astype(np.int16)), minlength=129)
    least = 1
    while sizes[least:].sum() > most:
        least += 1
    rounded[np.abs(rounded.astype(np.int16)) < least] = 0
    kept = rounded.any(1)
    return np.ascontiguousarray(keys[kept]), np.ascontiguousarray(rounded[kept])
