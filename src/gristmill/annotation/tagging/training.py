"""Train the tagger `own` on sentences of treebanks: seconds for a language, and the same sentences give the same model.

Tags by a conditional random field, features by one choice for each kind of them, lemmas by `lemmas`. The weights are
the averages of those after each round but the first ones, rounded to integers of one byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.tagging.dictionary import Dictionary, dictionary_of
from gristmill.annotation.tagging.lemmas import Candidates, learn_lemmas
from gristmill.annotation.tagging.model import MAX_LABELS, Bundles, Model, Weights
from gristmill.annotation.tagging.reading import candidates_of, traits_of
from gristmill.annotation.tagging.treebank import TAGS, Sentence, Token
from gristmill.annotation.tagging.words import Words, lowered
from gristmill.arrays.ragged import starts_of
from gristmill.errors import UsageError
from gristmill.kernel import Rows, WeightTable, describe_words, find_tags, learn_tags, learn_values, score_words

_ROUNDS = 12
_VALUE_ROUNDS = 6
_FIRST_AVERAGED = 1 / 3  # of the rounds
_RATE = 0.1
_LEFT_OUT = 0.1
"""The share of features that are left out at random at a word."""
_FORM_LEFT_OUT = 0.5
"""How often the features of a form that is there once are left out; those of more frequent forms less often."""
_FIRST_SQUARE, _FIRST_STEP_SQUARE = 0.01, 1.0
_MIN_COUNT, _MIN_VALUE_COUNT = 2, 3
_SCALE = 24
"""What weights are multiplied with before they are rounded."""
_MIN_WEIGHT, _MIN_VALUE_WEIGHT = 4, 10
"""Rows whose weights are all smaller, after that, are left out."""
_OFFSETS = np.array([0, -1, 1, -2, 2], np.int32)
_VALUE_OFFSETS = _OFFSETS[:3]
_OWN, _FIRST, _NEAR, _FAR, _FORM = 1, 2, 4, 8, 16  # uses of features, as in the kernel
_USES = (_OWN, _FIRST, _NEAR, _NEAR, _FAR, _FAR)
_MIN_XPOS_SHARE = 0.8
_EDGES = ("\x02", "\x03")
"""What stands for the words before and behind a sentence."""


@dataclass(frozen=True, slots=True)
class _Data:
    """Sentences as numbers: the type of each word, where sentences begin, and what the kernel has to know of types."""

    tokens: list[Token]
    words: list[str]
    types: NDArray[np.int32]
    starts: NDArray[np.int32]
    counts: NDArray[np.int64]
    caseless: NDArray[np.uint8]
    candidates: list[Candidates]
    features: tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint8]]


def train(sentences: Sequence[Sentence], lang: str, seed: int = 0) -> Model:
    """Train a model on sentences; its card says of what, but not how good it is."""
    dictionary = dictionary_of(lang)
    data = _data_of([version for sentence in sentences for version in sentence.versions()], dictionary)
    tags, steps = _train_tags(data, seed)
    values, bundles = _train_values(data, seed)
    has_lemmas = sum(bool(token.lemma) for token in data.tokens) * 2 > len(data.tokens)
    by_word = dict(zip(data.words, data.candidates, strict=True))
    card = {
        "language": lang,
        "treebanks": dict(sorted(Counter(sentence.treebank for sentence in sentences).items())),
        "sentences": len(sentences),
        "words": sum(len(sentence.words) for sentence in sentences),
        "seed": seed,
    }
    return Model(
        tags,
        steps,
        values,
        bundles,
        _xpos(sentences, bundles),
        learn_lemmas(data.tokens, by_word, lambda word: dictionary.find(word) == word) if has_lemmas else None,
        card,
    )


def _data_of(sentences: Sequence[Sequence[Token]], dictionary: Dictionary) -> _Data:
    """Number the words of sentences, and describe them."""
    numbers = {word: number for number, word in enumerate(_EDGES)}
    tokens = [token for sentence in sentences for token in sentence]
    types = np.array([numbers.setdefault(token.word, len(numbers)) for token in tokens], np.int32)
    starts = starts_of(np.array([len(sentence) for sentence in sentences], np.int64)).astype(np.int32)
    words = list(numbers)
    arrays = Words.of(words)
    nothing = WeightTable(np.zeros(0, np.uint32).data, np.zeros((0, 1), np.int8), 1)
    _, _, entries = score_words(*arrays.arrays, dictionary.lexicon, nothing, nothing)
    traits = traits_of(words)
    _, caseless = find_tags(types, starts, traits, np.zeros((len(words), 6, 1), np.int16), np.zeros((2, 1), np.int32))
    return _Data(
        tokens,
        words,
        types,
        starts,
        np.bincount(types, minlength=len(words)),
        caseless,
        candidates_of(words, entries, dictionary),
        describe_words(*arrays.arrays, dictionary.lexicon),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of features: the key of each row, and which rows each type has in each role."""

    keys: NDArray[np.uint32]
    starts: NDArray[np.int32]
    rows: NDArray[np.int32]
    of_form: NDArray[np.uint8]


def _table_of(data: _Data, roles: int, min_count: int) -> _Table:
    """Give a row to each feature, in each role, that is there often enough."""
    feature_starts, keys, uses = data.features
    owner = np.repeat(np.arange(len(data.words)), np.diff(feature_starts))
    lines = []
    for role in range(roles):
        used = uses & _USES[role] > 0
        lines.append((owner[used], _role_keys(keys[used], role), uses[used] & _FORM > 0))
    every = np.concatenate([found for _, found, _ in lines[:1] + lines[2:]])
    weights = np.concatenate([data.counts[owners] for owners, _, _ in lines[:1] + lines[2:]])
    firsts = lines[1]
    known, place = np.unique(np.concatenate([every, firsts[1]]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([weights, data.counts[firsts[0]]]), len(known))
    numbers = np.where(counts >= min_count, np.cumsum(counts >= min_count) - 1, -1).astype(np.int32)
    starts, rows, forms, total = [], [], [], 0
    for owners, found, of_form in lines:
        row = numbers[np.searchsorted(known, found)]
        kept = row >= 0
        starts.append(total + starts_of(np.bincount(owners[kept], minlength=len(data.words))))
        rows.append(row[kept])
        forms.append(of_form[kept])
        total += int(kept.sum())
    return _Table(
        known[counts >= min_count],
        np.ascontiguousarray(np.stack(starts).astype(np.int32)),
        np.concatenate(rows).astype(np.int32),
        np.concatenate(forms).astype(np.uint8),
    )


def _role_keys(keys: NDArray[np.uint32], role: int) -> NDArray[np.uint32]:
    """Return the keys of features in a role, as the kernel makes them."""
    if role <= 1:
        return keys
    value = (keys ^ np.uint32((100 + role) * 0x9E3779B1 & 0xFFFFFFFF)) * np.uint32(0x85EBCA6B)
    value ^= value >> np.uint32(15)
    value *= np.uint32(0xC2B2AE35)
    return value ^ value >> np.uint32(13)


def _rows_of(data: _Data, table: _Table, offsets: NDArray[np.int32], seed: int) -> Any:
    """Make what chooses the rows of words; features of rare forms are left out more often."""
    in_lower = Counter[str]()
    for word, count in zip(data.words, data.counts.tolist(), strict=True):
        in_lower[lowered(word)] += count
    counts = np.array([max(in_lower[lowered(word)], 1) for word in data.words])
    left_out = (_FORM_LEFT_OUT / counts**0.7).astype(np.float32)
    left_out[: len(_EDGES)] = 0
    return Rows(table.starts, table.rows, table.of_form, offsets, left_out, _LEFT_OUT, seed + 1)


def _train_tags(data: _Data, seed: int) -> tuple[Weights, NDArray[np.int32]]:
    """Learn the weights of tags, and of steps between them."""
    table = _table_of(data, len(_USES), _MIN_COUNT)
    labels = len(TAGS)
    numbers = {tag: number for number, tag in enumerate(TAGS)}
    gold = np.array([numbers[token.tag] for token in data.tokens], np.uint8)
    weights, squares = _zeros(len(table.keys), labels)
    steps = np.zeros((labels + 1, labels), np.float32)
    step_squares = np.full((labels + 1, labels), _FIRST_STEP_SQUARE, np.float32)
    rows = _rows_of(data, table, _OFFSETS, seed)
    average, step_average, averaged = np.zeros_like(weights), np.zeros_like(steps), 0
    for number, order in _orders(data, _ROUNDS, seed):
        learn_tags(
            rows, data.types, data.starts, order, data.caseless, gold, weights, squares, steps, step_squares, _RATE
        )
        if number >= _ROUNDS * _FIRST_AVERAGED:
            average += weights
            step_average += steps
            averaged += 1
    average /= averaged
    return _rounded(table.keys, average, _MIN_WEIGHT), np.rint(step_average / averaged * _SCALE).astype(np.int32)


def _zeros(rows: int, labels: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return np.zeros((rows, labels), np.float32), np.full((rows, labels), _FIRST_SQUARE, np.float32)


def _orders(data: _Data, rounds: int, seed: int) -> Iterable[tuple[int, NDArray[np.int32]]]:
    """Yield for each round its number and a random order of the sentences."""
    generator = np.random.default_rng(seed)
    for number in range(rounds):
        yield number, generator.permutation(len(data.starts) - 1).astype(np.int32)


def _rounded(keys: NDArray[np.uint32], weights: NDArray[np.float32], least: int) -> Weights:
    """Round weights to integers, and leave out rows that say next to nothing."""
    rounded = np.clip(np.rint(weights * _SCALE), -127, 127).astype(np.int8)
    kept = np.abs(rounded.astype(np.int16)).max(1, initial=0) >= least
    return Weights(keys[kept], np.ascontiguousarray(rounded[kept]))


def _train_values(data: _Data, seed: int) -> tuple[Weights, Bundles]:
    """Learn the weights of features, and which bundles of them words of each tag have."""
    seen = sorted({(token.tag, token.feats) for token in data.tokens} | {(tag, "") for tag in TAGS})
    # A tag without any features, or with tokens that have none, may also be without; others may not.
    with_feats = {tag for tag, feats in seen if feats}
    bare = {token.tag for token in data.tokens if not token.feats}
    seen = [(tag, feats) for tag, feats in seen if feats or tag in bare or tag not in with_feats]
    kinds, groups, labels = _groups(seen)
    bundles = _bundles(seen, kinds, labels)
    if len(labels) > MAX_LABELS:
        raise UsageError(f"the words have {len(labels):,} values of features; a tagger can have {MAX_LABELS:,}")
    if len(labels) == 0:
        return Weights(np.zeros(0, np.uint32), np.zeros((0, 1), np.int8)), bundles
    table = _table_of(data, 4, _MIN_VALUE_COUNT)
    by_bundle = {
        (tag, feats): np.array([_label(feats, name, kinds[tag], labels) for name in groups], np.int32)
        for tag, feats in seen
    }
    gold = np.stack([by_bundle[token.tag, token.feats] for token in data.tokens])
    sizes = Counter(name for name, _ in labels)
    bounds = starts_of(np.array([sizes[name] for name in groups])).astype(np.int32)
    weights, squares = _zeros(len(table.keys), len(labels))
    rows = _rows_of(data, table, _VALUE_OFFSETS, seed)
    average, averaged = np.zeros_like(weights), 0
    for number, order in _orders(data, _VALUE_ROUNDS, seed):
        learn_values(rows, data.types, data.starts, order, data.caseless, gold, bounds, weights, squares, _RATE)
        if number >= _VALUE_ROUNDS * _FIRST_AVERAGED:
            average += weights
            averaged += 1
    average /= averaged
    return _rounded(table.keys, average, _MIN_VALUE_WEIGHT), bundles


def _groups(
    seen: Iterable[tuple[str, str]],
) -> tuple[dict[str, set[str]], list[str], dict[tuple[str, str], int]]:
    """Return the kinds of features of each tag, all kinds, and a number for each kind and value; none is a value."""
    kinds: dict[str, set[str]] = {tag: set() for tag in TAGS}
    values: dict[str, set[str]] = {}
    for tag, feats in seen:
        for feature in filter(None, feats.split("|")):
            name, _, value = feature.partition("=")
            kinds[tag].add(name)
            values.setdefault(name, {""}).add(value)
    groups = sorted(values)
    labels = [(name, value) for name in groups for value in sorted(values[name])]
    return kinds, groups, {label: number for number, label in enumerate(labels)}


def _label(feats: str, name: str, kinds: set[str], labels: dict[tuple[str, str], int]) -> int:
    """Return the number of the value that a bundle has for a kind of feature; -1 if its tag has none of that kind."""
    if name not in kinds:
        return -1
    values = dict(feature.partition("=")[::2] for feature in filter(None, feats.split("|")))
    return labels[name, values.get(name, "")]


def _bundles(
    seen: Sequence[tuple[str, str]], kinds: dict[str, set[str]], labels: dict[tuple[str, str], int]
) -> Bundles:
    """Make the bundles of each tag."""
    names: list[str] = []
    starts, value_starts = [0], [0]
    values: list[int] = []
    for tag in TAGS:
        for feats in (feats for other, feats in seen if other == tag):
            names.append(feats)
            values += [_label(feats, name, kinds[tag], labels) for name in sorted(kinds[tag])]
            value_starts.append(len(values))
        starts.append(len(names))
    return Bundles(np.array(starts, np.int32), names, np.array(value_starts, np.int32), np.array(values, np.int32))


def _xpos(sentences: Sequence[Sentence], bundles: Bundles) -> dict[tuple[str, int], str]:
    """Learn the tags of the treebank from universal tags, features and words: of the largest one that has its own."""
    sizes = Counter[str]()
    for sentence in sentences:
        if sum(bool(token.xpos) for token in sentence.words) >= _MIN_XPOS_SHARE * len(sentence.words):
            sizes[sentence.treebank] += len(sentence.words)
    if not sizes:
        return {}
    largest = max(sorted(sizes), key=sizes.__getitem__)
    numbers = {
        (tag, bundles.names[number]): number
        for at, tag in enumerate(TAGS)
        for number in range(bundles.starts[at], bundles.starts[at + 1])
    }
    counts: dict[int, Counter[str]] = {}
    by_word: dict[tuple[str, int], Counter[str]] = {}
    for sentence in sentences:
        for token in sentence.words if sentence.treebank == largest else ():
            if token.xpos:
                number = numbers[token.tag, token.feats]
                counts.setdefault(number, Counter())[token.xpos] += 1
                by_word.setdefault((lowered(token.word), number), Counter())[token.xpos] += 1
    best = {("", number): max(sorted(found), key=found.__getitem__) for number, found in counts.items()}
    for (word, number), found in by_word.items():
        most = max(sorted(found), key=found.__getitem__)
        if found[most] > 1 and most != best["", number] and "\t" not in word:
            best[word, number] = most
    return best
