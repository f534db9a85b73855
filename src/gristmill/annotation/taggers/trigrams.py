"""Decoding of a trigram tagger: the best sequences of tags, by probabilities of words and of three tags in a row.

Used by `hanta`. All sentences of a batch are decoded together, on ragged arrays: the states of all sentences stand one
after the other, and each sentence may have another number of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gristmill.arrays.dtypes import Floats, Ints

_SENTENCES_AT_ONCE = 2048  # some 50 MB of arrays


class Candidates(NamedTuple):
    """The tags that a word may have, and the logarithm of its probability with each; packed, to be joined fast."""

    tags: bytes
    """A byte a tag."""
    scores: bytes
    """A float of eight bytes a tag."""

    @classmethod
    def of(cls, found: Sequence[tuple[int, float]]) -> Candidates:
        """Pack pairs of a tag and its score."""
        return cls(bytes([tag for tag, _ in found]), np.array([score for _, score in found], np.float64).tobytes())


class Trigrams:
    """A hidden Markov model of second order, decoded by Viterbi's algorithm for many sentences at once.

    A state is a pair of tags: that of a word and that of the word before. There is one round of array operations for
    each word of the longest sentence, however many sentences there are. Unlike HanTa, it follows all states, not only
    the best five. The probabilities of three tags are one array, 42 MB for Dutch with its 216 tags.
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
        """Return the best tags of sentences. No sentence may be empty, and no word without candidates."""
        order = sorted(range(len(sentences)), key=lambda number: -len(sentences[number]))
        found: list[list[int]] = [[]] * len(sentences)
        for start in range(0, len(order), _SENTENCES_AT_ONCE):
            numbers = order[start : start + _SENTENCES_AT_ONCE]
            tags = self._decode([sentences[number] for number in numbers])
            ends = list(accumulate(len(sentences[number]) for number in numbers))
            for number, end in zip(numbers, ends, strict=True):
                found[number] = tags[end - len(sentences[number]) : end]
        return found

    def _decode(self, sentences: Sequence[Sequence[Candidates]]) -> list[int]:
        """Return the tags of all words of sentences, which are sorted by length, the longest first.

        So the sentences that have a word `at` are always the first ones.
        """
        words = _Words.of(sentences)
        states = self._first_states(len(sentences))
        steps: list[_Step] = []
        ends: list[Ints] = []
        for at in range(len(sentences[0])):
            active = int(np.searchsorted(-words.lengths, -at))  # how many sentences are longer than that
            step, states = self._step(states.of_first(active), words, at, active)
            steps.append(step)
            ends.append(self._best_ends(states, int(np.searchsorted(-words.lengths[:active], -at - 1))))
        return _walk_back(words, steps, ends)

    def _first_states(self, number: int) -> _States:
        """Return one state for each sentence, before its first word."""
        ones, (first, second) = np.ones(number, np.int64), self._start
        return _States(np.zeros(number), self._pack(ones * first, ones * second), ones * second, ones, ones)

    def _pack(self, first: Ints, second: Ints | int) -> Ints:
        """Number pairs of tags, or triples given as a pair and a tag: tags are digits to the base `_size`."""
        return first * self._size + second

    def _step(self, states: _States, words: _Words, at: int, active: int) -> tuple[_Step, _States]:
        """Go from the states of sentences to those at their next words.

        For a sentence whose last two words have 2 and 3 tags, the block of states is 6 long: the two tags of the word
        before, for each of the three last tags. If the next word has 4 tags, there are 24 pairs of a state and a next
        tag, in 12 runs of 2. In a run, next tag and last tag are the same, so that its best pair gives the score of one
        of the 12 new states.
        """
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
        scores = states.scores[origin] + self._flat[self._pack(states.pairs[origin], words.tags[candidate])]
        # The best of each run, whose states differ only in the tag before the last, is the way to a new state.
        runs = np.repeat(states.before, counts * states.last)
        run_starts = np.cumsum(runs) - runs
        best = np.maximum.reduceat(scores, run_starts)
        chosen = _first_places(scores == np.repeat(best, runs), runs)
        tags, last = words.tags[candidate[run_starts]], states.tags[origin[run_starts]]
        new = _States(best + words.scores[candidate[run_starts]], self._pack(last, tags), tags, states.last, counts)
        return _Step(tags, origin[chosen]), new

    def _best_ends(self, states: _States, going_on: int) -> Ints:
        """Return the best last states of the sentences that end here, which come after the `going_on` that do not."""
        block = states.before * states.last
        starts = np.cumsum(block) - block
        if going_on == len(block):
            return np.empty(0, np.int64)
        first = int(starts[going_on])
        scores = states.scores[first:] + self._flat[self._pack(states.pairs[first:], self._end)]
        sizes = block[going_on:]
        best = np.maximum.reduceat(scores, starts[going_on:] - first)
        return _first_places(scores == np.repeat(best, sizes), sizes) + first


class _Words(NamedTuple):
    """The words of sentences as ragged arrays: the words of all sentences, and the candidates of all words, in a row.

    For a sentence of two words with 2 and 3 candidates and one of a single word with 1, `counts` is [2, 3, 1],
    `offsets` is [0, 2, 5], `lengths` is [2, 1] and `starts` is [0, 2].
    """

    tags: Ints
    """The tag of each candidate."""
    scores: Floats
    """The score of each candidate."""
    offsets: Ints
    """The first candidate of each word."""
    counts: Ints
    """How many candidates each word has."""
    starts: Ints
    """The first word of each sentence."""
    lengths: Ints
    """How many words each sentence has."""

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Candidates]]) -> _Words:
        """Unpack and join the candidates of all words."""
        words = [word for sentence in sentences for word in sentence]
        tags = np.frombuffer(b"".join([word.tags for word in words]), np.uint8).astype(np.int64)
        scores = np.frombuffer(b"".join([word.scores for word in words]), np.float64)
        counts = np.array([len(word.tags) for word in words], np.int64)
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        return cls(tags, scores, np.cumsum(counts) - counts, counts, np.cumsum(lengths) - lengths, lengths)


class _States(NamedTuple):
    """The states of sentences at one word: a block a sentence, in which states with the same last tag are a run."""

    scores: Floats
    """The score of the best path to each state."""
    pairs: Ints
    """Both tags of each state, packed to one number."""
    tags: Ints
    """The last tag of each state."""
    before: Ints
    """How many tags the word before the last has in each sentence: the length of its runs."""
    last: Ints
    """How many tags the last word has in each sentence: the number of its runs."""

    def of_first(self, number: int) -> _States:
        """Return the states of the first sentences."""
        if number == len(self.last):
            return self
        end = int((self.before[:number] * self.last[:number]).sum())
        return _States(self.scores[:end], self.pairs[:end], self.tags[:end], self.before[:number], self.last[:number])


class _Step(NamedTuple):
    """The last tag of each state at a word, and the best state before it at the word before."""

    tags: Ints
    origins: Ints


def _first_places(where: NDArray[np.bool_], runs: Ints) -> Ints:
    """Return where each run, of given lengths, is true for the first time.

    For the runs [1, 0 | 0, 1, 1] it is [0, 3]. The true places are written backwards, [4, 3, 0] to the runs [1, 1, 0]:
    of several in a run, the one that is written last stays, which is the first.
    """
    places = np.flatnonzero(where)[::-1]
    found = np.empty(len(runs), np.int64)
    found[np.repeat(np.arange(len(runs)), runs)[places]] = places
    return found


def _walk_back(words: _Words, steps: Sequence[_Step], ends: Sequence[Ints]) -> list[int]:
    """Follow the best paths from their ends to the first words, and return the tags of all words.

    Sentences are sorted by length, so those that end at a word come behind those that go on.
    """
    tags = np.empty(len(words.counts), np.int64)
    current = np.empty(0, np.int64)
    for at in range(len(steps) - 1, -1, -1):
        current = np.concatenate([current, ends[at]])
        tags[words.starts[: len(current)] + at] = steps[at].tags[current]
        current = steps[at].origins[current]
    found: list[int] = tags.tolist()
    return found


def _dense(transitions: Mapping[tuple[int, int], Mapping[int, float]], numbers: Mapping[int, int]) -> NDArray[Any]:
    """Make an array of the log-probabilities of three tags; minus infinity where there is none."""
    array = np.full((len(numbers),) * 3, -np.inf, np.float32)
    order: list[int] = []
    places: list[int] = []
    for (first, second), following in transitions.items():
        if first in numbers and second in numbers:
            if [*following] != order:  # nearly all rows have the same order, so it is seldom translated
                order = [*following]
                places = [numbers[tag] for tag in order]
            array[numbers[first], numbers[second], places] = np.fromiter(following.values(), np.float32, len(order))
    return array
