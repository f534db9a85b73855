"""How well the text nodes of a page fit a language: Victor's `langid1` and `langid2`, for all nodes at once.

The numbers are those of the identifiers `beesley` and `cavnar-trenkle` with the profile of one language; these count
the n-grams of one text after the other, which takes far longer on a page of a thousand short texts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats, Hashes, Ints
from gristmill.language.beesley import UNSEEN, logarithms
from gristmill.language.cavnar_trenkle import MAX_RANKS
from gristmill.language.profile import MAX_GRAM_CHARACTERS, Profile, padded_words, profile_of_library

_CODE_BITS = 21  # of a code point
_LETTER_BITS = 10  # of a character in the alphabet of a page
_GRAM_BITS = _LETTER_BITS * MAX_GRAM_CHARACTERS
_TEXT_BITS = 64 - _GRAM_BITS
_INDEX_BITS = 40
_MAX_COUNT = 1 << (_GRAM_BITS - _INDEX_BITS)
_SPACE = ord(" ")


def fits(texts: Sequence[str], lang: str) -> tuple[Floats, Floats] | None:
    """Return for each text the mean probability of a character after another, and the similarity of ranks of n-grams.

    None if the language is not known. Texts must have fewer than about a thousand characters.
    """
    known = _known(lang) if lang else None
    if known is None:
        return None
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(text, len(numbers)) for text in texts]
    padded = [padded_words(text) for text in numbers]
    parts = [known.fits(part) for part in _parts(padded)]
    pairs, ranks = (np.concatenate([part[at] for part in parts] or [np.zeros(0)]) for at in (0, 1))
    return np.exp(pairs)[places], ranks[places]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a language: the logarithms of its pairs of characters, and the ranks of its n-grams."""

    pairs: Ints
    logarithms: Floats
    grams: npt.NDArray[np.uint32]
    """The code points of the most frequent n-grams, a row each, the most frequent first; 0 behind the last one."""

    def fits(self, padded: Sequence[str]) -> tuple[Floats, Floats]:
        """Compare texts, as words with spaces around them, with the language: logarithms of pairs, and ranks."""
        codes = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), np.uint32)
        lengths = np.array([len(text) for text in padded], np.int64)
        owners = np.repeat(np.arange(len(padded)), lengths)
        return self._pairs(codes, lengths, owners), self._ranks(codes, owners, len(padded))

    def _pairs(self, codes: npt.NDArray[np.uint32], lengths: Ints, owners: Ints) -> Floats:
        """Return the mean logarithm of each text's pairs. Each text has a pair at least, as it has two spaces."""
        wide = codes.astype(np.int64)
        pairs = wide[:-1] << _CODE_BITS | wide[1:]
        place = np.minimum(self.pairs.searchsorted(pairs), len(self.pairs) - 1)
        values = np.where(self.pairs[place] == pairs, self.logarithms[place], UNSEEN)
        within = owners[:-1] == owners[1:]
        return np.bincount(owners[:-1][within], values[within], len(lengths)) / np.maximum(1, lengths - 1)

    def _ranks(self, codes: npt.NDArray[np.uint32], owners: Ints, number: int) -> Floats:
        """Return one minus the mean distance of ranks, as a share of the greatest one; 0 for a text without words."""
        alphabet, letters = np.unique(codes, return_inverse=True)
        found, counts = _counted(letters.astype(np.uint64) + np.uint64(1), codes == _SPACE, owners)
        order, ranks, sizes = _ranked(found, counts, number)
        grams = found[order]
        owner = (grams >> np.uint64(_GRAM_BITS)).astype(np.int64)
        known, known_ranks = self._packed(alphabet)
        bare = grams & np.uint64((1 << _GRAM_BITS) - 1)
        place = np.minimum(known.searchsorted(bare), len(known) - 1)
        distance = np.minimum(np.abs(known_ranks[place] - ranks), MAX_RANKS)
        total = np.bincount(owner, np.where(known[place] == bare, distance, MAX_RANKS), number)
        return np.where(sizes > 0, 1.0 - total / np.maximum(1, sizes * MAX_RANKS), 0.0)

    def _packed(self, alphabet: npt.NDArray[np.uint32]) -> tuple[Hashes, Ints]:
        """Pack the language's n-grams by the alphabet of a page; those with other characters are left out.

        The first, which is packed as 0, is none: so that there always is one.
        """
        place = np.minimum(alphabet.searchsorted(self.grams), len(alphabet) - 1)
        is_there = (alphabet[place] == self.grams) | (self.grams == 0)
        letters = np.where(self.grams == 0, 0, place + 1).astype(np.uint64)
        shifts = np.arange(MAX_GRAM_CHARACTERS)[::-1].astype(np.uint64) * np.uint64(_LETTER_BITS)
        ranks = np.flatnonzero(is_there.all(1))
        packed = (letters << shifts).sum(1, dtype=np.uint64)[ranks]
        order = np.argsort(packed)
        return np.append(np.uint64(0), packed[order]), np.append(0, ranks[order])


def _counted(letters: Hashes, is_space: npt.NDArray[np.bool_], owners: Ints) -> tuple[Hashes, Ints]:
    """Return the different n-grams of all texts, in order of text and alphabet, and how often each occurs.

    An n-gram is a number: that of its text, and the letters from left to right, with zeros behind it, so that numbers
    have the order of the alphabet. With 2 letters of 4 bits, "ab" of text 3 is 0x3_1_2 and "a" is 0x3_1_0. No n-gram
    has a space but at its ends, so none crosses from one text to the next.
    """
    packed = owners.astype(np.uint64) << np.uint64(_GRAM_BITS)
    inner = np.ones(len(letters), np.bool_)
    parts = []
    for length in range(1, MAX_GRAM_CHARACTERS + 1):
        end = len(letters) - length + 1
        if end <= 0:
            break
        shift = np.uint64(_LETTER_BITS * (MAX_GRAM_CHARACTERS - length))
        packed, inner = packed[:end] | letters[length - 1 :] << shift, inner[:end]
        if length > 2:
            inner = inner & ~is_space[length - 2 : length - 2 + end]
        spaces = is_space[:end] & is_space[length - 1 :]
        parts.append(packed[inner & ~spaces] if length <= 2 else packed[inner])
    grams = np.sort(np.concatenate(parts))
    new = np.flatnonzero(np.append(True, grams[1:] != grams[:-1])[: len(grams)])
    return grams[new], np.diff(np.append(new, len(grams)))


def _ranked(grams: Hashes, counts: Ints, number: int) -> tuple[Ints, Ints, Ints]:
    """Put the n-grams of each text in the order of their counts, equal ones in that of the alphabet, up to `MAX_RANKS`.

    Returns which n-grams these are, their ranks from 0 in their text, and how many each of `number` texts has.
    """
    rarity = (_MAX_COUNT - 1 - np.minimum(counts, _MAX_COUNT - 1)).astype(np.uint64)
    keys = grams >> np.uint64(_GRAM_BITS) << np.uint64(_GRAM_BITS) | rarity << np.uint64(_INDEX_BITS)
    keys = np.sort(keys | np.arange(len(grams), dtype=np.uint64))
    order = (keys & np.uint64((1 << _INDEX_BITS) - 1)).astype(np.int64)
    sizes = np.bincount((grams >> np.uint64(_GRAM_BITS)).astype(np.int64), minlength=number)
    ranks = np.arange(len(grams)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = ranks < MAX_RANKS
    return order[kept], ranks[kept], np.minimum(sizes, MAX_RANKS)


def _parts(padded: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts in parts that are small enough for the numbers of n-grams: most pages are one."""
    waiting = [padded] if padded else []
    while waiting:
        part = waiting.pop()
        if len(part) < 1 << _TEXT_BITS and len(set().union(*part)) < (1 << _LETTER_BITS) - 1:
            yield part
        elif len(part) == 1:
            yield [part[0][: (1 << _LETTER_BITS) - 2]]
        else:
            waiting += [part[len(part) // 2 :], part[: len(part) // 2]]


@functools.lru_cache(8)
def _known(lang: str) -> _Known | None:
    profile = profile_of_library(lang)
    return _of_profile(profile) if profile else None


def _of_profile(profile: Profile) -> _Known:
    values = logarithms(profile)
    pairs = np.array([ord(pair[0]) << _CODE_BITS | ord(pair[1]) for pair in values], np.int64)
    order = np.argsort(pairs)
    grams = [gram.ljust(MAX_GRAM_CHARACTERS, "\0") for gram in profile.grams[:MAX_RANKS].tolist()]
    codes = np.frombuffer("".join(grams).encode("utf-32-le"), np.uint32).reshape(-1, MAX_GRAM_CHARACTERS)
    return _Known(pairs[order], np.array(list(values.values()))[order], codes)
