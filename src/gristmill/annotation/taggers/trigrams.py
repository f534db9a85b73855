"""The best sequences of tags for sentences, by probabilities of words and of three tags in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.arrays.dtypes import Floats, Ints

_TOGETHER = 2048  # sentences; some 50 MB of arrays


class Candidates(NamedTuple):
    """The tags that a word may have, a byte each, and how probable the word is with each: logarithms, as floats of eight bytes."""

    tags: bytes
    scores: bytes

    @classmethod
    def of(cls, found: Sequence[tuple[int, float]]) -> Candidates:
        """From pairs of a tag and its score."""
        return cls(bytes([tag for tag, _ in found]), np.array([score for _, score in found], np.float64).tobytes())


class Trigrams:
    """A hidden Markov model of second order, decoded by Viterbi's algorithm for many sentences at once.

    A state is a pair of tags: those of a word and of the one before. It takes one round of array operations a word of
    the longest sentence, whatever the number of sentences. Unlike HanTa it follows all states, not the best five alone.
    The probabilities of three tags are one array, 42 MB for Dutch with its 216 tags.
    """

    def __init__(
        self,
        transitions: Mapping[tuple[int, int], Mapping[int, float]],
        tags: Sequence[int],
        start: tuple[int, int],
        end: int,
    ) -> None:
        numbers = {tag: number for number, tag in enumerate([*tags, start[1], start[0], end])}
        self._size = len(numbers)
        self._flat = _dense(transitions, numbers).ravel()
        self._start = numbers[start[0]], numbers[start[1]]
        self._end = numbers[end]
        self.numbers = {tag: numbers[tag] for tag in tags}

    def decode(self, sentences: Sequence[Sequence[Candidates]]) -> list[list[int]]:
        """The best tags of sentences, none of which is empty, as no word is without candidates."""
        order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
        found: list[list[int]] = [[]] * len(sentences)
        for start in range(0, len(order), _TOGETHER):
            numbers = order[start : start + _TOGETHER]
            tags = self._decode([sentences[number] for number in numbers])
            ends = list(accumulate(len(sentences[number]) for number in numbers))
            for number, end in zip(numbers, ends, strict=True):
                found[number] = tags[end - len(sentences[number]) : end]
        return found

    def _decode(self, sentences: Sequence[Sequence[Candidates]]) -> list[int]:
        """The tags of all words of sentences, the longest of which are first."""
        words = _Words.of(sentences)
        states = self._first_states(len(sentences))
        steps: list[_Step] = []
        ends: list[Ints] = []
        for at in range(len(sentences[0])):
            active = int(np.searchsorted(-words.lengths, -at))  # the sentences that are longer
            step, states = self._step(states.of_first(active), words, at, active)
            steps.append(step)
            ends.append(self._best_ends(states, int(np.searchsorted(-words.lengths[:active], -at - 1))))
        return _walk_back(words, steps, ends)

    def _first_states(self, number: int) -> _States:
        """One state a sentence, before its first word."""
        ones, (first, second) = np.ones(number, np.int64), self._start
        return _States(np.zeros(number), ones * (first * self._size + second), ones * second, ones, ones)

    def _step(self, states: _States, words: _Words, at: int, active: int) -> tuple[_Step, _States]:
        """From the states of sentences to those at their next words."""
        tokens = words.starts[:active] + at
        counts, firsts = words.counts[tokens], words.offsets[tokens]
        block = states.before * states.last
        # All pairs of a state and a next tag: for each sentence, each next tag with its whole block of states.
        pairs = block * counts
        sentence = np.repeat(np.arange(active), pairs)
        place = np.arange(len(sentence)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        candidate, within = np.divmod(place, block[sentence])
        candidate += firsts[sentence]
        origin = within + (np.cumsum(block) - block)[sentence]
        scores = states.scores[origin] + self._flat[states.pairs[origin] * self._size + words.tags[candidate]]
        # The best of each run that differs in the tag before the last alone is the way to a new state.
        runs = np.repeat(states.before, counts * states.last)
        run_starts = np.cumsum(runs) - runs
        best = np.maximum.reduceat(scores, run_starts)
        chosen = _first_places(scores == np.repeat(best, runs), runs)
        tags, last = words.tags[candidate[run_starts]], states.tags[origin[run_starts]]
        new = _States(best + words.scores[candidate[run_starts]], last * self._size + tags, tags, states.last, counts)
        return _Step(tags, origin[chosen]), new

    def _best_ends(self, states: _States, going_on: int) -> Ints:
        """The best last states of the sentences that end here, which are those after the ones that go on."""
        block = states.before * states.last
        starts = np.cumsum(block) - block
        if going_on == len(block):
            return np.empty(0, np.int64)
        first = int(starts[going_on])
        scores = states.scores[first:] + self._flat[states.pairs[first:] * self._size + self._end]
        sizes = block[going_on:]
        best = np.maximum.reduceat(scores, starts[going_on:] - first)
        return _first_places(scores == np.repeat(best, sizes), sizes) + first


class _Words(NamedTuple):
    """The words of sentences, one after the other: where the candidates of each are and how many, where sentences start, their lengths."""

    tags: Ints
    scores: Floats
    offsets: Ints
    counts: Ints
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Candidates]]) -> _Words:
        words = [word for sentence in sentences for word in sentence]
        tags = np.frombuffer(b"".join([word.tags for word in words]), np.uint8).astype(np.int64)
        scores = np.frombuffer(b"".join([word.scores for word in words]), np.float64)
        counts = np.array([len(word.tags) for word in words], np.int64)
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls(tags, scores, np.cumsum(counts) - counts, counts, np.cumsum(lengths) - lengths, lengths)


class _States(NamedTuple):
    """The states of sentences at one word, those of a sentence in a block, in which states with one last tag stand together."""

    scores: Floats
    pairs: Ints
    """Both tags of each state, as one number."""
    tags: Ints
    """The last tag of each."""
    before: Ints
    """How many tags the word before has in each sentence, and the last one."""
    last: Ints

    def of_first(self, number: int) -> _States:
        """The states of the first sentences."""
        if number == len(self.last):
            return self
        end = int((self.before[:number] * self.last[:number]).sum())
        return _States(self.scores[:end], self.pairs[:end], self.tags[:end], self.before[:number], self.last[:number])


class _Step(NamedTuple):
    """The last tag of each state at a word, and from which state at the word before it is reached best."""

    tags: Ints
    origins: Ints


def _first_places(where: NDArray[np.bool_], runs: Ints) -> Ints:
    """Where each run, of given lengths, is true for the first time."""
    places = np.flatnonzero(where)[::-1]
    found = np.empty(len(runs), np.int64)
    found[np.repeat(np.arange(len(runs)), runs)[places]] = (
        places  # of several, the last that is written stays, which is the first
    )
    return found


def _walk_back(words: _Words, steps: Sequence[_Step], ends: Sequence[Ints]) -> list[int]:
    tags = np.empty(len(words.counts), np.int64)
    current = np.empty(0, np.int64)
    for at in range(len(steps) - 1, -1, -1):
        current = np.concatenate([current, ends[at]])
        tags[words.starts[: len(current)] + at] = steps[at].tags[current]
        current = steps[at].origins[current]
    found: list[int] = tags.tolist()
    return found


def _dense(transitions: Mapping[tuple[int, int], Mapping[int, float]], numbers: Mapping[int, int]) -> NDArray[Any]:
    array = np.full((len(numbers),) * 3, -np.inf, np.float32)
    order: list[int] = []
    places: list[int] = []
    for (first, second), following in transitions.items():
        if first in numbers and second in numbers:
            if [*following] != order:  # nearly all rows have the same
                order = [*following]
                places = [numbers[tag] for tag in order]
            array[numbers[first], numbers[second], places] = np.fromiter(following.values(), np.float32, len(order))
    return array
