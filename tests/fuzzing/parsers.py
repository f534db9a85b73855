"""Calls of the functions of the kernel that parse, and learn to, on sentences of random words with random trees."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from gristmill.annotation.parsing.projective import lifted
from gristmill.annotation.parsing.templates import ACTION_TEMPLATES, RELATION_TEMPLATES
from gristmill.arrays.dtypes import Array
from gristmill.kernel.parse_slots import ACTIONS, ATOMS, ATTRIBUTES, LABEL_ATOMS

_WORDS, _TAGS, _RELATIONS = 14, 17, 3
_ATOMS_OF = {
    "describe_actions": ATOMS,
    "describe_relations": LABEL_ATOMS,
    "find_heads": ATOMS,
    "find_relations": LABEL_ATOMS,
    "learn_actions": ATOMS,
    "learn_relations": LABEL_ATOMS,
}
"""How many facts the features of each function are made of."""
_ATTRIBUTES_AT = {"learn_actions": 3, "learn_relations": 3}
"""Where the attributes of words, and then their tags, are among what a function is given, if not the third,"""
_FEATURES_AT = {"find_heads": 4, "find_relations": 5, "learn_actions": 6, "learn_relations": 7}
"""and features, if they are not the last."""


def with_features(found: SimpleNamespace) -> dict[str, Any]:
    """Give the functions that parse in a form that takes arrays alone: templates and keys come first."""

    def wrapped(name: str) -> Any:
        function, place = getattr(found, name), _ATTRIBUTES_AT.get(name, 2)

        def call(templates: Array, keys: Array, *given: Any) -> Any:
            arrays = list(given)
            arrays[place : place + 2] = (array.data for array in arrays[place : place + 2])
            features = found.Features(templates, _ATOMS_OF[name], found.KeyTable(keys.data))
            at = _FEATURES_AT.get(name, len(arrays))
            return function(*arrays[:at], features, *arrays[at:])

        return call

    return {name: wrapped(name) for name in _ATOMS_OF}


def _tree(size: int, random: Random) -> list[int]:
    """How far the head of each word is, in a tree without crossing relations."""
    order = random.sample(range(size), size)
    heads = [0] * size
    for number, at in enumerate(order[1:], 1):
        heads[at] = order[random.randrange(number)] - at
    return lifted(heads)


def calls_of_parsers(python: SimpleNamespace, random: Random) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Calls that describe words in sentences, learn to parse them, and parse them."""
    numbers = np.random.default_rng(random.getrandbits(32))
    kinds = random.choice([1, 4, 9])
    attributes = numbers.integers(0, 1 << 32, (kinds, ATTRIBUTES), np.uint32)
    tags = numbers.integers(0, _TAGS, kinds).astype(np.uint8)
    starts = np.array([0, *sorted(random.choices(range(_WORDS + 1), k=2)), _WORDS], np.int32)
    types = numbers.integers(0, kinds, _WORDS).astype(np.int32)
    heads = np.array([head for size in np.diff(starts).tolist() for head in _tree(size, random)], np.int32)
    relations = np.where(heads, numbers.integers(0, _RELATIONS, _WORDS), -1).astype(np.int32)
    first = heads[: starts[1]]
    yield "costs_of", (first, numbers.integers(0, ACTIONS, random.choice([0, 1, 5])).astype(np.int32))
    nothing, order = np.zeros(0, np.uint32), numbers.permutation(len(starts) - 1).astype(np.int32)
    ways = (
        ("actions", "find_heads", ACTION_TEMPLATES, ACTIONS, (heads,), (0.1, 0.4, 0.9), ()),
        ("relations", "find_relations", RELATION_TEMPLATES, _RELATIONS, (heads, relations), (0.1, 0.4), (heads,)),
    )
    for name, finder, templates, labels, trees, rates, given in ways:
        words = types, starts, attributes, tags
        described = templates, nothing, *words, *trees
        yield f"describe_{name}", described
        keys = np.unique(getattr(python, f"describe_{name}")(*described))
        keys = keys[numbers.random(len(keys)) < random.choice([0.3, 1])]
        weights = numbers.normal(size=(len(keys), labels)).astype(np.float32)
        learned = weights, np.full_like(weights, 0.05), *rates, int(numbers.integers(99))
        yield f"learn_{name}", (templates, keys, types, starts, order, attributes, tags, *trees, *learned)
        rounded = numbers.integers(-127, 128, (len(keys), labels)).astype(np.int8)
        yield finder, (templates, keys, *words, *given, rounded)
