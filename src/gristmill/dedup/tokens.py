"""Texts as 64-bit numbers: one for each token, and one for each n-gram of tokens (a shingle, as Broder calls it).

Nothing here is done token by token: a text is an array of characters, and a token's number is the difference of two
prefix sums of a polynomial over them. Equal tokens have equal numbers on every machine; different ones have the same
with a probability of 2^-64.

Texts are compared in a folded form (see `text/folding.py`). A token is

- a *word*: a run of letters, digits and combining marks, with what joins two of these (one of `'-.,:@_·`: `don't`,
  `3.14`, `me@example.org`);
- a *pseudo-word*, in scripts that put no spaces between words: a piece of a run of letters of such a script. With a and
  b the UTF-16 code units before and behind a place between two characters of the folded text, a run is cut there if a
  and b differ and mix(923 * 2^32 + 2^16 a + b) < share * 2^64, where `share` is 5/8 for scripts whose words have two
  characters on average, 11/50 for those with five and 11/60 for those with six (see `text/scripts.py`), and `mix` is
  that of `arrays/hashing.py`. So tokens are as rare as words, an edit changes only those that it touches, and a letter
  that is repeated (`哈哈哈`) makes one token, not many. They are somewhat shorter than words, since an edit of a word
  touches two of them: so as much of a revised text is found as in scripts with spaces;
- or a *mark*: a punctuation mark or symbol. The same mark several times in a row is one token.

Without folding (`fold=False`) capitals, invisible characters and repeated marks count, as they do in the literature.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Bytes, Codes, Flags, Hashes, Ints
from gristmill.arrays.hashing import mix, prefix_sums
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.language import stop_list
from gristmill.text.characters import characters_are, unit_table
from gristmill.text.folding import HYPHEN, LONG_DASH, fold_units, rare_places, spelled_out
from gristmill.text.scripts import characters_per_word
from gristmill.text.units import SECOND_HALVES, SURROGATES, are_second_halves, first_halves, places_in_units, utf16

# Kinds of characters. Those of scripts without spaces are as many above _UNSPACED as these have characters a word.
_SPACE, _MARK, _JOINER, _WORD, _LETTER, _UNSPACED = range(6)
_JOINERS = "'’ʼ-‐‑.,:@_·"  # some of them only if texts are not folded
_TSHEGS, _WORD_SPACE = [0x0F0B, 0x0F0C], 0x1361  # marks between the syllables of Tibetan, and between Ethiopic words
# First halves of surrogate pairs: of emoji, and of Han characters beyond the basic plane.
_EMOJI, _HAN_BEYOND = first_halves(0x1F000, 0x1FBFF), first_halves(0x20000, 0x3FFFF)
# Chosen among 4,000, so that no frequent pair spoils a language: cuts are within 11% of as many as they should be in
# each of 14 languages.
_SEED = np.uint64(923 << 32)
_CUT_SHARES = {2: (5, 8), 5: (11, 50), 6: (11, 60)}  # of pairs between which a word ends, by characters a word
_CUTS = "。、！？；།။។"  # where a long text without spaces may be cut
_PIECE_CHARACTERS = 1 << 17  # are looked at together: their arrays stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of several texts in a row."""

    hashes: Hashes
    starts: Ints
    """Where each text begins among the tokens, and at the end where the last one ends."""
    lettered: Flags = field(default_factory=lambda: np.empty(0, np.bool_))
    """Whether each token has a letter; numbers, marks and emoji have none. All have, if it is not given."""

    def __post_init__(self) -> None:
        """Supply what is not given."""
        if len(self.lettered) != len(self.hashes):
            object.__setattr__(self, "lettered", np.ones(len(self.hashes), np.bool_))

    @property
    def counts(self) -> Ints:
        """How many tokens each text has."""
        return np.diff(self.starts)

    def only(self, flags: Flags) -> Tokens:
        """Keep only the tokens that are flagged."""
        before = starts_of(flags)
        return Tokens(self.hashes[flags], before[self.starts], self.lettered[flags])


@dataclass(frozen=True, slots=True)
class Shingles:
    """The n-grams of several texts in a row; none goes beyond the end of its text."""

    hashes: Hashes
    places: Ints
    """The token at which each begins."""
    starts: Ints
    """Where each text begins among the n-grams, and at the end where the last one ends."""


def get_ready() -> None:
    """Make the tables that all texts need, so that they are there when the first one comes."""
    tokenise(["mill"])


def tokenise(texts: Sequence[str], *, punctuation: bool = True, fold: bool = True) -> Tokens:
    """The tokens of texts, with or without those that are marks; in their folded form, or as they stand."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return tokenise_joined("".join(texts), lengths, punctuation=punctuation, fold=fold)


def tokenise_joined(text: str, lengths: Ints, *, punctuation: bool = True, fold: bool = True) -> Tokens:
    """The tokens of texts that stand one behind the other in one, with nothing between them.

    `lengths` says how many characters each has.
    """
    hashes, lettered, counts = [np.empty(0, np.uint64)], [np.empty(0, np.bool_)], np.zeros(len(lengths), np.int64)
    for piece, first, starts in _pieces(text, lengths):
        found = _tokens(*(_folded if fold else _as_it_stands)(piece, starts), punctuation=punctuation, fold=fold)
        hashes.append(found.hashes)
        lettered.append(found.lettered)
        counts[first : first + len(starts)] += found.counts
    return Tokens(np.concatenate(hashes), starts_of(counts), np.concatenate(lettered))


def without_stop_words(tokens: Tokens, langs: Sequence[str], *, fold: bool = True) -> Tokens:
    """Leave out the stop words of each text's language, in their folded form or as they stand, as the tokens are."""
    keep = np.ones(len(tokens.hashes), np.bool_)
    of_lang = np.repeat(np.array(langs, object), tokens.counts) if len(langs) else np.empty(0, object)
    for lang in sorted(set(langs)):
        here = np.flatnonzero(of_lang == lang)
        keep[here] = ~np.isin(tokens.hashes[here], _stop_hashes(lang, fold=fold))
    return tokens.only(keep)


def hash_texts(tokens: Tokens) -> Hashes:
    """One number for all tokens of each text: that of its only n-gram, if n is as many as it has."""
    sums, inverses = prefix_sums(tokens.hashes)
    return mix(np.diff(sums[tokens.starts]) * inverses[tokens.starts[:-1]])


def shingle(tokens: Tokens, n: int) -> Shingles:
    """All n-grams of each text."""
    counts = np.maximum(tokens.counts - n + 1, 0)
    starts = starts_of(counts)
    places = concatenated_ranges(tokens.starts[:-1], counts)
    sums, inverses = prefix_sums(tokens.hashes)
    rolled = (sums[n:] - sums[:-n]) * inverses[: len(sums) - n] if len(sums) > n else np.empty(0, np.uint64)
    return Shingles(mix(rolled[places]), places, starts)


def _pieces(text: str, lengths: Ints) -> Iterator[tuple[str, int, Ints]]:
    """Texts in groups of some size: the group, the number of its first text, and where each begins.

    A long text comes in several parts.
    """
    ends = np.cumsum(lengths)
    is_long = lengths > _PIECE_CHARACTERS
    edges = (
        np.flatnonzero((np.diff(ends // _PIECE_CHARACTERS) > 0) | is_long[1:] | is_long[:-1]) + 1
        if len(lengths)
        else np.empty(0, np.int64)
    )
    for first, last in itertools.pairwise([0, *edges.tolist(), len(lengths)]):
        if first == last:
            continue
        start, end = int(ends[first] - lengths[first]), int(ends[last - 1])
        if last == first + 1 and is_long[first]:
            yield from ((part, first, np.zeros(1, np.int64)) for part in _parts(text[start:end]))
        else:
            yield text[start:end], first, ends[first:last] - lengths[first:last] - start


def _parts(text: str) -> Iterator[str]:
    """A long text in parts that have the same tokens, if there is a place to cut it."""
    start = 0
    while start < len(text):
        end = (
            place_to_cut(text, start, start + _PIECE_CHARACTERS) if start + _PIECE_CHARACTERS < len(text) else len(text)
        )
        yield text[start:end]
        start = end


def place_to_cut(text: str, start: int, end: int) -> int:
    """The last place between two others where a text can be cut without a change of its tokens.

    That is at a space, or else before punctuation; if there is neither, it is the end.
    """
    for signs in (" \t\n", _CUTS):
        place = max(text.rfind(sign, start + 1, end) for sign in signs)
        while place > start and text[place - 1] == text[place]:
            place -= 1
        if place > start:
            return place
    return end


def _folded(text: str, text_starts: Ints) -> tuple[Codes, Ints, Codes]:
    """Code units of texts to hash, where each text begins, and code units that tell their kinds."""
    codes = utf16(text)
    rare = rare_places(codes)
    if rare.size:
        has_rare = np.zeros(len(text_starts), np.bool_)
        has_rare[np.searchsorted(places_in_units(codes, text_starts), rare, side="right") - 1] = True
        text, text_starts = spelled_out(text, text_starts, np.flatnonzero(has_rare))
        codes = utf16(text)
    if len(codes) != len(text):
        text_starts = places_in_units(codes, text_starts)
    codes, text_starts = fold_units(codes, text_starts)
    dashes = codes == LONG_DASH  # these are like hyphens, but never join words
    return (np.where(dashes, np.uint16(HYPHEN), codes) if dashes.any() else codes), text_starts, codes


def _as_it_stands(text: str, text_starts: Ints) -> tuple[Codes, Ints, Codes]:
    codes = utf16(text)
    return codes, text_starts if len(codes) == len(text) else places_in_units(codes, text_starts), codes


def _tokens(codes: Codes, text_starts: Ints, signs: Codes, *, punctuation: bool, fold: bool) -> Tokens:
    """Tokens of a few texts, given where each begins."""
    edge = np.zeros(len(codes) + 1, np.bool_)  # whether a text begins at this place, and another has ended
    edge[text_starts] = edge[-1] = True
    kinds = np.zeros(len(codes) + 2, np.uint8)
    kinds[1:-1] = _kinds().take(signs)
    has_unspaced = kinds.max() > _UNSPACED
    if has_unspaced:
        _join_halves(codes, kinds[1:-1])
    _settle_joiners(kinds, edge)
    is_word = kinds >= _WORD
    goes_on = is_word[1:-1] & is_word[:-2] & ~edge[:-1]
    if has_unspaced:
        goes_on[1:] &= ~_cuts(codes, kinds[1:-1])
    is_token = is_word[1:-1]
    if punctuation:
        is_token = kinds[1:-1] != _SPACE
        if fold:
            is_token[1:] &= (
                (codes[1:] != codes[:-1]) | is_word[2:-1] | edge[1:-1]
            )  # a mark that is repeated is one token
    starts = np.flatnonzero(is_token & ~goes_on)
    sums, inverses = prefix_sums((codes * is_token).astype(np.uint64))  # what is between tokens adds nothing
    hashes = mix(np.diff(sums[np.append(starts, len(codes))]) * inverses[starts])
    return Tokens(hashes, np.searchsorted(starts, np.append(text_starts, len(codes))), _have_letters(kinds[1:], starts))


def _have_letters(kinds: Bytes, starts: Ints) -> Flags:
    """Whether each token has a letter; there is a space behind all kinds.

    Most begin with one: the others are looked at again.
    """
    first = kinds[starts]
    lettered = first >= _LETTER
    others = np.flatnonzero(first == _WORD)
    ends = np.append(starts, len(kinds) - 1)[others + 1]
    if others.size:
        lettered[others] = np.maximum.reduceat(kinds, np.stack([starts[others], ends], axis=1).ravel())[::2] >= _LETTER
    return lettered


def _join_halves(codes: Codes, kinds: Bytes) -> None:
    """Second halves of surrogate pairs are of the kind of the first, where this is a Han character."""
    first = np.flatnonzero((codes[:-1] >= _HAN_BEYOND.start) & (codes[:-1] < _HAN_BEYOND.stop))
    kinds[first + 1] = np.where(are_second_halves(codes[first + 1]), kinds[first], kinds[first + 1])


def _settle_joiners(kinds: Bytes, edge: Flags) -> None:
    """What may join words becomes part of a word or a mark. There is a space before and after all kinds."""
    joiners = np.flatnonzero(kinds == _JOINER)
    before, after = kinds[joiners - 1], kinds[joiners + 1]
    joins = (
        (before >= _WORD)
        & (before <= _LETTER)
        & (after >= _WORD)
        & (after <= _LETTER)
        & ~edge[joiners - 1]
        & ~edge[joiners]
    )
    kinds[joiners] = np.where(joins, _WORD, _MARK)


def _cuts(codes: Codes, kinds: Bytes) -> Flags:
    """Whether a word ends between each two neighbours, for scripts without spaces."""
    before, after = codes[:-1], codes[1:]
    limits = _limits().take(kinds[1:])
    cuts: Flags = mix(_SEED | before.astype(np.uint64) << np.uint64(16) | after) < limits
    cuts &= (before != after) & ~are_second_halves(after)
    cuts |= (kinds[1:] != kinds[:-1]) & (np.maximum(kinds[1:], kinds[:-1]) > _UNSPACED)
    return cuts


@functools.cache
def _limits() -> Hashes:
    """For each kind the number below which the hash of a pair is where a word ends."""
    limits = np.zeros(_UNSPACED + max(_CUT_SHARES) + 1, np.uint64)
    for length, (numerator, denominator) in _CUT_SHARES.items():
        limits[_UNSPACED + length] = (numerator << 64) // denominator
    return limits


@functools.cache
def _kinds() -> Bytes:
    """What each UTF-16 code unit is. Halves of surrogate pairs are letters or else parts of emoji."""
    kinds = unit_table(
        _SPACE,
        {"P": _MARK, "S": _MARK, "M": _WORD, "N": _WORD, "Co": _WORD, "L": _LETTER, "Cf": _JOINER},
        {_JOINERS: _JOINER},
    )
    lengths = characters_per_word()
    unspaced = (lengths > 0) & characters_are("L", "M", "Nl")
    unspaced[_TSHEGS] = True
    kinds[unspaced] = _UNSPACED + lengths[unspaced]
    kinds[_WORD_SPACE] = _SPACE
    kinds[SURROGATES] = _LETTER
    kinds[_EMOJI] = kinds[SECOND_HALVES] = _WORD
    kinds[_HAN_BEYOND] = _UNSPACED + lengths[_HAN_BEYOND]
    return kinds


@functools.cache
def _stop_hashes(lang: str, *, fold: bool) -> Hashes:
    return np.unique(tokenise(sorted(stop_list(lang)), fold=fold).hashes)
