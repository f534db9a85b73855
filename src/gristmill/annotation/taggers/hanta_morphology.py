"""The morphology model of HanTa, with the same results as its own code, but two to four times as fast. Used by `hanta`.

Wartena, A Probabilistic Morphology Model for German Lemmatization (KONVENS 2019): a word is a sequence of morphemes,
and their classes are the states of a hidden Markov model of second order. HanTa looks up the probability of every piece
of a word with every class that may follow. Here each piece is looked up once, and only classes that may have it are
tried.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from HanTa.HanoverTagger import EMPTY, END_UNKNOWN, START, UNKNOWN, HanoverTagger

State = tuple[int, int]
"""The classes of the last two morphemes."""
Scored = tuple[int, float]
"""A class and the logarithm of its probability."""

_NEVER = -math.inf
_ANY = 0  # no class in particular
_MIN_FOLLOWED_STATES = 3  # from each place in a word; those that are nearly as good are followed too, as in HanTa
_WHOLE_WORD_PENALTY = 4.6  # in log-probability, if a whole word is one unknown morpheme; HanTa's
_MAX_CACHED_WORDS = 1 << 14
_MAX_MORPHEME_LETTERS = 24  # longer morphemes have the probability of this length
_MAX_ENDING_LETTERS = 4  # in HanTa's models


class _Following(NamedTuple):
    """The classes of morphemes that may follow a state, with the logarithms of their probabilities."""

    known: dict[int, float]
    """All classes."""
    open: dict[int, float]
    """The classes that unknown morphemes may have."""


class _Place:
    """A place between two letters of a word, with the best path to each state there."""

    __slots__ = ("origins", "scores")

    def __init__(self) -> None:
        self.scores: dict[State, float] = {}
        self.origins: dict[State, tuple[State, int]] = {}  # the state and place before it

    def best(self) -> list[tuple[State, float]]:
        """Return the states that are followed, with their scores."""
        scores, few = self.scores, _MIN_FOLLOWED_STATES
        bound = sorted(scores.values(), reverse=True)[few] - 1 if len(scores) > few else _NEVER
        return [(state, score) for state, score in scores.items() if score >= bound]

    def reach_known(
        self, start: int, states: Sequence[tuple[State, float, _Following]], known: Sequence[Scored]
    ) -> None:
        """Extend paths from states at place `start` by a piece that is a known morpheme of some classes."""
        for state, score, following in states:
            for tag, probability in known:
                if tag in following.known:
                    new, total = (state[1], tag), score + following.known[tag] + probability
                    if total > self.scores.get(new, _NEVER):
                        self.scores[new], self.origins[new] = total, (state, start)

    def reach_unknown(
        self,
        start: int,
        ways: Sequence[tuple[int, State, float, State]],
        guesses: Mapping[int, float],
        known: Sequence[Scored],
    ) -> None:
        """Extend paths by a piece taken for an unknown morpheme, but not in a class in which it is known."""
        scores, taken = self.scores, {tag for tag, _ in known}
        for tag, new, score, state in ways:
            total = score + guesses[tag]
            if total > scores.get(new, _NEVER) and tag not in taken:
                scores[new] = total
                self.origins[new] = (state, start)


class Morphology(HanoverTagger):  # type: ignore[misc]
    """HanTa's model of a language, which finds the classes of a word, and its lemma in each of them."""

    def __init__(self, filename: str) -> None:
        super().__init__(filename)
        known: dict[str, list[Scored]] = defaultdict(list)
        for tag, morphemes in self.LP_m_t.items():
            for morpheme, probability in morphemes.items():
                known[morpheme].append((tag, probability))
        self._known = dict(known)
        self._open = frozenset(self.LP_hapax_t) & frozenset(self.LP_s_t)
        self._endings = frozenset(ending for tag in self._open for ending in self.LP_s_t[tag])  # all classes have them
        self._unknown: dict[tuple[str, int, bool], dict[int, float]] = {}
        self._cached_forward = lru_cache(maxsize=_MAX_CACHED_WORDS)(self._forward)  # HanTa asks in lower case
        self._after: dict[tuple[State, int], _Following] = {}

    def analyze_forward(self, word: str) -> list[Scored]:
        """Return the classes that a word may have with the logarithms of their probabilities, the best first.

        Overrides HanTa's method.
        """
        return self._cached_forward(word)

    def _forward(self, word: str) -> list[Scored]:
        """Compute `analyze_forward`: add up the probabilities of all paths to the same class."""
        ends: dict[State, float] = {}
        for state, score in self._paths(word, self.strict, _ANY)[-1].scores.items():
            for tag, probability in self.LP_trans_final.get(state, ()):
                end = (state[1], tag)
                ends[end] = max(score + probability, ends.get(end, _NEVER))
        results: dict[int, float] = {}
        for (_, tag), score in ends.items():
            results[-tag] = float(np.logaddexp(results[-tag], score)) if -tag in results else score
        return sorted(results.items(), key=itemgetter(1), reverse=True) or [(UNKNOWN, 0.0)]

    def analyze_viterbi(self, word: str, targetpos: int) -> list[tuple[int, int]]:
        """Return the classes of the morphemes of a word that has the class `targetpos`, and where each ends.

        Unknown morphemes are only tried if known ones are not enough. Overrides HanTa's method.
        """
        for strict in (True, False):
            places = self._paths(word, strict, targetpos)
            best, last = _NEVER, None
            for state, score in places[-1].scores.items():
                total = score + self.LP_trans.get(state, {}).get(targetpos, _NEVER)
                if total > best:
                    best, last = total, state
            if last is not None:
                return [*_walk_back(places, last), (targetpos, len(word) + 1)]
        return [(UNKNOWN, len(word)), (END_UNKNOWN, len(word) + 1)]

    def _paths(self, word: str, strict: bool, target: int) -> list[_Place]:
        """Find the paths through a word, and return its places, the first before it, the last behind it.

        If `strict`, all morphemes are known ones. `target` is the class of the word that paths have to lead to.
        """
        size, longest = len(word), _MAX_ENDING_LETTERS
        places = [_Place() for _ in range(size + 1)]
        places[0].scores[EMPTY, START] = 0.0
        tails = [""] * (size + 1)
        if not strict:
            tails = [self._ending(word[max(0, end - longest) : end]) for end in range(size + 1)]
        for start in range(size):
            states = places[start].best()
            if not states:
                continue
            following = [(state, score, self._following(state, target)) for state, score in states]
            unknown = () if strict else _open_ways(following)
            for end in range(start + 1, size + 1):
                length = end - start
                known = self._known.get(word[start:end], ())
                if known:
                    places[end].reach_known(start, following, known)
                if unknown and (length > 2 or size < 4):
                    ending = tails[end] if length > longest else self._ending(word[start + 1 : end])
                    places[end].reach_unknown(start, unknown, self._guess(ending, length, length == size), known)
        return places

    def _following(self, state: State, target: int) -> _Following:
        """Return what may follow a state on a path to the class `target`, which may be `_ANY`."""
        if (state, target) not in self._after:
            reachable = self.reachability.get(target, frozenset()) if target != _ANY else None
            known = {
                tag: score
                for tag, score in self.LP_trans_nonfinal.get(state, ())
                if reachable is None or tag in reachable
            }
            self._after[state, target] = _Following(
                known, {tag: score for tag, score in known.items() if tag in self._open}
            )
        return self._after[state, target]

    def _ending(self, tail: str) -> str:
        """Return the longest ending of some letters that the model knows."""
        return next((tail[-size:] for size in range(len(tail), 0, -1) if tail[-size:] in self._endings), "")

    def _guess(self, ending: str, length: int, whole: bool) -> dict[int, float]:
        """Return how probable an unknown morpheme is in each open class, by its ending and length.

        `whole` tells whether it is the whole word.
        """
        key = (ending, min(_MAX_MORPHEME_LETTERS, length), whole)
        if key not in self._unknown:
            self._unknown[key] = {tag: self._guess_one(tag, *key) for tag in self._open}
        return self._unknown[key]

    def _guess_one(self, tag: int, ending: str, length: int, whole: bool) -> float:
        probability = (
            self.Int_t + self.LP_hapax_t[tag] + self.LP_len_t[tag][length] + self.LP_s_t[tag].get(ending, _NEVER)
        )
        return float(probability - _WHOLE_WORD_PENALTY if whole else probability)


def _open_ways(states: Sequence[tuple[State, float, _Following]]) -> list[tuple[int, State, float, State]]:
    """Find the best way from some states to each state with an open class: class, new state, score, state before."""
    best: dict[State, tuple[int, State, float, State]] = {}
    for state, score, following in states:
        for tag, transition in following.open.items():
            new, total = (state[1], tag), score + transition
            if new not in best or total > best[new][2]:
                best[new] = (tag, new, total, state)
    return list(best.values())


def _walk_back(places: Sequence[_Place], state: State) -> list[tuple[int, int]]:
    """Return the classes of morphemes on the path to a state behind the word, and where they end."""
    found: list[tuple[int, int]] = []
    end = len(places) - 1
    while end > 0:
        found.append((state[1], end))
        state, end = places[end].origins[state]
    return found[::-1]
