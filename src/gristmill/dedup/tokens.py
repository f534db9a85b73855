"""Texts as 64-bit numbers: one for each token, and one for each n-gram of tokens (a shingle, as Broder calls it).

Nothing here is done token by token: a text is an array of characters, and a token's number is the difference of two prefix sums of a
polynomial over them. Equal tokens have equal numbers on every machine; different ones have the same with a probability of 2^-64.

A token is a run of letters, digits and marks, with what joins them (`don't`, `3.14`, `me@example.org`); or a punctuation mark; or, in
scripts that put no spaces between words, a character.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.clean.characters import SURROGATES, characters_are
from gristmill.clean.words import unspaced_codes
from gristmill.decode.tidy import utf16
from gristmill.language import stop_list

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

_SPACE, _WORD, _SINGLE, _JOINER, _MARK = range(5)
_JOINERS = "'’ʼ-‐‑.,:@_·"
_PIECE = 1 << 17  # characters that are looked at together: their arrays stay in the processor's cache
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64
_INVERSE = pow(_BASE, -1, 1 << 64)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts in a row."""

    hashes: Hashes
    starts: Ints
    """Where each text begins among the tokens, and at the end where the last one ends."""

    @property
    def counts(self) -> Ints:
        """How many tokens each text has."""
        return np.diff(self.starts)

    def only(self, flags: npt.NDArray[np.bool_]) -> Tokens:
        """Those tokens that are flagged."""
        before = np.append(np.int64(0), np.cumsum(flags, dtype=np.int64))
        return Tokens(self.hashes[flags], before[self.starts])


@dataclass(frozen=True, slots=True)
class Shingles:
    """The n-grams of several texts in a row; none goes beyond the end of its text."""

    hashes: Hashes
    places: Ints
    """The token at which each begins."""
    starts: Ints
    """Where each text begins among the n-grams, and at the end where the last one ends."""


def tokenise(texts: Sequence[str], *, punctuation: bool = True) -> Tokens:
    """The tokens of texts, with or without those that are punctuation marks."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return tokenise_joined("".join(texts), lengths, punctuation=punctuation)


def tokenise_joined(text: str, lengths: Ints, *, punctuation: bool = True) -> Tokens:
    """The same for texts that stand one behind the other, with nothing between them: how many characters each has."""
    hashes, counts = [np.empty(0, np.uint64)], np.zeros(len(lengths), np.int64)
    for piece, first, starts in _pieces(text, lengths):
        found, of_text = _tokens(piece, starts, punctuation)
        hashes.append(found)
        counts[first : first + len(starts)] += of_text
    return Tokens(np.concatenate(hashes), np.append(np.int64(0), np.cumsum(counts)))


def without_stop_words(tokens: Tokens, langs: Sequence[str]) -> Tokens:
    """Leave out the stop words of each text's language."""
    keep = np.ones(len(tokens.hashes), np.bool_)
    of_lang = np.repeat(np.array(langs, object), tokens.counts) if len(langs) else np.empty(0, object)
    for lang in sorted(set(langs)):
        here = np.flatnonzero(of_lang == lang)
        keep[here] = ~np.isin(tokens.hashes[here], _stop_hashes(lang))
    return tokens.only(keep)


def shingle(tokens: Tokens, n: int) -> Shingles:
    """All n-grams of each text."""
    counts = np.maximum(tokens.counts - n + 1, 0)
    starts = np.append(np.int64(0), np.cumsum(counts))
    places = np.arange(starts[-1]) + np.repeat(tokens.starts[:-1] - starts[:-1], counts)
    powers, inverses = _powers(len(tokens.hashes) + 1)
    sums = np.zeros(len(tokens.hashes) + 1, np.uint64)
    np.cumsum(tokens.hashes * powers[:-1], out=sums[1:])
    rolled = (sums[n:] - sums[:-n]) * inverses[: len(sums) - n] if len(sums) > n else np.empty(0, np.uint64)
    return Shingles(mix(rolled[places]), places, starts)


def mix(values: Hashes) -> Hashes:
    """Spread numbers evenly over 64 bits: the last step of SplitMix64 (Steele, Lea and Flood 2014), which can be undone."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _pieces(text: str, lengths: Ints) -> Iterator[tuple[str, int, Ints]]:
    """Texts in groups of some size: the group, the number of its first text, and where each begins. A long text comes in several parts."""
    ends = np.cumsum(lengths)
    is_long = lengths > _PIECE
    edges = np.flatnonzero((np.diff(ends // _PIECE) > 0) | is_long[1:] | is_long[:-1]) + 1 if len(lengths) else np.empty(0, np.int64)
    for first, last in itertools.pairwise([0, *edges.tolist(), len(lengths)]):
        if first == last:
            continue
        start, end = int(ends[first] - lengths[first]), int(ends[last - 1])
        if last == first + 1 and is_long[first]:
            yield from ((part, first, np.zeros(1, np.int64)) for part in _parts(text[start:end]))
        else:
            yield text[start:end], first, ends[first:last] - lengths[first:last] - start


def _parts(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        space = max([text.rfind(space, start + 1, end) for space in " \t\n"]) if end < len(text) else -1
        end = space if space > 0 else end
        yield text[start:end]
        start = end


def _tokens(text: str, text_starts: Ints, punctuation: bool) -> tuple[Hashes, Ints]:
    """Tokens of a few texts, and how many each text has, given where each begins."""
    codes = utf16(text)
    if len(codes) != len(text):
        text_starts = _in_units(codes, text_starts)
    edge = np.zeros(len(codes) + 1, np.bool_)  # whether a text begins at this place, and another has ended
    edge[text_starts] = edge[-1] = True
    kinds = np.zeros(len(codes) + 2, np.uint8)
    kinds[1:-1] = _kinds().take(codes)
    joiners = np.flatnonzero(kinds == _JOINER)
    joins = (kinds[joiners - 1] == _WORD) & (kinds[joiners + 1] == _WORD) & ~edge[joiners - 1] & ~edge[joiners]
    kinds[joiners] = np.where(joins, _WORD, _MARK)
    is_word = kinds == _WORD
    is_token = ((kinds != _SPACE) if punctuation else is_word | (kinds == _SINGLE))[1:-1]
    starts = np.flatnonzero(is_token & ~(is_word[1:-1] & is_word[:-2] & ~edge[:-1]))
    powers, inverses = _powers(len(codes) + 1)
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum((codes * is_token).astype(np.uint64) * powers[:-1], out=sums[1:])  # what is between tokens adds nothing
    hashes = mix(np.diff(sums[np.append(starts, len(codes))]) * inverses[starts])
    return hashes, np.diff(np.searchsorted(starts, np.append(text_starts, len(codes))))


def _in_units(codes: npt.NDArray[np.uint16], places: Ints) -> Ints:
    """Places in a text as places in its UTF-16 form, in which some characters are two units."""
    is_second = codes & 0xFC00 == 0xDC00
    return np.searchsorted(np.cumsum(~is_second) - 1, places)


def _powers(count: int) -> tuple[Hashes, Hashes]:
    """That many powers of the base and of its inverse, modulo 2^64."""
    powers, inverses = _power_table(max(1 << (count - 1).bit_length(), 2 * _PIECE))
    return powers[:count], inverses[:count]


@functools.lru_cache(4)
def _power_table(count: int) -> tuple[Hashes, Hashes]:
    tables = []
    for base in (_BASE, _INVERSE):
        factors = np.full(count, base, np.uint64)
        factors[0] = 1
        tables.append(np.multiply.accumulate(factors))
    return tables[0], tables[1]


@functools.cache
def _kinds() -> npt.NDArray[np.uint8]:
    """What each UTF-16 code unit is. Halves of surrogate pairs are letters: most are, or else parts of emoji."""
    kinds = np.full(1 << 16, _SPACE, np.uint8)
    kinds[characters_are("P", "S")] = _MARK
    kinds[characters_are("L", "M", "N", "Co")] = _WORD
    kinds[characters_are("Cf")] = _JOINER
    kinds[list(map(ord, _JOINERS))] = _JOINER
    kinds[unspaced_codes() & ~characters_are("P", "S")] = _SINGLE
    kinds[SURROGATES] = _WORD
    return kinds


@functools.cache
def _stop_hashes(lang: str) -> Hashes:
    return np.unique(tokenise(sorted(stop_list(lang))).hashes)
